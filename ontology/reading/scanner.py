"""Where forms stand in a text: a trie over all forms, and the words' edges that a hit must keep to.

The trie (marisa) lies memory-mapped on disk. At every place where a name may begin it gives the forms that the text
goes on with; where no form begins with the next two code points it is not asked. An Aho-Corasick automaton over the
same 754,000 forms finds the same somewhat faster, but takes seventy times the space and four seconds to read, which
every question and every process of a build would wait for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import marisa_trie
import numpy as np
from numpy.typing import NDArray

from ontology.errors import ClewError, Code
from ontology.reading.codes import Codes, code_points, hold_words
from ontology.reading.text import Normalised

_FILE: Final = "forms.marisa"
_PAIRS: Final = 1 << 20
"""Places in the table of how forms begin; 3 in 100 are taken by 754,000 forms."""

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_UNWRITABLE: Final = re.compile("[\0\ud800-\udfff]")
"""NUL and lone surrogates: the trie holds neither, and no reader lets them into a name."""


@dataclass(frozen=True)
class Forms:
    """What is known of the forms of a trie, beside the trie.

    Attributes:
        numbers: number of the form for each of the trie's; int32[n].
        pairs: for the hash of two code points, whether a form may begin with them; bool.
        single: the code points that are forms; uint32, sorted.
        longest: code points of the longest form.
    """

    numbers: NDArray[np.int32]
    pairs: NDArray[np.bool_]
    single: NDArray[np.uint32]
    longest: int

    def may_begin(self, codes: Codes) -> NDArray[np.bool_]:
        """For each code point of a text, whether a form may begin there."""
        begins = np.zeros(len(codes), dtype=bool)
        begins[:-1] = self.pairs[_hashed(codes[:-1], codes[1:])]
        if len(self.single):
            begins |= np.isin(codes, self.single)
        return begins


class Scanner:
    """Finds forms in texts.

    Args:
        open_trie: gives the trie; called when it is first needed.
        forms: of the trie.
    """

    def __init__(self, open_trie: Callable[[], Any], forms: Forms) -> None:
        self._open = open_trie
        self._forms = forms
        self._numbers = forms.numbers.data  # indexed a few times faster than an array, and gives plain numbers

    def scan(self, norm: Normalised) -> list[tuple[int, int, int]]:
        """(start, -end, form) of every form that stands in a normal form, leftmost and then longest first."""
        edges, numbers, prefixes = _edges(norm.codes), self._numbers, self.trie.iter_prefixes_with_ids
        text, longest = _SURROGATE.sub("\ufffd", norm.text), self._forms.longest
        begins = self._forms.may_begin(norm.codes) & np.frombuffer(edges, dtype=bool)[:-1]
        return sorted([
            (start, -stop, numbers[at])
            for start in np.flatnonzero(begins).tolist()
            for form, at in prefixes(text[start : start + longest])
            if edges[stop := start + len(form)]
        ])  # fmt: skip

    @cached_property
    def trie(self) -> Any:
        """The trie over all forms."""
        return self._open()


def make_trie(forms: Iterable[tuple[str, int]]) -> tuple[Any, Forms]:
    """The trie over forms, and what is known of them.

    Args:
        forms: each with its number.
    """
    numbers = {form: number for form, number in forms if form}
    if _UNWRITABLE.search("".join(numbers)):  # asked once: a form that has one is rare
        numbers = {form: number for form, number in numbers.items() if not _UNWRITABLE.search(form)}
    trie = marisa_trie.Trie(numbers)
    known = [0] * len(numbers)
    for form, at in trie.items():
        known[at] = numbers[form]
    pairs = np.zeros(_PAIRS, dtype=bool)
    begin = code_points("".join(form[:2] for form in numbers if len(form) > 1))
    pairs[_hashed(begin[::2], begin[1::2])] = True
    single = np.unique(code_points("".join(form for form in numbers if len(form) == 1)))
    return trie, Forms(np.array(known, dtype=np.int32), pairs, single, max(map(len, numbers), default=0))


def save_trie(trie: Any, folder: Path) -> None:
    """Write a trie into a folder."""
    trie.save(str(folder / _FILE))


def load_trie(folder: Path, forms: int) -> Any:
    """Map a trie of so many forms into memory.

    Raises:
        ClewError: CORRUPT_RELEASE.
    """
    try:
        trie = marisa_trie.Trie().mmap(str(folder / _FILE))
    except (OSError, RuntimeError) as error:
        raise corrupt_terms(folder, str(error)) from error
    if len(trie) != forms:
        raise corrupt_terms(folder, "the trie belongs to other names")
    return trie


def corrupt_terms(folder: Path, cause: str) -> ClewError:
    """The error for a folder of names that cannot be read."""
    return ClewError(Code.CORRUPT_RELEASE, f"{folder}: {cause}", remedy="run: clew build")


def _hashed(first: Codes, second: Codes) -> NDArray[np.uint32]:
    """A place in the table of beginnings for each pair of code points."""
    return (first * np.uint32(40_503) + second * np.uint32(2_654_435)) & np.uint32(_PAIRS - 1)


def _edges(codes: Codes) -> bytes:
    """For each code point and the end: may a name begin or end there.

    It may anywhere but between two letters or digits that are not Chinese.
    """
    word = np.zeros(len(codes) + 2, dtype=bool)
    word[1:-1] = hold_words(codes)
    return (~(word[:-1] & word[1:])).tobytes()
