"""The peer `plain_dense`: cosine of whole documents with the multilingual encoder, and nothing else.

What a vector database does with a document a row: no passages, no other channel, no quantisation. A text that is
longer than a passage is encoded whole all the same.
"""

from __future__ import annotations

import numpy as np

from kg_build.index.encoder import VectorCache, encode_cached
from kg_build.index.encoders.multilingual import MultilingualEncoder
from reasoning.evaluation.retrieval.corpus import Corpus


class PlainDense:
    """What is announced as a peer."""

    contract = 1
    task = "retrieval"
    extra = ""

    def open(self, subject: Corpus) -> OpenedDense:
        """The vectors of a corpus, from the cache where it has them."""
        return OpenedDense(subject)


class OpenedDense:
    """Ranks the documents of one corpus."""

    name = "plain_dense"

    def __init__(self, corpus: Corpus) -> None:
        self._ids = [document.id for document in corpus.documents]
        self._encoder = MultilingualEncoder()
        texts = [document.whole for document in corpus.documents]
        self._vectors = encode_cached(texts, self._encoder, VectorCache(corpus.cache / "vectors"))
        self._encoder.encode([self.name])  # loads the model, which is nobody's query

    def search(self, question: str, limit: int) -> list[tuple[str, float]]:
        """The nearest documents, best first, equal cosines in the order of the corpus."""
        cosines = self._vectors @ self._encoder.encode([question])[0]
        best = np.argsort(-cosines, kind="stable")[:limit]
        return [(self._ids[row], float(cosines[row])) for row in best]


PEER = PlainDense()
