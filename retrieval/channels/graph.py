"""The graph channel: sub-questions become Cypher, rows become facts.

One statement per entity of a topic's group, with explicit types; the store gets it with the id as a parameter, because
planning it takes longer than running it, and a fact shows it with the id written out, so that it can be run again.
Facts are ranked by

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
from retrieval.question import Property, SubQuestion

_CARRIERS: Final = ("氯化钠", "葡萄糖", "注射用水", "果糖", "木糖醇")
"""What infusions of other drugs are made up with, and named after."""

_PARAMETER: Final = "$id"

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
class Statement:
    """A statement that reads facts.

    Attributes:
        sub_question: the place of its sub-question.
        entity: the one it is about.
        asked: itself, with the entity's id as a parameter.
        cypher: itself, with the id written out.
    """

    sub_question: int
    entity: str
    asked: str
    cypher: str


@dataclass(frozen=True)
class GraphChannel:
    """Reads facts from the store."""

    store: GraphStore
    adjacency: Adjacency
    domain: Domain

    def facts(self, sub_questions: Sequence[SubQuestion]) -> list[tuple[SubQuestion, list[Fact]]]:
        """The facts of each sub-question, best first; of members of a group that count as one, one per other end.

        All sub-questions are read in one round trip; a second one reads the products of drugs without facts.
        """
        found = self._read(sub_questions, fact_statements(sub_questions, self.domain))
        facts = [_one_each(sub, own) for sub, own in zip(sub_questions, found, strict=True)]
        silent = [sub for sub, own in zip(sub_questions, facts, strict=True) if not own]
        by_product = self._read(silent, product_statements(silent, self.domain)) if silent else []
        shared = {sub: _most_shared(own) for sub, own in zip(silent, by_product, strict=True)}
        return [
            (sub, sorted(own or shared[sub], key=lambda fact: (-fact.score, fact.other, fact.topic)))
            for sub, own in zip(sub_questions, facts, strict=True)
        ]

    def _read(self, sub_questions: Sequence[SubQuestion], statements: Sequence[Statement]) -> list[list[Fact]]:
        """The facts that some statements find, for each sub-question; one round trip, none without a statement."""
        found: list[list[Fact]] = [[] for _ in sub_questions]
        read = self.store.many([(one.asked, one.entity) for one in statements]) if statements else []
        for one, rows in zip(statements, read, strict=True):
            asked = sub_questions[one.sub_question].property
            found[one.sub_question] += (
                self._fact(row, row.get("product", one.entity), asked, one.cypher) for row in rows
            )
        return found

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


def _one_each(sub_question: SubQuestion, facts: Sequence[Fact]) -> Collection[Fact]:
    """Of members of the topic's group that count as one, the best fact per other end."""
    found: dict[tuple[str, str], Fact] = {}
    for fact in facts:
        key = sub_question.topic.one(fact.topic), fact.other
        if key not in found or fact.score > found[key].score:
            found[key] = fact
    return found.values()


def _most_shared(facts: Sequence[Fact]) -> Collection[Fact]:
    """What most products share counts most; each is said of the product that most is known of."""
    products = Counter(fact.other for fact in facts)
    known = Counter(fact.topic for fact in facts)
    found: dict[str, Fact] = {}
    for fact in sorted(facts, key=lambda fact: (-known[fact.topic], fact.topic)):
        share = products[fact.other] / len(known)
        found.setdefault(fact.other, replace(fact, score=fact.score * share))
    return found.values()


def fact_statements(sub_questions: Sequence[SubQuestion], domain: Domain) -> list[Statement]:
    """A statement for each member of a topic's group that can have the property, and for each side that it can have."""
    found = []
    for at, sub in enumerate(sub_questions):
        predicate = domain.predicates[sub.property.predicate]
        sides: tuple[Side, ...] = ("subject", "object") if predicate.symmetric else (sub.property.side,)
        for curie, type_name in sub.topic.group:
            if predicate.takes(type_name, sub.property.side):
                for one in (Property(sub.property.predicate, side) for side in sides):
                    asked = _fact_cypher(_PARAMETER, type_name, one)
                    found.append(Statement(at, curie, asked, fact_cypher(curie, type_name, one)))
    return found


def product_statements(sub_questions: Sequence[SubQuestion], domain: Domain) -> list[Statement]:
    """A statement for each drug, of the products that contain it, for the side that the drug stands on as a subject."""
    return [
        Statement(at, curie, _product_cypher(_PARAMETER, sub.property), product_cypher(curie, sub.property))
        for at, sub in enumerate(sub_questions)
        if sub.property.side == "subject" and domain.predicates[sub.property.predicate].takes("Drug", "subject")
        for curie, type_name in sub.topic.group
        if type_name == "Drug"
    ]


def fact_cypher(curie: str, type_name: str, asked: Property) -> str:
    """The statement that reads one property of one entity."""
    return _fact_cypher(literal(curie), type_name, asked)


def product_cypher(curie: str, asked: Property) -> str:
    """The statement that reads one property of the products that contain a drug."""
    return _product_cypher(literal(curie), asked)


def _fact_cypher(identifier: str, type_name: str, asked: Property) -> str:
    left, right = ("-", "->") if asked.side == "subject" else ("<-", "-")
    pattern = f"(n:{type_name} {{id: {identifier}}}){left}[r:{asked.predicate}]{right}(o)"
    return f"MATCH {pattern} RETURN {_RETURNED} {_MOST_ROWS}"


def _product_cypher(identifier: str, asked: Property) -> str:
    return (
        f"MATCH (n:Drug {{id: {identifier}}})<-[:has_ingredient]-(p:Drug)-[r:{asked.predicate}]->(o) "
        f"WHERE p.name STARTS WITH n.name OR (p.name CONTAINS n.name AND NOT n.name IN {list(_CARRIERS)}) "
        f"RETURN p.id AS product, {_RETURNED} {_MOST_PRODUCT_ROWS}"
    )
