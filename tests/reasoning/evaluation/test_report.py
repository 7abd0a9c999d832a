"""Reports: from records alone, nothing loaded, everything escaped."""

import builtins
from pathlib import Path
from typing import Any

import pytest

from reasoning.evaluation.record import Record
from reasoning.evaluation.report import against_first, markdown, write_report
from reasoning.evaluation.run import Run, evaluate
from tests.reasoning.evaluation.counting import CountingTask, manifest, numbers


@pytest.fixture
def run(tmp_path: Path) -> Run:
    task = CountingTask(numbers(tmp_path / "n.jsonl", extra="<script>alert(1)</script>\n"))
    return evaluate(task, folder=tmp_path / "run", manifest=manifest())


def test_the_table_has_a_row_for_each_arm(run: Run) -> None:
    text = markdown(run)
    assert "| always one |  | 4 | 0.7500 | 1.00 |" in text
    assert "| always two |  | 4 | 0.2500 | 1.00 |" in text
    assert "line 5: malformed" in text


def test_other_arms_stand_against_the_first(run: Run) -> None:
    ((first, row),) = against_first(run.records)
    assert (first, row.arm, row.score, row.n) == ("always one", "always two", "right", 4)
    assert row.difference == pytest.approx(-0.5)


def test_the_page_loads_nothing_and_escapes_what_it_shows(run: Run, tmp_path: Path) -> None:
    write_report(tmp_path, run, print)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 1
    assert "<script" not in page
    assert not any(mark in page for mark in ('src="', "@import", "url(http", '<link rel="stylesheet"'))


def test_top_k_curves_and_reliability_are_drawn_where_records_have_them(run: Run, tmp_path: Path) -> None:
    scores = {"top1": 1.0, "top3": 1.0, "top5": 1.0, "top10": 1.0}
    records = [
        Record(case=str(n), arm="一", scores=scores, detail={"probability": 0.9, "right": n > 0}) for n in range(3)
    ]
    write_report(tmp_path, Run(run.manifest, run.figures, records, []), print)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 2
    assert "Reliability diagram" in page
    assert "Top-k curves" in page


def test_the_same_run_gives_the_same_bytes(run: Run, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write_report(tmp_path / name, run, print)
    assert (tmp_path / "a" / "report.html").read_bytes() == (tmp_path / "b" / "report.html").read_bytes()


def test_without_the_plotting_library_the_page_is_said_to_be_missing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def absent(name: str, *rest: Any, **named: Any) -> Any:
        if name == "reasoning.evaluation.page":
            raise ImportError(name="matplotlib")
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", absent)
    said: list[str] = []
    write_report(tmp_path, run, said.append)
    assert (tmp_path / "report.md").exists()
    assert not (tmp_path / "report.html").exists()
    assert said == ['report.html is not written: matplotlib is not installed; pip install "clew[eval]"']
