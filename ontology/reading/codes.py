"""Texts as arrays of code points, and what kind of code point stands where."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint32]
Mask = NDArray[np.bool_]

CJK: Final = "\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Chinese characters, for use inside a character class of a regular expression."""


def code_points(text: str) -> Codes:
    """The code points of a text, lone surrogates included; uint32[n], read-only."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def are_chinese(codes: Codes) -> Mask:
    """Which code points are Chinese characters."""
    return _CHINESE[codes]


def hold_words(codes: Codes) -> Mask:
    """Which code points are letters or digits that hold a word together; Chinese ones do not."""
    return _WORD[codes]


def _table(ranges: list[tuple[int, int]]) -> Mask:
    table = np.zeros(0x110000, dtype=bool)
    for first, last in ranges:
        table[first : last + 1] = True
    return table


_CHINESE: Final = _table([(0x3007, 0x3007), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF)])
_WORD: Final = _table([(code, code) for code in range(0x52F) if chr(code).isalnum()])
