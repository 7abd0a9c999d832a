import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from reasoning.evaluation.icd10.codes import CodeBook, Term
from reasoning.evaluation.icd10.task import Icd10Task, matched, parse_record
from reasoning.evaluation.lines import read_cases
from reasoning.evaluation.run import Run, evaluate

NAMES = [
    ("ICD10CN:J18.900", "肺炎"), ("ICD10CN:J18.000", "支气管肺炎"), ("ICD10CN:I10.x00", "高血压"),
    ("ICD10CN:K74.600", "肝硬化"), ("ICD10CN:R05.x00", "咳嗽"),
]  # fmt: skip
BOOK = CodeBook(NAMES, [], lambda _: [])


def named(text: str) -> Sequence[Term]:
    """Predicts what stands after the colon."""
    return [Term(part) for part in text.partition("：")[2].split("、") if part]


def case(number: int, said: str, *gold: str, **more: Any) -> dict[str, Any]:
    return {"id": str(number), "lang": "zh", "text": f"记录：{said}", "gold": {"labels": list(gold)}, **more}


def run(path: Path, *cases: Any) -> Run:
    texts = [one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in cases]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    arms = {"named": named, "silent": lambda _: ()}
    return evaluate(Icd10Task(BOOK, arms, read_cases(path, parse_record)))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "records.jsonl"


def test_the_figures_of_a_worked_example(file: Path) -> None:
    figures = run(file, case(1, "支气管肺炎、咳嗽", "肺炎", "高血压"), case(2, "肝硬化", "肝硬化")).figures
    # Three predictions, three gold. Exact: cirrhosis. Category and lenient: pneumonia as well.
    assert figures["arms"]["named"]["exact"] == {"p": 0.3333, "r": 0.3333, "f1": 0.3333}
    assert figures["arms"]["named"]["category"] == {"p": 0.6667, "r": 0.6667, "f1": 0.6667}
    assert figures["arms"]["named"]["lenient"] == {"p": 0.6667, "r": 0.6667, "f1": 0.6667}
    assert figures["arms"]["silent"]["lenient"] == {"p": 0.0, "r": 0.0, "f1": 0.0}


def test_a_gold_counts_once_however_often_it_is_predicted(file: Path) -> None:
    figures = run(file, case(1, "肺炎、支气管肺炎", "肺炎")).figures
    assert figures["arms"]["named"]["category"] == {"p": 0.5, "r": 1.0, "f1": 0.6667}


def test_the_same_term_again_is_one_prediction(file: Path) -> None:
    assert run(file, case(1, "肺炎、肺炎", "肺炎")).figures["arms"]["named"]["exact"]["p"] == 1.0


def test_most_pairs_are_matched_whatever_the_order() -> None:
    greedy, picky = frozenset("ab"), frozenset("a")
    assert matched([greedy, picky], [picky, frozenset("b")]) == 2
    assert matched([], [picky]) == matched([picky], []) == matched([picky], [frozenset()]) == 0


def test_shuffled_gold_destroys_the_score(file: Path) -> None:
    words = ["肺炎", "高血压", "肝硬化", "咳嗽"]

    def f1(gold: list[str]) -> list[float]:
        arms = run(
            file, *(case(n, said, right) for n, (said, right) in enumerate(zip(words, gold, strict=True)))
        ).figures
        return [arms["arms"]["named"][measure]["f1"] for measure in ("lenient", "exact", "category")]

    assert f1(words) == [1.0, 1.0, 1.0]
    assert f1(words[1:] + words[:1]) == [0.0, 0.0, 0.0]


def test_gold_without_a_code_is_a_problem_and_still_counts_as_missed(file: Path) -> None:
    done = run(file, case(1, "肺炎", "肺炎", "某种怪病"))
    assert [(p.line, p.reason, p.fatal) for p in done.problems] == [(1, "gold not in the graph", False)]
    assert "某种怪病" in done.problems[0].cause
    assert done.figures["arms"]["named"]["exact"]["r"] == 0.5
    assert (done.figures["gold"], done.figures["gold_without_code"]) == (2, 1)


def test_departments_are_reported_where_cases_name_them(file: Path) -> None:
    arms = run(
        file, case(1, "肺炎", "肺炎", department="呼吸科"), case(2, "咳嗽", "肝硬化", department="消化科")
    ).figures["arms"]
    departments = arms["named"]["departments"]
    assert {name: rates["exact"]["f1"] for name, rates in departments.items()} == {"呼吸科": 1.0, "消化科": 0.0}
    assert "departments" not in run(file, case(1, "肺炎", "肺炎")).figures["arms"]["named"]


def test_gold_may_be_given_as_codes(file: Path) -> None:
    given = {"id": "1", "text": "记录：肺炎", "gold": {"icd10": ["ICD10CN:J18.900"]}}
    assert run(file, given).figures["arms"]["named"]["exact"]["f1"] == 1.0
    assert parse_record({**given, "gold": {"icd10": ["J18.9"]}}).gold == (Term("ICD10:J18.9", ("ICD10:J18.9",)),)


def test_codes_as_many_as_labels_are_theirs() -> None:
    gold = {"labels": ["肺炎", "高血压"], "icd10": ["J18.9", "I10"]}
    assert parse_record({"id": "1", "text": "x", "gold": gold}).gold == (
        Term("肺炎", ("ICD10:J18.9",)),
        Term("高血压", ("ICD10:I10",)),
    )
    fewer = {"labels": ["肺炎", "高血压"], "ids": ["ICD10:I10"]}
    assert [term.ids for term in parse_record({"id": "1", "text": "x", "gold": fewer}).gold] == [(), ()]


def test_figures_follow_from_the_records_alone(file: Path) -> None:
    done = run(file, case(1, "支气管肺炎、咳嗽", "肺炎", "高血压"), case(2, "肝硬化", "肝硬化"))
    assert Icd10Task(BOOK, {}, []).figures(done.records, done.problems) == done.figures
    assert done.records[0].scores == {"lenient_f1": 0.5, "exact_f1": 0.0, "category_f1": 0.5}


@pytest.mark.parametrize(
    "wrong",
    ["{", "[]", case(9, "肺炎"), {"id": "9", "text": " ", "gold": {"labels": ["肺炎"]}}, {"id": "9", "text": "肺炎"}],
)
def test_malformed_lines_are_problems(file: Path, wrong: Any) -> None:
    done = run(file, wrong, case(1, "肺炎", "肺炎"))
    assert [(p.line, p.reason) for p in done.problems] == [(1, "malformed")]
    assert done.figures["n"] == 1
