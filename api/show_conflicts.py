"""Conflicts as people read them: both sides with their evidence, and the Cypher that shows them."""

from __future__ import annotations

from dataclasses import asdict

from api.show import Shown
from kg_build.frequency import describe_frequency
from kg_build.sides import Disputes, Side
from kg_build.store.evidence import EvidenceRow

_ROWS = 4
"""Rows of evidence shown of each side; --json has all."""


def disputes(found: Disputes) -> Shown:
    """Conflicts, one after the other, and how many there are."""
    lines = []
    for number, dispute in enumerate(found.shown, start=1):
        conflict = dispute.conflict
        lines.append(f"{number}. {conflict.kind}: {conflict.detail}")
        for side in dispute.sides:
            lines += _side(side)
        lines += [f"     {dispute.cypher}", ""]
    counts = ", ".join(f"{count:,} {kind}" for kind, count in found.counts.items())
    total = sum(found.counts.values())
    lines.append(f"{total:,} conflicts ({counts}), {len(found.shown)} shown" if total else "no conflicts")
    data = {"counts": dict(found.counts), "conflicts": [asdict(dispute) for dispute in found.shown]}
    return Shown("\n".join(lines), data)


def _side(side: Side) -> list[str]:
    denied = "NOT " if side.negated else ""
    subject, object_ = f"{side.subject_label} ({side.subject})", f"{side.object_label} ({side.object})"
    lines = [f"   {subject} {denied}{side.predicate} {object_}  [{side.assertion}]"]
    lines += [f"     {_evidence(row)}" for row in side.evidence[:_ROWS]]
    more = len(side.evidence) - _ROWS
    return [*lines, f"     and {more} more"] if more > 0 else lines


def _evidence(row: EvidenceRow) -> str:
    cited = ", ".join(row.references) or row.record
    parts = [row.code, describe_frequency(row.frequency), row.sex, row.onset]
    said = " ".join(part for part in parts if part)
    quote = f" “{row.quote}”" if row.quote else ""
    return f"{row.source} {row.source_release}, {cited} {said}".rstrip() + quote
