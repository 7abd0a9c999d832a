"""What changed between two runs, or two arms of one run: figure by figure with significance, and case by case.

Only cases that both have are compared. Means weigh each group as at most ten cases (the primary figure of diagnosis;
where every case stands for itself this is the plain mean), the bootstrap draws groups, and all comparisons of one
table are corrected together (Holm). Where a score is right or wrong, McNemar's exact test stands beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ontology.errors import ClewError, Code
from reasoning.evaluation.metrics import capped_weights
from reasoning.evaluation.record import Record
from reasoning.evaluation.run import Run
from reasoning.evaluation.stats import holm, mcnemar, paired_bootstrap


@dataclass(frozen=True)
class Row:
    """One score of one arm under one view, before and after.

    Attributes:
        n: cases compared.
        difference, low, high: after − before with its 95 % interval.
        p: two-sided, of the bootstrap, corrected for all rows of the table.
        p_mcnemar: exact and uncorrected, where the score is 0 or 1; else None.
    """

    arm: str
    view: str
    score: str
    n: int
    before: float
    after: float
    difference: float
    low: float
    high: float
    p: float
    p_mcnemar: float | None


@dataclass(frozen=True)
class Change:
    """A case that came out differently."""

    case: str
    arm: str
    view: str
    before: dict[str, float]
    after: dict[str, float]

    @property
    def size(self) -> float:
        """How much its scores moved, summed."""
        return sum(abs(self.after.get(name, 0.0) - value) for name, value in self.before.items())


@dataclass(frozen=True)
class Comparison:
    """Two runs of one task.

    Attributes:
        task: its name.
        differs: parts of the identity that are not the same, such as `code` or `release`.
        rows: figures.
        changes: cases that came out differently, those that moved most first.
        uncompared: records that only one of the two has.
    """

    task: str
    differs: list[str]
    rows: list[Row]
    changes: list[Change]
    uncompared: int

    def as_dict(self, shown: int) -> dict[str, Any]:
        """Plain values, with the `shown` largest changes."""
        return {
            "task": self.task,
            "differs": self.differs,
            "rows": [asdict(row) for row in self.rows],
            "changed": len(self.changes),
            "changes": [asdict(change) for change in self.changes[:shown]],
            "uncompared": self.uncompared,
        }


def compare_runs(before: Run, after: Run) -> Comparison:
    """Compare two kept runs.

    Raises:
        ClewError: BAD_INPUT when they are of different tasks or have no case in common.
    """
    if before.manifest is None or after.manifest is None or before.manifest.task != after.manifest.task:
        tasks = [run.manifest.task if run.manifest else "none" for run in (before, after)]
        raise ClewError(
            Code.BAD_INPUT, f"these are runs of {tasks[0]} and {tasks[1]}", remedy="compare runs of one task"
        )
    one, other = before.manifest.identity, after.manifest.identity
    known = {record.key: record for record in before.records}
    pairs = [(known[record.key], record) for record in after.records if record.key in known]
    if not pairs:
        raise ClewError(Code.BAD_INPUT, "the two runs have no case in common", remedy="evaluate the same file twice")
    changes = [
        Change(a.case, a.arm, a.view, _changed(a.scores, b.scores), _changed(b.scores, a.scores))
        for a, b in pairs
        if a.scores != b.scores
    ]
    return Comparison(
        task=before.manifest.task,
        differs=sorted(key for key in one.keys() | other.keys() if one.get(key) != other.get(key)),
        rows=table(pairs),
        changes=sorted(changes, key=lambda change: (-change.size, change.case)),
        uncompared=len(before.records) + len(after.records) - 2 * len(pairs),
    )


def table(pairs: Sequence[tuple[Record, Record]]) -> list[Row]:
    """The figures of paired records, a row for each arm, view and score of the second of each pair.

    A pair counts when either of its records is counted: a case that lost its cover lost its score.
    """
    by_arm: dict[tuple[str, str], list[tuple[Record, Record]]] = {}
    for a, b in pairs:
        if a.counted or b.counted:
            by_arm.setdefault((b.arm, b.view), []).append((a, b))
    rows = [
        _row(arm, view, score, listed)
        for (arm, view), listed in by_arm.items()
        for score in dict.fromkeys(name for _, b in listed for name in b.scores)
    ]
    corrected = holm([row.p for row in rows])
    return [Row(**{**asdict(row), "p": p}) for row, p in zip(rows, corrected, strict=True)]


def as_text(comparison: Comparison, shown: int) -> str:
    """The comparison for people."""
    lines = [f"{comparison.task}: not the same: {', '.join(comparison.differs) or 'nothing'}", ""]
    lines += [
        f"{'arm':<12} {'view':<22} {'score':<12} {'n':>6} {'before':>8} {'after':>8} difference (95 %)         p (Holm)"
    ]
    lines += [
        f"{row.arm:<12} {row.view:<22} {row.score:<12} {row.n:>6} {row.before:>8.4f} {row.after:>8.4f} "
        f"{row.difference:+.4f} ({row.low:+.4f} … {row.high:+.4f})  {row.p:.4f}{' *' if row.p < 0.05 else ''}"
        for row in comparison.rows
    ]
    lines += ["", f"{len(comparison.changes)} cases came out differently"]
    for change in comparison.changes[:shown]:
        moved = ", ".join(
            f"{name} {value:.3g} → {change.after.get(name, 0):.3g}" for name, value in change.before.items()
        )
        lines.append(f"  {change.case}  {change.arm}{f', {change.view}' if change.view else ''}: {moved}")
    if comparison.uncompared:
        lines.append(f"{comparison.uncompared} results are in one of the runs only")
    return "\n".join(lines)


def _row(arm: str, view: str, score: str, pairs: Sequence[tuple[Record, Record]]) -> Row:
    before = [a.scores.get(score, 0.0) if a.counted else 0.0 for a, _ in pairs]
    after = [b.scores.get(score, 0.0) if b.counted else 0.0 for _, b in pairs]
    groups = [b.group or b.case for _, b in pairs]
    weights = capped_weights(groups)
    found = paired_bootstrap(before, after, groups=groups, weights=weights)
    whole = sum(weights)
    binary = {*before, *after} <= {0.0, 1.0}
    return Row(
        arm=arm,
        view=view,
        score=score,
        n=len(pairs),
        before=round(sum(w * x for w, x in zip(weights, before, strict=True)) / whole, 4),
        after=round(sum(w * x for w, x in zip(weights, after, strict=True)) / whole, 4),
        difference=round(found.mean, 4),
        low=round(found.low, 4),
        high=round(found.high, 4),
        p=found.p,
        p_mcnemar=mcnemar([x == 1.0 for x in before], [x == 1.0 for x in after]) if binary else None,
    )


def _changed(one: dict[str, float], other: dict[str, float]) -> dict[str, float]:
    """The scores of one that the other has differently."""
    return {name: one.get(name, 0.0) for name in one.keys() | other.keys() if one.get(name) != other.get(name)}
