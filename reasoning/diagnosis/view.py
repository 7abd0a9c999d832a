"""The finding matrix as it would be if some references did not exist."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

import numpy as np

from kg_build.index.columns import Doubles, Floats, Ints, Longs
from kg_build.index.matrix import FindingMatrix
from kg_build.index.matrix_rows import EvidenceRows
from kg_build.index.matrix_shares import Shares, borrow, pool, propagate


class View:
    """A matrix with the evidence of some references hidden.

    Evidence that cites hidden references only is gone. Evidence that cites another one too stays, because that
    one states it as well; but the one frequency that they share counts the hidden patients, so it is unknown:
    what is assumed is what the evidence code says without any. Nothing else of the hidden references is left.

    Only the affected diseases are computed again; the result equals a rebuild from tables changed in that way.

    Args:
        matrix: the whole.
        without_references: what to hide.

    Attributes:
        matrix: the whole.
        expected: sum of each finding's shares; float64[F].
        mass: sum of the direct shares of each disease, not propagated; float64[D].
    """

    def __init__(self, matrix: FindingMatrix, without_references: Collection[str] = ()) -> None:
        self.matrix = matrix
        self.expected, self.mass = matrix.expected, matrix.mass
        self._hidden = frozenset(without_references)
        self._gone, self._uncounted = matrix.rows_citing(self._hidden)
        self._again: dict[int, Shares] = {}
        if len(self._gone) or len(self._uncounted):
            self._compute_again()

    @cached_property
    def background(self) -> Doubles:
        """Mean share of each finding over the diseases that have any; float64[F]."""
        excess = self.matrix.constants.background_excess
        return np.asarray((self.expected + excess) / (np.count_nonzero(self.mass > 0) + 2 * excess))

    def share(self, finding: int) -> Floats:
        """Share of a finding in each disease; float32[D]."""
        shares = np.zeros(len(self.mass), dtype=np.float32)
        diseases, values = self.matrix.column(finding)
        shares[diseases] = values
        for disease, again in self._again.items():
            place = np.searchsorted(again.finding, finding)
            found = place < len(again.finding) and again.finding[place] == finding
            shares[disease] = again.share[place] if found else 0
        return shares

    @cached_property
    def denied(self) -> dict[int, Ints]:
        """Diseases that are said NOT to have each finding."""
        rows = self.matrix.rows
        negated = rows.negated.copy()
        negated[self._gone] = False
        finding, disease = rows.finding[negated], rows.disease[negated]
        return {int(t): disease[finding == t] for t in np.unique(finding)}

    def direct(self, diseases: Ints) -> Shares:
        """Annotated shares of some diseases, with those of kindred entries, not propagated."""
        constants = self.matrix.constants
        kindred = self.matrix.kin[np.isin(self.matrix.kin[:, 0], diseases)]
        rows = [self.rows_of(int(disease)) for disease in np.union1d(diseases, kindred[:, 1])]
        shares = borrow(pool(self.take(np.concatenate(rows)), constants), kindred, constants.kin_weight)
        wanted = np.isin(shares.disease, diseases)
        return Shares(shares.disease[wanted], shares.finding[wanted], shares.share[wanted])

    def rows_of(self, disease: int) -> Longs:
        """Positions of the evidence rows of a disease that are left."""
        rows = self.matrix.rows_of(disease)
        return np.setdiff1d(rows, self._gone) if len(self._gone) else rows

    def take(self, rows: Longs) -> EvidenceRows:
        """Evidence rows with what is left of their frequencies."""
        return self.matrix.rows.take(rows).without_frequency(np.isin(rows, self._uncounted))

    def frequency(self, row: int) -> str:
        """The frequency of an evidence row as written, or empty."""
        return "" if row in self._uncounted else self.matrix.frequencies[self.matrix.rows.frequency[row]]

    def cited_by(self, row: int) -> tuple[str, ...]:
        """The references of an evidence row that are left."""
        return tuple(reference for reference in self.matrix.cited_by(row) if reference not in self._hidden)

    def _compute_again(self) -> None:
        matrix = self.matrix
        touched = np.unique(matrix.rows.disease[np.concatenate([self._gone, self._uncounted])])
        touched = np.union1d(touched, matrix.kin[np.isin(matrix.kin[:, 1], touched), 0])
        direct = self.direct(touched)
        before = propagate(View(matrix).direct(touched), matrix.hierarchy)
        after = propagate(direct, matrix.hierarchy)
        self.expected, self.mass = matrix.expected.copy(), matrix.mass.copy()
        np.subtract.at(self.expected, before.finding, before.share)
        np.add.at(self.expected, after.finding, after.share)
        self.mass[touched] = np.bincount(direct.disease, direct.share, minlength=len(self.mass))[touched]
        ends = np.searchsorted(after.disease, [touched, touched + 1])
        for disease, start, end in zip(touched.tolist(), *ends.tolist(), strict=True):
            self._again[disease] = Shares(after.disease[start:end], after.finding[start:end], after.share[start:end])
