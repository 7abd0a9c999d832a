"""Nearest entities by the meaning of their names: exact, in both directions, in one pass.

How near two entities are is the largest cosine between a name of the one and a name of the other. All products are
computed, a block of rows at a time: what is wanted is the nearest entity, the next nearest (entities, not names) and
the way back, which an index of names answers only when asked twice and for many neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

_BLOCK: Final = 256
"""Names of a block: against 100,000 names its products take 100 MB."""

_NEVER: Final = -2.0


@dataclass(frozen=True)
class Named:
    """Entities with the vectors of their names.

    Attributes:
        ids: CURIE of each of n entities.
        texts: m names, those of an entity together, in the order of the entities.
        starts: where the names of each entity begin; int64[n + 1].
        vectors: of the names; float32[m, dim], each of length 1.
    """

    ids: Sequence[str]
    texts: Sequence[str]
    starts: NDArray[np.int64]
    vectors: NDArray[np.float32]

    def names(self, entity: int) -> slice:
        """Where the names of an entity stand."""
        return slice(int(self.starts[entity]), int(self.starts[entity + 1]))


@dataclass(frozen=True)
class Nearest:
    """For each entity of one side the nearest of the other, and the next nearest.

    Attributes:
        best: position of the nearest on the other side; int64[n].
        cosine: of the nearest; float32[n]. Below -1 where every entity of the other side is barred.
        second: position of the next nearest; int64[n]. The nearest itself where there is no other.
        second_cosine: of the next nearest; float32[n].
        back: the way back: position on this side of the nearest of each entity of the other side; int64[n'].
    """

    best: NDArray[np.int64]
    cosine: NDArray[np.float32]
    second: NDArray[np.int64]
    second_cosine: NDArray[np.float32]
    back: NDArray[np.int64]

    @property
    def mutual(self) -> NDArray[np.bool_]:
        """Whether each is the nearest of its nearest too; bool[n]."""
        return np.asarray(self.back[self.best] == np.arange(len(self.best)))


def nearest_entities(ones: Named, others: Named, barred: Iterable[tuple[int, int]] = ()) -> Nearest:
    """Compare two sides.

    Args:
        ones: n entities.
        others: n' entities, at least one.
        barred: pairs of positions that never count as near.
    """
    n, m = len(ones.ids), len(others.ids)
    best, second = np.zeros(n, np.int64), np.zeros(n, np.int64)
    cosine, second_cosine = np.zeros(n, np.float32), np.zeros(n, np.float32)
    back, back_cosine = np.zeros(m, np.int64), np.full(m, _NEVER, np.float32)
    bars = np.array(sorted(barred), np.int64).reshape(-1, 2)
    first = 0
    while first < n:
        last = max(first + 1, int(np.searchsorted(ones.starts, ones.starts[first] + _BLOCK, side="right")) - 1)
        near = _block(ones, others, first, last)
        inside = bars[(bars[:, 0] >= first) & (bars[:, 0] < last)]
        near[inside[:, 0] - first, inside[:, 1]] = _NEVER
        rows = np.arange(last - first)
        columns = near.argmax(axis=0)
        better = near[columns, np.arange(m)] > back_cosine
        back[better], back_cosine[better] = columns[better] + first, near[columns, np.arange(m)][better]
        best[first:last] = near.argmax(axis=1)
        cosine[first:last] = near[rows, best[first:last]]
        near[rows, best[first:last]] = _NEVER
        second[first:last] = near.argmax(axis=1)
        second_cosine[first:last] = near[rows, second[first:last]]
        first = last
    return Nearest(best, cosine, second, second_cosine, back)


def nearest_names(ones: Named, one: int, others: Named, other: int) -> tuple[str, str]:
    """The two names by which two entities are nearest."""
    mine, theirs = ones.names(one), others.names(other)
    products = ones.vectors[mine] @ others.vectors[theirs].T
    row, column = np.unravel_index(int(products.argmax()), products.shape)
    return ones.texts[mine.start + int(row)], others.texts[theirs.start + int(column)]


def _block(ones: Named, others: Named, first: int, last: int) -> NDArray[np.float32]:
    """How near the entities `first` to `last` of one side are to all of the other; float32[last - first, n']."""
    starts = ones.starts[first : last + 1]
    products = ones.vectors[starts[0] : starts[-1]] @ others.vectors.T
    if len(others.texts) > len(others.ids):
        products = np.maximum.reduceat(products, others.starts[:-1], axis=1)
    return np.asarray(np.maximum.reduceat(products, starts[:-1] - starts[0], axis=0))
