from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ontology.errors import ClewError, Code
from reasoning.diagnosis.case import Case, Finding
from reasoning.diagnosis.likelihood import DiagnosisEngine
from reasoning.evaluation.diagnosis.calibrate import calibrate
from reasoning.evaluation.diagnosis.task import ALL_EVIDENCE, ENGINE, OWN_HIDDEN, DiagnosisTask, result_line
from reasoning.evaluation.run import Run
from reasoning.evaluation.run import evaluate as run
from tests.reasoning.diagnosis.graph import FEVER, NEAR_ROWS, RASH, SPASM, matrix

RIGHT = Case("1", findings=(Finding(SPASM),), references=("PMID:1",), gold_ids=("OMIM:1",))
NAMED = Case("2", findings=(Finding(RASH),), gold_ids=("MONDO:1",), gold_labels=("rash  DISEASE",))
ABSENT = Case("3", findings=(Finding(FEVER),), gold_ids=("OMIM:99",))
LOST = Case("4", findings=(Finding("HP:0000118"),), references=("PMID:9",), gold_ids=("OMIM:4",))
CASES = [(1, RIGHT), (2, NAMED), (3, ABSENT), (4, ClewError(Code.BAD_INPUT, "line 4")), (5, LOST)]


def measured(engine: DiagnosisEngine, cases: object = CASES, **options: object) -> Run:
    return run(DiagnosisTask(engine, cases, **options))  # type: ignore[arg-type]


def evaluate(engine: DiagnosisEngine, cases: object = CASES, **options: object) -> dict[str, Any]:
    return measured(engine, cases, **options).figures


def results(engine: DiagnosisEngine, cases: object = CASES) -> list[dict[str, Any]]:
    records = measured(engine, cases).records
    return [result_line(record) for record in records if (record.arm, record.view) == (ENGINE, ALL_EVIDENCE)]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> DiagnosisEngine:
    return DiagnosisEngine(matrix(tmp_path_factory.mktemp("matrix")))


def test_the_object_has_exactly_the_promised_fields(engine: DiagnosisEngine) -> None:
    figures = evaluate(engine, CASES)
    rates = ["top1", "top3", "top5", "top10", "mrr"]
    assert list(figures) == [
        "task", "n", "covered", *rates, "median_rank", "capped", "macro", "ece", "ms_per_case",
        *(f"{rate}_all" for rate in rates), "malformed", "problems", "view", "views", "peers",
    ]  # fmt: skip
    assert list(figures["capped"]) == [*rates, "median_rank"]
    assert list(figures["macro"]) == [*rates, "diseases"]


def test_rates_are_over_covered_cases_and_all_over_every_case(engine: DiagnosisEngine) -> None:
    figures = evaluate(engine, CASES)
    assert (figures["n"], figures["covered"], figures["malformed"]) == (4, 3, 1)
    assert figures["top10_all"] == pytest.approx(figures["top10"] * 3 / 4)


def test_a_disease_left_without_evidence_is_not_covered(engine: DiagnosisEngine) -> None:
    assert evaluate(engine, CASES, view=OWN_HIDDEN)["covered"] == 2


def test_both_views_are_always_measured_and_one_stands_on_top(engine: DiagnosisEngine) -> None:
    figures = evaluate(engine, CASES, view=OWN_HIDDEN)
    assert {view: part["covered"] for view, part in figures["views"].items()} == {ALL_EVIDENCE: 3, OWN_HIDDEN: 2}
    assert {name: figures[name] for name in figures["views"][OWN_HIDDEN]} == figures["views"][OWN_HIDDEN]


def test_what_cannot_be_right_is_counted_and_named(engine: DiagnosisEngine) -> None:
    made = measured(engine)
    assert made.figures["problems"] == {"gold not in the graph": 1, "malformed": 1}
    assert [problem.line for problem in made.problems] == [3, 4]
    assert "OMIM:99" in made.problems[0].cause


def test_shuffled_gold_destroys_the_figures(engine: DiagnosisEngine) -> None:
    cases = [(1, RIGHT), (2, NAMED)]
    swapped = [(1, replace(RIGHT, gold_ids=("ORPHA:3",))), (2, replace(NAMED, gold_labels=(), gold_ids=("OMIM:1",)))]
    assert (evaluate(engine, cases)["top1"], evaluate(engine, swapped)["top1"]) == (1, 0)


class _Backwards:
    """A peer that prefers what the engine does not."""

    name = "backwards"

    def __init__(self, engine: DiagnosisEngine) -> None:
        self.engine = engine

    def scores(self, case: Case, hidden: Collection[str]) -> dict[str, float]:
        scores = -self.engine.scores(case.findings, without_references=hidden)
        return dict(zip(self.engine.matrix.diseases, scores.tolist(), strict=True))


def test_a_peer_is_measured_over_the_same_cases(engine: DiagnosisEngine) -> None:
    figures = evaluate(engine, [(1, RIGHT)], peers=[_Backwards(engine)])
    peer = figures["peers"]["backwards"]
    assert {view: part["covered"] for view, part in peer.items()} == {
        view: part["covered"] for view, part in figures["views"].items()
    }
    assert (figures["top1"], peer[ALL_EVIDENCE]["top1"]) == (1, 0)
    assert peer[ALL_EVIDENCE]["ece"] is None


def test_results_name_the_rule_that_matched_the_gold(engine: DiagnosisEngine) -> None:
    lines = results(engine)
    assert [line["matched_by"] for line in lines] == ["id", "name", "none", "id"]
    assert (lines[0]["rank"], lines[0]["top"][0]["id"]) == (1, "OMIM:1")
    assert lines[1]["gold"] == ["ORPHA:3"]
    assert lines[2]["rank"] is None


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
    (line,) = results(near, [(1, case)])
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
