"""All names of a release as one dictionary: exact lookup, near misses, and mentions in running text.

Names are kept under their normal form (`ontology.reading.text`); what `find` looks for is narrower than what
`lookup` knows (`ontology.reading.forms`). Everything is an array in a file of its own, memory-mapped on loading;
senses are made when asked for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from ontology.reading.forms import has_barrier, is_picky, may_be_written
from ontology.reading.ngrams import near
from ontology.reading.scanner import Forms, Scanner, corrupt_terms, load_trie, save_trie
from ontology.reading.sense import Match, Sense, preference
from ontology.reading.strings import Strings
from ontology.reading.text import normal_form, normalise

FORMAT: Final = 2
VALUES: Final = ("type", "lang", "kind")
"""Properties of a name that have few different values."""


class Terminology:
    """The names of a release. Make it with `ontology.reading.terminology_build.build_terminology` or `load`."""

    def __init__(
        self, arrays: dict[str, NDArray[Any]], values: dict[str, list[str]], trie: Callable[[], Any], longest: int
    ) -> None:
        self._arrays = arrays
        self._values = values
        self._numbers = {name: array.data for name, array in arrays.items()}
        self._keys = Strings(arrays["key_bytes"], arrays["key_offsets"])
        self._texts = Strings(arrays["text_bytes"], arrays["text_offsets"])
        self._entities = Strings(arrays["entity_bytes"], arrays["entity_offsets"])
        self._picky = self._numbers["picky"]  # one for each key: forms from here on are variants
        self._longest = longest
        forms = Forms(arrays["trie_numbers"], arrays["trie_pairs"], arrays["trie_single"], longest)
        self._scanner = Scanner(trie, forms)
        self._senses_of_form = lru_cache(maxsize=1 << 15)(self._read_senses_of_form)  # as Linker's: texts repeat names

    def save(self, folder: Path) -> None:
        """Write one file for each array, the trie and a table of values into `folder`."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, array in self._arrays.items():
            np.save(folder / f"{name}.npy", array, allow_pickle=False)
        save_trie(self._scanner.trie, folder)
        description = {"format": FORMAT, "arrays": sorted(self._arrays), "longest": self._longest}
        (folder / "terminology.json").write_text(json.dumps(description | {"values": self._values}), "utf-8")

    @classmethod
    def load(cls, folder: Path) -> Terminology:
        """Open what `save` wrote.

        Raises:
            ClewError: CORRUPT_RELEASE.
        """
        try:
            description = json.loads((folder / "terminology.json").read_text("utf-8"))
            if description["format"] != FORMAT:
                raise corrupt_terms(folder, f"format {description['format']}, this clew reads format {FORMAT}")
            arrays = {
                name: np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False).view(np.ndarray)
                for name in description["arrays"]
            }
            forms, longest = len(arrays["trie_numbers"]), int(description["longest"])
            return cls(arrays, description["values"], lambda: load_trie(folder, forms), longest)
        except (OSError, ValueError, KeyError) as error:
            raise corrupt_terms(folder, str(error)) from error

    def __len__(self) -> int:
        """How many names there are."""
        return len(self._texts)

    def lookup(self, name: str) -> list[Sense]:
        """What a whole string may mean: names of equal normal form, preferred kinds first."""
        key = self._keys.find(normal_form(name))
        return [] if key is None else list(self._senses_of_form(key, None))

    def by_id(self, curie: str) -> list[Sense]:
        """The names of an entity, preferred kinds first; empty when it is unknown."""
        index = self._entities.find(curie)
        if index is None:
            return []
        rows, starts = self._numbers["entity_rows"], self._numbers["entity_starts"]
        return sorted(map(self._sense, rows[starts[index] : starts[index + 1]]), key=preference)

    def suggest(self, name: str, limit: int = 5) -> list[Sense]:
        """Names that look like `name`, best first, at most one for each entity.

        Candidates share character n-grams with it; RapidFuzz ranks them (at least 60 of 100, our choice).
        """
        key = normal_form(name)
        scored = []
        for index in near(self._arrays, key):
            other = self._keys.text(index)
            score = max(fuzz.ratio(key, other), fuzz.token_sort_ratio(key, other))
            if score >= 60:
                scored.append((-score, other, index))
        found: dict[str, Sense] = {}
        for _, _, index in sorted(scored):
            for sense in self._senses_of_form(index, None):
                found.setdefault(sense.entity, sense)
            if len(found) >= limit:
                break
        return list(found.values())[:limit]

    def likely(self, key: str, least: float) -> list[tuple[Sense, float]]:
        """The names whose normal form is most like another one and begins with the same letter, with their likeness.

        Args:
            key: a normal form.
            least: RapidFuzz's ratio, in per cent.
        """
        found: list[tuple[Sense, float]] = []
        best = least
        for index in near(self._arrays, key):
            other = self._keys.text(index)
            if other[:1] == key[:1] and (score := fuzz.ratio(key, other, score_cutoff=best)) >= best:
                if score > best:
                    found = []
                best = score
                found += [(sense, score) for sense in self._senses_of_form(index, None)]
        return found

    def find(self, text: str, *, types: Collection[str] | None = None, nested: bool = False) -> list[Match]:
        """The names in a text that may mean an entity of one of `types`, in order.

        Leftmost-longest among these, or all of them when `nested`.
        """
        norm, wanted = normalise(text), None if types is None else frozenset(types)
        matches: list[Match] = []
        reached = 0
        for first, minus_last, form in self._scanner.scan(norm):
            start = norm.start(first)
            if start >= reached or nested:
                end = norm.end(-minus_last)
                written = text[start:end]
                if senses := self._readable(written, form, wanted):
                    matches.append(Match(start, end, written, senses, form >= len(self._picky)))
                    reached = end
        return matches

    def _readable(self, written: str, form: int, types: frozenset[str] | None) -> tuple[Sense, ...]:
        """What a form may mean where a text writes it so."""
        senses = self._senses_of_form(form, types)
        if has_barrier(written):
            senses = tuple(sense for sense in senses if has_barrier(sense.text))
        if form < len(self._picky) and self._picky[form]:
            senses = tuple(sense for sense in senses if may_be_written(written, sense))
        return senses

    def _read_senses_of_form(self, form: int, types: frozenset[str] | None) -> tuple[Sense, ...]:
        """The senses of a form that are of one of `types`, preferred kinds first."""
        if form < len(self._keys):
            senses = self._senses_of_key(form)
        else:
            variant = form - len(self._keys)
            starts, keys = self._numbers["variant_starts"], self._numbers["variant_keys"]
            leads = keys[starts[variant] : starts[variant + 1]]
            senses = sorted(chain.from_iterable(map(self._senses_of_key, leads)), key=preference)
            senses = [sense for sense in senses if not is_picky(sense.type, sense.text, sense.kind)]
        return tuple(sense for sense in senses if types is None or sense.type in types)

    def _senses_of_key(self, key: int) -> list[Sense]:
        starts = self._numbers["key_rows"]
        return [self._sense(row) for row in range(starts[key], starts[key + 1])]

    def _sense(self, row: int) -> Sense:
        entity = self._entities.text(self._numbers["row_entity"][row])
        type_name, lang, kind = (self._values[name][self._numbers[f"row_{name}"][row]] for name in VALUES)
        return Sense(entity, type_name, lang, self._texts.text(row), kind)
