"""Typed path templates: which chains of statements may answer a question, derived from the ontology file.

    finding  ←subclass_of─ finding ←has_phenotype─ disease            "Which disease shows a form of …?"
    drug class ←in_drug_class─ drug ─treats→ disease                  "What is treated with drugs of the class …?"

A template is one or two steps that the types allow, at least one of them by a predicate that the question asks for, on
whichever side the wording puts it; where nothing is asked, by one of the type's listed properties. Walking a template
from the topic shares out a mass of 1, as a path-constrained random walk does (Lao and Cohen 2010, equation 2): an edge
gets its part of what its entity holds, in proportion to trust · 1 / log2(2 + degree of the other end), so that a chain
with many branches says little. What several templates reach adds up, with the weight

    1    one step, or two of which one leads up or down a hierarchy (Biolink's subclass_of and has_part)
    ¼    two steps that are both associations                         (our choice, on development questions)

On the development questions of `retrieval.channels.topics` of two hops these weights have nDCG@10 .392. With ½ instead
of 1 for a hierarchy and for the side that the wording does not ask for it was .360: without templates of two
associations .178, without those of a hierarchy either .047, without the side that is not asked for .338. Mass that is
not shared out lost .071 (.293 and not .364, in an earlier form).

An accepted `same_as` of what was reached counts as the same thing, and is the third and last step of a chain.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kg_build.index.adjacency import Adjacency
from kg_build.index.columns import Doubles, Longs, spans
from ontology.schema import Domain
from retrieval.question import Property, Topic

SAME: Final = "same_as"

_HIERARCHICAL: Final = ("biolink:subclass_of", "biolink:has_part")
_ASSOCIATIONS: Final = 0.25

_WIDTH: Final = 50
"""Entities that a second step starts from, those with most mass: bounds the work (200 find no more)."""

_REACHED: Final = 500
"""Entities that a step leads to, likewise."""

_EDGES: Final = 20_000
"""Edges looked at for a step."""


@dataclass(frozen=True)
class Template:
    """Typed steps from a topic, and how much they count."""

    steps: tuple[Property, ...]
    weight: float


@dataclass(frozen=True)
class Front:
    """Where a walk stands: n entities, no two the same, those with most mass first.

    Attributes:
        rows: of the entities.
        mass: of each.
        sources: position in the front before, one per edge that led here.
        edges: of the adjacency, read from the entity they start at.
        shares: what each of them carried.
    """

    rows: Longs
    mass: Doubles
    sources: Longs
    edges: Longs
    shares: Doubles


@dataclass(frozen=True)
class Walked:
    """A template with its fronts: the topic's own group first."""

    template: Template
    fronts: tuple[Front, ...]


@dataclass(frozen=True)
class Templates:
    """The templates of an ontology file."""

    domain: Domain
    _known: dict[tuple[str, tuple[Property, ...]], tuple[Template, ...]] = field(default_factory=dict, repr=False)

    def derive(self, type_name: str, asked: Collection[Property]) -> tuple[Template, ...]:
        """The templates for a topic of a type, of which these properties are asked; in the order of the file."""
        key = type_name, tuple(asked)
        if key not in self._known:
            self._known[key] = tuple(self._derived(type_name, asked))
        return self._known[key]

    def _derived(self, type_name: str, asked: Collection[Property]) -> Iterator[Template]:
        listed = (predicate for predicate, _ in self.domain.types[type_name].properties)
        wanted = {item.predicate for item in asked} or set(listed)
        for first, ends in self._steps[type_name].items():
            if first.predicate in wanted:
                yield Template((first,), 1.0)
            seconds = dict.fromkeys(step for end in ends for step in self._steps[end])
            for second in seconds:
                if first.predicate in wanted or second.predicate in wanted:
                    near = self._hierarchical.isdisjoint((first.predicate, second.predicate))
                    yield Template((first, second), _ASSOCIATIONS if near else 1.0)

    @cached_property
    def _hierarchical(self) -> frozenset[str]:
        return frozenset(key for key, item in self.domain.predicates.items() if item.biolink in _HIERARCHICAL)

    @cached_property
    def _steps(self) -> Mapping[str, Mapping[Property, tuple[str, ...]]]:
        """Of each type the steps it can take, and the types they lead to; `same_as` is not one of them."""
        found: dict[str, dict[Property, tuple[str, ...]]] = {name: {} for name in self.domain.types}
        for key, predicate in self.domain.predicates.items():
            for subject, object_ in predicate.ends if key != SAME else ():
                for start, end, step in (
                    (subject, object_, Property(key, "subject")),
                    (object_, subject, Property(key, "object")),
                ):
                    found[start][step] = tuple(dict.fromkeys((*found[start].get(step, ()), end)))
        return found


@dataclass(frozen=True)
class Reached:
    """What the templates of a topic lead to, best first.

    Attributes:
        rows: of the entities; none of the topic's group.
        scores: at most 1, that of the best.
    """

    rows: Longs
    scores: Doubles


def walk(adjacency: Adjacency, topic: Topic, templates: Templates) -> list[Walked]:
    """All templates of a topic that lead anywhere, walked from its group.

    Args:
        adjacency: the arrays of the release.
        topic: of a question.
        templates: of the ontology file.
    """
    start = _front_of(adjacency, topic)
    derived = {
        t.steps: t for kind in dict.fromkeys(k for _, k in topic.group) for t in templates.derive(kind, topic.asked)
    }
    onwards: dict[Property, list[Template]] = {}
    for template in derived.values():
        onwards.setdefault(template.steps[0], []).append(template)
    found: list[Walked] = []
    fan = _Fan(adjacency, start, len(start.rows))
    for first, following in onwards.items():
        middle = fan.step(first)
        if middle is None:
            continue
        further = _Fan(adjacency, middle, _WIDTH)
        for template in following:
            end = middle if len(template.steps) == 1 else further.step(template.steps[1])
            if end is not None:
                fronts = (start, end) if end is middle else (start, middle, end)
                found.append(Walked(template, fronts))
    return found


def reached(adjacency: Adjacency, topic: Topic, walked: Sequence[Walked], limit: int) -> Reached:
    """The entities that walks lead to, and what is accepted as the same as they are.

    What is the same as a member of the topic's group, but not in the group, counts as the best of them.

    Args:
        adjacency: the arrays of the release.
        topic: where the walks start.
        walked: by `walk`.
        limit: how many at most.
    """
    own = _front_of(adjacency, topic).rows
    rows, at = np.unique(np.concatenate([own[:0], *(w.fronts[-1].rows for w in walked)]), return_inverse=True)
    mass = np.concatenate([np.zeros(0), *(w.template.weight * w.fronts[-1].mass for w in walked)])
    scores: Doubles = np.bincount(at, mass, minlength=len(rows)).astype(np.float64)
    best = np.lexsort((rows, -scores))[:_REACHED]
    rows, scores = rows[best], scores[best]
    if not len(scores) or scores[0] <= 0:
        rows, scores = rows[:0], scores[:0]
    top = scores[:1] if len(scores) else np.ones(1)
    same, of_same = _same(adjacency, rows, scores)
    twins, of_twins = _same(adjacency, own, np.repeat(top, len(own)))
    return _best(np.concatenate([rows, same, twins]), np.concatenate([scores, of_same, of_twins]), own, limit)


def _best(rows: Longs, scores: Doubles, own: Longs, limit: int) -> Reached:
    """Each entity once with its best score, without the topic's own."""
    order = np.lexsort((rows, -scores))
    rows, scores = rows[order], scores[order]
    once = np.sort(np.unique(rows, return_index=True)[1])
    once = once[~np.isin(rows[once], own)][:limit]
    rows, scores = rows[once], scores[once]
    return Reached(rows, scores / scores[0] if len(scores) else scores)


def _same(adjacency: Adjacency, rows: Longs, scores: Doubles) -> tuple[Longs, Doubles]:
    """What an accepted `same_as` leads to, with the score it comes from."""
    first, edges = bounded_edges(adjacency, rows, _EDGES)
    same = adjacency.predicates[edges] == adjacency.predicate_names.index(SAME)
    return adjacency.targets[edges[same]].astype(np.int64), scores[first[same]]


def _front_of(adjacency: Adjacency, topic: Topic) -> Front:
    known = (adjacency.index(curie) for curie, _ in topic.group)
    rows = np.array(sorted({row for row in known if row is not None}), np.int64)
    none: Longs = np.zeros(0, np.int64)
    return Front(rows, np.ones(len(rows)), none, none, np.zeros(0))


def bounded_edges(adjacency: Adjacency, rows: Longs, most: int) -> tuple[Longs, Longs]:
    """Edges of entities, in their order, until there are so many; of a first one that has more, its first ones."""
    degrees = adjacency.degrees[rows]
    fits = int(np.searchsorted(np.cumsum(degrees), most, side="right"))
    return spans(adjacency.starts, rows[: max(fits, 1)], most)


class _Fan:
    """All steps from a front: its edges are read once and put in order by predicate and direction."""

    def __init__(self, adjacency: Adjacency, front: Front, width: int) -> None:
        self._adjacency = adjacency
        self._mass = front.mass[:width]
        first, edges = bounded_edges(adjacency, front.rows[:width], _EDGES)
        kinds = adjacency.predicates[edges] * 2 + adjacency.forward[edges]
        order = np.argsort(kinds, kind="stable")
        self._kinds, self._first, self._edges = kinds[order], first[order], edges[order]

    def step(self, step: Property) -> Front | None:
        """Where one step leads; None where nothing does."""
        adjacency = self._adjacency
        kind = adjacency.predicate_names.index(step.predicate) * 2 + (step.side == "subject")
        low, high = np.searchsorted(self._kinds, [kind, kind + 1])
        if low == high:
            return None
        first, edges = self._first[low:high], self._edges[low:high]
        targets = adjacency.targets[edges].astype(np.int64)
        parts = adjacency.trusts[edges] * specificity(adjacency, targets)
        sums = np.bincount(first, parts, minlength=len(self._mass))
        shares = self._mass[first] * parts / np.maximum(sums[first], np.finfo(np.float64).tiny)
        rows, at = np.unique(targets, return_inverse=True)
        mass: Doubles = np.bincount(at, shares).astype(np.float64)
        best = np.lexsort((rows, -mass))[:_REACHED]
        return Front(rows[best], mass[best], first, edges, shares)


def specificity(adjacency: Adjacency, rows: Longs) -> NDArray[np.float64]:
    """How much an entity on the way says: 1 / log2(2 + degree), as for chains between two entities."""
    found: NDArray[np.float64] = 1 / np.log2(2.0 + adjacency.degrees[rows])
    return found
