"""All names of a release as one dictionary: exact lookup, near misses, and mentions in running text.

Names are kept under their normal form (`ontology.reading.text`). Everything is an array in a file of its
own, memory-mapped on loading; senses are made when asked for, and the automaton is read when `find` first
needs it. It runs over one symbol for an ASCII character and two for any other one: code points make it four
times slower on Chinese, UTF-8 bytes a fifth larger.

What `find` looks for is narrower than what `lookup` knows (our choices):

* at least 2 characters with a Chinese one among them, or at least 3 with a letter among them;
* no name made of common English words only (`all`, `can`, `was`, `rest`);
* abbreviations, genes and names of at most 5 letters all in capitals only as they are written;
* the singular for a plural and the plural for a singular in the last word, and `Alzheimer disease` for
  `Alzheimer's disease`, unless that is another name;
* nothing across the end of a sentence, nor across a Chinese comma unless the name has one.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final

import ahocorasick
import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from ontology.errors import ClewError, Code
from ontology.reading.text import CJK, Normalised, normal_form, normalise

KINDS: Final = ("label", "exact", "lay", "abbreviation", "related", "narrow", "broad", "brand")
"""Kinds of names, preferred first."""

FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class Sense:
    """One name of one entity.

    Attributes:
        entity: CURIE.
        type: entity type.
        lang: BCP-47 language of the name.
        text: the name as its source writes it.
        kind: one of `KINDS`.
    """

    entity: str
    type: str
    lang: str
    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class Match:
    """A stretch of text that is a name.

    Attributes:
        start: first code point on the untouched text.
        end: one past the last.
        text: the slice.
        senses: what it may mean, preferred kinds first.
        inflected: whether only the number of the last word (or a possessive s) makes it match.
    """

    start: int
    end: int
    text: str
    senses: list[Sense]
    inflected: bool = False


_Row = tuple[str, Sense]


class Terminology:
    """The names of a release. Make it with `build` or `load`."""

    def __init__(self, arrays: dict[str, Any], values: dict[str, list[str]], automaton: Callable[[], Any]) -> None:
        self._arrays = arrays
        self._values = values
        self._open_automaton = automaton
        self._keys = _Strings(arrays["key_bytes"], arrays["key_offsets"])
        self._texts = _Strings(arrays["text_bytes"], arrays["text_offsets"])
        self._entities = _Strings(arrays["entity_bytes"], arrays["entity_offsets"])
        self._senses_of_key = lru_cache(maxsize=1 << 14)(self._read_senses_of_key)

    @classmethod
    def build(cls, senses: Iterable[Sense]) -> Terminology:
        """A terminology of these names; their order and repetitions do not matter."""
        rows = sorted(_keyed(senses), key=lambda row: (row[0], _preference(row[1])))
        keys = sorted({row[0] for row in rows})
        entities = sorted({row[1].entity for row in rows})
        arrays, values = _sense_arrays(rows, keys, entities)
        forms, patterns = _forms(rows, keys)
        arrays |= forms | _gram_index(keys)
        automaton = _automaton(patterns)
        return cls(arrays, values, lambda: automaton)

    def save(self, folder: Path) -> None:
        """Write one file for each array, the automaton and a table of values into `folder`."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, array in self._arrays.items():
            np.save(folder / f"{name}.npy", array, allow_pickle=False)
        if len(self._automaton):
            self._automaton.save(str(folder / "automaton"))
        description = {"format": FORMAT, "arrays": sorted(self._arrays), "patterns": len(self._automaton)}
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
                raise _corrupt(folder, f"format {description['format']}, this clew reads format {FORMAT}")
            arrays = {
                name: np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False).view(np.ndarray)
                for name in description["arrays"]
            }
            patterns = int(description["patterns"])
            return cls(arrays, description["values"], lambda: _load_automaton(folder, patterns))
        except (OSError, ValueError, KeyError) as error:
            raise _corrupt(folder, str(error)) from error

    def __len__(self) -> int:
        """How many names there are."""
        return len(self._texts)

    def lookup(self, name: str) -> list[Sense]:
        """What a whole string may mean: names of equal normal form, preferred kinds first."""
        key = self._key_index(normal_form(name))
        return [] if key is None else list(self._senses_of_key(key))

    def by_id(self, curie: str) -> list[Sense]:
        """The names of an entity, preferred kinds first; empty when it is unknown."""
        index = bisect_left(self._entities, curie.encode("utf-8", "surrogatepass"))
        if index == len(self._entities) or self._entities.text(index) != curie:
            return []
        rows = self._arrays["entity_rows"]
        begin, end = self._arrays["entity_starts"][index : index + 2]
        return sorted((self._sense(int(row)) for row in rows[begin:end]), key=_preference)

    def suggest(self, name: str, limit: int = 5) -> list[Sense]:
        """Names that look like `name`, best first, at most one for each entity.

        Candidates share character n-grams with it; RapidFuzz ranks them (at least 60 of 100, our choice).
        """
        key = normal_form(name)
        scored = []
        for index in self._near(key):
            other = self._keys.text(index)
            score = max(fuzz.ratio(key, other), fuzz.token_sort_ratio(key, other))
            if score >= 60:
                scored.append((-score, other, index))
        found: dict[str, Sense] = {}
        for _, _, index in sorted(scored):
            for sense in self._senses_of_key(index):
                found.setdefault(sense.entity, sense)
            if len(found) >= limit:
                break
        return list(found.values())[:limit]

    def find(self, text: str, *, nested: bool = False) -> list[Match]:
        """The names in a text, in order: leftmost-longest, or all of them when `nested`."""
        if not len(self._automaton):
            return []
        norm = normalise(text)
        matches: list[Match] = []
        reached = 0
        for start, minus_end, form in sorted(self._spans(norm)):
            if start >= reached or nested:
                match = self._match(norm, start, -minus_end, form)
                if match is not None:
                    matches.append(match)
                    reached = max(reached, -minus_end)
        return matches

    def _spans(self, norm: Normalised) -> Iterator[tuple[int, int, int]]:
        """(start, -end, form) of every hit between word boundaries, on the normal form."""
        edges, position = _edges(norm.text)
        lengths = self._form_lengths
        for last, form in self._automaton.iter(norm.text.translate(_SYMBOLS)):
            end = last + 1
            start = end - lengths[form]
            if edges[start] and edges[end]:
                yield (start, -end, form) if position is None else (position[start], -position[end], form)

    def _match(self, norm: Normalised, start: int, end: int, form: int) -> Match | None:
        begin, stop = norm.start(start), norm.end(end)
        text = norm.source[begin:stop]
        inflected = form >= len(self._keys)
        barrier = _BARRIER.search(text) is not None
        senses: Sequence[Sense] = self._senses_of_form(form)
        if inflected or self._picky[form] or barrier:
            senses = [s for s in senses if _may_read(text, s, inflected=inflected, barrier=barrier)]
        return Match(begin, stop, text, list(senses), inflected) if senses else None

    def _senses_of_form(self, form: int) -> Sequence[Sense]:
        if form < len(self._keys):
            return self._senses_of_key(form)
        variant = form - len(self._keys)
        begin, end = self._arrays["variant_starts"][variant : variant + 2]
        keys = self._arrays["variant_keys"][begin:end]
        return sorted((s for key in keys for s in self._senses_of_key(int(key))), key=_preference)

    def _read_senses_of_key(self, key: int) -> tuple[Sense, ...]:
        begin, end = self._arrays["key_rows"][key : key + 2]
        return tuple(self._sense(row) for row in range(int(begin), int(end)))

    def _sense(self, row: int) -> Sense:
        arrays, values = self._arrays, self._values
        return Sense(
            self._entities.text(int(arrays["row_entity"][row])),
            values["type"][arrays["row_type"][row]],
            values["lang"][arrays["row_lang"][row]],
            self._texts.text(row),
            values["kind"][arrays["row_kind"][row]],
        )

    def _key_index(self, key: str) -> int | None:
        index = bisect_left(self._keys, key.encode("utf-8", "surrogatepass"))
        return index if index < len(self._keys) and self._keys.text(index) == key else None

    def _near(self, key: str) -> list[int]:
        """Up to 200 keys that share most n-grams with `key` (Dice), from its 12 rarest n-grams."""
        starts, postings = self._arrays["gram_starts"], self._arrays["gram_keys"]
        grams = np.unique(_grams(key)[0])
        sizes = starts[grams + 1] - starts[grams]
        rarest = grams[np.argsort(sizes, kind="stable")][:12]
        if not len(rarest):
            return []
        hits = np.bincount(np.concatenate([postings[starts[gram] : starts[gram + 1]] for gram in rarest]))
        candidates = np.flatnonzero(hits)
        dice = hits[candidates] / (len(grams) + self._arrays["gram_counts"][candidates])
        best = np.argsort(-dice, kind="stable")[:200]
        return [int(index) for index in candidates[best]]

    @cached_property
    def _automaton(self) -> Any:
        return self._open_automaton()

    @cached_property
    def _form_lengths(self) -> list[int]:
        lengths: list[int] = self._arrays["form_lengths"].tolist()
        return lengths

    @cached_property
    def _picky(self) -> bytes:
        """Per key, whether a sense of it reads only as written."""
        picky: bytes = self._arrays["picky"].tobytes()
        return picky


class _Strings(Sequence[bytes]):
    """UTF-8 strings in one blob, in the order of their bytes where they are searched."""

    def __init__(self, blob: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
        self._blob = blob
        self._offsets = offsets

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, index: Any) -> Any:
        begin, end = self._offsets[index : index + 2]
        return self._blob[begin:end].tobytes()

    def text(self, index: int) -> str:
        raw: bytes = self[index]
        return raw.decode("utf-8", "surrogatepass")


def _keyed(senses: Iterable[Sense]) -> Iterator[_Row]:
    return ((key, sense) for sense in set(senses) if (key := normal_form(sense.text)))


def _preference(sense: Sense) -> tuple[int, str, str, str, str]:
    rank = KINDS.index(sense.kind) if sense.kind in KINDS else len(KINDS)
    return rank, sense.entity, sense.lang, sense.text, sense.type


def _sense_arrays(
    rows: list[_Row], keys: list[str], entities: list[str]
) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """The names as columns, ordered by key; `key_rows`, `entity_starts`: where the rows of each begin."""
    arrays: dict[str, Any] = {}
    for name, strings in (("key", keys), ("entity", entities), ("text", [row[1].text for row in rows])):
        arrays[f"{name}_bytes"], arrays[f"{name}_offsets"] = _blob(strings)
    values: dict[str, list[str]] = {}
    for name in ("type", "lang", "kind"):
        column = [getattr(row[1], name) for row in rows]
        values[name] = sorted(set(column))
        arrays[f"row_{name}"] = _positions(column, values[name], np.uint8)
    arrays["row_entity"] = _positions([row[1].entity for row in rows], entities, np.int32)
    arrays["entity_rows"] = np.argsort(arrays["row_entity"], kind="stable").astype(np.int32)
    arrays["entity_starts"] = _starts(arrays["row_entity"], len(entities))
    arrays["key_rows"] = _starts(_positions([row[0] for row in rows], keys, np.int32), len(keys))
    return arrays, values


def _forms(rows: list[_Row], keys: list[str]) -> tuple[dict[str, Any], dict[str, int]]:
    """What `find` looks for: forms 0 … n-1 are the keys, the next ones variants that lead to several keys."""
    ordinal = {key: index for index, key in enumerate(keys)}
    picky = np.zeros(len(keys), dtype=np.uint8)
    variants: dict[str, set[int]] = {}
    for key, sense in rows:
        if _as_written(sense):
            picky[ordinal[key]] = 1
        elif _findable(key):
            for variant in _variants(key, sense.text):
                if variant not in ordinal and _findable(variant):
                    variants.setdefault(variant, set()).add(ordinal[key])
    forms = [*keys, *sorted(variants)]
    leads = [sorted(variants[form]) for form in forms[len(keys) :]]
    arrays = {
        "picky": picky,
        "form_lengths": np.array([len(form.translate(_SYMBOLS)) for form in forms], dtype=np.int32),
        "variant_starts": np.cumsum([0, *map(len, leads)], dtype=np.int64),
        "variant_keys": np.array([key for lead in leads for key in lead], dtype=np.int32),
    }
    return arrays, {form: index for index, form in enumerate(forms) if _findable(form)}


def _automaton(patterns: dict[str, int]) -> Any:
    automaton = ahocorasick.Automaton(ahocorasick.STORE_INTS)
    for form, index in patterns.items():
        automaton.add_word(form.translate(_SYMBOLS), index)
    if patterns:
        automaton.make_automaton()
    return automaton


def _load_automaton(folder: Path, patterns: int) -> Any:
    if not patterns:
        return _automaton({})
    try:
        automaton = ahocorasick.load(str(folder / "automaton"), int)
    except (OSError, ValueError) as error:
        raise _corrupt(folder, str(error)) from error
    if len(automaton) != patterns:
        raise _corrupt(folder, "the automaton belongs to other names")
    return automaton


def _corrupt(folder: Path, cause: str) -> ClewError:
    return ClewError(Code.CORRUPT_RELEASE, f"{folder}: {cause}", remedy="run: clew build")


class _Symbols(dict[int, str]):
    """What the automaton reads for a code point, filled as code points are met."""

    def __missing__(self, code: int) -> str:
        symbols = chr(code) if code < 0x80 else chr(0x80 + (code >> 7)) + chr(0x8000 + (code & 0x7F))
        self[code] = symbols
        return symbols


def _findable(key: str) -> bool:
    if _CHINESE.search(key):
        return len(key) >= 2
    return (
        len(key) >= 3
        and any(map(str.isalpha, key))
        and not all(len(word) == 1 or word in _COMMON for word in key.split())
    )


def _as_written(sense: Sense) -> bool:
    """Whether a text must write the name letter by letter as the source does."""
    text = sense.text
    if _CHINESE.search(text):
        return False
    return sense.kind == "abbreviation" or sense.type == "Gene" or (text.isupper() and sum(map(str.isalpha, text)) <= 5)


def _may_read(text: str, sense: Sense, *, inflected: bool, barrier: bool) -> bool:
    if barrier and not _BARRIER.search(sense.text):
        return False
    if _as_written(sense):
        return not inflected and _NOT_LETTERS.sub("", text) == _NOT_LETTERS.sub("", sense.text)
    return True


def _variants(key: str, text: str) -> set[str]:
    """The other number of the last word, and the name without a possessive s."""
    head, _, last = key.rpartition(" ")
    found = {normal_form(_POSSESSIVE.sub("", text))}
    if len(last) >= 3 and last.isascii() and last.isalpha():
        found |= {f"{head} {other}".strip() for other in (*_singulars(last), *_plurals(last))}
    return found - {key, ""}


def _singulars(word: str) -> list[str]:
    if word.endswith("ies") and len(word) > 4:
        return [word[:-3] + "y"]
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return [word[:-2]]
    if word.endswith(("oses", "yses", "tases", "heses")):
        return [word[:-2] + "is"]
    if len(word) > 4 and word.endswith("s") and not word.endswith(("ss", "us", "is", "ous")):
        return [word[:-1]]
    return []


def _plurals(word: str) -> list[str]:
    if word.endswith("y") and word[-2] not in "aeiou":
        return [word[:-1] + "ies"]
    if word.endswith("is"):
        return [word[:-2] + "es"]
    if word.endswith(("ss", "us", "x", "z", "ch", "sh")):
        return [word + "es"]
    return [] if word.endswith("s") else [word + "s"]


def _edges(text: str) -> tuple[bytes, list[int] | None]:
    """For each symbol and the end: may a name begin or end there, and which code point is it.

    A name begins or ends anywhere but between two letters or digits that are not Chinese. The second part is
    None for ASCII, where symbols are code points.
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    word = np.zeros(len(codes) + 2, dtype=bool)
    word[1:-1] = _WORD[np.minimum(codes, len(_WORD) - 1)]
    edge = ~(word[:-1] & word[1:])
    if text.isascii():
        return edge.tobytes(), None
    starts = np.concatenate([[0], np.cumsum(1 + (codes >= 0x80))])
    edges = np.zeros(starts[-1] + 1, dtype=bool)
    edges[starts] = edge
    position = np.zeros(starts[-1] + 1, dtype=np.int32)
    position[starts] = np.arange(len(starts))
    return edges.tobytes(), position.tolist()


def _gram_index(keys: list[str]) -> dict[str, Any]:
    """For each hashed n-gram the keys that have it."""
    grams, owners = _grams(_BREAK.join(keys))
    pairs = np.unique(grams.astype(np.int64) * max(len(keys), 1) + owners)
    grams, owners = np.divmod(pairs, max(len(keys), 1))
    return {
        "gram_starts": _starts(grams, _BUCKETS),
        "gram_keys": owners.astype(np.int32),
        "gram_counts": np.bincount(owners, minlength=len(keys)).astype(np.int32),
    }


def _grams(joined: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Hashed n-grams of strings joined by `_BREAK`, each with the ordinal of its string.

    Three code points in a row, ends included; two where one of them is Chinese.
    """
    padded = f"{_BREAK}{joined}{_BREAK}".encode("utf-32-le", "surrogatepass")
    codes = np.frombuffer(padded, dtype=np.uint32).astype(np.int64)
    owner = np.cumsum(codes == ord(_BREAK)) - 1
    chinese = codes >= 0x3000
    a, b, c = codes[:-2], codes[1:-1], codes[2:]
    three = (b != ord(_BREAK)) & ~(chinese[:-2] | chinese[1:-1] | chinese[2:])
    two = chinese[:-1] | chinese[1:]
    hashed = np.concatenate([
        ((a * 31 + b) * 1_000_003 + c * 7_919)[three],
        (codes[:-1] * 1_000_033 + codes[1:] * 7_907)[two],
    ])  # fmt: skip
    # A break belongs to the string that follows it; a gram that ends in one begins in its own string.
    owners = np.concatenate([owner[:-2][three], owner[:-1][two]])
    return hashed % _BUCKETS, owners


def _starts(sorted_values: NDArray[Any], count: int) -> NDArray[np.int64]:
    """Where the rows of each of `count` values begin once rows are ordered by value."""
    return np.concatenate([[0], np.cumsum(np.bincount(sorted_values, minlength=count))]).astype(np.int64)


def _positions(column: list[str], values: list[str], dtype: Any) -> NDArray[Any]:
    position = {value: index for index, value in enumerate(values)}
    return np.array([position[value] for value in column], dtype=dtype)


def _blob(strings: list[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    encoded = [_utf8(string) for string in strings]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _word_table() -> NDArray[np.bool_]:
    """Which code points are letters or digits that hold a word together; Chinese ones do not."""
    table = np.zeros(0x530, dtype=bool)
    table[[code for code in range(0x52F) if chr(code).isalnum()]] = True
    return table


_SYMBOLS: Final = _Symbols()
_BUCKETS: Final = 1 << 17
_BREAK: Final = "\n"
_WORD: Final = _word_table()
_CHINESE: Final = re.compile(rf"[{CJK}]")
_NOT_LETTERS: Final = re.compile(r"[\W_]+")
_POSSESSIVE: Final = re.compile(r"['’]s\b")
_BARRIER: Final = re.compile(rf"[。；！？;!?，、：:]|[{CJK}],|,\s*[{CJK}]|[\r\n]\s*[\r\n]|[^\W\d_]{{3}}[)\]]?\.\s")
_COMMON_TEXT: Final = """
about above after again all also although always among and another any apart are around away back bad
because been before being below best better between both but came can come could day days did does done
down due during each early either else ever every far feel felt few first for from full gave get give
given goes gone good got had half has have having her here him his how however into its itself just keep
kept kind last late later left less like long lot low made make man many may men might more most much must
near need never new next nor not now off often old once one only other our out over own part past per put
rest right said same saw see seem seen set several she short should side since six some soon still such
sure take taken than that the their them then there these they thing this those though three through thus
time too took try two under until upon use used very want was way week well went were what when where
which while who whole whose why will with within without work would year years yes yet you your
"""
_COMMON: Final = frozenset(_COMMON_TEXT.split())
