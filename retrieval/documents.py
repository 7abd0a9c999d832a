"""From chunks back to documents: those of which most chunks were found come first (ICA-RAG's mapping).

    rank(document) by   number of its chunks among the hits, then its best score     (scores alone, nothing re-embedded)

The chunks of a document stand together, the best one first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from retrieval.passage import Passage


def by_document(passages: Sequence[Passage]) -> list[Passage]:
    """The passages, those of a document together, documents with most passages first.

    Args:
        passages: best first.
    """
    counts = Counter(passage.document for passage in passages)
    first: dict[str, int] = {}
    for place, passage in enumerate(passages):
        first.setdefault(passage.document, place)
    return sorted(passages, key=lambda passage: (-counts[passage.document], first[passage.document]))
