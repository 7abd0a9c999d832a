"""A passage that a channel found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Channel = Literal["lexical", "dense", "graph"]


@dataclass(frozen=True, slots=True)
class Hit:
    """One passage as one channel ranks it.

    Attributes:
        chunk: id of the chunk.
        score: the channel's own score (BM25, cosine): comparable within the channel only.
        channel: who found it.
    """

    chunk: str
    score: float
    channel: Channel
