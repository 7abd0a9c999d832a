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

    def search(self, query: str, limit: int) -> list[tuple[str, float]]:
        """The nearest passages: (id, cosine above the background), best first."""
        if limit < 1 or not len(self):
            return []
        vector = self.encoder.encode_queries([query])[0]
        background = self._background
        chance = float((background @ vector).mean())
        length = float(np.linalg.norm(vector) * np.linalg.norm(background, axis=1).mean())
        found = self.index.search(vector, limit, self.rows)
        return [(chunk, (product - chance) / max(length, _LEAST)) for chunk, product in found]

    @cached_property
    def _background(self) -> NDArray[np.float32]:
        """Vectors of passages, evenly spaced."""
        rows = self.rows
        if rows is None:
            rows = np.array([row for row, identifier in enumerate(self.index.ids) if identifier], dtype=np.int64)
        places = np.linspace(0, len(rows) - 1, min(BACKGROUND, len(rows))).astype(np.int64)
        return self.index.stored(rows[places])
