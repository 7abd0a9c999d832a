"""What typed chains answer: the entities that the templates of a topic lead to, each with its chains.

    topic ──templates, walked on the arrays──▶ entities ──▶ chains ──2 round trips──▶ names, evidence, Cypher

An answer's score is the mass that all templates bring to it, times log2(1 + the number of its chains that have no
entity on the way in common): what several independent chains say comes first (our choice).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import log2
from typing import Final

import numpy as np

from kg_build.index.adjacency import Adjacency
from kg_build.store.protocol import GraphStore
from ontology.schema import Domain, Side
from retrieval.paths import Chain, Node, Raw, describe
from retrieval.question import Property, SubQuestion, Topic
from retrieval.support import Support, independent
from retrieval.templates import Front, Templates, Walked, reached, specificity, walk

CHAINS: Final = 5
"""Chains of an answer that are looked at, best first (our choice)."""

_LOOKED_AT: Final = 3
"""So many times as many answers as are asked for are looked at before they are put in order."""


@dataclass(frozen=True)
class TypedAnswer:
    """An entity that typed chains lead to from a topic; `chains` best first."""

    node: Node
    score: float
    chains: list[Chain]
    support: Support


@dataclass(frozen=True)
class _Ranked:
    """An answer before its chains have names."""

    score: float
    row: int
    chains: list[Raw]
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
    return _described(adjacency, store, [_ranked(adjacency, templates, topic, _any, limit)])[0]


def find_indirect(
    adjacency: Adjacency, store: GraphStore, templates: Templates, sub_questions: Sequence[SubQuestion], limit: int
) -> list[tuple[SubQuestion, list[TypedAnswer]]]:
    """What answers sub-questions over two steps, where the graph has no fact; those with an answer only.

    A chain counts when one of its steps is the property asked for, read in the direction in which it is asked, and its
    end is of a type that the property can have. Else the step down again from a parent would be taken for a kind of
    parent, and whatever has to do with a disease for its treatment.

    Args:
        adjacency: the arrays of the release.
        store: where names and evidence are read, in two round trips for all sub-questions.
        templates: of the ontology file.
        sub_questions: those without facts.
        limit: answers of a sub-question at most.
    """
    found = []
    for sub in sub_questions:
        topic = replace(sub.topic, asked=(sub.property,))
        counts = partial(_answers, adjacency, templates.domain, sub.property)
        found.append(_ranked(adjacency, templates, topic, counts, limit))
    described = _described(adjacency, store, found) if any(found) else []
    return [(sub, answers) for sub, answers in zip(sub_questions, described, strict=False) if answers]


def _any(raw: Raw) -> bool:
    del raw
    return True


def _answers(adjacency: Adjacency, domain: Domain, asked: Property, raw: Raw) -> bool:
    """Whether a chain answers for a property; see `find_indirect`."""
    predicate = domain.predicates[asked.predicate]
    far: Side = "object" if asked.side == "subject" else "subject"
    steps = [
        forward
        for edge, forward in zip(raw.edges, raw.forward, strict=True)
        if adjacency.predicate_names[adjacency.predicates[edge]] == asked.predicate
    ]
    as_asked = predicate.symmetric or all(forward == (asked.side == "subject") for forward in steps)
    return len(raw.edges) > 1 and bool(steps) and as_asked and predicate.takes(adjacency.type(raw.nodes[-1]), far)


def _ranked(
    adjacency: Adjacency, templates: Templates, topic: Topic, counts: Callable[[Raw], bool], limit: int
) -> list[_Ranked]:
    """The answers of a topic by the chains that count, best first, as arrays have them."""
    walked = walk(adjacency, topic, templates)
    found = reached(adjacency, topic, walked, limit * _LOOKED_AT)
    ranked = []
    for row, score in zip(found.rows.tolist(), found.scores.tolist(), strict=True):
        if raws := [raw for raw in _chains_to(adjacency, walked, row) if counts(raw)]:
            counted = independent((raw.nodes, [int(adjacency.statements[e]) for e in raw.edges]) for raw in raws)
            ranked.append(_Ranked(score * log2(1 + counted.nodes), row, raws, counted))
    return sorted(ranked, key=lambda one: (-one.score, one.row))[:limit]


def _described(adjacency: Adjacency, store: GraphStore, found: Sequence[Sequence[_Ranked]]) -> list[list[TypedAnswer]]:
    """The same with names and evidence; two round trips for all."""
    every = describe(adjacency, store, [raw for ranked in found for one in ranked for raw in one.chains])
    described = iter(every)
    return [[_typed(one, [next(described) for _ in one.chains]) for one in ranked] for ranked in found]


def _typed(one: _Ranked, chains: list[Chain]) -> TypedAnswer:
    return TypedAnswer(chains[0].nodes[-1], one.score, chains, one.support)


def _chains_to(adjacency: Adjacency, walked: Sequence[Walked], row: int) -> list[Raw]:
    """The best chains of all templates to an entity."""
    found = {raw.edges: raw for one in walked for raw in _chains_of(adjacency, one.fronts, row)}
    return sorted(found.values(), key=lambda raw: (-raw.score, raw.nodes, raw.edges))[:CHAINS]


def _chains_of(adjacency: Adjacency, fronts: Sequence[Front], row: int) -> Iterator[Raw]:
    """The chains of a template to an entity: one for each of its last edges, those before it the best there are."""
    last = fronts[-1]
    if row not in last.rows:
        return
    edges = np.flatnonzero(adjacency.targets[last.edges] == row)
    for at in edges[np.argsort(-last.shares[edges], kind="stable")][:CHAINS].tolist():
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
