"""Text in English and Chinese: the key under which names are compared, and where sentences end.

The normal form is a key, not a text to show. Every code point folds by itself (NFKD, casefold, accents
dropped), so the way back to the untouched text is one index per code point of the key.

Choices: accents do not tell names apart (Ménière = Meniere); an apostrophe vanishes (Alzheimer's =
Alzheimer’s = alzheimers); other punctuation, slashes and every kind of dash and blank are one space; that
space vanishes beside a Chinese character (HIV 感染 = HIV感染); a point stays between two digits; + % & < > =
and other symbols stay, because they tell names apart (CD4+).
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ontology.schema import Lang

CJK: Final = "\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Chinese characters, for use inside a character class of a regular expression."""


def normal_form(text: str) -> str:
    """The key under which names are compared; idempotent."""
    return _SURPLUS.sub("", _POINT.sub(" ", text.translate(_FOLD)))


@dataclass(frozen=True, eq=False)
class Normalised:
    """The normal form of a text and the way back to the untouched text.

    Attributes:
        text: the normal form.
        source: the untouched text.
        origin: for each code point of `text`, the index of the code point in `source` that it came from.
    """

    text: str
    source: str
    origin: NDArray[np.int64]

    def start(self, i: int) -> int:
        """Where in the untouched text a range begins that begins at `i` (0 ≤ i < len(text)) here."""
        return int(self.origin[i])

    def end(self, i: int) -> int:
        """One past the end, in the untouched text, of a range that ends before `i` (0 < i ≤ len(text)) here.

        Accents that follow the last letter as code points of their own belong to it.
        """
        end = int(self.origin[i - 1]) + 1
        while end < len(self.source) and unicodedata.combining(self.source[end]):
            end += 1
        return end


def normalise(text: str) -> Normalised:
    """The normal form with its way back, in linear time; `normalise(t).text == normal_form(t)`."""
    pieces = [_FOLD[ord(character)] for character in text]
    folded = _POINT.sub(" ", "".join(pieces))
    origin = np.arange(len(text))
    if len(folded) != len(text) or not all(pieces):
        origin = np.repeat(origin, [len(piece) for piece in pieces])
    keep = np.ones(len(folded), dtype=bool)
    for surplus in _SURPLUS.finditer(folded):
        keep[surplus.start() : surplus.end()] = False
    return Normalised(_SURPLUS.sub("", folded), text, origin[keep])


def language(text: str) -> Lang:
    """`zh` when the Chinese characters are at least as many as the Latin words, else `en`.

    A Chinese character carries about as much as a Latin word (our choice).
    """
    chinese = len(_CHINESE.findall(text))
    return "zh" if chinese and chinese >= len(_LATIN_WORD.findall(text)) else "en"


def sentences(text: str) -> list[tuple[int, int]]:
    """Spans of the sentences, in order, without overlap and without blanks around them.

    A sentence ends at 。！？；, at a line break, and at . ! ? before a blank, a Chinese character or the end,
    unless the point belongs to an abbreviation, an initial, a list number, or a lower-case word follows.
    """
    spans: list[tuple[int, int]] = []
    begin = 0
    for stop in _STOP.finditer(text):
        if stop["point"] and not _ends_sentence(text, begin, stop):
            continue
        _add_span(spans, text, begin, stop.end())
        begin = stop.end()
    _add_span(spans, text, begin, len(text))
    return spans


class _Fold(dict[int, str]):
    """What each code point becomes, filled as code points are met: '' vanishes, ' ' separates."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = _fold_character(chr(code))
        return folded


def _fold_character(character: str) -> str:
    if character in _APOSTROPHES:
        return ""
    current, previous = character, ""
    while current != previous:
        previous, current = current, unicodedata.normalize("NFKD", current).casefold()
    return "".join(_keep(part) for part in current)


def _keep(part: str) -> str:
    category = unicodedata.category(part)
    if part in _APOSTROPHES or category in {"Mn", "Me", "Cf"} or unicodedata.combining(part):
        return ""
    if part in ".+%&":
        return part
    return " " if category[0] in "PZ" or category in {"Cc", "Sk"} or part in "|~⁄" else part


def _ends_sentence(text: str, begin: int, stop: re.Match[str]) -> bool:
    before = text[max(begin, stop.start() - 12) : stop.start()]
    after = text[stop.end() : stop.end() + 3].lstrip()
    if stop["point"][0] != ".":
        return True
    if _ITEM.fullmatch(before) or after[:1].islower():
        return False
    word = before.split()[-1] if before.split() else ""
    if _INITIAL.fullmatch(word) or word.lower().lstrip("([") in _TITLES:
        return False
    return not (word.lower() in _BEFORE_NUMBER and after[:1].isdigit())


def _add_span(spans: list[tuple[int, int]], text: str, begin: int, end: int) -> None:
    piece = text[begin:end]
    stripped = piece.strip()
    if stripped:
        start = begin + len(piece) - len(piece.lstrip())
        spans.append((start, start + len(stripped)))


_APOSTROPHES: Final = frozenset("'’‘ʼ`´＇′")
_FOLD: Final = _Fold()
_POINT: Final = re.compile(r"(?<!\d)\.|\.(?!\d)")
_SURPLUS: Final = re.compile(rf"^ +| +\Z|(?<=[{CJK}]) +| +(?= )| +(?=[{CJK}])")
_CHINESE: Final = re.compile(rf"[{CJK}]")
_LATIN_WORD: Final = re.compile(r"[A-Za-zÀ-ɏ]+")
_STOP: Final = re.compile(
    rf"[。！？；]+[”’」』）】)]*|[\r\n\u2028\u2029]+|(?P<point>[.!?]+)[\"')\]”’]*(?=\s|\Z|[{CJK}])"
)
_ITEM: Final = re.compile(r"\s*\(?(?:\d{1,2}|[A-Za-z])")
_INITIAL: Final = re.compile(r"\(?(?:[A-Z]|(?:[A-Za-z]\.)+[A-Za-z])")
_TITLES: Final = frozenset(["dr", "mr", "mrs", "ms", "prof", "st", "vs", "cf", "fig", "figs", "al", "approx"])
_BEFORE_NUMBER: Final = frozenset(["no", "nos", "vol", "pp", "p", "ca", "ref", "sec", "ch", "art", "tab"])
