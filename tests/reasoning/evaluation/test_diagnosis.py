import json
from pathlib import Path

import pytest

from ontology.errors import ClewError, Code
from reasoning.diagnosis.case import Case, Finding
from reasoning.diagnosis.likelihood import DiagnosisEngine
from reasoning.evaluation.diagnosis import calibrate, evaluate
from tests.reasoning.diagnosis.graph import FEVER, NEAR_ROWS, RASH, SPASM, matrix

RIGHT = Case("1", findings=(Finding(SPASM),), references=("PMID:1",), gold_ids=("OMIM:1",))
NAMED = Case("2", findings=(Finding(RASH),), gold_ids=("MONDO:1",), gold_labels=("rash  DISEASE",))
ABSENT = Case("3", findings=(Finding(FEVER),), gold_ids=("OMIM:99",))
LOST = Case("4", findings=(Finding("HP:0000118"),), references=("PMID:9",), gold_ids=("OMIM:4",))
CASES = [(1, RIGHT), (2, NAMED), (3, ABSENT), (4, ClewError(Code.BAD_INPUT, "line 4")), (5, LOST)]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> DiagnosisEngine:
    return DiagnosisEngine(matrix(tmp_path_factory.mktemp("matrix")))


def test_the_object_has_exactly_the_promised_fields(engine: DiagnosisEngine) -> None:
    figures = evaluate(engine, CASES)
    rates = ["top1", "top3", "top5", "top10", "mrr"]
    assert list(figures) == [
        "task", "n", "covered", *rates, "capped", "macro", "ece", "ms_per_case",
        *(f"{rate}_all" for rate in rates), "malformed",
    ]  # fmt: skip
    assert list(figures["capped"]) == rates
    assert list(figures["macro"]) == [*rates, "diseases"]


def test_rates_are_over_covered_cases_and_all_over_every_case(engine: DiagnosisEngine) -> None:
    figures = evaluate(engine, CASES)
    assert (figures["n"], figures["covered"], figures["malformed"]) == (4, 3, 1)
    assert figures["top10_all"] == pytest.approx(figures["top10"] * 3 / 4)


def test_a_disease_left_without_evidence_is_not_covered(engine: DiagnosisEngine) -> None:
    assert evaluate(engine, CASES, hide_own_references=True)["covered"] == 2


def test_results_name_the_rule_that_matched_the_gold(engine: DiagnosisEngine, tmp_path: Path) -> None:
    out = tmp_path / "results.jsonl"
    evaluate(engine, CASES, out=out)
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [line.get("matched_by") for line in lines] == ["id", "name", "none", None, "id"]
    assert (lines[0]["rank"], lines[0]["top"][0]["id"]) == (1, "OMIM:1")
    assert lines[1]["gold"] == ["ORPHA:3"]
    assert lines[2]["rank"] is None
    assert lines[3]["error"]["code"] == "E101"


def test_limit_stops_early(engine: DiagnosisEngine) -> None:
    assert evaluate(engine, CASES, limit=1)["n"] == 1


def test_candidates_are_ranked_among_themselves_whatever_their_order(engine: DiagnosisEngine) -> None:
    names = ("百日咳", "肺结核", "感冒")
    for order in (names, names[::-1]):
        case = Case("z", "zh", (Finding("cmekg:咯血"),), candidates=order, gold_labels=("肺结核",))
        assert evaluate(engine, [(1, case)])["top1"] == 1


def test_tied_candidates_share_the_rank(engine: DiagnosisEngine) -> None:
    case = Case("z", "zh", (Finding("cmekg:无"),), candidates=("百日咳", "肺结核"), gold_labels=("肺结核",))
    assert evaluate(engine, [(1, case)])["mrr"] == pytest.approx(0.75)


def test_a_gold_listed_under_its_twin_is_matched_as_the_same(tmp_path: Path) -> None:
    near = DiagnosisEngine(matrix(tmp_path, NEAR_ROWS))
    case = Case("t", findings=(Finding(RASH),), gold_ids=("ORPHA:6",))
    evaluate(near, [(1, case)], out=tmp_path / "out")
    line = json.loads((tmp_path / "out").read_text(encoding="utf-8"))
    assert line["matched_by"] == "same_as"
    listed = [entry["id"] for entry in line["top"]]
    assert listed[int(line["rank"]) - 1] == "OMIM:2"
    assert "ORPHA:6" not in listed


def test_the_temperature_is_found_by_likelihood(engine: DiagnosisEngine) -> None:
    found = calibrate(engine, [RIGHT, ABSENT])
    assert found.temperature == 0.5
    assert 0 <= found.ece <= 1


def test_nothing_to_calibrate_on_leaves_the_temperature(engine: DiagnosisEngine) -> None:
    assert calibrate(engine, [ABSENT]).temperature == engine.matrix.constants.temperature
