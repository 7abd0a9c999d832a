"""Cases as people bring them: text, a file, a phenopacket."""

import json
from pathlib import Path
from typing import Any

import pytest

from api.case import diagnosis_cases, disease_names, read_case, read_text_case
from api.compose import Clew
from ontology.errors import ClewError, Code
from ontology.reading.reader import CERTAIN
from reasoning.evaluation.diagnosis.task import DiagnosisTask
from reasoning.evaluation.run import evaluate

PACKET = {
    "id": "p1",
    "subject": {"id": "s", "sex": "FEMALE"},
    "phenotypicFeatures": [
        {"type": {"id": "HP:0001166", "label": "Arachnodactyly"}},
        {"type": {"id": "HP:0001250", "label": "Seizure"}, "excluded": True},
    ],
    "metaData": {"externalReferences": [{"id": "PMID:9000002"}]},
}


@pytest.fixture(scope="module")
def graph(miniature_home: Path) -> Clew:
    return Clew.open(miniature_home)


def refusal(graph: Clew, **given: object) -> ClewError:
    with pytest.raises(ClewError) as caught:
        read_case(graph, **({"text": None, "file": None, "phenopacket": None} | given))  # type: ignore[arg-type]
    return caught.value


def signs(graph: Clew, text: str) -> dict[str, bool]:
    """Findings used -> whether they are there."""
    return {finding.id: not finding.excluded for finding in read_text_case(graph, text).case.findings}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("She has arachnodactyly and ectopia lentis, but no seizure.",
         {"HP:0001166": True, "HP:0001083": True, "HP:0001250": False}),
        ("Cough for two weeks. Her mother had chorea.", {"HP:0012735": True}),
        ("No cough at first. Now there is a cough.", {"HP:0012735": True}),
    ],
)  # fmt: skip
def test_present_findings_are_observed_and_absent_ones_excluded(graph: Clew, text: str, found: dict[str, bool]) -> None:
    assert signs(graph, text) == found


def test_a_value_out_of_its_range_is_a_finding_and_wins_over_a_denial(graph: Clew) -> None:
    assert signs(graph, "Cough. T 39.2 C.") == {"HP:0012735": True, "HP:0001945": True}
    assert signs(graph, "Denies fever. T 39.2 C.") == {"HP:0001945": True}
    assert signs(graph, "Cough. T 36.8 C.") == {"HP:0012735": True}
    assert signs(graph, "咳嗽，体温39.2℃。")["HP:0001945"]


@pytest.mark.parametrize("text", ["A 45-year-old woman with cough.", "患者，女，45岁，咳嗽3天。"])
def test_age_and_sex_are_those_of_the_text(graph: Clew, text: str) -> None:
    case = read_text_case(graph, text).case
    assert (case.age, case.sex) == ("P45Y", "FEMALE")


def test_provisional_links_are_shown_and_not_used(graph: Clew) -> None:
    read = read_text_case(graph, "Cough, high pressure of the blood.")
    assert [r.link.entity for r in read.readings if r.link.confidence < CERTAIN] == ["HP:0000822"]
    assert [finding.id for finding in read.case.findings] == ["HP:0012735"]


def test_chinese_text_is_read_the_same_way(graph: Clew) -> None:
    read = read_text_case(graph, "患者发热、咳嗽3天，无头痛。")
    assert read.case.lang == "zh"
    assert {f.label: not f.excluded for f in read.case.findings} == {"发热": True, "咳嗽": True, "头痛": False}


def test_what_is_not_used_is_still_shown(graph: Clew) -> None:
    read = read_text_case(graph, "Cough. Her mother had chorea.")
    assert {reading.link.label.lower(): reading.status for reading in read.readings}.keys() == {"cough", "chorea"}
    assert [finding.label.lower() for finding in read.case.findings] == ["cough"]


def test_a_phenopacket_is_taken_as_coded(graph: Clew, tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text(json.dumps(PACKET))
    read = read_case(graph, text=None, file=None, phenopacket=path)
    assert [(f.id, f.excluded) for f in read.case.findings] == [("HP:0001166", False), ("HP:0001250", True)]
    assert (read.case.sex, read.case.references, read.readings) == ("FEMALE", ("PMID:9000002",), ())


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_file_is_read_as_text_with_or_without_a_byte_order_mark(graph: Clew, tmp_path: Path, mark: bytes) -> None:
    path = tmp_path / "病例.txt"
    path.write_bytes(mark + "咳嗽".encode())
    read = read_case(graph, text=None, file=path, phenopacket=None)
    assert [finding.label for finding in read.case.findings] == ["咳嗽"]


@pytest.mark.parametrize(
    "given", [{}, {"text": "cough", "file": Path("x")}, {"text": "cough", "phenopacket": Path("x")}]
)
def test_exactly_one_input_is_taken(graph: Clew, given: dict[str, object]) -> None:
    error = refusal(graph, **given)
    assert (error.code, error.choices) == (Code.BAD_INPUT, ("TEXT", "--file", "--phenopacket"))


@pytest.mark.parametrize(
    ("text", "code"), [("", Code.EMPTY_INPUT), (" \n", Code.EMPTY_INPUT), ("x" * 200_001, Code.BAD_INPUT)]
)
def test_text_that_is_empty_or_too_long_is_refused(graph: Clew, text: str, code: Code) -> None:
    assert refusal(graph, text=text).code is code


# No stretch to be read by meaning: among the few names of the miniature everything is near to something.
@pytest.mark.parametrize("text", ["hello world", "您好", "Her mother had chorea.", "possible seizure?"])
def test_text_without_a_usable_finding_is_not_ranked(graph: Clew, text: str) -> None:
    assert refusal(graph, text=text).code is Code.NO_FINDINGS


def test_a_file_that_cannot_be_read_is_named(graph: Clew, tmp_path: Path) -> None:
    for path in (tmp_path / "none.txt", tmp_path):
        assert str(path) in refusal(graph, file=path).cause
        assert str(path) in refusal(graph, phenopacket=path).cause
    binary = tmp_path / "b.txt"
    binary.write_bytes(b"\xff\xfe\x00")
    assert "UTF-8" in refusal(graph, file=binary).cause


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"\xff",
        b'{"id": ""}',
        b'{"id": "x", "phenotypicFeatures": {}}',
        b'{"id": "x", "phenotypicFeatures": [{"type": {}}]}',
    ],
)
def test_a_malformed_phenopacket_is_refused(graph: Clew, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "p.json"
    path.write_bytes(content)
    assert refusal(graph, phenopacket=path).code is Code.BAD_PHENOPACKET


def figures(graph: Clew, path: Path) -> dict[str, Any]:
    task = DiagnosisTask(graph.diagnosis, diagnosis_cases(graph, path), resolve=disease_names(graph))
    return evaluate(task).figures


def test_gold_labels_are_matched_by_the_names_of_the_release(graph: Clew, tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    finding = [{"id": "HP:0001083"}, {"id": "HP:0001166"}]
    records = [
        {"id": "1", "findings": finding, "gold": {"ids": ["OMIM:154700"]}},
        {"id": "2", "findings": finding, "gold": {"labels": ["marfan SYNDROME"]}},
        {"id": "3", "lang": "zh", "findings": finding, "gold": {"labels": ["马凡综合征"]}},
    ]
    path.write_text("\n".join(json.dumps(record, ensure_ascii=False) for record in records), encoding="utf-8")
    found = figures(graph, path)
    assert (found["n"], found["covered"]) == (3, 3)


@pytest.mark.parametrize(
    "case",
    [
        {"findings": [{"label": "Lens dislocation"}, {"label": "Long slender fingers"}]},
        {"text": "Ectopia lentis and arachnodactyly, no seizure."},
    ],
)
def test_findings_without_ids_are_found_by_their_names(graph: Clew, tmp_path: Path, case: dict[str, object]) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps({"id": "1", "gold": {"ids": ["OMIM:154700"]}} | case))
    found = figures(graph, path)
    assert (found["n"], found["covered"], found["top1"]) == (1, 1, 1.0)
