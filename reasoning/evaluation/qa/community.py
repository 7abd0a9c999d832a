"""Support from communities: does an answer belong to the same neighbourhood as the question's entities (GraphRAG)?

The neighbourhood and its communities are those of `retrieval.communities`, made from the question's entities and never
from the options. An answer scores 1 / log2(1 + size of the community) for each entity of the question whose community
it falls in (our choice: a large community says little). GraphRAG has a model write summaries of communities; here a
model that chooses the answer is given the names of their best connected members instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import log2
from typing import Final

from kg_build.index.adjacency import Adjacency
from kg_build.store.protocol import GraphStore
from reasoning.evaluation.qa.found import Found, Piece
from reasoning.evaluation.qa.heard import Heard
from retrieval.communities import Divided, divide, rows_of
from retrieval.paths import read_names
from retrieval.question import Topic

NAMED: Final = 30
"""Members of a community that a model reads (our choice)."""


@dataclass(frozen=True)
class CommunitySupport:
    """Divides neighbourhoods of one release."""

    adjacency: Adjacency
    store: GraphStore

    def find(self, heard: Heard) -> Found:
        """Support of every hypothesis."""
        divided = divide(self.adjacency, heard.question.topics)
        scores: dict[str, float] = {}
        for name, hypothesis in heard.hypotheses.items():
            rows = {row for curie in hypothesis.entities if (row := self.adjacency.index(curie)) is not None}
            scores[name] = round(
                sum(
                    max((1 / log2(1 + len(c)) for c in divided.communities if rows & c and own & c), default=0.0)
                    for own in map(self._rows, heard.question.topics)
                ),
                9,
            )
        pieces = self._described(divided, heard.question.topics)
        topics = len(heard.question.topics)
        return Found(scores, pieces=pieces, queries=topics, rounds=1 if topics else 0)

    def _described(self, divided: Divided, topics: Iterable[Topic]) -> tuple[Piece, ...]:
        """The communities of the question's entities, by the names of their members."""
        chosen = [
            (topic, divided.best_connected(community, NAMED))
            for topic in topics
            for community in divided.communities
            if community & self._rows(topic)
        ]
        types = {self.adjacency.curie(row): self.adjacency.type(row) for _, members in chosen for row in members}
        names = read_names(self.store, types)
        return tuple(
            Piece((), f"Connected with {topic.label}: {'; '.join(names[self.adjacency.curie(row)] for row in members)}")
            for topic, members in chosen
        )

    def _rows(self, topic: Topic) -> set[int]:
        return rows_of(self.adjacency, topic)
