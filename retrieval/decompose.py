"""Decomposition along the ontology (IHRAG, algorithm A3): entities × properties → atomic sub-questions.

The paper takes the first three properties of each entity's type, entity by entity, and keeps the first five
sub-questions, so that a third entity gets none. Here the entities take turns, and the properties that the
question's wording asks for replace the type's list; without any, the first three of the list are taken.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import Final

from ontology.schema import Domain
from retrieval.question import Property, Question, SubQuestion, Topic

PROPERTIES_PER_ENTITY: Final = 3
"""IHRAG, algorithm A3."""

MOST_SUBQUESTIONS: Final = 5
"""IHRAG, algorithm A3."""


def decompose(question: Question, domain: Domain) -> list[SubQuestion]:
    """At most five sub-questions, one entity after the other in turn."""
    columns = [_of_topic(topic, question, domain) for topic in question.topics]
    turns = (item for row in zip_longest(*columns) for item in row if item is not None)
    unique = {(sub.topic.id, sub.property): sub for sub in turns}
    return list(unique.values())[:MOST_SUBQUESTIONS]


def _of_topic(topic: Topic, question: Question, domain: Domain) -> list[SubQuestion]:
    listed = [Property(predicate, side) for predicate, side in domain.types[topic.type].properties]
    chosen = list(topic.asked) or listed[:PROPERTIES_PER_ENTITY]
    return [
        SubQuestion(topic, item, templates[question.lang].format(entity=topic.label))
        for item in chosen[: len(listed)]
        if (templates := domain.predicates[item.predicate].ask.get(item.side))
    ]
