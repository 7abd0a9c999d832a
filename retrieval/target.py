"""What a person means who asks about a document: one by its id, a passage, a statement, or part of a title."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from rapidfuzz import fuzz, process

from kg_build.index.adjacency import Adjacency
from kg_build.store.protocol import GraphStore, each
from ontology.errors import ClewError, Code
from retrieval.paths import Node, read_names

MOST_DOCUMENTS: Final = 50
"""Documents that a part of a title may mean, by id (our choice: bounds the work of one letter)."""

_LONGEST: Final = 500
"""Characters of an id or a title that are read."""

_NEAR: Final = 5

_CHUNKS: Final = "MATCH (d:Document {id: $id})-[:HAS_CHUNK]->(c:Chunk) RETURN c.id AS id"
_TITLED: Final = (
    "MATCH (d:Document) WHERE lower(d.title) CONTAINS lower($part) "
    f"RETURN d.id AS id, lower(d.title) = lower($part) AS whole ORDER BY whole DESC, id LIMIT {MOST_DOCUMENTS}"
)


@dataclass(frozen=True)
class Statement:
    """An edge of the graph.

    Attributes:
        assertion: its id.
        predicate: what it says.
        ends: subject and object; none of a statement that is not among the edges (a denial, a disputed identity).
    """

    assertion: str
    predicate: str
    ends: tuple[Node, Node] | None


@dataclass(frozen=True)
class Target:
    """Either passages, or a statement."""

    chunks: list[str]
    statement: Statement | None = None


def find_target(adjacency: Adjacency, store: GraphStore, named: str) -> Target:
    """What is meant: an assertion id, a chunk id, a document id, else a title or a part of one, in any case.

    Args:
        adjacency: the arrays of the release.
        store: where documents are read.
        named: as a person wrote it.

    Raises:
        ClewError: EMPTY_INPUT; BAD_INPUT with the nearest titles where nothing is meant.
    """
    text = named[:_LONGEST].strip().encode(errors="replace").decode()  # a store takes no lone surrogates
    if not text:
        raise ClewError(Code.EMPTY_INPUT, "no document is named", remedy="give an id, or part of a title")
    if statement := _statement(adjacency, store, text):
        return Target([], statement)
    if store.rows("MATCH (c:Chunk {id: $id}) RETURN c.id AS id", {"id": text}):
        return Target([text])
    if chunks := _chunks(store, [text]):
        return Target(chunks)
    titled = store.rows(_TITLED, {"part": text})
    documents = [row["id"] for row in titled if row["whole"]] or [row["id"] for row in titled]
    if chunks := _chunks(store, documents):
        return Target(chunks)
    raise ClewError(
        Code.BAD_INPUT,
        f"no document, passage or statement {text!r}",
        remedy="give the id of one of them, or part of a document's title",
        choices=_near_titles(store, text),
    )


def _chunks(store: GraphStore, documents: Sequence[str]) -> list[str]:
    return [row["id"] for row in each(store, _CHUNKS, documents)]


def _statement(adjacency: Adjacency, store: GraphStore, identifier: str) -> Statement | None:
    key = identifier.encode()
    at = int(np.searchsorted(adjacency.assertions, key))
    if at < len(adjacency.assertions) and adjacency.assertions[at] == key:
        edges = np.flatnonzero(adjacency.statements == at)
        edge = int(edges[np.argmax(adjacency.forward[edges])])
        row = int(np.searchsorted(adjacency.starts, edge, side="right")) - 1
        ends = [row, int(adjacency.targets[edge])]
        types = {adjacency.curie(end): adjacency.type(end) for end in ends}
        names = read_names(store, types)
        subject, object_ = (Node(curie, types[curie], names[curie]) for curie in map(adjacency.curie, ends))
        return Statement(identifier, adjacency.predicate_names[adjacency.predicates[edge]], (subject, object_))
    rows = store.rows("MATCH (a:Assertion {id: $id}) RETURN a.predicate AS predicate", {"id": identifier})
    return Statement(identifier, rows[0]["predicate"], None) if rows else None


def _near_titles(store: GraphStore, text: str) -> list[str]:
    titles = {row["title"] for row in store.rows("MATCH (d:Document) RETURN d.title AS title")}
    found = process.extract(text, sorted(titles), scorer=fuzz.ratio, processor=str.casefold, limit=_NEAR)
    return [title for title, _, _ in found]
