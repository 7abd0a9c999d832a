"""Names as the dictionary holds them: one name of one entity, and a stretch of text that is a name.

Both are tuples: a build makes a million of the one, and linking a few million of the other.
"""

from __future__ import annotations

from typing import Final, NamedTuple

KINDS: Final = ("label", "exact", "lay", "abbreviation", "related", "narrow", "broad", "brand")
"""Kinds of names, preferred first."""


class Sense(NamedTuple):
    """One name of one entity.

    Attributes:
        entity: CURIE.
        type: entity type.
        lang: BCP-47 language of the name.
        text: the name as its source writes it.
        kind: one of `KINDS`.
    """

    entity: str
    type: str
    lang: str
    text: str
    kind: str


class Match(NamedTuple):
    """A stretch of text that is a name.

    Attributes:
        start: first code point on the untouched text.
        end: one past the last.
        text: the slice.
        senses: what it may mean, preferred kinds first.
        inflected: whether only the number of the last word (or a possessive s) makes it match.
    """

    start: int
    end: int
    text: str
    senses: tuple[Sense, ...]
    inflected: bool = False


def kind_rank(kind: str) -> int:
    """Place of a kind of name in `KINDS`; one that it does not name comes last."""
    return _RANKS.get(kind, len(KINDS))


def preference(sense: Sense) -> tuple[int, str, str, str, str, str]:
    """Sorts the senses of a name: preferred kinds first, then by id."""
    return kind_rank(sense.kind), sense.entity, sense.lang, sense.text, sense.type, sense.kind


_RANKS: Final = {kind: rank for rank, kind in enumerate(KINDS)}
