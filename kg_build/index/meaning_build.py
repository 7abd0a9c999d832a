"""Making the index of what names mean (`kg_build.index.meaning`) from the tables of a release.

    name ──▶ names of findings and diseases that have an English name ──▶ features, vectors ──▶ projection
    gloss, name, mapping ──▶ glossary: Chinese words, with what dictionary and graph call them in English

What the graph calls a Chinese name in English: the other names of its entity, and the labels of the categories that
its source codes it with.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import marisa_trie
import numpy as np
import pyarrow as pa

from kg_build.index.encoder import VectorCache, Vectors, encode_cached
from kg_build.index.encoders.multilingual import MultilingualEncoder
from kg_build.index.features import features, fit_features, plain, weigh
from kg_build.index.fresh import fresh_folder
from kg_build.index.meaning_fit import Projection, fit_projection
from kg_build.index.vector import build_vector_index
from kg_build.release import rows
from ontology.reading.glossary import Glossary
from ontology.reading.text import language, normal_form

FORMAT: Final = 1
"""Of the folder and of what is learned: raised with either, because a release takes over the index of another one with
the same names. Another format is made anew, not read."""

MEANT_BY: Final = ("entity", "name", "gloss", "mapping")
"""The tables that the index is made from."""

NAMES: Final = "names.json"
"""Entity, type, language, text, kind and plain form of each name."""

TYPES: Final = ("PhenotypicFeature", "Disease")
"""Types that are found by meaning: people have their own words for what ails them (our choice)."""

LEARNED: Final = 60_000
"""English names that the projection is learned from at most (our choice: half a minute): of findings, those with most
names first, because one name alone teaches no synonym. With 20,000 names of diseases beside the 40,000 of HPO, one in a
hundred development names fewer was right. Diseases are learned from only where there is no finding."""

_BEGINNING: Final = f'{{"format": {FORMAT}, '
_KINDS: Final = ("label", "exact", "lay", "abbreviation", "related", "narrow", "broad")
_LONGEST: Final = 150
"""Characters of a name that is looked at; a longer one is a description (our choice)."""
_CODED: Final = ("skos:exactMatch", "skos:closeMatch")


@dataclass(frozen=True)
class Listed:
    """A name in the index; see `ontology.model.Name`."""

    entity: str
    type: str
    lang: str
    text: str
    kind: str


def build_meaning(tables: Mapping[str, pa.Table], folder: Path, cache: Path) -> None:
    """Write the index into a folder, which is replaced as a whole.

    Args:
        tables: `entity`, `name`, `gloss` and `mapping` of a release.
        folder: where.
        cache: where vectors are kept by the hash of their text.
    """
    names = list(listed_names(tables["entity"], tables["name"]))
    encoder = MultilingualEncoder()
    vectors = encode_cached([name.text for name in names], encoder, VectorCache(cache / "vectors"))
    english = [at for at, name in enumerate(names) if name.lang == "en"]
    with fresh_folder(folder) as beside:
        glossary_of(tables, names).save(beside)
        about = [[name.entity, name.type, name.lang, name.text, name.kind, plain(name.text)] for name in names]
        listed = {"format": FORMAT, "names": about}
        (beside / NAMES).write_text(json.dumps(listed, ensure_ascii=False), encoding="utf-8")
        build_vector_index([str(at) for at in range(len(names))], vectors, beside / "vectors", encoder=encoder.name)
        if any(features(names[at].text) for at in english):
            _learn(names, vectors, english, beside)


def is_current(folder: Path) -> bool:
    """Whether a folder is in the format of today."""
    try:
        with (folder / NAMES).open(encoding="utf-8") as listed:
            return listed.read(len(_BEGINNING)) == _BEGINNING
    except (OSError, ValueError):
        return False


def listed_names(entity: pa.Table, name: pa.Table) -> Iterator[Listed]:
    """The names that are found by meaning, in the order of the table."""
    columns = ("id", "type", "deprecated")
    types = {curie: of for curie, of, gone in rows(entity, *columns) if of in TYPES and not gone}
    found = [
        Listed(curie, types[curie], lang.partition("-")[0], text, kind)
        for curie, lang, text, kind in rows(name, "entity", "lang", "text", "kind")
        if curie in types and kind in _KINDS and len(text) <= _LONGEST
    ]
    english = {listed.entity for listed in found if listed.lang == "en"}
    seen: set[tuple[str, str, str]] = set()
    for listed in found:
        key = (listed.entity, listed.lang, normal_form(listed.text))
        if listed.entity in english and listed.lang in ("en", "zh") and key not in seen:
            seen.add(key)
            yield listed


def glossary_of(tables: Mapping[str, pa.Table], names: Iterable[Listed]) -> Glossary:
    """What Chinese words mean in English: what the graph calls them first, then what dictionaries do."""
    english: dict[str, list[str]] = defaultdict(list)
    for listed in names:
        if listed.lang == "en":
            english[listed.entity].append(listed.text)
    coded: dict[str, list[str]] = defaultdict(list)
    labels = dict(rows(tables["entity"], "id", "label"))
    for subject, predicate, code in rows(tables["mapping"], "subject", "predicate", "object"):
        if predicate in _CODED and language(label := labels.get(code, "")) == "en":
            coded[subject].append(label)
    words: dict[str, list[str]] = defaultdict(list)
    types = dict(rows(tables["entity"], "id", "type"))
    for curie, lang, text in rows(tables["name"], "entity", "lang", "text"):
        if lang.startswith("zh") and types.get(curie) in TYPES:
            words[normal_form(text)] += [*english.get(curie, ()), *filter(None, coded.get(curie, ()))]
    for lang, text, into, meaning in rows(tables["gloss"], "lang", "text", "into", "meaning"):
        if lang.startswith("zh") and into == "en":
            words[normal_form(text)].append(meaning)
    return Glossary.of({word: found for word, found in words.items() if found})


def _learn(names: list[Listed], vectors: Vectors, english: list[int], folder: Path) -> None:
    """Learn the projection and write it, and where the English names lie."""
    findings = [at for at in english if names[at].type == TYPES[0]] or english
    taught = Counter(names[at].entity for at in findings)
    learned = sorted(sorted(findings, key=lambda at: -taught[names[at].entity])[:LEARNED])
    matrix, columns, idf = fit_features([names[at].text for at in learned])
    numbers = {curie: number for number, curie in enumerate(dict.fromkeys(names[at].entity for at in learned))}
    entity = np.array([numbers[names[at].entity] for at in learned], dtype=np.int64)
    fitted = fit_projection(matrix, vectors[learned], entity)
    trie = marisa_trie.Trie(columns)
    order = np.array([columns[feature] for feature in map(trie.restore_key, range(len(trie)))], dtype=np.int64)
    sparse = fitted.sparse[order].astype(np.float16)
    trie.save(str(folder / "features.marisa"))
    np.save(folder / "idf.npy", idf[order])
    np.save(folder / "sparse.npy", sparse)
    np.save(folder / "dense.npy", fitted.dense)
    projection = Projection(sparse.astype(np.float32), fitted.dense)
    placed = projection.place(weigh([names[at].text for at in english], trie, idf[order]), vectors[english])
    build_vector_index([str(at) for at in english], placed, folder / "placed", encoder="projection")
