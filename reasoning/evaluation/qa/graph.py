"""Support from the graph: what is stated between a question's entities and an answer's.

For each entity of the question, the first of these that there is:

    denied         -1       a negative statement between the two (of an asked predicate, when one was heard)
    direct          trust   a statement of an asked predicate; half of it for any other
    two steps       chain   a quarter of the best chain's score, over a neighbour that both have in common

The score of an answer is the sum over the question's entities. Of a statement only what is stated counts: a direct
statement of the predicate heard (of any, when none was), the two being one and the same, or a chain of `subclass_of`.
The factors are our choice; no evaluation file was used for them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from kg_build.index.adjacency import Adjacency
from kg_build.store.protocol import GraphStore
from ontology.errors import ClewError, Code
from ontology.schema import Domain, relation_name
from reasoning.evaluation.qa.found import Found, Piece
from reasoning.evaluation.qa.heard import Heard
from retrieval.paths import Chain, find_chains
from retrieval.question import Topic

UNASKED: Final = 0.5
TWO_STEPS: Final = 0.25
_DIRECT_CHAINS: Final = 20
_LONGER_CHAINS: Final = 3
_KIND_CHAINS: Final = 50
_IDENTITY: Final = frozenset({"same_as", "subclass_of"})


@dataclass(frozen=True)
class Link:
    """What connects an entity of the question with an answer; score 0 and nothing else when nothing does."""

    score: float = 0.0
    pieces: tuple[Piece, ...] = ()


@dataclass(frozen=True)
class GraphSupport:
    """Reads the graph of one release."""

    adjacency: Adjacency
    store: GraphStore
    domain: Domain

    def find(self, heard: Heard) -> Found:
        """Support of every hypothesis."""
        links = {
            name: [self.link(topic, hypothesis.entities, heard) for topic in heard.question.topics]
            for name, hypothesis in heard.hypotheses.items()
        }
        return summed(links, queries=len(heard.question.topics), rounds=1)

    def link(self, topic: Topic, entities: Collection[str], heard: Heard) -> Link:
        """The first rule of the module's text that applies to one entity of the question and one answer."""
        if heard.statement and entities & dict(topic.group).keys() and not self._asked(topic):
            return Link(1.0)
        return (
            self.denied(topic, entities) or self.stated(topic, entities, heard) or self.indirect(topic, entities, heard)
        )

    def denied(self, topic: Topic, entities: Collection[str]) -> Link | None:
        """A negative statement between the two."""
        asked = self._asked(topic)
        for curie, _ in topic.group:
            for other in entities:
                for predicate, assertion in self._negatives.get(frozenset((curie, other)), ()):
                    if not asked or predicate in asked:
                        words = self.domain.predicates[predicate].en
                        return Link(-1.0, (Piece((assertion,), f"Denied: {topic.label} — {words}"),))
        return None

    def stated(self, topic: Topic, entities: Collection[str], heard: Heard) -> Link | None:
        """The best direct statement."""
        asked = self._asked(topic)
        weighed = []
        for chain in self._chains(topic, entities, depth=1, limit=_DIRECT_CHAINS):
            heard_of = not asked or chain.edges[0].predicate in asked
            weighed.append((chain.score * (1.0 if heard_of else 0.0 if heard.statement else UNASKED), chain))
        best = max(weighed, key=lambda item: item[0], default=(0.0, None))
        return Link(best[0], (self._piece(best[1]),)) if best[1] is not None and best[0] > 0 else None

    def indirect(self, topic: Topic, entities: Collection[str], heard: Heard) -> Link:
        """Over a neighbour; for a statement only that the one is a kind of the other."""
        limit = _KIND_CHAINS if heard.statement else _LONGER_CHAINS
        if heard.statement and self._asked(topic):
            return Link()
        chains = self._chains(topic, entities, depth=2, limit=limit)
        if heard.statement:
            chains = [chain for chain in chains if _is_kind(chain)]
        if not chains:
            return Link()
        return Link(TWO_STEPS * max(chain.score for chain in chains), tuple(map(self._piece, chains[:_LONGER_CHAINS])))

    def piece(self, subject: str, predicate: str, object_: str, assertion: str) -> Piece:
        """A statement in words."""
        return Piece((assertion,), f"{subject} — {self.domain.predicates[predicate].en} — {object_}")

    def _asked(self, topic: Topic) -> frozenset[str]:
        return frozenset(item.predicate for item in topic.asked)

    def _chains(self, topic: Topic, entities: Collection[str], *, depth: int, limit: int) -> list[Chain]:
        starts = [curie for curie, _ in topic.group if self.adjacency.index(curie) is not None]
        ends = sorted(curie for curie in entities if curie not in starts and self.adjacency.index(curie) is not None)
        if not starts or not ends:
            return []
        try:
            return find_chains(self.adjacency, self.store, starts, ends, depth=depth, limit=limit)
        except ClewError as error:
            if error.code is not Code.NO_PATH:
                raise
            return []

    def _piece(self, chain: Chain) -> Piece:
        parts = []
        for edge, left, right in zip(chain.edges, chain.nodes[:-1], chain.nodes[1:], strict=True):
            subject, object_ = (left, right) if edge.forward else (right, left)
            parts.append(self.piece(subject.name, edge.predicate, object_.name, edge.assertion))
        return Piece(tuple(i for part in parts for i in part.ids), "; ".join(part.text for part in parts))

    @cached_property
    def _negatives(self) -> dict[frozenset[str], list[tuple[str, str]]]:
        """Predicate and assertion of every negative statement, by its two ends."""
        found: dict[frozenset[str], list[tuple[str, str]]] = {}
        for predicate in self.domain.predicates:
            relation = relation_name(predicate, negated=True)
            for row in self.store.rows(
                f"MATCH (s)-[r:{relation}]->(o) RETURN s.id AS s, o.id AS o, r.assertion_id AS assertion"
            ):
                found.setdefault(frozenset((row["s"], row["o"])), []).append((predicate, row["assertion"]))
        return found


def summed(links: Mapping[str, Iterable[Link]], *, queries: int, rounds: int) -> Found:
    """The links of each hypothesis as one finding."""
    kept = {name: [link for link in found if link.score] for name, found in links.items()}
    pieces = {name: [piece for link in found for piece in link.pieces] for name, found in kept.items()}
    return Found(
        # Rounded: sums of the same parts in another order still tie.
        scores={name: round(sum(link.score for link in found), 9) for name, found in kept.items()},
        cited={name: tuple(i for piece in found for i in piece.ids) for name, found in pieces.items()},
        pieces=tuple({piece.ids: piece for found in pieces.values() for piece in found}.values()),
        queries=queries,
        rounds=rounds,
    )


def _is_kind(chain: Chain) -> bool:
    """Whether a chain says that its start is a kind of its end."""
    return all(edge.predicate in _IDENTITY and (edge.forward or edge.predicate == "same_as") for edge in chain.edges)
