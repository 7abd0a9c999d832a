"""Support from communities: does an answer belong to the same neighbourhood as the question's entities (GraphRAG)?

The neighbourhood is made from the question's entities alone, never from the options: their most specific neighbours,
and the most specific neighbours of these. Louvain (networkx, seed 0, edges weighed by trust) divides it. An answer
scores 1 / log2(1 + size of the community) for each entity of the question whose community it falls in (our choice:
a large community says little). GraphRAG has a model write summaries of communities; here a model that chooses the
answer is given the names of their best connected members instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import log2
from typing import Any, Final

import networkx as nx
import numpy as np

from kg_build.index.adjacency import Adjacency
from kg_build.store.protocol import GraphStore
from reasoning.evaluation.qa.found import Found, Piece
from reasoning.evaluation.qa.heard import Heard
from retrieval.paths import read_names
from retrieval.question import Topic

NEIGHBOURS: Final = 200
SECOND_NEIGHBOURS: Final = 5
"""Neighbours taken of an entity, and of each of its neighbours, fewest statements first (our choice: bounds hubs)."""

NAMED: Final = 30
"""Members of a community that a model reads (our choice)."""


@dataclass(frozen=True)
class CommunitySupport:
    """Divides neighbourhoods of one release."""

    adjacency: Adjacency
    store: GraphStore

    def find(self, heard: Heard) -> Found:
        """Support of every hypothesis."""
        graph = self._neighbourhood(heard.question.topics)
        communities = nx.community.louvain_communities(graph, weight="trust", seed=0) if graph else []
        scores: dict[str, float] = {}
        for name, hypothesis in heard.hypotheses.items():
            rows = {row for curie in hypothesis.entities if (row := self.adjacency.index(curie)) is not None}
            scores[name] = round(
                sum(
                    max((1 / log2(1 + len(c)) for c in communities if rows & c and own & c), default=0.0)
                    for own in map(self._rows, heard.question.topics)
                ),
                9,
            )
        pieces = self._described(graph, communities, heard.question.topics)
        topics = len(heard.question.topics)
        return Found(scores, pieces=pieces, queries=topics, rounds=1 if topics else 0)

    def _neighbourhood(self, topics: Iterable[Topic]) -> Any:
        graph: Any = nx.Graph()
        first: set[int] = set()
        for row in {row for topic in topics for row in self._rows(topic)}:
            first |= self._join(graph, row, NEIGHBOURS)
        for row in sorted(first):
            self._join(graph, row, SECOND_NEIGHBOURS)
        return graph

    def _described(self, graph: Any, communities: Iterable[set[int]], topics: Iterable[Topic]) -> tuple[Piece, ...]:
        """The communities of the question's entities, by the names of their members."""
        chosen = [
            (topic, sorted(community, key=lambda row: (-graph.degree(row), row))[:NAMED])
            for topic in topics
            for community in communities
            if community & self._rows(topic)
        ]
        types = {self.adjacency.curie(row): self.adjacency.type(row) for _, members in chosen for row in members}
        names = read_names(self.store, types)
        return tuple(
            Piece((), f"Connected with {topic.label}: {'; '.join(names[self.adjacency.curie(row)] for row in members)}")
            for topic, members in chosen
        )

    def _join(self, graph: Any, row: int, most: int) -> set[int]:
        """Add the most specific neighbours of an entity; returns them."""
        graph.add_node(row)
        edges = np.arange(self.adjacency.starts[row], self.adjacency.starts[row + 1])
        targets = self.adjacency.targets[edges]
        chosen = edges[np.lexsort((targets, self.adjacency.degrees[targets]))][:most]
        for edge in chosen:
            graph.add_edge(row, int(self.adjacency.targets[edge]), trust=float(self.adjacency.trusts[edge]))
        return {int(target) for target in self.adjacency.targets[chosen]}

    def _rows(self, topic: Topic) -> set[int]:
        return {row for curie, _ in topic.group if (row := self.adjacency.index(curie)) is not None}
