"""What typed chains answer: the entities that the templates of a topic lead to, each with its chains.

    topic ──templates, walked on the arrays──▶ entities ──▶ chains ──2 round trips──▶ names, evidence, Cypher

An answer's score is the mass that all templates bring to it, times log2(1 + the number of its chains that have no
entity on the way in common): what several independent chains say comes first (our choice).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log2
from typing import Final

import numpy as np

from kg_build.index.adjacency import Adjacency
from kg_build.store.protocol import GraphStore
from retrieval.paths import Chain, Node, Raw, describe
from retrieval.question import Topic
from retrieval.support import Support, independent
from retrieval.templates import Front, Templates, Walked, reached, specificity, walk

_CHAINS: Final = 5
"""Chains shown of an answer, best first (our choice)."""

_LOOKED_AT: Final = 3
"""So many times as many answers as are asked for are looked at before they are put in order."""


@dataclass(frozen=True)
class TypedAnswer:
    """An entity that typed chains lead to from a topic; `chains` best first."""

    node: Node
    score: float
    chains: list[Chain]
    support: Support


def find_answers(
    adjacency: Adjacency, store: GraphStore, templates: Templates, topic: Topic, limit: int = 10
) -> list[TypedAnswer]:
    """The entities that typed chains lead to from a topic, best first; none when nothing does.

    What is only the same as something reached has no chain of its own and is left out.

    Args:
        adjacency: the arrays of the release.
        store: where names and evidence are read, in two round trips.
        templates: of the ontology file.
        topic: of a question.
        limit: answers at most.
    """
    walked = walk(adjacency, topic, templates)
    found = reached(adjacency, topic, walked, limit * _LOOKED_AT)
    ranked = []
    for row, score in zip(found.rows.tolist(), found.scores.tolist(), strict=True):
        if raws := _chains_to(adjacency, walked, row):
            counted = independent((raw.nodes, [int(adjacency.statements[e]) for e in raw.edges]) for raw in raws)
            ranked.append((score * log2(1 + counted.nodes), row, raws, counted))
    ranked = sorted(ranked, key=lambda item: (-item[0], item[1]))[:limit]
    described = iter(describe(adjacency, store, [raw for _, _, raws, _ in ranked for raw in raws]))
    chained = [(score, [next(described) for _ in raws], counted) for score, _, raws, counted in ranked]
    return [TypedAnswer(chains[0].nodes[-1], score, chains, counted) for score, chains, counted in chained]


def _chains_to(adjacency: Adjacency, walked: Sequence[Walked], row: int) -> list[Raw]:
    """The best chains of all templates to an entity."""
    found = {raw.edges: raw for one in walked for raw in _chains_of(adjacency, one.fronts, row)}
    return sorted(found.values(), key=lambda raw: (-raw.score, raw.nodes, raw.edges))[:_CHAINS]


def _chains_of(adjacency: Adjacency, fronts: Sequence[Front], row: int) -> Iterator[Raw]:
    """The chains of a template to an entity: one for each of its last edges, those before it the best there are."""
    last = fronts[-1]
    if row not in last.rows:
        return
    edges = np.flatnonzero(adjacency.targets[last.edges] == row)
    for at in edges[np.argsort(-last.shares[edges], kind="stable")][:_CHAINS].tolist():
        path, source = [int(last.edges[at])], int(last.sources[at])
        for front in reversed(fronts[1:-1]):
            here = np.flatnonzero(adjacency.targets[front.edges] == front.rows[source])
            best = int(here[np.argmax(front.shares[here])])
            path.append(int(front.edges[best]))
            source = int(front.sources[best])
        nodes = (int(fronts[0].rows[source]), *(int(adjacency.targets[edge]) for edge in reversed(path)))
        if len(set(nodes)) == len(nodes):
            yield _raw(adjacency, nodes, tuple(reversed(path)))


def _raw(adjacency: Adjacency, nodes: tuple[int, ...], edges: tuple[int, ...]) -> Raw:
    between = specificity(adjacency, np.array(nodes[1:-1], np.int64))
    score = float(np.prod(adjacency.trusts[list(edges)]) * np.prod(between))
    return Raw(nodes, edges, tuple(bool(adjacency.forward[edge]) for edge in edges), score)
