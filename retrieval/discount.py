"""The entity discount: a passage that mentions no entity of the question counts for less (GenText).

    score' = worst + (1 - discount) · (score - worst)      for a passage without any of the question's entities

`worst` is the least score of the list, so that the discount takes a share of what a passage is ahead by, whatever the
scale of the scores. Entities are linked first: a passage that calls a racing heart tachycardia mentions it, so that
lay words are not punished. A question without entities discounts nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from retrieval.passage import Passage


def discounted(passages: Sequence[Passage], mentioning: Collection[str], discount: float) -> list[Passage]:
    """The passages, best first, those without an entity of the question discounted.

    Args:
        passages: best first.
        mentioning: chunks that mention an entity of the question; when there is none, nothing is discounted.
        discount: in [0, 1].
    """
    if not discount or not mentioning or not passages:
        return list(passages)
    worst = min(passage.score for passage in passages)
    scored = [
        passage
        if passage.chunk in mentioning
        else replace(passage, score=worst + (1 - discount) * (passage.score - worst))
        for passage in passages
    ]
    return sorted(scored, key=lambda passage: (-passage.score, passage.chunk))
