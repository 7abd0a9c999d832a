"""Names put in order: the arrays that a dictionary is made of.

A row is a name; rows are ordered by normal form (the key), then by preference. Text becomes numbers first, because a
million rows of numbers are ordered in a second. Forms are what running text may write: the keys, numbered from 0, and
after them variants that lead to one or several keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ontology.reading.forms import inflections, is_findable, is_picky, without_possessive
from ontology.reading.ngrams import index_ngrams
from ontology.reading.scanner import make_automaton, symbols_of
from ontology.reading.sense import Sense, kind_rank
from ontology.reading.terminology import VALUES, Terminology
from ontology.reading.text import normal_form

Arrays = dict[str, NDArray[Any]]
Numbers = NDArray[np.int64]


def build_terminology(senses: Iterable[Sense]) -> Terminology:
    """A dictionary of these names; their order and repetitions do not matter."""
    listed = list(senses)
    keys = [normal_form(sense.text) for sense in listed]
    listed, keys = list(compress(listed, keys)), list(filter(None, keys))
    values = list(zip(*listed, strict=True)) or [()] * len(Sense._fields)
    columns = {name: _column(column) for name, column in zip((*Sense._fields, "key"), (*values, keys), strict=True)}
    order = _in_order(columns)
    columns = {name: _Column(column.words, column.at[order]) for name, column in columns.items()}
    forms, automaton = _forms(columns["key"], [listed[row] for row in order.tolist()])
    words = {name: columns[name].words.to_pylist() for name in VALUES}
    return Terminology(_arrays(columns) | forms, words, lambda: automaton)


@dataclass(frozen=True)
class _Column:
    """A column as numbers: its different values, sorted by code points, and the position of each row's among them."""

    words: pa.LargeStringArray
    at: Numbers


def _column(values: Sequence[str]) -> _Column:
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
    arrays: Arrays = {f"row_{name}": columns[name].at.astype(np.uint8) for name in VALUES}
    arrays["row_entity"] = entity.at.astype(np.int32)
    arrays["entity_rows"] = np.argsort(entity.at, kind="stable").astype(np.int32)
    arrays["entity_starts"] = _starts(entity.at, len(entity.words))
    arrays["key_rows"] = _starts(key.at, len(key.words))
    for name, strings in (("key", key.words), ("entity", entity.words), ("text", text.words.take(pa.array(text.at)))):
        arrays[f"{name}_bytes"], arrays[f"{name}_offsets"] = _utf8(strings)
    return arrays | index_ngrams(key.words.to_pylist())


def _forms(key: _Column, senses: list[Sense]) -> tuple[Arrays, Any]:
    """What running text may write, as arrays and as an automaton."""
    keys = key.words.to_pylist()
    findable = np.fromiter(map(is_findable, keys), dtype=bool, count=len(keys))
    picky = np.fromiter(map(is_picky, senses), dtype=bool, count=len(senses))
    found = list(_variants(keys, key.at, senses, ~picky & findable[key.at]))
    more = _column([form for form, _ in found])
    leads = np.sort(more.at << 32 | np.fromiter((at for _, at in found), dtype=np.int64, count=len(found)))
    leads = leads[np.diff(leads, prepend=-1) > 0]
    symbols = symbols_of(keys + more.words.to_pylist())
    patterns = ((read, form) for form, read in enumerate(symbols) if form >= len(keys) or findable[form])
    arrays: Arrays = {
        "picky": _any(key.at[picky], len(keys)).astype(np.uint8),
        "form_lengths": np.fromiter(map(len, symbols), dtype=np.int32, count=len(symbols)),
        "variant_starts": _starts(leads >> 32, len(more.words)),
        "variant_keys": (leads & 0xFFFFFFFF).astype(np.int32),
    }
    return arrays, make_automaton(patterns)


def _variants(keys: list[str], key: Numbers, senses: list[Sense], free: NDArray[np.bool_]) -> Iterator[tuple[str, int]]:
    """Other ways to write the names of the rows that are free to be written so, each with its key; no names."""
    known = set(keys)
    for at in np.flatnonzero(_any(key[free], len(keys))).tolist():
        for form in inflections(keys[at]):
            if form not in known and is_findable(form):
                yield form, at
    for row in np.flatnonzero(free).tolist():
        form = without_possessive(senses[row].text)
        if form and form not in known and is_findable(form):
            yield form, int(key[row])


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
