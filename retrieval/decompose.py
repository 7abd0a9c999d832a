"""Decomposition along the ontology (IHRAG, algorithm A3): entities × properties → atomic sub-questions.

The paper takes the first three properties of each entity's type, entity by entity, and keeps the first five
sub-questions, so that a third entity gets none (`one by one`, `of the type`). The default lets the entities take
turns, and the properties that the question's wording asks for replace the type's list; without any, the first three of
the list are taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, zip_longest

from ontology.schema import Domain
from retrieval.preset import Decomposition
from retrieval.question import Property, Question, SubQuestion, Topic


def decompose(question: Question, domain: Domain, how: Decomposition) -> list[SubQuestion]:
    """The sub-questions of a question, at most as many as the preset says; none when it does not decompose."""
    if not how.on:
        return []
    columns = [_of_topic(topic, question, domain, how) for topic in question.topics]
    ordered = _in_turn(columns) if how.order == "in turn" else chain.from_iterable(columns)
    unique = {(sub.topic.id, sub.property): sub for sub in ordered}
    return list(unique.values())[: how.most]


def _in_turn(columns: list[list[SubQuestion]]) -> Iterator[SubQuestion]:
    return (item for row in zip_longest(*columns) for item in row if item is not None)


def _of_topic(topic: Topic, question: Question, domain: Domain, how: Decomposition) -> list[SubQuestion]:
    listed = [Property(predicate, side) for predicate, side in domain.types[topic.type].properties]
    asked = list(topic.asked) if how.properties == "asked" else []
    chosen = asked[: len(listed)] or listed[: how.per_entity]
    return [
        SubQuestion(topic, item, templates[question.lang].format(entity=topic.label))
        for item in chosen
        if (templates := domain.predicates[item.predicate].ask.get(item.side))
    ]
