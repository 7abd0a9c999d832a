"""Candidates as people read them: what texts state, where, and whether the graph knows it."""

from __future__ import annotations

from collections import Counter

from api.show import Shown
from kg_build.extract.candidates import Candidate
from kg_build.extract.extract import Extraction
from kg_build.extract.review import as_review
from kg_build.extract.statement import Statement

_QUOTES = 2
"""Quotes shown of each; --json has all."""


def extraction(found: Extraction, limit: int) -> Shown:
    """The best candidates with their quotes, and what became of everything that was read."""
    shown = found.candidates[:limit]
    lines = []
    for number, candidate in enumerate(shown, start=1):
        lines += _candidate(number, candidate, found.labels)
    standings = Counter(candidate.standing for candidate in found.candidates)
    counts = ", ".join(f"{count:,} {standing}" for standing, count in sorted(standings.items()))
    total = len(found.candidates)
    lines.append(f"{total:,} candidates ({counts}), {len(shown)} shown" if total else "no candidates")
    lines += _balance(found)
    data = {
        "counts": dict(sorted(standings.items())),
        "reconciliation": found.tally.as_list(),
        "candidates": [as_review(candidate, found.labels).model_dump(mode="json") for candidate in shown],
    }
    return Shown("\n".join(lines), data)


def _candidate(number: int, candidate: Candidate, labels: dict[str, str]) -> list[str]:
    stated = candidate.assertion
    ends = [f"{labels[curie]} ({curie})" for curie in (stated.subject, stated.object)]
    lines = [f"{number}. {ends[0]} {stated.predicate} {ends[1]}  [{candidate.standing}, {candidate.confidence:.2f}]"]
    lines += [_quote(statement) for statement in candidate.statements[:_QUOTES]]
    more = len(candidate.statements) - _QUOTES
    return [*lines, f"     and {more} more"] if more > 0 else lines


def _quote(statement: Statement) -> str:
    quote = " ".join(statement.evidence.quote.split())
    return f"     {statement.rule}, {statement.evidence.record}: “{quote}”"


def _balance(found: Extraction) -> list[str]:
    lines = []
    for row in found.tally.as_list():
        dropped: dict[str, int] = row["dropped"]
        lines.append(f"{row['kind']}: in {row['in']:,} = kept {row['kept']:,} + dropped {sum(dropped.values()):,}")
        lines += [f"    {n:>9,}  {reason}" for reason, n in sorted(dropped.items(), key=lambda item: -item[1])]
    return lines
