"""A vector space to search: an index, the encoder its queries come from, and what its cosines are worth.

What a cosine says differs from encoder to encoder and from question to question: with one encoder any two texts have
.7, with another .1, and a short question is near everything. So a passage's score is how far its cosine lies above the
mean of the *same question's* cosines with passages taken evenly from the space, its background. Then scores of two
spaces can stand in one list, and zero is a passage picked at random in both.

    score = (q . p - mean of q . b over the background b) / (|q| * mean of |b|)

The divisor is one for encoders whose vectors have length one. The background is computed for each question (a product
with a thousand rows: 0.1 ms), so it needs no invented questions when the index is made.

Measured on 536 made English questions over 4,598 English and 3,521 Chinese passages, nDCG@10 of the one list: .310;
of bare cosines .309, which an encoder with another zero would spoil; divided by the spread of the background as well,
.286, because that of the multilingual encoder is narrow and its best strangers then come before what was meant. English
passages alone give .295, and all by the multilingual encoder .188.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kg_build.index.encoder import Encoder, Vectors
from kg_build.index.vector import VectorIndex
from ontology.errors import ClewError, Code

BACKGROUND: Final = 1000
"""Passages of the background at most (our choice: its mean is then known to a thirtieth of its spread)."""

_LEAST: Final = 1e-9


@dataclass(frozen=True)
class Space:
    """An index with its encoder.

    Args:
        index: vectors of passages.
        encoder: the one they come from.
        rows: numbers of the rows that are searched; all when None.

    Raises:
        ClewError: CORRUPT_RELEASE when the index was built with another encoder.
    """

    index: VectorIndex
    encoder: Encoder
    rows: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        if self.index.encoder != self.encoder.name:
            raise ClewError(
                Code.CORRUPT_RELEASE,
                f"vectors come from {self.index.encoder!r}, queries would come from {self.encoder.name!r}",
                remedy="run: clew build",
            )

    def without(self, ids: set[str]) -> Space:
        """The same space without some passages."""
        rows = [row for row, identifier in enumerate(self.index.ids) if identifier and identifier not in ids]
        return Space(self.index, self.encoder, np.array(rows, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.index) if self.rows is None else len(self.rows)

    def ask(self, wordings: Sequence[str]) -> AskedSpace:
        """Ask in one wording or several."""
        return AskedSpace(self, self.encoder.encode_queries(list(wordings)))

    def search(self, vector: Vectors, limit: int) -> list[tuple[str, float]]:
        """The nearest passages to a vector: (id, score), best first."""
        if limit < 1 or not len(self):
            return []
        chance, length = self._chance(vector)
        return [(chunk, (product - chance) / length) for chunk, product in self.index.search(vector, limit, self.rows)]

    def scores(self, vector: Vectors, chunks: Collection[str]) -> dict[str, float]:
        """The scores of given passages, as `search` has them; those that are not in the space are missing."""
        known = [chunk for chunk in chunks if chunk in self.places]
        if not known:
            return {}
        chance, length = self._chance(vector)
        products = self.vectors(known) @ vector
        return {chunk: (product - chance) / length for chunk, product in zip(known, products.tolist(), strict=True)}

    def vectors(self, chunks: Sequence[str]) -> Vectors:
        """The vectors of some passages of the space: (n, dim)."""
        return self.index.stored(np.array([self.places[chunk] for chunk in chunks], dtype=np.int64))

    @cached_property
    def places(self) -> dict[str, int]:
        """The rows that are searched, by id."""
        rows = range(len(self.index.ids)) if self.rows is None else self.rows.tolist()
        return {identifier: row for row in rows if (identifier := self.index.ids[row])}

    def _chance(self, vector: Vectors) -> tuple[float, float]:
        """The mean product of a vector with the background, and the length that products are divided by."""
        background = self._background
        length = float(np.linalg.norm(vector)) * self._length
        return float((background @ vector).mean()), max(length, _LEAST)

    @cached_property
    def _length(self) -> float:
        return float(np.linalg.norm(self._background, axis=1).mean())

    @cached_property
    def _background(self) -> NDArray[np.float32]:
        """Vectors of passages, evenly spaced."""
        rows = self.rows
        if rows is None:
            rows = np.array([row for row, identifier in enumerate(self.index.ids) if identifier], dtype=np.int64)
        places = np.linspace(0, len(rows) - 1, min(BACKGROUND, len(rows))).astype(np.int64)
        return self.index.stored(rows[places])


@dataclass(frozen=True)
class AskedSpace:
    """A question in a space, in one wording or several; of several the one that fits a passage best counts.

    Attributes:
        space: what is searched.
        vectors: (wordings, dim).
    """

    space: Space
    vectors: Vectors

    def best(self, limit: int) -> dict[str, float]:
        """At most `limit` passages of each wording, with their scores."""
        return _best_wording(dict(self.space.search(vector, limit)) for vector in self.vectors)

    def scores(self, chunks: Collection[str]) -> dict[str, float]:
        """The scores of given passages."""
        return _best_wording(self.space.scores(vector, chunks) for vector in self.vectors)

    def towards(self, chunks: Sequence[str], share: float) -> AskedSpace:
        """The question moved towards some passages; those that are not in the space count for nothing.

        q' = q / |q| + share · mean of the passages' vectors           (Rocchio 1971, without what is not relevant)
        """
        known = [chunk for chunk in chunks if chunk in self.space.places]
        if not known:
            return self
        passages = self.space.vectors(known)
        moved = _unit(self.vectors) + share * _unit(passages).mean(axis=0)
        return AskedSpace(self.space, _unit(moved).astype(np.float32))


def _unit(vectors: Vectors) -> Vectors:
    """Rows of length one; those without a direction (a text of which the encoder knows nothing) stay nought."""
    unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), _LEAST)
    return unit


def _best_wording(found: Iterable[dict[str, float]]) -> dict[str, float]:
    best: dict[str, float] = {}
    for scores in found:
        for chunk, score in scores.items():
            best[chunk] = max(best.get(chunk, score), score)
    return best
