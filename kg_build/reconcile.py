"""Reconciliation: every row that is read is either kept or dropped for a stated reason.

    read = kept + Σ dropped(reason)      for each kind of row of each source

A source counts as it goes; the build prints the balance and refuses to publish when one does not close.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ontology.errors import ClewError, Code


@dataclass
class Tally:
    """The balance of one source, by kind of row (`annotation`, `term`, …)."""

    source: str
    read_rows: Counter[str] = field(default_factory=Counter)
    kept_rows: Counter[str] = field(default_factory=Counter)
    dropped_rows: Counter[tuple[str, str]] = field(default_factory=Counter)
    examples: dict[tuple[str, str], str] = field(default_factory=dict)

    def read(self, kind: str, n: int = 1) -> None:
        """Count rows that came in."""
        self.read_rows[kind] += n

    def kept(self, kind: str, n: int = 1) -> None:
        """Count rows that went into the graph."""
        self.kept_rows[kind] += n

    def dropped(self, kind: str, reason: str, n: int = 1, *, example: str = "") -> None:
        """Count rows left out, with the reason; the first row that is named stands as its example."""
        self.dropped_rows[kind, reason] += n
        if example:
            self.examples.setdefault((kind, reason), example)

    def absorb(self, balance: Iterable[Mapping[str, Any]]) -> None:
        """Add a balance that was kept as plain values, see `as_list`."""
        for row in balance:
            kind: str = row["kind"]
            self.read(kind, row["in"])
            self.kept(kind, row["kept"])
            for reason, n in row["dropped"].items():
                self.dropped(kind, reason, n, example=row["examples"].get(reason, ""))

    def check(self) -> None:
        """Raise UNRECONCILED unless every kind balances."""
        for kind in sorted({*self.read_rows, *self.kept_rows, *(k for k, _ in self.dropped_rows)}):
            out = self.kept_rows[kind] + sum(n for (k, _), n in self.dropped_rows.items() if k == kind)
            if out != self.read_rows[kind]:
                raise ClewError(
                    Code.UNRECONCILED,
                    f"source {self.source}: {self.read_rows[kind]:,} rows of {kind} in, {out:,} accounted for",
                    remedy="report it with the source's version: this is a fault of the reader",
                )

    def as_list(self) -> list[dict[str, Any]]:
        """The balance as plain values, one entry per kind."""
        return [
            {
                "kind": kind,
                "in": self.read_rows[kind],
                "kept": self.kept_rows[kind],
                "dropped": {r: n for (k, r), n in sorted(self.dropped_rows.items()) if k == kind},
                "examples": {r: row for (k, r), row in sorted(self.examples.items()) if k == kind},
            }
            for kind in sorted(self.read_rows)
        ]
