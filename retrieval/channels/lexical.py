"""The lexical channel: passages that share words with the question."""

from __future__ import annotations

from dataclasses import dataclass

from kg_build.index.text import TextIndex
from retrieval.hit import Hit


@dataclass(frozen=True)
class LexicalChannel:
    """BM25 over a text index."""

    index: TextIndex

    def search(self, query: str, limit: int) -> list[Hit]:
        """At most `limit` passages, best first; none when no word of the query is indexed."""
        return [Hit(chunk, score, "lexical") for chunk, score in self.index.search(query, limit)]
