"""Abbreviations that a text defines itself: `chronic obstructive pulmonary disease (COPD)`.

The algorithm of Schwartz and Hearst (2003): a short form in brackets stands for the words before it, from the last
word whose first letter begins the short form and after which its other letters follow in their order. `COPD (chronic
…)` is read too. Where the words before the bracket are Chinese, letters say nothing: the long form is then what the
caller finds to end there, so its place is left open.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from typing import Final

from ontology.reading.codes import CJK

_BRACKET: Final = re.compile(r"[(（]\s*(?:简称|以下简称|简写为|英文缩写)?[“\"：: ]*([^()（）\n]{2,80}?)[”\"]?\s*[)）]")
_SHORT: Final = re.compile(r"[A-Za-z][A-Za-z0-9/.\-]{1,9}(?: [A-Za-z0-9]{1,4})?")
_HEARD: Final = re.compile(r"[A-Z].*[A-Z0-9]|[A-Z]{2}")
_CHINESE_SHORT: Final = re.compile(rf"[{CJK}]{{2,6}}")
_CHINESE: Final = re.compile(rf"[{CJK}]\Z")
_WORD_BEFORE: Final = re.compile(r"([A-Za-z][A-Za-z0-9/\-]{1,9})\s*\Z")
_REACH: Final = 200
"""Code points before a bracket in which its long form may begin (our choice: ten words of twenty letters)."""


@dataclass(frozen=True, slots=True)
class Abbreviation:
    """A short form and what the text says it stands for; code points.

    Attributes:
        short: the short form as written.
        start: of the short form where it is defined.
        end: one past its last.
        long_start: where the long form begins; None where only its end is known.
        long_end: one past the long form.
    """

    short: str
    start: int
    end: int
    long_start: int | None
    long_end: int


def find_abbreviations(text: str) -> list[Abbreviation]:
    """The abbreviations that a text defines, in order; the first definition of a short form counts."""
    found: dict[str, Abbreviation] = {}
    if "(" in text or "（" in text:
        for bracket in _BRACKET.finditer(text):
            defined = _defined(text, bracket)
            if defined is not None:
                found.setdefault(defined.short, defined)
    return list(found.values())


def occurrences(text: str, defined: list[Abbreviation]) -> list[tuple[int, int, Abbreviation]]:
    """Where short forms stand as whole words, in order, with their definitions."""
    if not defined:
        return []
    by_short = {one.short: one for one in defined}
    shorts = "|".join(re.escape(short) for short in sorted(by_short, key=len, reverse=True))
    pattern = re.compile(rf"(?<![A-Za-z0-9])(?:{shorts})(?![A-Za-z0-9])")
    return [(found.start(), found.end(), by_short[found[0]]) for found in pattern.finditer(text)]


def _defined(text: str, bracket: re.Match[str]) -> Abbreviation | None:
    inside, start, end = bracket[1], bracket.start(1), bracket.end(1)
    before = text[max(0, bracket.start() - _REACH) : bracket.start()]
    stripped = before.rstrip()
    long_end = bracket.start() - (len(before) - len(stripped))
    if _SHORT.fullmatch(inside) and _HEARD.search(inside):
        if _CHINESE.search(stripped):
            return Abbreviation(inside, start, end, None, long_end)
        if (long_start := _long_form(inside, stripped)) is not None:
            return Abbreviation(inside, start, end, long_end - len(stripped) + long_start, long_end)
        return None
    if _CHINESE_SHORT.fullmatch(inside) and "称" in bracket[0][: bracket[0].index(inside)]:
        return Abbreviation(inside, start, end, None, long_end)
    word = _WORD_BEFORE.search(stripped)  # COPD (chronic obstructive pulmonary disease)
    if word and _HEARD.search(word[1]) and len(inside) > len(word[1]):
        long_start = _long_form(word[1], inside)
        if long_start is not None and long_start == 0:
            at = long_end - len(word[1])
            return Abbreviation(word[1], at, long_end, start, end)
    return None


def _long_form(short: str, before: str) -> int | None:
    """Where in the text before a bracket the long form of a short form begins; None when it has none there.

    Letters are matched from the last to the first; the first must begin a word.
    """
    letters = [letter for letter in short.lower() if letter.isalnum()]
    words = [match.start() for match in re.finditer(r"\S+", before)]
    most = min(len(letters) + 5, 2 * len(letters))
    least = words[max(0, len(words) - most)] if words else 0
    lower, at = before.lower(), len(before)
    for position in range(len(letters) - 1, -1, -1):
        at -= 1
        while at >= least and (
            lower[at] != letters[position] or (position == 0 and at > 0 and lower[at - 1].isalnum())
        ):
            at -= 1
        if at < least:
            return None
    begin = words[bisect_left(words, at + 1) - 1] if words else at
    begin = at if begin < least else begin
    long_form = before[begin:]
    return None if len(long_form) <= len(short) or short in long_form.split() else begin
