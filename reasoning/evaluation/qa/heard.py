"""What is heard in a question with options: its entities, and which entities each answer would mean.

An answer that can be right is a *hypothesis*. A multiple choice question has one for each option. A true/false
statement has a single one, that the stated relation holds between the first entity named and one of the others:
negation in the statement's wording is taken out of it and flips the verdict.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from ontology.errors import ClewError
from ontology.reading.text import normal_form
from ontology.schema import Lang
from reasoning.evaluation.qa.case import Item
from reasoning.interpret import Interpreter
from retrieval.question import Question, Topic

HOLDS: Final = "holds"
"""The hypothesis of a statement."""

LONGEST: Final = 2000
"""Characters that the interpreter reads; of a longer case the end is read, where the question stands (our choice)."""

_IDENTIFIER: Final = re.compile(r"\b[A-Za-z][A-Za-z0-9.]*:[A-Za-z0-9]+\b")
_NEGATION: Final[Mapping[Lang, re.Pattern[str]]] = {
    "en": re.compile(r"\b(not|never|no|cannot|neither)\b|n't\b", re.IGNORECASE),
    "zh": re.compile(r"不(?!良|全|足|适|同|稳|明|孕|育)|并非|没有|无关|未"),
}


@dataclass(frozen=True)
class Hypothesis:
    """An answer that can be right.

    Attributes:
        names: as written, for finding it in passages.
        entities: CURIEs that it may mean; empty when the graph does not know it.
    """

    names: tuple[str, ...]
    entities: frozenset[str]


@dataclass(frozen=True)
class Heard:
    """A question as the arms see it.

    Attributes:
        question: as interpreted; of a statement with its first entity as the only topic.
        hypotheses: by option, or under `HOLDS`.
        statement: whether it is a true/false statement.
        negated: whether the statement denies.
        rarest: least degree of the question's own entities; None without any.
    """

    question: Question
    hypotheses: Mapping[str, Hypothesis]
    statement: bool = False
    negated: bool = False
    rarest: int | None = None


@dataclass(frozen=True)
class Listener:
    """Reads questions against one release."""

    interpreter: Interpreter

    def hear(self, item: Item) -> Heard:
        """Entities and hypotheses of a question.

        Raises:
            ClewError: BAD_INPUT when the text is not Unicode.
        """
        question = self.interpreter.interpret(item.text[-LONGEST:])
        if item.kind == "true/false":
            return self._statement(question)
        hypotheses = {option: Hypothesis((option,), self.entities(option)) for option in item.options}
        return Heard(question, hypotheses, rarest=self._rarest(question.topics))

    def entities(self, name: str) -> frozenset[str]:
        """What a name may mean: all that bear it as a whole, else what is named in it; with what is the same."""
        lookup = self.interpreter.terminology.lookup(name)
        named = {sense.entity for sense in lookup if sense.kind in ("label", "exact")} or {s.entity for s in lookup}
        if not named:
            try:
                named = {curie for topic in self.interpreter.interpret(name).topics for curie, _ in topic.group}
            except ClewError:  # too long, or no text: it names nothing
                named = set()
        return frozenset(named | {other for curie in named for other in self.interpreter.adjacency.same(curie)})

    def bears(self, topic: Topic, name: str) -> bool:
        """Whether an entity that was linked bears a name, in any language and of any kind."""
        wanted = normal_form(name)
        senses = (s for curie, _ in topic.group for s in self.interpreter.terminology.by_id(curie))
        return any(normal_form(sense.text) == wanted for sense in senses)

    def _statement(self, question: Question) -> Heard:
        first, others = question.topics[:1], question.topics[1:]
        names = {topic.text: {curie for curie, _ in topic.group} for topic in others}
        names |= {written: {curie} for written, curie in self._identifiers(question.text).items()}
        hypotheses = {}
        if first and names:
            hypotheses = {HOLDS: Hypothesis(tuple(names), frozenset(c for group in names.values() for c in group))}
        asked = tuple(dict.fromkeys(item for topic in question.topics for item in topic.asked))
        return Heard(
            replace(question, topics=tuple(replace(topic, asked=topic.asked or asked) for topic in first)),
            hypotheses,
            statement=True,
            negated=_negated(question),
            rarest=self._rarest(question.topics),
        )

    def _identifiers(self, text: str) -> dict[str, str]:
        """CURIEs that are written out and that the graph has."""
        found = {}
        for written in _IDENTIFIER.findall(text):
            for curie in (written, written.upper()):
                if self.interpreter.adjacency.index(curie) is not None:
                    found[written] = curie
                    break
        return found

    def _rarest(self, topics: tuple[Topic, ...]) -> int | None:
        return min((self.interpreter.adjacency.degree(topic.id) for topic in topics), default=None)


def _negated(question: Question) -> bool:
    """Whether the wording denies, outside of the names in it; two negations affirm."""
    rest = question.text
    for topic in question.topics:
        rest = rest.replace(topic.text, " ")
    return len(_NEGATION[question.lang].findall(rest)) % 2 == 1


def denies(sentence: str, lang: Lang) -> bool:
    """Whether a sentence has a word of negation in it."""
    return _NEGATION[lang].search(sentence) is not None
