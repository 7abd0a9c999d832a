"""Where forms stand in a text: an automaton over symbols, and the words' edges that a hit must keep to.

The automaton runs over one symbol for an ASCII character and two for any other one: code points make it four
times slower on Chinese, UTF-8 bytes a fifth larger.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import ahocorasick
import numpy as np

from ontology.errors import ClewError, Code
from ontology.reading.codes import Codes, hold_words
from ontology.reading.text import Normalised

_FILE: Final = "automaton"


class Scanner:
    """Finds forms in texts.

    Args:
        open_automaton: gives the automaton; called when it is first needed.
        lengths: symbols of each form.
    """

    def __init__(self, open_automaton: Callable[[], Any], lengths: Sequence[int]) -> None:
        self._open = open_automaton
        self._lengths = lengths

    def scan(self, norm: Normalised) -> list[tuple[int, int, int]]:
        """(start, -end, form) of every form that stands in a normal form, leftmost and then longest first."""
        if not len(self.automaton):
            return []
        edges, position, lengths = _edges(norm.codes), _positions(norm), self._lengths
        return sorted([
            (start, -stop, form)
            for last, form in self.automaton.iter(symbols_of(norm.text))
            if edges[stop := position[last + 1]] and edges[start := position[last + 1 - lengths[form]]]
        ])  # fmt: skip

    @cached_property
    def automaton(self) -> Any:
        """The automaton over all forms."""
        return self._open()


def symbols_of(form: str) -> str:
    """What the automaton reads for a form or a text; both are normal forms."""
    return form if form.isascii() else form.translate(_SYMBOLS)


def make_automaton(forms: Iterable[tuple[str, int]]) -> Any:
    """The automaton over forms, each as symbols and its number."""
    automaton = ahocorasick.Automaton(ahocorasick.STORE_INTS)
    for symbols, number in forms:
        automaton.add_word(symbols, number)
    if len(automaton):
        automaton.make_automaton()
    return automaton


def save_automaton(automaton: Any, folder: Path) -> None:
    """Write an automaton into a folder; an empty one leaves no file."""
    if len(automaton):
        automaton.save(str(folder / _FILE))


def load_automaton(folder: Path, patterns: int) -> Any:
    """Read an automaton of so many patterns from a folder.

    Raises:
        ClewError: CORRUPT_RELEASE.
    """
    if not patterns:
        return make_automaton(())
    try:
        automaton = ahocorasick.load(str(folder / _FILE), int)
    except (OSError, ValueError) as error:
        raise corrupt_terms(folder, str(error)) from error
    if len(automaton) != patterns:
        raise corrupt_terms(folder, "the automaton belongs to other names")
    return automaton


def corrupt_terms(folder: Path, cause: str) -> ClewError:
    """The error for a folder of names that cannot be read."""
    return ClewError(Code.CORRUPT_RELEASE, f"{folder}: {cause}", remedy="run: clew build")


class _Symbols(dict[int, str]):
    """What the automaton reads for a code point, filled as code points are met; no second symbol is a first one."""

    def __missing__(self, code: int) -> str:
        symbols = chr(code) if code < 0x80 else chr(0x80 + (code >> 7)) + chr(0x8000 + (code & 0x7F))
        self[code] = symbols
        return symbols


def _edges(codes: Codes) -> bytes:
    """For each code point and the end: may a name begin or end there.

    It may anywhere but between two letters or digits that are not Chinese.
    """
    word = np.zeros(len(codes) + 2, dtype=bool)
    word[1:-1] = hold_words(codes)
    return (~(word[:-1] & word[1:])).tobytes()


def _positions(norm: Normalised) -> Sequence[int]:
    """The code point that each symbol belongs to, and the end."""
    if norm.text.isascii():
        return range(len(norm.text) + 1)
    sizes = np.ones(len(norm.codes) + 1, dtype=np.int64)
    sizes[:-1] += norm.codes >= 0x80
    positions: list[int] = np.repeat(np.arange(len(sizes)), sizes).tolist()
    return positions


_SYMBOLS: Final = _Symbols()
