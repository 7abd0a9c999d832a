import gzip
import json
from pathlib import Path

import pytest

from ontology.errors import ClewError, Code
from reasoning.diagnosis.case import Case, Finding, case_from_phenopacket, case_from_record, read_cases

PACKET = {
    "id": "p1", "subject": {"sex": "FEMALE", "timeAtLastEncounter": {"age": {"iso8601duration": "P3Y"}}},
    "phenotypicFeatures": [
        {"type": {"id": "HP:0001250", "label": "Seizure"}, "onset": {"age": {"iso8601duration": "P2M"}}},
        {"type": {"id": "HP:0001945"}, "excluded": True, "modifiers": [{"id": "HP:0012828"}]},
    ],
    "diseases": [{"term": {"id": "OMIM:1", "label": "Spasm disease"}}],
    "metaData": {"externalReferences": [{"id": "PMID:1"}]}, "somethingNew": [1],
}  # fmt: skip


def test_a_phenopacket_is_read_with_its_gold_kept_apart() -> None:
    case = case_from_phenopacket(json.dumps(PACKET))
    assert case.findings == (
        Finding("HP:0001250", "Seizure", onset="P2M"),
        Finding("HP:0001945", excluded=True, modifiers=("HP:0012828",)),
    )
    assert (case.sex, case.age, case.references) == ("FEMALE", "P3Y", ("PMID:1",))
    assert (case.gold_ids, case.gold_labels) == (("OMIM:1",), ("Spasm disease",))


def test_a_malformed_phenopacket_names_the_field() -> None:
    with pytest.raises(ClewError, match=r"phenotypicFeatures\.0\.type") as caught:
        case_from_phenopacket({"id": "p", "phenotypicFeatures": [{"excluded": True}]})
    assert caught.value.code is Code.BAD_PHENOPACKET


@pytest.mark.parametrize("data", ["", "{", "[]", b"\xff", "null", {}])
def test_what_is_no_phenopacket_is_refused(data: object) -> None:
    with pytest.raises(ClewError):
        case_from_phenopacket(data)


def test_a_chinese_diagnosis_case_is_read() -> None:
    record = {"id": "1", "lang": "zh", "findings": [{"label": "咳嗽"}], "candidates": ["百日咳", "感冒"],
              "sex": "女", "age": 3, "gold": {"labels": ["百日咳"]}}  # fmt: skip
    case = case_from_record(record)
    assert case.findings == (Finding("", "咳嗽"),)
    assert (case.sex, case.candidates, case.gold_labels) == ("FEMALE", ("百日咳", "感冒"), ("百日咳",))


@pytest.mark.parametrize("packed", [False, True])
def test_malformed_lines_are_reported_with_their_number(tmp_path: Path, *, packed: bool) -> None:
    text = "\n".join([json.dumps(PACKET), "{broken", "", '{"id": "2", "lang": "zh"}', "[]"]).encode()
    path = tmp_path / ("cases.jsonl.gz" if packed else "cases.jsonl")
    path.write_bytes(gzip.compress(text) if packed else text)
    read = list(read_cases(path))
    assert [number for number, _ in read] == [1, 2, 4, 5]
    assert [isinstance(case, Case) for _, case in read] == [True, False, True, False]
    assert "line 2" in str(read[1][1])


def test_a_file_that_cannot_be_read_is_a_coded_error(tmp_path: Path) -> None:
    (tmp_path / "x.gz").write_bytes(b"no gzip")
    for path in (tmp_path / "x.gz", tmp_path / "none.jsonl"):
        with pytest.raises(ClewError):
            list(read_cases(path))
