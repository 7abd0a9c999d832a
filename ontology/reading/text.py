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

from ontology.reading.codes import CJK, Codes, Mask, are_chinese, code_points, to_text
from ontology.schema import Lang


def normal_form(text: str) -> str:
    """The key under which names are compared; idempotent."""
    spaced = " ".join(_fold(text).split())
    return spaced if spaced.isascii() else _BESIDE_CHINESE.sub("", spaced)


@dataclass(frozen=True, eq=False)
class Normalised:
    """The normal form of a text and the way back to the untouched text.

    Attributes:
        text: the normal form.
        codes: its code points.
        source: the untouched text.
        origin: for each code point of `text`, the index of the code point in `source` that it came from.
    """

    text: str
    codes: Codes
    source: str
    origin: NDArray[np.int64]

    def start(self, i: int) -> int:
        """Where in the untouched text a range begins that begins at `i` (0 ≤ i < len(text)) here."""
        return int(self.origin.item(i))

    def end(self, i: int) -> int:
        """One past the end, in the untouched text, of a range that ends before `i` (0 < i ≤ len(text)) here.

        Accents that follow the last letter as code points of their own belong to it.
        """
        end = int(self.origin.item(i - 1)) + 1
        while end < len(self.source) and unicodedata.combining(self.source[end]):
            end += 1
        return end


def normalise(text: str) -> Normalised:
    """The normal form with its way back, in linear time; `normalise(t).text == normal_form(t)`."""
    folded = code_points(_fold(text))
    keep = _kept(folded)
    codes = folded[keep]
    return Normalised(to_text(codes), codes, text, _origin(text, len(folded))[keep])


def language(text: str) -> Lang:
    """`zh` when the Chinese characters are at least as many as the Latin words, else `en`.

    A Chinese character carries about as much as a Latin word (our choice).
    """
    if text.isascii():
        return "en"
    chinese = np.count_nonzero(are_chinese(code_points(text)))
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
    """What each code point becomes, filled as code points are met: '' vanishes, ' ' separates.

    Attributes:
        lengths: of what each code point met so far becomes.
    """

    def __init__(self) -> None:
        self.lengths = np.zeros(0x110000, dtype=np.uint8)

    def __missing__(self, code: int) -> str:
        self[code] = folded = _fold_character(chr(code))
        self.lengths[code] = len(folded)
        return folded


def _fold(text: str) -> str:
    """The text with every code point folded; points that are not between two digits are blanks."""
    folded = text.translate(_FOLD)
    return _POINT.sub(" ", folded) if "." in folded else folded


def _kept(folded: Codes) -> Mask:
    """Which code points of a folded text stay: all but blanks, and one blank between two that are not Chinese."""
    keep: Mask = folded != ord(" ")
    solid = np.flatnonzero(keep)
    apart = np.flatnonzero(np.diff(solid) > 1)
    before, after = solid[apart], solid[apart + 1]
    keep[after[~(are_chinese(folded[before]) | are_chinese(folded[after]))] - 1] = True
    return keep


def _origin(text: str, length: int) -> NDArray[np.int64]:
    """For each code point of the folded text, `length` of them, the index of the one that it came from."""
    origin = np.arange(len(text))
    if length == len(text) and text.isascii():  # one for one: nothing in ASCII becomes longer
        return origin
    lengths = _FOLD.lengths[code_points(text)]
    return origin if lengths.min(initial=1) == lengths.max(initial=1) == 1 else np.repeat(origin, lengths)


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
# Each begins with a literal, so that the search jumps from one to the next.
_POINT: Final = re.compile(r"\.(?:(?!\d)|(?<!\d\.))")
_BESIDE_CHINESE: Final = re.compile(rf" (?:(?=[{CJK}])|(?<=[{CJK}] ))")
_LATIN_WORD: Final = re.compile(r"[A-Za-zÀ-ɏ]+")
_STOP: Final = re.compile(
    rf"[。！？；]+[”’」』）】)]*|[\r\n\u2028\u2029]+|(?P<point>[.!?]+)[\"')\]”’]*(?=\s|\Z|[{CJK}])"
)
_ITEM: Final = re.compile(r"\s*\(?(?:\d{1,2}|[A-Za-z])")
_INITIAL: Final = re.compile(r"\(?(?:[A-Z]|(?:[A-Za-z]\.)+[A-Za-z])")
_TITLES: Final = frozenset(["dr", "mr", "mrs", "ms", "prof", "st", "vs", "cf", "fig", "figs", "al", "approx"])
_BEFORE_NUMBER: Final = frozenset(["no", "nos", "vol", "pp", "p", "ca", "ref", "sec", "ch", "art", "tab"])
