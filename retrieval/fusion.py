"""Fusing what the channels think of a passage.

    scores   Σ over channels  weight · score                   each channel's own scale, see `retrieval.channels.asked`
    ranks    Σ over channels  weight / (60 + rank)             reciprocal rank fusion (Cormack et al. 2009)

The default fuses scores, and asks every channel for its score of every passage that any of them found. A list of the
hundred best, put on a common scale by its own mean and spread, says nothing of a passage that is not in it, and a poor
list is stretched to the scale of a good one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from retrieval.channels.asked import Asked
from retrieval.hit import Channel, Hit

Strategy = Literal["scores", "ranks"]

_K: Final = 60
"""The constant of reciprocal rank fusion (Cormack et al. 2009)."""


@dataclass(frozen=True, slots=True)
class FusedHit:
    """A passage with its fused score.

    Attributes:
        chunk: id of the chunk.
        score: sum of `by_channel`.
        by_channel: what each channel contributes, weight included.
    """

    chunk: str
    score: float
    by_channel: dict[Channel, float]


def fuse(
    lists: Mapping[Channel, Sequence[Hit]],
    asked: Mapping[Channel, Asked],
    weights: Mapping[Channel, float],
    strategy: Strategy = "scores",
) -> list[FusedHit]:
    """The passages of all channels, best first, equal scores by id.

    Args:
        lists: hits of each channel, best first, each passage at most once.
        asked: the channels, to be asked for scores of what others found.
        weights: weight of each channel.
        strategy: see the module's text.
    """
    chunks = sorted({hit.chunk for hits in lists.values() for hit in hits})
    scores = {
        channel: _ranks(hits) if strategy == "ranks" else _completed(hits, asked[channel], chunks)
        for channel, hits in lists.items()
    }
    fused = []
    for chunk in chunks:
        parts = {channel: weights[channel] * found.get(chunk, 0.0) for channel, found in scores.items()}
        fused.append(FusedHit(chunk, sum(parts.values()), parts))
    return sorted(fused, key=lambda hit: (-hit.score, hit.chunk))


def _completed(hits: Sequence[Hit], asked: Asked, chunks: Sequence[str]) -> dict[str, float]:
    known = {hit.chunk: hit.score for hit in hits}
    return asked.scores([chunk for chunk in chunks if chunk not in known]) | known


def _ranks(hits: Sequence[Hit]) -> dict[str, float]:
    return {hit.chunk: 1 / (_K + rank) for rank, hit in enumerate(hits, 1)}
