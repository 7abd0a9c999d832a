"""Evidence chains: typed paths between two entities, each with the Cypher that reproduces it.

    depth 1  edges between A and B            depth 2  common neighbours
    depth 3  edges between a neighbour of A and a neighbour of B

Chains are found on the arrays of the release and ranked by trust and by how specific the entities on the way
are: a chain through a hub says little.

    score = Π trust(edge) · Π 1 / log2(2 + degree(entity on the way))          (our choice)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kg_build.index.adjacency import Adjacency
from kg_build.store.evidence import EvidenceRow, read_evidence
from kg_build.store.protocol import GraphStore
from ontology.errors import ClewError, Code
from ontology.render import literal

MAX_DEPTH: Final = 3
"""KG_RELATION_DEPTH of IHRAG."""

_WIDTH: Final = 4000
"""Neighbours of each end looked at for depth 3, most specific first: bounds the work at hubs."""

_MOST_EDGES: Final = 1_000_000
"""Edges of those neighbours looked at for depth 3, likewise."""

_KEPT: Final = 200
"""Chains of one length that are turned from arrays into objects, best first."""


@dataclass(frozen=True)
class Node:
    """An entity on a chain."""

    id: str
    type: str
    name: str


@dataclass(frozen=True)
class Edge:
    """A statement on a chain, with its evidence; `forward` when it is read from left to right."""

    predicate: str
    forward: bool
    assertion: str
    evidence: list[EvidenceRow]


@dataclass(frozen=True)
class Chain:
    """A path: n nodes and n - 1 edges, its score, and the statement that reproduces it."""

    nodes: list[Node]
    edges: list[Edge]
    score: float
    cypher: str


@dataclass(frozen=True)
class Raw:
    """A path in array terms: entity rows; rows of edges, and whether each is read forward from left to right."""

    nodes: tuple[int, ...]
    edges: tuple[int, ...]
    forward: tuple[bool, ...]
    score: float


def find_chains(
    adjacency: Adjacency,
    store: GraphStore,
    start: str | Sequence[str],
    end: str | Sequence[str],
    *,
    depth: int = MAX_DEPTH,
    limit: int = 10,
) -> list[Chain]:
    """The best evidence chains between two ends, shortest first.

    Args:
        adjacency: the arrays of the release.
        store: where names and evidence are read, in two round trips.
        start: CURIE, or CURIEs of what one name stands for (as a finding, as a disease).
        end: the same.
        depth: edges at most, 1 to 3.
        limit: chains at most.

    Raises:
        ClewError: UNKNOWN_ENTITY, BAD_INPUT (depth), NO_PATH.
    """
    if not 1 <= depth <= MAX_DEPTH:
        raise ClewError(Code.BAD_INPUT, f"depth {depth}", choices=[str(d) for d in range(1, MAX_DEPTH + 1)])
    starts, ends = ([end] if isinstance(end, str) else list(end) for end in (start, end))
    pairs = [(_row(adjacency, one), _row(adjacency, other)) for one in starts for other in ends if one != other]
    if not pairs or set(starts) == set(ends):
        raise ClewError(Code.BAD_INPUT, f"both ends are {starts[0]}", remedy="name two different entities")
    found: list[Raw] = []
    for search in (_direct, _through_one, _through_two)[:depth]:
        chains = (raw for a, b in pairs for raw in search(adjacency, a, b))
        found += sorted(chains, key=lambda raw: (-raw.score, raw.nodes, raw.edges))
        if len(found) >= limit:
            break
    if not found:
        raise ClewError(
            Code.NO_PATH, f"no chain of up to {depth} statements leads from {', '.join(starts)} to {', '.join(ends)}",
            remedy="raise --depth" if depth < MAX_DEPTH else "",
        )  # fmt: skip
    return describe(adjacency, store, found[:limit])


def chain_cypher(nodes: Sequence[Node], edges: Sequence[tuple[str, bool]]) -> str:
    """The statement that reproduces a chain: explicit hops, ids as literals.

    Args:
        nodes: n nodes.
        edges: n - 1 pairs of predicate and direction (True: from left to right).
    """
    pattern = _node_pattern(0, nodes[0])
    for i, (predicate, forward) in enumerate(edges):
        left, right = ("-", "->") if forward else ("<-", "-")
        pattern += f"{left}[r{i + 1}:{predicate}]{right}{_node_pattern(i + 1, nodes[i + 1])}"
    returned = ", ".join(["n0.name", *(f"r{i}.assertion_id, r{i}.references, n{i}.name" for i in range(1, len(nodes)))])
    return f"MATCH {pattern} RETURN {returned}"


def _node_pattern(i: int, node: Node) -> str:
    return f"(n{i}:{node.type} {{id: {literal(node.id)}}})"


def _row(adjacency: Adjacency, curie: str) -> int:
    row = adjacency.index(curie)
    if row is None:
        raise ClewError(Code.UNKNOWN_ENTITY, f"{curie} is not in the graph")
    return row


def _edges(adjacency: Adjacency, row: int) -> NDArray[np.int64]:
    return np.arange(adjacency.starts[row], adjacency.starts[row + 1])


def _specificity(adjacency: Adjacency, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    specificity: NDArray[np.float64] = 1 / np.log2(2.0 + adjacency.degrees[rows])
    return specificity


def _direct(adjacency: Adjacency, a: int, b: int) -> Iterable[Raw]:
    edges = _edges(adjacency, a)
    for edge in edges[adjacency.targets[edges] == b]:
        yield Raw((a, b), (int(edge),), (bool(adjacency.forward[edge]),), float(adjacency.trusts[edge]))


def _through_one(adjacency: Adjacency, a: int, b: int) -> Iterable[Raw]:
    from_a, from_b = (_edges(adjacency, row) for row in (a, b))
    from_b = from_b[np.argsort(adjacency.targets[from_b], kind="stable")]
    middles = adjacency.targets[from_a].astype(np.int64)
    lows, highs = (np.searchsorted(adjacency.targets[from_b], middles, side) for side in ("left", "right"))
    counts = np.where((middles == a) | (middles == b), 0, highs - lows)
    first = np.repeat(np.arange(len(from_a)), counts)
    last = from_b[lows[first] + _places(counts)]
    trust = adjacency.trusts[from_a[first]] * adjacency.trusts[last]
    scores = trust * _specificity(adjacency, middles[first])
    for i in np.argsort(-scores, kind="stable")[:_KEPT]:
        edges = (int(from_a[first[i]]), int(last[i]))
        yield Raw((a, int(middles[first[i]]), b), edges, _forward(adjacency, edges), float(scores[i]))


def _through_two(adjacency: Adjacency, a: int, b: int) -> Iterable[Raw]:
    """The middle edge is searched for all pairs of neighbours at once."""
    from_a, from_b = (_narrowed(adjacency, row, {a, b}) for row in (a, b))
    if not len(from_a) or not len(from_b):
        return
    best_b = {int(t): int(e) for e, t in zip(from_b[::-1], adjacency.targets[from_b][::-1], strict=True)}
    is_b = np.zeros(len(adjacency.ids), bool)
    is_b[list(best_b)] = True
    middles = adjacency.targets[from_a].astype(np.int64)
    counts = adjacency.degrees[middles]
    counts = np.where(np.cumsum(counts) <= _MOST_EDGES, counts, 0)
    first = np.repeat(np.arange(len(from_a)), counts)
    middle_edges = adjacency.starts[middles][first] + _places(counts)
    hit = is_b[adjacency.targets[middle_edges]]
    first, middle_edges = first[hit], middle_edges[hit]
    u, v = middles[first], adjacency.targets[middle_edges].astype(np.int64)
    last = np.array([best_b[int(node)] for node in v], np.int64)
    trust = adjacency.trusts[from_a[first]] * adjacency.trusts[middle_edges] * adjacency.trusts[last] if len(v) else v
    scores = trust * _specificity(adjacency, u) * _specificity(adjacency, v)
    for i in np.argsort(-scores, kind="stable")[:_KEPT]:
        if u[i] != v[i]:
            edges = (int(from_a[first[i]]), int(middle_edges[i]), int(last[i]))
            yield Raw((a, int(u[i]), int(v[i]), b), edges, _forward(adjacency, edges), float(scores[i]))


def _forward(adjacency: Adjacency, edges: Sequence[int]) -> tuple[bool, ...]:
    """How edges are read from left to right when the last one is stored at the right end."""
    return *(bool(adjacency.forward[edge]) for edge in edges[:-1]), not adjacency.forward[edges[-1]]


def _places(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """0 … n - 1 for every n of `counts`, one after the other."""
    places: NDArray[np.int64] = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return places


def _narrowed(adjacency: Adjacency, row: int, ends: set[int]) -> NDArray[np.int64]:
    """The edges of an end that do not lead to an end, most specific neighbours first."""
    edges = _edges(adjacency, row)
    edges = edges[~np.isin(adjacency.targets[edges], list(ends))]
    degrees = adjacency.degrees[adjacency.targets[edges]]
    return edges[np.argsort(degrees, kind="stable")][:_WIDTH]


def describe(adjacency: Adjacency, store: GraphStore, found: Sequence[Raw]) -> list[Chain]:
    """Chains with names and evidence, in two round trips."""
    rows = sorted({row for raw in found for row in raw.nodes})
    names = read_names(store, {adjacency.curie(row): adjacency.type(row) for row in rows})
    assertions = sorted({_assertion(adjacency, edge) for raw in found for edge in raw.edges})
    evidence = read_evidence(store, assertions)
    return [_chain(adjacency, raw, names, evidence) for raw in found]


def _chain(
    adjacency: Adjacency, raw: Raw, names: Mapping[str, str], evidence: Mapping[str, list[EvidenceRow]]
) -> Chain:
    curies = [adjacency.curie(row) for row in raw.nodes]
    nodes = [Node(c, adjacency.type(row), names[c]) for c, row in zip(curies, raw.nodes, strict=True)]
    edges = []
    for edge, forward in zip(raw.edges, raw.forward, strict=True):
        assertion = _assertion(adjacency, edge)
        predicate = adjacency.predicate_names[adjacency.predicates[edge]]
        edges.append(Edge(predicate, forward, assertion, evidence[assertion]))
    return Chain(nodes, edges, raw.score, chain_cypher(nodes, [(e.predicate, e.forward) for e in edges]))


def _assertion(adjacency: Adjacency, edge: int) -> str:
    return bytes(adjacency.assertions[adjacency.statements[edge]]).decode()


def read_names(store: GraphStore, types: Mapping[str, str]) -> dict[str, str]:
    """Names of entities by id, in one round trip."""
    by_type: dict[str, list[str]] = {}
    for curie, type_name in types.items():
        by_type.setdefault(type_name, []).append(curie)
    if not by_type:
        return {}
    read = "MATCH (n:{0}) WHERE n.id IN ${0} RETURN n.id AS id, n.name AS name"
    rows = store.rows(" UNION ALL ".join(map(read.format, by_type)), by_type)
    return {row["id"]: row["name"] for row in rows}
