"""What retrieval questions are made from: the passages, articles, names and links of a release, as arrays.

Entities are rows of the adjacency. Those that `same_as` statements connect, however long the chain, are one *kin*,
named by its first member: a split never divides a kin, and a name that two kins bear is not asked with. Evidence
crosses one accepted `same_as` only (`group`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

import marisa_trie
import numpy as np
import pyarrow.compute as pc
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from kg_build.index.adjacency import load_adjacency
from kg_build.index.columns import Ints, positions
from kg_build.release import Release, rows
from ontology.reading.sense import Sense
from ontology.schema import Side

ARTICLE_TYPES: Final = ("Disease", "PhenotypicFeature")
"""What an article that is asked for is about."""

_NAMED_TYPES: Final = (*ARTICLE_TYPES, "Drug", "DrugClass", "Gene", "Procedure")


class Material:
    """A release as a place to draw questions from.

    Args:
        release: what is drawn from.

    Attributes:
        adjacency: the rows.
        passages: `id`, `document`, `section`, `text`, `lang` of every passage, in the order of the release.
        documents: by id: `title`, `lang`, `source`, `reference`, `about`.
    """

    def __init__(self, release: Release) -> None:
        self._release = release
        self.adjacency = load_adjacency(release.derived("adjacency"))
        self.passages: list[dict[str, Any]] = release.table(
            "chunk", ["id", "document", "section", "text", "lang"]
        ).to_pylist()
        self.documents: dict[str, dict[str, Any]] = {
            document["id"]: document for document in release.table("document").to_pylist()
        }

    def link(self, predicate: str, side: Side) -> csr_array:
        """Links as a matrix of n entities by n: row stands on `side` of the predicate, column on the other."""
        a = self.adjacency
        chosen = (a.predicates == a.predicate_names.index(predicate)) & (a.forward == (side == "subject"))
        return self._matrix(self._owners[chosen], a.targets[chosen])

    @cached_property
    def group(self) -> csr_array:
        """Each entity with itself and with what one accepted `same_as` leads to; n by n."""
        everyone = np.arange(len(self.adjacency.ids))
        same = self._same
        owners, targets = (np.concatenate([everyone, ends]) for ends in same)
        return self._matrix(owners, targets)

    def members(self, row: int) -> list[int]:
        """An entity, and what one accepted `same_as` leads to."""
        found = self.group.indices[self.group.indptr[row] : self.group.indptr[row + 1]]
        return [row, *sorted(int(other) for other in found if other != row)]

    @cached_property
    def kin(self) -> Ints:
        """The first entity of each entity's kin; int32[n]."""
        owners, targets = self._same
        count, label = connected_components(self._matrix(owners, targets), directed=False)
        first = np.full(count, len(label), np.int32)
        np.minimum.at(first, label, np.arange(len(label), dtype=np.int32))
        return np.asarray(first[label], dtype=np.int32)

    @cached_property
    def names(self) -> dict[int, list[Sense]]:
        """The names of entities of the types that are asked for."""
        found: dict[int, list[Sense]] = {}
        table = self._release.table("name", ["entity", "lang", "text", "kind"])
        at = positions(table["entity"], self._ids)
        for row, (curie, lang, text, kind) in zip(at.tolist(), rows(table, *table.column_names), strict=True):
            if row >= 0 and (type_name := self.adjacency.type(row)) in _NAMED_TYPES:
                found.setdefault(row, []).append(Sense(curie, type_name, lang, text, kind))
        return found

    @cached_property
    def bearers(self) -> dict[str, set[int]]:
        """The kins that bear a name, by the name without regard to case."""
        found: dict[str, set[int]] = {}
        for row, senses in self.names.items():
            for sense in senses:
                found.setdefault(sense.text.casefold(), set()).add(int(self.kin[row]))
        return found

    @cached_property
    def articles(self) -> dict[int, list[str]]:
        """The documents about an entity of `ARTICLE_TYPES`."""
        found: dict[int, list[str]] = {}
        for identifier, document in self.documents.items():
            for curie in document["about"]:
                row = self.adjacency.index(curie)
                if row is not None and self.adjacency.type(row) in ARTICLE_TYPES:
                    found.setdefault(row, []).append(identifier)
        return found

    @cached_property
    def of_document(self) -> dict[str, list[int]]:
        """The passages of each document."""
        found: dict[str, list[int]] = {}
        for position, passage in enumerate(self.passages):
            found.setdefault(passage["document"], []).append(position)
        return found

    def about(self, row: int, lang: str | None = None) -> list[int]:
        """The passages, of one language or all, of the documents about an entity's group."""
        documents = {document for member in self.members(row) for document in self.articles.get(member, ())}
        return [
            position
            for document in sorted(documents)
            for position in self.of_document.get(document, ())
            if lang in (None, self.passages[position]["lang"])
        ]

    def mentioning(self, row: int) -> set[int]:
        """The passages that mention an entity's group."""
        found: set[int] = set()
        for member in self.members(row):
            found.update(self._mention_of[1][slice(*self._mention_of[0][member : member + 2])].tolist())
        return found

    def containing(self, strings: Iterable[str]) -> Mapping[str, set[int]]:
        """The passages in whose title, headings or text each string stands, without regard to case."""
        wanted = {string.casefold() for string in strings}
        prefixes, longest = marisa_trie.Trie(wanted).iter_prefixes, max(map(len, wanted), default=0)
        found: dict[str, set[int]] = {string: set() for string in wanted}
        for position in range(len(self.passages)):
            text = self.folded(position)
            for start in range(len(text)):
                for string in prefixes(text[start : start + longest]):
                    found[string].add(position)
        return found

    def folded(self, position: int) -> str:
        """All that a passage shows, without regard to case."""
        passage = self.passages[position]
        title = self.documents[passage["document"]]["title"]
        return f"{title}\n{passage['section']}\n{passage['text']}".casefold()

    @cached_property
    def _ids(self) -> Any:
        return self._release.table("entity", ["id"])["id"].combine_chunks()

    @cached_property
    def _owners(self) -> Ints:
        return np.repeat(np.arange(len(self.adjacency.ids), dtype=np.int32), self.adjacency.degrees)

    @cached_property
    def _same(self) -> tuple[Ints, Ints]:
        chosen = self.adjacency.predicates == self.adjacency.predicate_names.index("same_as")
        return self._owners[chosen], np.asarray(self.adjacency.targets[chosen])

    @cached_property
    def _mention_of(self) -> tuple[Ints, Ints]:
        """Row pointers into passages, by entity."""
        table = self._release.table("mention", ["chunk", "entity"])
        entity = positions(table["entity"], self._ids)
        place = {passage["id"]: position for position, passage in enumerate(self.passages)}
        encoded = table["chunk"].combine_chunks().dictionary_encode()
        where = np.array([place[chunk] for chunk in encoded.dictionary.to_pylist()], dtype=np.int32)
        passage = where[pc.fill_null(encoded.indices, 0).to_numpy(zero_copy_only=False)]
        order = np.argsort(entity, kind="stable")
        starts = np.searchsorted(entity[order], np.arange(len(self.adjacency.ids) + 1)).astype(np.int32)
        return starts, passage[order]

    def _matrix(self, owners: Sequence[int] | Ints, targets: Sequence[int] | Ints) -> csr_array:
        size = len(self.adjacency.ids)
        return csr_array((np.ones(len(owners), np.bool_), (owners, targets)), shape=(size, size))
