"""Mentions that share a word: `swelling of hands and feet` speaks of swelling of hands and of swelling of feet.

    HEAD of A[, B] and C      ──▶ HEAD of A · A HEAD · HEAD of B · …   (`carcinoma of the breast`)
    A[, B] and C HEAD         ──▶ A HEAD · B HEAD · C HEAD       (`hand and foot swelling`)
    甲、乙及丙HEAD              ──▶ 甲HEAD · 乙HEAD · 丙HEAD        (`双手、双足肿胀`)

What comes out are candidates: pieces of the text, and the words they make, for a dictionary to know or not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ontology.reading.codes import CJK
from ontology.reading.windows import without_filler

Span = tuple[int, int]

_MOST: Final = 6
"""Items of a list (our choice)."""
_LONGEST_ITEM: Final = 5
"""Characters of a Chinese item that lacks its last word."""

_TOKEN: Final = re.compile(r"[A-Za-z][A-Za-z'’\-]*|[^\sA-Za-z]")
_JOINS: Final = frozenset({"and", "or", ",", "/", "&"})
_LAST_JOINS: Final = frozenset({"and", "or", "/", "&"})
_DETERMINERS: Final = frozenset({"the", "both", "his", "her", "a", "an", "my", "their"})
_NO_ITEM: Final = frozenset("of in with but no not without for to from at by on is was are were has had have".split())
_CHINESE: Final = re.compile(rf"[{CJK}、]+")
_CHINESE_JOIN: Final = re.compile("[、及和与或]")


@dataclass(frozen=True, slots=True)
class Shared:
    """One of the mentions that share a word.

    Attributes:
        name: the words it is made of.
        parts: where they stand, in the order of the text; code points.
        listed: whether there are others in the list; else it is only turned round (`carcinoma of the breast`).
    """

    name: str
    parts: tuple[Span, ...]
    listed: bool = True


@dataclass(frozen=True, slots=True)
class _Token:
    start: int
    end: int
    text: str

    @property
    def is_word(self) -> bool:
        return self.text[0].isalpha() and self.text not in _NO_ITEM | _JOINS | _DETERMINERS


def coordinated(text: str, start: int, end: int) -> Iterator[Shared]:
    """The mentions in a sentence that share a word with another one."""
    tokens = [_Token(found.start(), found.end(), found[0].lower()) for found in _TOKEN.finditer(text, start, end)]
    for at, token in enumerate(tokens):
        if token.text in ("of", "in") and at and tokens[at - 1].is_word:
            items = _items(tokens, at + 1, 2)
            if items and _is_list(tokens, items):
                yield from _head_first(tokens[at - 1], [tokens[item[0] : item[-1] + 1] for item in items])
        elif token.is_word and (at == 0 or tokens[at - 1].text not in _JOINS):
            items = _items(tokens, at, 1)
            if (
                len(items) > 1
                and _is_list(tokens, items)
                and (after := items[-1][-1] + 1) < len(tokens)
                and tokens[after].is_word
            ):
                yield from _head_last([tokens[item[0]] for item in items], tokens[after])
    for clause in _CHINESE.finditer(text, start, end):
        yield from _chinese(text, *clause.span())


def _is_list(tokens: list[_Token], items: list[list[int]]) -> bool:
    """Whether the last item of several is joined by more than a comma."""
    return len(items) == 1 or any(token.text in _LAST_JOINS for token in tokens[items[-2][-1] + 1 : items[-1][0]])


def _items(tokens: list[_Token], at: int, words: int) -> list[list[int]]:
    """The places of the words of each item of a list that begins here."""
    items: list[list[int]] = []
    while len(items) < _MOST:
        while at < len(tokens) and tokens[at].text in _DETERMINERS:
            at += 1
        item: list[int] = []
        while at < len(tokens) and len(item) < words and tokens[at].is_word:
            item.append(at)
            at += 1
        if not item:
            return items
        items.append(item)
        joins = at
        while at < len(tokens) and at - joins < 2 and tokens[at].text in _JOINS:
            at += 1
        if at == joins:
            return items
    return items


def _head_first(head: _Token, items: list[list[_Token]]) -> Iterator[Shared]:
    for at, item in enumerate(items):
        words, span = " ".join(token.text for token in item), (item[0].start, item[-1].end)
        parts = _joined((head.start, head.end), span) if at else ((head.start, span[1]),)
        for name in (f"{head.text} of {words}", f"{words} {head.text}"):
            yield Shared(name, parts, listed=len(items) > 1)


def _head_last(items: list[_Token], head: _Token) -> Iterator[Shared]:
    for item in items:
        yield Shared(f"{item.text} {head.text}", _joined((item.start, item.end), (head.start, head.end)))


def _chinese(text: str, start: int, end: int) -> Iterator[Shared]:
    items: list[Span] = []
    begin = start
    for join in _CHINESE_JOIN.finditer(text, start, end):
        items.append((begin, join.start()))
        begin = join.end()
    items = [without_filler(text, *item) for item in [*items, (begin, end)]]
    for at in range(1, len(items)):
        last = items[at]
        for length in (2, 3):
            if last[1] - last[0] <= length:
                continue
            head = (last[1] - length, last[1])
            yield Shared(text[slice(*last)], (last,))
            for item in _short_before(items, at):
                yield Shared(text[slice(*item)] + text[slice(*head)], _joined(item, head))


def _short_before(items: list[Span], at: int) -> Iterator[Span]:
    """The items before one, as far as they are short enough to lack their last word."""
    for item in reversed(items[max(0, at - _MOST) : at]):
        if not 0 < item[1] - item[0] <= _LONGEST_ITEM:
            return
        yield item


def _joined(one: Span, other: Span) -> tuple[Span, ...]:
    """Two pieces in the order of the text; one, where only a blank is between them."""
    first, last = sorted((one, other))
    return ((first[0], last[1]),) if last[0] - first[1] <= 1 else (first, last)
