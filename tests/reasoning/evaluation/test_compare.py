"""What changed between two runs."""

from pathlib import Path

import pytest

from ontology.errors import ClewError
from reasoning.evaluation.compare import as_text, compare_runs
from reasoning.evaluation.run import Run, evaluate
from tests.reasoning.evaluation.counting import CountingTask, manifest, numbers


def made(folder: Path, name: str, values: list[int], answer: int) -> Run:
    task = CountingTask(numbers(folder / f"{name}.jsonl", values), answers={"guess": answer})
    return evaluate(task, folder=folder / name, manifest=manifest(code=name, release="r"))


def test_figures_and_cases_that_changed_are_said(tmp_path: Path) -> None:
    values = [2] * 30 + [1] * 10
    found = compare_runs(made(tmp_path, "a", values, 1), made(tmp_path, "b", values, 2))
    (row,) = found.rows
    # Two groups, each weighing as ten cases: half of the weight each.
    assert (row.score, row.n, row.before, row.after, row.difference) == ("right", 40, 0.5, 0.5, 0)
    assert row.p > 0.9
    assert row.p_mcnemar is not None
    assert row.p_mcnemar < 0.01  # case by case, thirty were won and ten lost
    assert found.differs == ["code"]
    assert len(found.changes) == 40
    assert {change.before["right"] for change in found.changes} == {0.0, 1.0}
    assert "40 cases came out differently" in as_text(found, 3)


def test_a_run_against_itself_changes_nothing(tmp_path: Path) -> None:
    run = made(tmp_path, "a", [1, 2, 3], 1)
    found = compare_runs(run, run)
    assert (found.changes, found.differs, found.uncompared) == ([], [], 0)
    assert [row.p for row in found.rows] == [1]


def test_cases_of_one_run_only_are_counted_apart(tmp_path: Path) -> None:
    found = compare_runs(made(tmp_path, "a", [1, 2, 3], 1), made(tmp_path, "b", [1, 2, 3, 1], 1))
    assert (found.rows[0].n, found.uncompared) == (3, 1)


def test_runs_without_a_common_case_are_refused(tmp_path: Path) -> None:
    one, other = made(tmp_path, "a", [1], 1), made(tmp_path, "b", [1], 1)
    for record in list(other.records):
        other.records[:] = [record.model_copy(update={"case": "elsewhere"})]
    with pytest.raises(ClewError, match="no case in common"):
        compare_runs(one, other)
