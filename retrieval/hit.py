"""A passage that a channel found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

Channel = Literal["lexical", "dense", "graph"]

CHANNELS: Final[tuple[Channel, ...]] = get_args(Channel)
"""In the order in which their contributions are shown."""


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
