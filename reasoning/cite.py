"""Verification of citations: a cited statement exists in the release, a quote stands in its passage word for word."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kg_build.index.adjacency import Adjacency
from kg_build.store.protocol import GraphStore


@dataclass(frozen=True)
class Verifier:
    """Checks citations against one release."""

    adjacency: Adjacency
    store: GraphStore

    def statement(self, assertion: str) -> bool:
        """Whether the release holds this positive assertion."""
        key = assertion.encode()
        at = int(np.searchsorted(self.adjacency.assertions, key))
        return at < len(self.adjacency.assertions) and bool(self.adjacency.assertions[at] == key)

    def quote(self, chunk: str, quote: str) -> bool:
        """Whether the quote is a substring of the chunk."""
        rows = self.store.rows("MATCH (c:Chunk {id: $id}) RETURN c.text AS text", {"id": chunk})
        return bool(quote) and bool(rows) and quote in rows[0]["text"]
