"""Communities around a question's entities, each with a summary that is made of statements (GraphRAG).

    topics ──most specific neighbours, and theirs──▶ neighbourhood ──Louvain──▶ communities
    community of a topic ──▶ its best connected members, each with the statement that connects it best
                         ──▶ its best statements

The neighbourhood is made from the question's entities alone. Louvain (networkx, seed 0, edges weighed by trust) divides
it. GraphRAG (Edge et al. 2024, section 3.1.4) puts the statements of a community in the order of the degrees of both
ends, and has a model write the summary; here they are ordered by trust · (sum of both degrees inside the community),
those of a property that the question asks for first (our choice), and the summary is the statements themselves. A
model that writes one can be given: see `Summariser`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, Protocol

import networkx as nx
import numpy as np

from kg_build.index.adjacency import Adjacency
from kg_build.store.protocol import GraphStore
from retrieval.paths import Chain, Node, Raw, describe
from retrieval.question import Question, Topic

NEIGHBOURS: Final = 200
SECOND_NEIGHBOURS: Final = 5
"""Neighbours taken of an entity, and of each of its neighbours, fewest statements first (our choice: bounds hubs)."""

COMMUNITIES: Final = 2
MEMBERS: Final = 5
STATEMENTS: Final = 8
"""Communities of a topic, members and further statements of each at most (our choice: what can be read)."""


class Summariser(Protocol):
    """Writes summaries, as a language model does. None is part of the program."""

    def summarise(self, question: Question, statements: Sequence[str]) -> str:
        """A summary of some statements, in the language of the question, for the question; or nothing."""
        ...


@dataclass(frozen=True)
class Divided:
    """A neighbourhood and its communities.

    Attributes:
        graph: over rows of the adjacency; each edge has its `trust`, and the rows of its statements in `edges`.
        communities: sets of rows, which are all rows together.
    """

    graph: Any
    communities: list[set[int]]

    def best_connected(self, community: Iterable[int], most: int) -> list[int]:
        """The members with most neighbours in the neighbourhood, at most so many."""
        return sorted(community, key=lambda row: (-self.graph.degree(row), row))[:most]


def divide(adjacency: Adjacency, topics: Iterable[Topic]) -> Divided:
    """The neighbourhood of some topics, divided; nothing without topics that are in the graph."""
    graph: Any = nx.Graph()
    first: set[int] = set()
    for row in {row for topic in topics for row in rows_of(adjacency, topic)}:
        first |= _join(adjacency, graph, row, NEIGHBOURS)
    for row in sorted(first):
        _join(adjacency, graph, row, SECOND_NEIGHBOURS)
    found = nx.community.louvain_communities(graph, weight="trust", seed=0) if graph else []
    return Divided(graph, found)


def rows_of(adjacency: Adjacency, topic: Topic) -> set[int]:
    """The rows of a topic's group."""
    return {row for curie, _ in topic.group if (row := adjacency.index(curie)) is not None}


def _join(adjacency: Adjacency, graph: Any, row: int, most: int) -> set[int]:
    """Add the most specific neighbours of an entity; returns them."""
    graph.add_node(row)
    edges = np.arange(adjacency.starts[row], adjacency.starts[row + 1])
    targets = adjacency.targets[edges]
    chosen = edges[np.lexsort((targets, adjacency.degrees[targets]))][:most]
    for edge in chosen:
        target = int(adjacency.targets[edge])
        graph.add_edge(row, target, trust=float(adjacency.trusts[edge]))
        graph[row][target].setdefault("edges", []).append((row, int(edge)))
    return {int(target) for target in adjacency.targets[chosen]}


@dataclass(frozen=True)
class Member:
    """A member of a community, and the statement that connects it best, which ends at it."""

    node: Node
    statement: Chain


@dataclass(frozen=True)
class Summary:
    """A community of a topic.

    Attributes:
        topic: of the question.
        size: how many entities the community has.
        members: the best connected ones, without the topic itself.
        statements: further statements among its members, best first; each a chain of one edge.
        written: what a model made of them; empty without one.
    """

    topic: Topic
    size: int
    members: list[Member]
    statements: list[Chain]
    written: str = ""


@dataclass(frozen=True)
class _Chosen:
    """A summary as arrays have it."""

    topic: Topic
    size: int
    members: list[Raw]
    statements: list[Raw]


@dataclass(frozen=True)
class CommunitySearch:
    """Summarises the communities of a question's entities.

    Attributes:
        adjacency: the arrays of the release.
        store: where names and evidence are read, in two round trips.
        summariser: writes summaries, or None.
    """

    adjacency: Adjacency
    store: GraphStore
    summariser: Summariser | None = None

    def find(self, question: Question) -> list[Summary]:
        """The communities that the question's entities are in, in the order of these, each once.

        The members of a topic's group may be in several: that of the entity meant comes first.
        """
        divided = divide(self.adjacency, question.topics)
        chosen = list(self._chosen(divided, question.topics))
        if not chosen:
            return []
        raws = [raw for one in chosen for raw in (*one.members, *one.statements)]
        described = iter(describe(self.adjacency, self.store, raws))
        found = []
        for one in chosen:
            members = [Member(chain.nodes[1], chain) for chain in (next(described) for _ in one.members)]
            statements = [next(described) for _ in one.statements]
            written = self._written(question, [*(member.statement for member in members), *statements])
            found.append(Summary(one.topic, one.size, members, statements, written))
        return found

    def _written(self, question: Question, statements: Sequence[Chain]) -> str:
        if self.summariser is None:
            return ""
        return self.summariser.summarise(question, [_line(chain) for chain in statements]).strip()

    def _chosen(self, divided: Divided, topics: Sequence[Topic]) -> Iterator[_Chosen]:
        seen: set[int] = set()
        for topic in topics:
            own, meant = rows_of(self.adjacency, topic), self.adjacency.index(topic.id)
            its = [at for at, community in enumerate(divided.communities) if own & community and at not in seen]
            its.sort(key=lambda at: (meant not in divided.communities[at], -len(own & divided.communities[at]), at))
            seen |= set(its)
            chosen = (self._summary(divided, divided.communities[at], topic, own) for at in its)
            yield from islice((one for one in chosen if one.members), COMMUNITIES)

    def _summary(self, divided: Divided, community: set[int], topic: Topic, own: set[int]) -> _Chosen:
        inside = divided.graph.subgraph(community)
        raws = self._statements(inside, topic, own)
        placed: dict[int, Raw] = {}
        for row in divided.best_connected(community - own, MEMBERS):
            reaching = [raw if raw.nodes[1] == row else _turned(raw) for raw in raws if row in raw.nodes]
            if reaching:
                placed[row] = min(reaching, key=lambda raw: (raw.nodes[0] not in own, -raw.score, raw.edges))
        used = {int(self.adjacency.statements[raw.edges[0]]) for raw in placed.values()}
        left = [raw for raw in raws if int(self.adjacency.statements[raw.edges[0]]) not in used]
        return _Chosen(topic, len(community), list(placed.values()), left[:STATEMENTS])

    def _statements(self, inside: Any, topic: Topic, own: set[int]) -> list[Raw]:
        """The statements inside a community, best first, read from the topic, else from the better connected end."""
        asked = {item.predicate for item in topic.asked}
        found: dict[int, Raw] = {}
        for a, b, held in inside.edges(data=True):
            for row, edge in held["edges"] if not {a, b} <= own else ():
                trust, degrees = float(self.adjacency.trusts[edge]), inside.degree(a) + inside.degree(b)
                other = b if row == a else a
                raw = Raw((row, other), (edge,), (bool(self.adjacency.forward[edge]),), trust * degrees)
                from_row = (row in own, inside.degree(row), other) >= (other in own, inside.degree(other), row)
                found.setdefault(int(self.adjacency.statements[edge]), raw if from_row else _turned(raw))

        def order(raw: Raw) -> tuple[bool, float, tuple[int, ...]]:
            predicate = self.adjacency.predicate_names[self.adjacency.predicates[raw.edges[0]]]
            return predicate not in asked, -raw.score, raw.edges

        return sorted(found.values(), key=order)


def _turned(raw: Raw) -> Raw:
    """A statement read from its other end."""
    return Raw(raw.nodes[::-1], raw.edges, (not raw.forward[0],), raw.score)


def _line(chain: Chain) -> str:
    subject, object_ = chain.nodes if chain.edges[0].forward else chain.nodes[::-1]
    return f"{subject.name} — {chain.edges[0].predicate} — {object_.name}"
