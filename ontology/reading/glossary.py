"""What Chinese terms mean in English, word by word: the glosses of a release.

    呼吸困难 ──▶ whole: dyspnea                              where the whole term has a gloss
             ──▶ parts: breathing · difficulty  ──▶ composed: "breathing difficulty"

A term is cut into the fewest words that have glosses, itself only where they have none (our choice, as in shortest-path
segmentation); a character that has none is passed over. What comes out is no translation to be shown, but English
words to compare names by.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import marisa_trie

from ontology.errors import ClewError, Code
from ontology.reading.text import normal_form

_TRIE: Final = "glossary.marisa"
_GLOSSES: Final = "glosses.json"
_LONGEST_TERM: Final = 40
"""Characters of a term that are read (our choice: twice the longest finding)."""
_WIDEST: Final = 3
"""Glosses of a part that a wide reading takes (our choice)."""
_PARTICLES: Final = frozenset("的性之")


@dataclass(frozen=True)
class English:
    """A Chinese term in English words.

    Attributes:
        whole: glosses of the whole term.
        wide: the first glosses of each of its parts, in their order; empty when no part has one.
        narrow: the first gloss of each part only.
    """

    whole: tuple[str, ...]
    wide: str
    narrow: str


class Glossary:
    """Chinese words with their English glosses.

    Args:
        trie: over the normal forms of the words.
        glosses: of each word, by its number in the trie.
    """

    def __init__(self, trie: Any, glosses: list[list[str]]) -> None:
        self._trie = trie
        self._glosses = glosses

    @classmethod
    def of(cls, words: Mapping[str, Iterable[str]]) -> Glossary:
        """A glossary of words and their glosses, the best first."""
        known = {form: list(dict.fromkeys(found)) for word, found in words.items() if (form := normal_form(word))}
        trie = marisa_trie.Trie(known)
        glosses: list[list[str]] = [[] for _ in range(len(trie))]
        for form, number in trie.items():
            glosses[number] = known[form]
        return cls(trie, glosses)

    def save(self, folder: Path) -> None:
        """Write it into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        self._trie.save(str(folder / _TRIE))
        (folder / _GLOSSES).write_text(json.dumps(self._glosses, ensure_ascii=False), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> Glossary:
        """Open what `save` wrote.

        Raises:
            ClewError: CORRUPT_RELEASE.
        """
        try:
            trie = marisa_trie.Trie().mmap(str(folder / _TRIE))
            glosses = json.loads((folder / _GLOSSES).read_text(encoding="utf-8"))
        except (OSError, RuntimeError, ValueError) as error:
            raise ClewError(Code.CORRUPT_RELEASE, f"{folder}: {error}", remedy="run: clew build") from error
        return cls(trie, glosses)

    def __len__(self) -> int:
        """How many words have glosses."""
        return len(self._glosses)

    def english(self, term: str) -> English:
        """A term in English words."""
        form = normal_form(term)[:_LONGEST_TERM].replace(" ", "")
        whole = self._known(form)
        parts = [found for part in self._parts(form) if part not in _PARTICLES and (found := self._known(part))]
        parts = parts or [found for found in [whole] if found]
        wide = " ".join(gloss for found in parts for gloss in found[:_WIDEST])
        return English(tuple(whole), wide, " ".join(found[0] for found in parts))

    def _known(self, form: str) -> list[str]:
        number = self._trie.get(form)
        return [] if number is None else self._glosses[number]

    def _parts(self, form: str) -> list[str]:
        """The form cut into the fewest words; one character is a word of last resort."""
        return cut(form, lambda rest: [word for word in self._trie.prefixes(rest) if len(word) < len(form)])


def cut(form: str, words: Callable[[str], Iterable[str]]) -> list[str]:
    """Cut a form at the least cost.

    A known word costs 1, a known character 1.6, an unknown one 2.5 (our choice: two characters cost more than one
    word, and a gap more than either).

    Args:
        form: what is cut.
        words: gives the known words that a text begins with.
    """
    size = len(form)
    best: list[tuple[float, int]] = [(0.0, 0)] + [(float("inf"), 0)] * size
    for start in range(size):
        cost = best[start][0]
        known = {len(word): 1.0 if len(word) > 1 else 1.6 for word in words(form[start:])}
        for length, price in {1: 2.5, **known}.items():
            best[start + length] = min(best[start + length], (cost + price, start))
    parts: list[str] = []
    end = size
    while end:
        start = best[end][1]
        parts.append(form[start:end])
        end = start
    return parts[::-1]
