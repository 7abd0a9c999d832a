"""The dense channel: passages whose meaning is near the question's, whatever the language."""

from __future__ import annotations

from dataclasses import dataclass

from kg_build.index.encoder import Encoder
from kg_build.index.vector import VectorIndex
from ontology.errors import ClewError, Code
from retrieval.hit import Hit


@dataclass(frozen=True)
class DenseChannel:
    """Cosine over a vector index.

    Raises:
        ClewError: CORRUPT_RELEASE when the index was built with another encoder.
    """

    index: VectorIndex
    encoder: Encoder

    def __post_init__(self) -> None:
        if self.index.encoder != self.encoder.name:
            raise ClewError(
                Code.CORRUPT_RELEASE,
                f"vectors come from {self.index.encoder!r}, queries would come from {self.encoder.name!r}",
                remedy="run: clew build",
            )

    def search(self, query: str, limit: int) -> list[Hit]:
        """At most `limit` passages, best first; none for a blank query."""
        if not query.strip() or not len(self.index):
            return []
        vector = self.encoder.encode([query])[0]
        return [Hit(chunk, score, "dense") for chunk, score in self.index.search(vector, limit)]
