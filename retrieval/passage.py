"""A passage with its document, ready to be quoted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from retrieval.hit import Channel


@dataclass(frozen=True)
class Passage:
    """A passage.

    Attributes:
        chunk: its id.
        document: id of the document it is from.
        title: of the document.
        section: the headings it stands under.
        text: the passage.
        lang: its language.
        source: key of the source.
        kind: class of the document (article, guideline, definition, …).
        reference: what the document cites itself as.
        year: of publication; 0 where it is not known.
        score: what it is ranked by.
        by_channel: what each channel contributes to the fused score.
        repeated: passages that say nearly the same and are left out for it.
    """

    chunk: str
    document: str
    title: str
    section: str
    text: str
    lang: str
    source: str
    kind: str
    reference: str
    year: int
    score: float = 0.0
    by_channel: Mapping[Channel, float] = field(default_factory=dict)
    repeated: int = 0


class PassageReader(Protocol):
    """Reads passages by their ids."""

    def read(self, chunks: Sequence[str]) -> dict[str, Passage]:
        """The passages that are there, by id, without scores."""
        ...
