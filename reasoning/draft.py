"""What an answer is made of: sentences, each with the citations that it rests on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class Citation:
    """What a sentence rests on.

    Attributes:
        number: as cited in the text, from 1.
        kind: a statement of the graph, or a passage.
        id: assertion id or chunk id.
        title: the statement in words, or the document's title and section.
        sources: keys of the sources.
        references: what the sources cite.
        cypher: the statement that returns the fact, or empty.
        quote: the quoted words, or empty.
        lang: language of the quote.
    """

    number: int
    kind: Literal["statement", "passage"]
    id: str
    title: str
    sources: tuple[str, ...]
    references: tuple[str, ...]
    cypher: str = ""
    quote: str = ""
    lang: str = ""


@dataclass(frozen=True)
class Sentence:
    """One sentence of the answer, what it answers, and the numbers of its citations."""

    text: str
    answers: str
    citations: tuple[int, ...]


@dataclass
class Draft:
    """Sentences and citations while they are collected."""

    sentences: list[Sentence] = field(default_factory=list)
    citations: list[Citation] = field(default_factory=list)
    removed: int = 0
