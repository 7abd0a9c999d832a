import contextlib
import os
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_build.sources.contract import Record
from ontology.document import Chunk, Document
from ontology.errors import ClewError, Code
from ontology.model import Entity, Evidence, Mapping, Name
from tests.miniature import TRIPLES, cmekg_members, read_source, write_artefact


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_artefact(tmp_path_factory.mktemp("cmekg"), "cmekg", cmekg_members())


@pytest.fixture(scope="module")
def records(sdist: Path) -> list[Record]:
    return read_source("cmekg", sdist)[0]


def write_triples(folder: Path, triples: Any) -> Path:
    return write_artefact(folder, "cmekg", cmekg_members(pickle.dumps(triples, protocol=3)))


def said(records: list[Record]) -> set[tuple[str, str, str]]:
    """Statements with labels for ids."""
    labels = {r.id: r.label for r in records if isinstance(r, Entity)}
    stated = [r.assertion for r in records if isinstance(r, Evidence)]
    return {(labels.get(a.subject, a.subject), a.predicate, labels.get(a.object, a.object)) for a in stated}


def types(records: list[Record]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for r in records:
        if isinstance(r, Entity):
            found.setdefault(r.label, set()).add(r.type)
    return found


def test_the_balance_closes_over_every_triple(sdist: Path) -> None:
    _, tally = read_source("cmekg", sdist)
    tally.check()
    assert tally.read_rows["triple"] == sum(len(v) for properties in TRIPLES.values() for v in properties.values())
    reasons = {reason for _, reason in tally.dropped_rows}
    assert {
        "one character",
        "fragment of a sentence",
        "repeats a triple",
        "a caution, not a contraindication",
        "longer than 20 characters: a sentence, not a term",
        "not an ICD-10 code",
        "predicate outside the ontology",
        "subject is neither disease, drug nor procedure",
    } <= reasons


def test_a_cold_has_symptoms_treatment_and_department(records: list[Record]) -> None:
    assert {("感冒", "has_phenotype", word) for word in ("发热", "咳嗽", "鼻塞", "头痛")} <= said(records)
    assert ("对乙酰氨基酚", "treats", "感冒") in said(records)
    assert ("感冒", "managed_by", "呼吸内科") in said(records)


def test_an_indication_prefix_is_cut_and_a_prohibition_names_who_it_is_for(records: list[Record]) -> None:
    assert ("苯磺酸氨氯地平片", "treats", "心绞痛") in said(records)
    assert ("卡托普利片", "contraindicated_in", "孕妇") in said(records)
    assert not any(predicate == "contraindicated_in" and "肝功能" in object_ for _, predicate, object_ in said(records))


def test_a_string_has_the_first_type_that_knows_it(records: list[Record]) -> None:
    found = types(records)
    assert found["发热"] == {"PhenotypicFeature"}
    assert found["高血压"] == {"Disease"}
    assert found["肺炎"] == {"Disease"}
    assert found["孕妇"] == {"Population"}
    assert found["氨氯地平"] == {"Drug"}
    assert found["西咪替丁"] == {"Drug"}
    assert ("感冒", "has_complication", "肺炎") in said(records)


def test_an_examination_examines_what_is_listed_for_it(records: list[Record]) -> None:
    assert ("肺炎", "is_diagnosed_by", "胸部X线检查") in said(records)
    assert ("咳嗽", "is_diagnosed_by", "胸部X线检查") in said(records)


def test_a_national_extension_of_a_code_is_narrower_than_its_who_code(records: list[Record]) -> None:
    codes = {(r.object, r.predicate) for r in records if isinstance(r, Mapping)}
    assert ("ICD10:J00", "skos:closeMatch") in codes
    assert ("ICD10:J11.1", "skos:broadMatch") in codes
    assert not any("x05" in code for code, _ in codes)
    assert ("流行性感冒", "subclass_of", "ICD10:J11.1") in said(records)


def test_names_keep_their_language_and_kind(records: list[Record]) -> None:
    labels = {r.id: r.label for r in records if isinstance(r, Entity)}
    found = {(labels[r.entity], r.lang, r.text, r.kind) for r in records if isinstance(r, Name)}
    assert ("感冒", "en", "common cold", "exact") in found
    assert ("感冒", "zh", "伤风", "exact") in found
    assert ("苯磺酸氨氯地平片", "zh", "络活喜", "brand") in found


def test_sentences_of_a_subject_are_its_document_under_the_headings_of_the_source(records: list[Record]) -> None:
    (document,) = [r for r in records if isinstance(r, Document) and r.title == "高血压"]
    passages = {r.section: r.text for r in records if isinstance(r, Chunk) and r.document == document.id}
    assert passages["高血压 › 体征"] == "多次测量血压均高于正常。"
    assert "氨氯地平" in passages["高血压 › 治疗方案"]
    assert document.reference in {r.id for r in records if isinstance(r, Entity) and r.label == "高血压"}
    assert document.about == (document.reference,)
    assert ("对乙酰氨基酚片", "treats", "发热") in said(records)


def test_evidence_quotes_the_string_as_written_and_names_its_record(records: list[Record]) -> None:
    (e,) = [r for r in records if isinstance(r, Evidence) and r.quote == "用于心绞痛"]
    assert (e.record, e.knowledge_level, e.agent_type) == (
        "苯磺酸氨氯地平片/适应症",
        "knowledge_assertion",
        "not_provided",
    )


def test_an_id_depends_on_type_and_name_only(sdist: Path, tmp_path: Path, records: list[Record]) -> None:
    alone, _ = read_source("cmekg", write_triples(tmp_path, {"感冒": TRIPLES["感冒"]}))
    ids = {r.label: r.id for r in records if isinstance(r, Entity)}
    assert all(r.id == ids[r.label] for r in alone if isinstance(r, Entity) and r.label in {"感冒", "发热", "呼吸内科"})


class Trap:
    """A pickle of this would make a folder where it is read."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, ("pickle-was-run",)


def test_a_pickle_that_asks_for_a_class_is_refused_and_nothing_of_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = write_triples(tmp_path, {"感冒": {"常见症状": [Trap()]}})
    with pytest.raises(ClewError, match="asks for") as caught:
        read_source("cmekg", path)
    assert caught.value.code is Code.UNREADABLE_SOURCE
    assert not (tmp_path / "pickle-was-run").exists()


@pytest.mark.parametrize(
    "pickled",
    [b"", b"\x80", b"not a pickle", b"\x80\x04X\x05", b"\x80\x63.", b"(.", b"0.", b"\x80\x03h\x07.", b"I7x\n."],
)
def test_bytes_that_are_no_pickle_are_unreadable(tmp_path: Path, pickled: bytes) -> None:
    with pytest.raises(ClewError) as caught:
        read_source("cmekg", write_artefact(tmp_path, "cmekg", cmekg_members(pickled)))
    assert caught.value.code is Code.UNREADABLE_SOURCE


@settings(max_examples=60, deadline=None)
@given(cut=st.integers(0, 400), noise=st.binary(max_size=12))
def test_damage_to_a_pickle_never_leads_to_an_uncoded_error(
    tmp_path_factory: pytest.TempPathFactory, cut: int, noise: bytes
) -> None:
    pickled = pickle.dumps(TRIPLES, protocol=3)
    damaged = pickled[:cut] + noise + pickled[cut + len(noise) :]
    path = write_artefact(tmp_path_factory.mktemp("noise"), "cmekg", cmekg_members(damaged))
    with contextlib.suppress(ClewError):
        _, tally = read_source("cmekg", path)
        tally.check()


@pytest.mark.parametrize("data", [[], "感冒", {"感冒": []}, {"感冒": "发热"}, None])
def test_a_pickle_of_another_shape_is_unreadable(tmp_path: Path, data: Any) -> None:
    with pytest.raises(ClewError) as caught:
        read_source("cmekg", write_triples(tmp_path, data))
    assert caught.value.code is Code.UNREADABLE_SOURCE


@pytest.mark.parametrize("value", ["发热咳嗽", None, 7, {"发热": 1}, True])
@pytest.mark.parametrize(
    ("word", "subject"), [("常见症状", "感冒"), ("药物治疗", "感冒"), ("成份", "感冒灵"), ("通用名", "感冒灵")]
)
def test_a_value_that_is_not_a_list_is_counted_and_makes_nothing(
    tmp_path: Path, word: str, subject: str, value: Any
) -> None:
    mark = "就诊科室" if subject == "感冒" else "OTC类型"
    records, tally = read_source("cmekg", write_triples(tmp_path, {subject: {word: value, mark: ["呼吸内科"]}}))
    tally.check()
    assert tally.dropped_rows["triple", "value is not a list"] == 1
    assert {r.label for r in records if isinstance(r, Entity)} <= {"感冒", "呼吸内科"}


def test_letters_of_a_string_value_never_count_as_known_findings(tmp_path: Path) -> None:
    triples = {
        "感冒": {"常见症状": "心绞痛发热", "就诊科室": ["内科"]},
        "药片": {"主治": ["心绞", "发热"], "成份": ["药"]},
    }
    records, _ = read_source("cmekg", write_triples(tmp_path, triples))
    assert not any(predicate == "treats" for _, predicate, _ in said(records))


@pytest.mark.parametrize("item", [None, 7, 1.5, ["发热"], {"发热": 1}, b"x", "", " "])
@pytest.mark.parametrize("word", ["常见症状", "药物治疗", "英文名称", "ICD10", "相关药物", "预防"])
def test_an_item_that_is_not_a_text_is_counted_and_not_fatal(tmp_path: Path, word: str, item: Any) -> None:
    records, tally = read_source("cmekg", write_triples(tmp_path, {"感冒": {word: [item], "常见病因": ["受凉"]}}))
    tally.check()
    assert tally.kept_rows["triple"] == 1
    assert {r.label for r in records if isinstance(r, Entity)} == {"感冒", "受凉"}


@pytest.mark.parametrize("subject", [7, None, "", "  ", "——"])
def test_a_subject_without_a_name_is_counted_and_not_fatal(tmp_path: Path, subject: Any) -> None:
    records, tally = read_source("cmekg", write_triples(tmp_path, {subject: {"常见症状": ["发热", "咳嗽"]}}))
    tally.check()
    assert records == []
    assert tally.read_rows["triple"] == 2


def test_a_string_of_marks_only_is_not_a_term(tmp_path: Path) -> None:
    records, _ = read_source("cmekg", write_triples(tmp_path, {"感冒": {"常见症状": ["——", "发热", "……"]}}))
    assert {r.label for r in records if isinstance(r, Entity)} == {"感冒", "发热"}


@pytest.mark.parametrize("damage", ["cut", "flipped", "not an archive"])
def test_a_damaged_archive_is_unreadable(tmp_path: Path, sdist: Path, damage: str) -> None:
    content = sdist.read_bytes()
    middle = len(content) // 2
    damaged = {
        "cut": content[:middle],
        "flipped": content[:middle] + bytes(40) + content[middle + 40 :],
        "not an archive": b"<html>not found</html>",
    }[damage]
    (tmp_path / "damaged.tar.gz").write_bytes(damaged)
    with pytest.raises(ClewError) as caught:
        read_source("cmekg", tmp_path / "damaged.tar.gz")
    assert caught.value.code is Code.UNREADABLE_SOURCE
