"""A question as it travels: what was asked, about which entities, for which of their properties."""

from __future__ import annotations

from dataclasses import dataclass

from ontology.schema import Lang, Side


@dataclass(frozen=True)
class Property:
    """A property of an entity: a predicate and the side the entity stands on."""

    predicate: str
    side: Side


@dataclass(frozen=True)
class Topic:
    """An entity the question is about.

    Attributes:
        id: CURIE of the entity meant: of those that bear the name, the one the graph knows most about.
        type: its type.
        label: its name in the question's language where it has one.
        text: the name as written in the question.
        group: (CURIE, type) of the entities that are read together: the entity itself, others with exactly this
            name, and what an accepted `same_as` leads to from these in one step.
        asked: properties that the wording asks for, strongest first.
        ones: the members that count as one thing, because every pair of them is accepted as the same; a member that
            is in none of them stands for itself.
    """

    id: str
    type: str
    label: str
    text: str
    group: tuple[tuple[str, str], ...]
    asked: tuple[Property, ...]
    ones: tuple[tuple[str, ...], ...] = ()

    def one(self, curie: str) -> str:
        """The first of those that count as one with an entity; the entity itself when it stands for itself."""
        return next((ones[0] for ones in self.ones if curie in ones), curie)


@dataclass(frozen=True)
class Question:
    """The interpreted question.

    Attributes:
        text: as asked.
        lang: its language.
        topics: entities in the order in which they are named.
        compared: whether the wording compares.
        negated: whether the wording asks for what is not.
        constraints: words that narrow the question (age, pregnancy, …) as written.
        hops: relations that the wording asks for and none of the entities has by itself.
    """

    text: str
    lang: Lang
    topics: tuple[Topic, ...]
    compared: bool
    negated: bool
    constraints: tuple[str, ...]
    hops: int = 0

    @property
    def asks_relation(self) -> bool:
        """Whether the wording asks for something that stands in a relation to the entities, and not for themselves."""
        return bool(self.hops or any(item.predicate != "subclass_of" for topic in self.topics for item in topic.asked))


@dataclass(frozen=True)
class SubQuestion:
    """An atomic sub-question: one property of one entity."""

    topic: Topic
    property: Property
    text: str
