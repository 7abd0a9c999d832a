"""The peer `bm25s`: BM25 of words as they stand, by the library of that name (Lù 2024, arXiv:2407.03618).

Lucene's variant with k1 = 1.5 and b = 0.75, the library's own defaults. Tokens are runs of word characters in lower
case, and single Chinese characters; no stemming, no stop words, nothing from the graph.
"""

from __future__ import annotations

import re
from typing import Final

from ontology.reading.codes import CJK
from reasoning.evaluation.retrieval.corpus import Corpus

_TOKEN: Final = re.compile(rf"[{CJK}]|[^\W{CJK}]+")


class Bm25:
    """What is announced as a peer."""

    contract = 1
    task = "retrieval"
    extra = "clew[eval]"

    def open(self, subject: Corpus) -> OpenedBm25:
        """The index of a corpus, in memory."""
        return OpenedBm25(subject)


class OpenedBm25:
    """Ranks the documents of one corpus."""

    name = "bm25s"

    def __init__(self, corpus: Corpus) -> None:
        import bm25s  # noqa: PLC0415  (of the extra `eval`)

        self._ids = [document.id for document in corpus.documents]
        self._index = bm25s.BM25()
        self._index.index([plain_tokens(document.whole) for document in corpus.documents], show_progress=False)

    def search(self, question: str, limit: int) -> list[tuple[str, float]]:
        """Documents that share a token with the question, best first."""
        known = [token for token in plain_tokens(question) if token in self._index.vocab_dict]
        if not known:
            return []
        rows, scores = self._index.retrieve([known], k=min(limit, len(self._ids)), show_progress=False)
        found = zip(rows[0].tolist(), scores[0].tolist(), strict=True)
        return [(self._ids[row], score) for row, score in found if score > 0]


def plain_tokens(text: str) -> list[str]:
    """Runs of word characters in lower case, and single Chinese characters."""
    return _TOKEN.findall(text.lower())


PEER = Bm25()
