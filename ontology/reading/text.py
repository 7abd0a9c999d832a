"""Text in English and Chinese: the key under which names are compared, and where sentences end.

The normal form is a key, not a text to show. Every code point folds by itself (NFKD, casefold, accents
dropped), so the way back to the untouched text is one index per code point of the key.

Choices: a traditional character is the simplified one (OpenCC's table of single characters); a Greek letter is its
name (TNF-α = TNF-alpha); accents do not tell names apart (Ménière = Meniere); an apostrophe vanishes (Alzheimer's =
Alzheimer’s = alzheimers); other punctuation, slashes and every kind of dash and blank are one space; that space
vanishes beside a Chinese character (HIV 感染 = HIV感染); a point stays between two digits; + % & < > = and other
symbols stay, because they tell names apart (CD4+).
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

import numpy as np
import opencc
from numpy.typing import NDArray

from ontology.reading.codes import CJK, Codes, are_chinese, code_points
from ontology.schema import Lang


def normal_form(text: str) -> str:
    """The key under which names are compared; idempotent."""
    return _without_surplus(_fold(text))


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
    folded = _fold(text)
    form = _without_surplus(folded)
    codes = code_points(form)
    solid = codes != _BLANK
    origin = np.empty(len(codes), dtype=np.int64)
    origin[solid] = np.flatnonzero(code_points(folded) != _BLANK)
    between = np.flatnonzero(~solid)
    origin[between] = origin[between + 1] - 1  # of the blanks in a gap the last one stays
    return Normalised(form, codes, text, _before_folding(text, len(folded), origin))


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


def _without_surplus(folded: str) -> str:
    """A folded text without blanks at its ends, beside blanks and beside Chinese characters."""
    spaced = " ".join(folded.split())
    return spaced if spaced.isascii() or " " not in spaced else _BESIDE_CHINESE.sub("", spaced)


def _before_folding(text: str, length: int, positions: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where positions in the folded text, which is so long, are in the text."""
    if length == len(text) and text.isascii():  # one for one: nothing in ASCII becomes longer
        return positions
    lengths = _FOLD.lengths[code_points(text)]
    return positions if (lengths == 1).all() else np.repeat(np.arange(len(text)), lengths)[positions]


def _fold_character(character: str) -> str:
    if character in _APOSTROPHES:
        return ""
    current, previous = character, ""
    while current != previous:
        previous, current = current, unicodedata.normalize("NFKD", current).casefold()
    if len(current) == 1:
        if "\u3400" <= current <= "\u9fff":
            return str(_SIMPLIFIED.convert(current))
        if "α" <= current <= "ω":
            return unicodedata.name(current).rpartition(" ")[2].lower().replace("lamda", "lambda")
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
_SIMPLIFIED: Final = opencc.OpenCC("t2s")
_FOLD: Final = _Fold()
_BLANK: Final = ord(" ")
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
