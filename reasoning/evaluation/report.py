"""A run for people: report.md, and report.html with plots, both from what is written down.

The page is one file that loads nothing. Plots: rates within the first ten for each arm, a reliability diagram where
arms say how sure they are, and bars of the arms against the first one with 95 % intervals. Differences between arms
are paired and corrected as in `compare`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from reasoning.evaluation.compare import Row, table
from reasoning.evaluation.record import Record
from reasoning.evaluation.run import Run
from reasoning.evaluation.task import mean_scores

MARKDOWN = "report.md"
PAGE = "report.html"


def write_report(folder: Path, run: Run, say: Callable[[str], None]) -> None:
    """Write both reports of a run into its folder; without the extra `eval` only the Markdown one, which is said.

    Args:
        folder: of the run.
        run: with its manifest.
        say: called with a line when the page cannot be made.
    """
    (folder / MARKDOWN).write_text(markdown(run), encoding="utf-8")
    try:
        from reasoning.evaluation.page import page  # noqa: PLC0415  (of the extra `eval`)
    except ImportError as error:
        say(f'{PAGE} is not written: {error.name} is not installed; pip install "clew[eval]"')
        return
    (folder / PAGE).write_text(page(run), encoding="utf-8")


def markdown(run: Run) -> str:
    """The report as Markdown."""
    rows = arm_rows(run.records)
    scores = list(dict.fromkeys(name for row in rows for name in row["scores"]))
    lines = [f"# {_title(run)}", "", *(f"* {fact}" for fact in facts(run)), ""]
    lines += [_line(["arm", "view", "counted", *scores, "ms a case"]), _line(["---"] * (len(scores) + 4))]
    for row in rows:
        means = ["" if row["scores"].get(name) is None else f"{row['scores'][name]:.4f}" for name in scores]
        lines.append(_line([row["arm"], row["view"], str(row["counted"]), *means, f"{row['ms']:.2f}"]))
    compared = against_first(run.records)
    if compared:
        lines += ["", f"## Against {compared[0][0]}", ""]
        lines += [_line(["arm", "view", "score", "difference", "95 %", "p (Holm)"]), _line(["---"] * 6)]
        lines += [_line(_compared(row)) for _, row in compared]
    if run.problems:
        lines += ["", "## Problems", "", *(f"* line {p.line}: {p.reason}: {p.cause}" for p in run.problems[:50])]
        if len(run.problems) > 50:
            lines.append(f"* … and {len(run.problems) - 50} more")
    figures = json.dumps(run.figures, ensure_ascii=False, indent=1)
    return "\n".join([*lines, "", "## Figures", "", "```json", figures, "```"]) + "\n"


def facts(run: Run) -> list[str]:
    """What was measured, a sentence each."""
    manifest = run.manifest
    if manifest is None:
        return []
    cases = len({record.case for record in run.records})
    machine = manifest.hardware
    return [
        f"File `{manifest.file}`: {cases} cases, {len(run.problems)} problems.",
        f"Release `{manifest.release['id']}` of {len(manifest.release['sources'])} sources.",
        (
            f"Started {manifest.started} on {machine.get('cores')} cores with {machine.get('memory_gb')} GB, "
            f"Python {manifest.versions.get('python')}, clew {manifest.versions.get('clew')}."
        ),
        "Seeds: " + (", ".join(f"{name} {seed}" for name, seed in manifest.seeds.items()) or "nothing is drawn") + ".",
    ]


def arm_rows(records: Sequence[Record]) -> list[dict[str, Any]]:
    """For each arm and view: counted cases, plain means of the scores, milliseconds a case."""
    by_arm: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        by_arm.setdefault((record.arm, record.view), []).append(record)
    return [
        {
            "arm": arm,
            "view": view,
            "counted": sum(record.counted for record in listed),
            "scores": mean_scores(listed),
            "ms": sum(record.ms for record in listed) / len(listed),
        }
        for (arm, view), listed in by_arm.items()
    ]


def against_first(records: Sequence[Record]) -> list[tuple[str, Row]]:
    """The first arm, and a row for each score of every other arm against it, under the same view."""
    if not records:
        return []
    first = records[0].arm
    known = {(record.case, record.view): record for record in records if record.arm == first}
    pairs = [(known[r.case, r.view], r) for r in records if r.arm != first and (r.case, r.view) in known]
    shared = [
        (a, b.model_copy(update={"scores": {s: v for s, v in b.scores.items() if s in a.scores}})) for a, b in pairs
    ]
    return [(first, row) for row in table(shared)]


def _title(run: Run) -> str:
    return f"Evaluation: {run.figures.get('task', run.manifest.task if run.manifest else '')}"


def _compared(row: Row) -> list[str]:
    interval = f"{row.low:+.4f} … {row.high:+.4f}"
    return [row.arm, row.view, row.score, f"{row.difference:+.4f}", interval, f"{row.p:.4f}"]


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
