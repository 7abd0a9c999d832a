"""How far a channel is to be trusted for one question: what an adaptive weight follows.

    confidence = ⅓ (agreement + margin + coverage)        each in [0, 1]                          (our choice)

    agreement   share of its ten best passages that another channel found too
    margin      how far its best score stands out: (s₁ - s₁₀) / (s₁ - s_last)
    coverage    share of its ten best passages that mention an entity of the question; ½ when that cannot be told

    weight' = weight · (1 + strength · (2 · confidence - 1))

So an adaptive weight lies between (1 - strength) and (1 + strength) times the weight, and grows with each of the three.
IHRAG asks for an alpha that adapts to query, graph and vectors and does not say how; with two channels alpha is
weight'(dense) / (weight'(dense) + weight'(graph)).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from retrieval.hit import Channel, Hit

BEST: Final = 10
"""Passages of a channel that its confidence is read off."""


def adapted(
    lists: Mapping[Channel, Sequence[Hit]],
    weights: Mapping[Channel, float],
    mentioning: Collection[str],
    strength: float,
) -> dict[Channel, float]:
    """The weights of the channels for one question.

    Args:
        lists: hits of each channel, best first.
        weights: of each channel.
        mentioning: chunks that mention an entity of the question; empty when that cannot be told.
        strength: how far a weight may move, in [0, 1].
    """
    return {
        channel: weights[channel] * (1 + strength * (2 * confidence(channel, lists, mentioning) - 1))
        for channel in lists
    }


def confidence(channel: Channel, lists: Mapping[Channel, Sequence[Hit]], mentioning: Collection[str]) -> float:
    """The confidence of one channel, in [0, 1]; see the module's text."""
    hits = lists[channel]
    if not hits:
        return 0.0
    best = [hit.chunk for hit in hits[:BEST]]
    others = {hit.chunk for other, found in lists.items() if other != channel for hit in found}
    agreement = sum(chunk in others for chunk in best) / len(best)
    coverage = sum(chunk in mentioning for chunk in best) / len(best) if mentioning else 0.5
    return (agreement + _margin([hit.score for hit in hits]) + coverage) / 3


def _margin(scores: Sequence[float]) -> float:
    """How far the best score stands out of the first ten, as a share of the whole range."""
    spread = scores[0] - scores[-1]
    return (scores[0] - scores[min(BEST, len(scores)) - 1]) / spread if spread > 0 else 0.0
