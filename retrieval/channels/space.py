"""A vector space to search: an index, the encoder its queries come from, and what its cosines are worth.

What a cosine says differs from encoder to encoder and from question to question: with one encoder any two texts have
.3, with another .0, and a short question is near everything. So a passage's score here is how many standard deviations
its cosine lies above the mean of the *same question's* cosines with passages taken evenly from the space: its
background. Scores of two spaces can then stand in one list: zero is a passage picked at random, in both.

The background is computed for each question (a product with a thousand rows: 0.1 ms) and not once for the index,
because then it needs no invented questions, and what is peculiar to a question falls out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kg_build.index.encoder import Encoder
from kg_build.index.vector import VectorIndex
from ontology.errors import ClewError, Code

BACKGROUND: Final = 1000
"""Passages of the background at most (our choice: its mean is then known to a thirtieth of its spread)."""

_LEAST_SPREAD: Final = 1e-3
"""Of cosines: the rounding of eight bits. A background of equal passages, or of one, has no spread of its own."""


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

    def search(self, query: str, limit: int) -> list[tuple[str, float]]:
        """The nearest passages: (id, standard deviations above the background), best first."""
        if limit < 1 or not len(self):
            return []
        vector = self.encoder.encode_queries([query])[0]
        chance = self._background @ vector
        mean, spread = float(chance.mean()), max(float(chance.std()), _LEAST_SPREAD)
        return [(chunk, (product - mean) / spread) for chunk, product in self.index.search(vector, limit, self.rows)]

    @cached_property
    def _background(self) -> NDArray[np.float32]:
        """Vectors of passages, evenly spaced."""
        rows = self.rows
        if rows is None:
            rows = np.array([row for row, identifier in enumerate(self.index.ids) if identifier], dtype=np.int64)
        places = np.linspace(0, len(rows) - 1, min(BACKGROUND, len(rows))).astype(np.int64)
        return self.index.stored(rows[places])
