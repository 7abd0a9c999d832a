"""The graph channel: sub-questions become Cypher, rows become facts.

One statement per entity of a topic's group, with explicit types and ids, so that the very statement that found
a fact can be shown and run again. Facts are ranked by

    trust · (1 + log10(1 + references)) · (½ + ½ · frequency) · (1 + ½ · familiarity of the other end)

with an unknown frequency counting as ½. Familiarity is highest for an end with a hundred edges and falls on both
sides: an end with thousands says little (pain, fever), one with a single edge is often a fragment. It decides
where a source gives neither references nor frequencies. All of it is our choice.

A drug's properties are often stated of its products only: when a drug has none of its own, those of the products
that contain it and bear its name are read, and said of the products (a carrier has to stand first in the name);
there the score is multiplied by the share of the products that say the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, log10
from typing import Any, Final

from kg_build.index.adjacency import Adjacency
from kg_build.store.protocol import GraphStore
from ontology.render import literal
from ontology.schema import Domain, Side
from retrieval.question import Property, SubQuestion, Topic

_CARRIERS: Final = ("氯化钠", "葡萄糖", "注射用水", "果糖", "木糖醇")
"""What infusions of other drugs are made up with, and named after."""

_MOST_ROWS: Final = 300
"""Rows read per statement, most trusted first: bounds the work at hubs."""

_MOST_PRODUCT_ROWS: Final = 1000
"""Rows read of a drug's products: common drugs have some 30 products with 40 statements each."""

_RETURNED: Final = (
    "o.id AS id, label(o) AS type, o.name AS name, r.assertion_id AS assertion, r.sources AS sources, "
    "r.references AS refs, r.frequency AS frequency, r.trust AS trust "
    "ORDER BY trust DESC, frequency DESC, id LIMIT"
)


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
    """Reads facts from the store."""

    store: GraphStore
    adjacency: Adjacency
    domain: Domain

    def facts(self, sub_question: SubQuestion, limit: int) -> list[Fact]:
        """The best facts of a sub-question; of members of the topic's group that count as one, one per other end."""
        topic = sub_question.topic
        found: dict[tuple[str, str], Fact] = {}
        for curie, type_name in topic.group:
            for fact in self._read(curie, type_name, sub_question.property):
                key = topic.one(curie), fact.other
                if key not in found or fact.score > found[key].score:
                    found[key] = fact
        facts = found.values() or _most_shared(self._of_products(sub_question))
        return sorted(facts, key=lambda fact: (-fact.score, fact.other, fact.topic))[:limit]

    def _read(self, curie: str, type_name: str, asked: Property) -> list[Fact]:
        predicate = self.domain.predicates[asked.predicate]
        if not predicate.takes(type_name, asked.side):
            return []
        sides: tuple[Side, ...] = ("subject", "object") if predicate.symmetric else (asked.side,)
        statements = [fact_cypher(curie, type_name, Property(asked.predicate, side)) for side in sides]
        return [self._fact(row, curie, asked, cypher) for cypher in statements for row in self.store.rows(cypher)]

    def _of_products(self, sub_question: SubQuestion) -> list[Fact]:
        """Facts of the products that contain a drug, for the side the drug stands on as a subject."""
        asked = sub_question.property
        if asked.side != "subject" or not self.domain.predicates[asked.predicate].takes("Drug", "subject"):
            return []
        facts = []
        for curie, type_name in sub_question.topic.group:
            if type_name == "Drug":
                cypher = product_cypher(curie, asked)
                facts += [self._fact(row, row["product"], asked, cypher) for row in self.store.rows(cypher)]
        return facts

    def _fact(self, row: Mapping[str, Any], topic: str, asked: Property, cypher: str) -> Fact:
        return Fact(
            topic=topic,
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

    def _score(self, row: Mapping[str, Any]) -> float:
        frequency = 0.5 if row["frequency"] is None else row["frequency"]
        cited = 1 + log10(1 + len(row["refs"]))
        familiar = exp(-(((log10(1 + self.adjacency.degree(row["id"])) - 2) / 0.8) ** 2))
        return float(row["trust"] * cited * (0.5 + 0.5 * frequency) * (1 + 0.5 * familiar))


def _most_shared(facts: Sequence[Fact]) -> Collection[Fact]:
    """What most products share counts most; each is said of the product that most is known of."""
    products = Counter(fact.other for fact in facts)
    known = Counter(fact.topic for fact in facts)
    found: dict[str, Fact] = {}
    for fact in sorted(facts, key=lambda fact: (-known[fact.topic], fact.topic)):
        share = products[fact.other] / len(known)
        found.setdefault(fact.other, replace(fact, score=fact.score * share))
    return found.values()


def fact_cypher(curie: str, type_name: str, asked: Property) -> str:
    """The statement that reads one property of one entity."""
    left, right = ("-", "->") if asked.side == "subject" else ("<-", "-")
    pattern = f"(n:{type_name} {{id: {literal(curie)}}}){left}[r:{asked.predicate}]{right}(o)"
    return f"MATCH {pattern} RETURN {_RETURNED} {_MOST_ROWS}"


def product_cypher(curie: str, asked: Property) -> str:
    """The statement that reads one property of the products that contain a drug."""
    return (
        f"MATCH (n:Drug {{id: {literal(curie)}}})<-[:has_ingredient]-(p:Drug)-[r:{asked.predicate}]->(o) "
        f"WHERE p.name STARTS WITH n.name OR (p.name CONTAINS n.name AND NOT n.name IN {list(_CARRIERS)}) "
        f"RETURN p.id AS product, {_RETURNED} {_MOST_PRODUCT_ROWS}"
    )
