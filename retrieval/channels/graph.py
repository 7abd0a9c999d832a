"""The graph channel: sub-questions become Cypher, rows become facts.

One statement per entity of a topic's group, with explicit types and ids, so that the very statement that found
a fact can be shown and run again. Facts are ranked by

    trust · (1 + log10(1 + references)) · (½ + ½ · frequency) · (1 + ½ · log10(1 + degree of the other end))

with an unknown frequency counting as ½. The last factor puts what the graph knows well before what it barely
knows; it decides where a source gives neither references nor frequencies. All of it is our choice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log10
from typing import Any, Final

from kg_build.index.adjacency import Adjacency
from kg_build.store.ladybug import LadybugStore
from ontology.schema import Domain
from retrieval.hit import Hit
from retrieval.question import Property, SubQuestion, Topic

_MOST_ROWS: Final = 300
"""Rows read per statement, most trusted first: bounds the work at hubs."""


@dataclass(frozen=True)
class Fact:
    """A statement of the graph, seen from the entity that was asked about.

    Attributes:
        topic: CURIE of the entity asked about.
        property: which of its properties.
        other: CURIE of the entity at the other end.
        other_type: its type.
        other_name: its name as the graph has it.
        assertion: id of the assertion.
        sources: keys of its sources.
        references: what they cite.
        frequency: pooled frequency in [0, 1], or None.
        trust: of the best source.
        score: for ranking; see the module's text.
        cypher: the statement that returns it.
    """

    topic: str
    property: Property
    other: str
    other_type: str
    other_name: str
    assertion: str
    sources: tuple[str, ...]
    references: tuple[str, ...]
    frequency: float | None
    trust: float
    score: float
    cypher: str


@dataclass(frozen=True)
class GraphChannel:
    """Reads facts and mentioned passages from the store."""

    store: LadybugStore
    adjacency: Adjacency
    domain: Domain

    def facts(self, sub_question: SubQuestion, limit: int) -> list[Fact]:
        """The best facts of a sub-question, one per entity at the other end."""
        found: dict[str, Fact] = {}
        for curie, type_name in sub_question.topic.group:
            for fact in self._read(curie, type_name, sub_question.property):
                known = found.get(fact.other)
                if known is None or fact.score > known.score:
                    found[fact.other] = fact
        return sorted(found.values(), key=lambda fact: (-fact.score, fact.other))[:limit]

    def passages(self, topics: Sequence[Topic], limit: int) -> list[Hit]:
        """Passages that mention the topics, those that mention most of them first."""
        scores: dict[str, float] = {}
        for topic in topics:
            best: dict[str, float] = {}
            for curie, type_name in topic.group:
                rows = self.store.rows(
                    f"MATCH (c:Chunk)-[m:MENTIONS]->(n:{type_name} {{id: $id}}) "
                    "RETURN c.id AS chunk, max(m.confidence) AS confidence ORDER BY chunk LIMIT $limit",
                    {"id": curie, "limit": _MOST_ROWS},
                )
                for row in rows:
                    best[row["chunk"]] = max(best.get(row["chunk"], 0.0), row["confidence"])
            for chunk, confidence in best.items():
                scores[chunk] = scores.get(chunk, 0.0) + confidence
        ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
        return [Hit(chunk, score, "graph") for chunk, score in ranked[:limit]]

    def _read(self, curie: str, type_name: str, asked: Property) -> list[Fact]:
        predicate = self.domain.predicates[asked.predicate]
        if not predicate.takes(type_name, asked.side):
            return []
        cypher = fact_cypher(curie, type_name, asked)
        rows = self.store.rows(cypher)
        if predicate.symmetric:
            other_side = Property(asked.predicate, "object" if asked.side == "subject" else "subject")
            rows += self.store.rows(fact_cypher(curie, type_name, other_side))
        return [
            Fact(
                topic=curie,
                property=asked,
                other=row["id"],
                other_type=row["type"],
                other_name=row["name"],
                assertion=row["assertion"],
                sources=tuple(row["sources"]),
                references=tuple(row["refs"]),
                frequency=row["frequency"],
                trust=row["trust"],
                score=self._score(row),
                cypher=cypher,
            )
            for row in rows
        ]

    def _score(self, row: Mapping[str, Any]) -> float:
        frequency = 0.5 if row["frequency"] is None else row["frequency"]
        cited = 1 + log10(1 + len(row["refs"]))
        known = 1 + 0.5 * log10(1 + self.adjacency.degree(row["id"]))
        return float(row["trust"] * cited * (0.5 + 0.5 * frequency) * known)


def fact_cypher(curie: str, type_name: str, asked: Property) -> str:
    """The statement that reads one property of one entity."""
    left, right = ("-", "->") if asked.side == "subject" else ("<-", "-")
    quoted = curie.replace("\\", "\\\\").replace("'", "\\'")
    return (
        f"MATCH (n:{type_name} {{id: '{quoted}'}}){left}[r:{asked.predicate}]{right}(o) "
        "RETURN o.id AS id, label(o) AS type, o.name AS name, r.assertion_id AS assertion, "
        "r.sources AS sources, r.references AS refs, r.frequency AS frequency, r.trust AS trust "
        f"ORDER BY trust DESC, frequency DESC, id LIMIT {_MOST_ROWS}"
    )
