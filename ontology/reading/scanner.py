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
from numpy.typing import NDArray

from ontology.errors import ClewError, Code
from ontology.reading.codes import Codes, code_points, hold_words, to_text
from ontology.reading.text import Normalised

_FILE: Final = "automaton"
_BREAK: Final = "\n"


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
        symbols, edges, position = _read_symbols(norm)
        lengths = self._lengths
        return sorted([
            (position[start], -position[stop], form)
            for last, form in self.automaton.iter(symbols)
            if edges[stop := last + 1] and edges[start := stop - lengths[form]]
        ])  # fmt: skip

    @cached_property
    def automaton(self) -> Any:
        """The automaton over all forms."""
        return self._open()


def symbols_of(forms: Sequence[str]) -> list[str]:
    """What the automaton reads for each form; forms are normal forms, so none has a line break."""
    wide = [form for form in forms if not form.isascii()]
    written = iter(to_text(_as_symbols(code_points(_BREAK.join(wide)))[0]).split(_BREAK))
    return [form if form.isascii() else next(written) for form in forms]


def make_automaton(patterns: Iterable[tuple[str, int]]) -> Any:
    """The automaton over (symbols, form) pairs."""
    automaton = ahocorasick.Automaton(ahocorasick.STORE_INTS)
    for symbols, form in patterns:
        automaton.add_word(symbols, form)
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


def _read_symbols(norm: Normalised) -> tuple[str, bytes, Sequence[int]]:
    """The symbols of a normal form; for each and the end: may a name begin or end there, and which code point is it.

    A name begins or ends anywhere but between two letters or digits that are not Chinese.
    """
    word = np.zeros(len(norm.codes) + 2, dtype=bool)
    word[1:-1] = hold_words(norm.codes)
    edge = ~(word[:-1] & word[1:])
    if norm.text.isascii():
        return norm.text, edge.tobytes(), range(len(edge))
    symbols, starts = _as_symbols(norm.codes)
    edges = np.zeros(len(symbols) + 1, dtype=bool)
    edges[starts] = edge
    position = np.zeros(len(symbols) + 1, dtype=np.int64)
    position[starts] = np.arange(len(starts))
    return to_text(symbols), edges.tobytes(), position.tolist()


def _as_symbols(codes: Codes) -> tuple[Codes, NDArray[np.int64]]:
    """The symbols of code points, and where those of each begin (and the end); int64[n + 1]."""
    wide = codes >= 0x80
    starts = np.zeros(len(codes) + 1, dtype=np.int64)
    np.cumsum(1 + wide, out=starts[1:])
    symbols = np.empty(starts[-1], dtype=np.uint32)
    symbols[starts[:-1]] = np.where(wide, 0x80 + (codes >> 7), codes)
    symbols[starts[:-1][wide] + 1] = 0x8000 + (codes[wide] & 0x7F)
    return symbols, starts
