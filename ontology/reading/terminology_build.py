"""Names put in order: the arrays that a dictionary is made of.

A row is a name; rows are ordered by normal form (the key), then by preference. Text becomes numbers first, because a
million rows of numbers are ordered in a second. Forms are what running text may write: the keys, numbered from 0, and
after them variants that lead to one or several keys.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, compress
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ontology.reading.forms import (
    inflections,
    is_findable,
    is_picky,
    other_possessive,
    reordered,
    says_whether,
    spellings,
)
from ontology.reading.ngrams import index_ngrams
from ontology.reading.scanner import make_trie
from ontology.reading.sense import Sense, kind_rank
from ontology.reading.terminology import VALUES, Terminology
from ontology.reading.text import normal_form

Arrays = dict[str, NDArray[Any]]
Numbers = NDArray[np.int64]


def build_terminology(senses: Iterable[Sense]) -> Terminology:
    """A dictionary of these names; their order and repetitions do not matter."""
    flat = list(chain.from_iterable(senses))  # no tuple is kept: the garbage collector would walk them again and again
    read = {name: flat[at :: len(Sense._fields)] for at, name in enumerate(Sense._fields)}
    read["key"] = list(map(normal_form, read["text"]))
    columns = {name: _column(list(compress(values, read["key"]))) for name, values in read.items()}
    order = _in_order(columns)
    columns = {name: _Column(column.words, column.at[order]) for name, column in columns.items()}
    arrays, trie, longest = _forms(columns)
    words = {name: columns[name].words.to_pylist() for name in VALUES}
    return Terminology(_arrays(columns) | arrays, words, lambda: trie, longest)


@dataclass(frozen=True)
class _Column:
    """A column as numbers: its different values, sorted by code points, and the position of each row's among them."""

    words: pa.LargeStringArray
    at: Numbers

    def values(self) -> list[str]:
        """The value of each row."""
        words = self.words.to_pylist()
        return [words[at] for at in self.at.tolist()]


def _column(values: list[str]) -> _Column:
    column = pa.array(values, pa.large_string())
    words = column.unique().sort()
    return _Column(words, pc.index_in(column, value_set=words).to_numpy().astype(np.int64))


def _in_order(columns: dict[str, _Column]) -> Numbers:
    """The rows by key and preference (`ontology.reading.sense.preference`), repetitions left out."""
    kind = columns["kind"]
    rank = np.array([kind_rank(word) for word in kind.words.to_pylist()], dtype=np.int64)[kind.at]
    same = [columns[name].at for name in ("entity", "lang", "text", "type", "kind")]
    order = np.lexsort([*reversed(same), rank, columns["key"].at])
    new = np.ones(len(order), dtype=bool)
    new[1:] = np.any([np.diff(numbers[order]) for numbers in same], axis=0)
    return order[new]


def _arrays(columns: dict[str, _Column]) -> Arrays:
    """The rows as arrays; `key_rows` and `entity_starts` say where the rows of each key and entity begin."""
    key, entity, text = columns["key"], columns["entity"], columns["text"]
    arrays: Arrays = {f"row_{name}": _narrow(columns[name]) for name in VALUES}
    arrays["row_entity"] = entity.at.astype(np.int32)
    arrays["entity_rows"] = np.argsort(entity.at, kind="stable").astype(np.int32)
    arrays["entity_starts"] = _starts(entity.at, len(entity.words))
    arrays["key_rows"] = _starts(key.at, len(key.words))
    for name, strings in (("key", key.words), ("entity", entity.words), ("text", text.words.take(pa.array(text.at)))):
        arrays[f"{name}_bytes"], arrays[f"{name}_offsets"] = _utf8(strings)
    return arrays | index_ngrams(key.words.to_pylist())


def _narrow(column: _Column) -> NDArray[Any]:
    """The positions in as few bytes as they need: one, unless there are hundreds of values."""
    return column.at.astype(np.min_scalar_type(len(column.words)))


def _forms(columns: dict[str, _Column]) -> tuple[Arrays, Any, int]:
    """What running text may write: arrays, the trie, and the length of the longest."""
    key, keys = columns["key"], columns["key"].words.to_pylist()
    type_name, text, kind = (columns[name].values() for name in ("type", "text", "kind"))
    known = frozenset(keys)
    findable = np.fromiter((is_findable(k) and not says_whether(k, known) for k in keys), dtype=bool, count=len(keys))
    picky = np.fromiter(map(is_picky, type_name, text, kind), dtype=bool, count=len(text))
    variant, lead = _variants(keys, key.at, text, ~picky & findable[key.at])
    leads = np.sort(variant.at << 32 | lead)
    leads = leads[np.diff(leads, prepend=-1) > 0]
    forms = enumerate(chain(keys, variant.words.to_pylist()))
    wanted = ((form, number) for number, form in forms if number >= len(keys) or findable[number])
    trie, forms_known = make_trie(wanted)
    arrays: Arrays = {
        "picky": _any(key.at[picky], len(keys)).astype(np.uint8),
        "trie_numbers": forms_known.numbers,
        "trie_pairs": forms_known.pairs,
        "trie_single": forms_known.single,
        "variant_starts": _starts(leads >> 32, len(variant.words)),
        "variant_keys": (leads & 0xFFFFFFFF).astype(np.int32),
    }
    return arrays, trie, forms_known.longest


def _variants(keys: list[str], key: Numbers, text: list[str], free: NDArray[np.bool_]) -> tuple[_Column, Numbers]:
    """Other ways to write those names that are free to be written so, none of them a name; and the key of each."""
    known = set(keys)
    found: list[str] = []
    leads: list[int] = []

    def add(form: str, at: int) -> None:
        if form and form not in known and is_findable(form):
            found.append(form)
            leads.append(at)

    for at in np.flatnonzero(_any(key[free], len(keys))).tolist():
        for form in chain(inflections(keys[at]), spellings(keys[at])):
            add(form, at)
    for row in np.flatnonzero(free).tolist():
        for form in chain([other_possessive(text[row])], reordered(text[row])):
            add(form, int(key[row]))
    return _column(found), np.array(leads, dtype=np.int64)


def _any(numbers: Numbers, count: int) -> NDArray[np.bool_]:
    """Which of `count` numbers are among these."""
    found = np.zeros(count, dtype=bool)
    found[numbers] = True
    return found


def _starts(numbers: Numbers, count: int) -> Numbers:
    """Where the rows of each of `count` numbers begin once rows are ordered by number, and the end."""
    return np.concatenate([[0], np.cumsum(np.bincount(numbers, minlength=count))]).astype(np.int64)


def _utf8(strings: pa.LargeStringArray) -> tuple[NDArray[np.uint8], Numbers]:
    """The strings one after the other, and where each begins; for `ontology.reading.strings.Strings`."""
    if not len(strings):
        return np.zeros(0, dtype=np.uint8), np.zeros(1, dtype=np.int64)
    _, offsets, blob = strings.buffers()
    bounds = np.frombuffer(offsets, dtype=np.int64)[strings.offset : strings.offset + len(strings) + 1]
    return np.frombuffer(blob, dtype=np.uint8)[bounds[0] : bounds[-1]], bounds - bounds[0]
