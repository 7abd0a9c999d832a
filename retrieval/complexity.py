"""The router's measure: how much a question asks (IHRAG, algorithm A2).

The paper routes a question with complexity below a threshold to dense retrieval only and decomposes the others;
it does not publish the measure. Ours counts what an answer has to bring together:

    complexity =   1 per entity                     each has evidence of its own
                 + 1 per property asked for         each is a sub-question
                 + 1 per hop                        a relation asked for that no entity of the question has by itself
                 + 2 if it compares                 what is common has to be set against what is not
                 + 1 if it negates                  what is not the case has to be known too
                 + 1 per constraint                 age, pregnancy, … narrow every answer              (our choice)

IHRAG's threshold is 5. With ours, a question about one property of one entity scores 2, and such questions are
what a graph answers best: so the default sends everything with a linked entity to the graph as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from retrieval.hit import Channel
from retrieval.preset import Router
from retrieval.question import Question

Route = Literal["passages", "graph and passages"]


@dataclass(frozen=True)
class Complexity:
    """The terms of the sum."""

    entities: int
    properties: int
    hops: int
    comparison: int
    negation: int
    constraints: int

    @property
    def total(self) -> int:
        """The sum."""
        return self.entities + self.properties + self.hops + self.comparison + self.negation + self.constraints


def complexity(question: Question) -> Complexity:
    """Measure a question; see the module's text."""
    return Complexity(
        entities=len(question.topics),
        properties=sum(len(topic.asked) for topic in question.topics),
        hops=question.hops,
        comparison=2 if question.compared else 0,
        negation=1 if question.negated else 0,
        constraints=len(question.constraints),
    )


def route(question: Question, router: Router) -> Route:
    """Where a question goes: passages only below the threshold or without an entity, else also the graph."""
    if not question.topics or complexity(question).total < router.threshold:
        return "passages"
    return "graph and passages"


def channels_of(question: Question, router: Router) -> tuple[Channel, ...]:
    """The channels that a question is searched with."""
    return router.below if route(question, router) == "passages" else router.above
