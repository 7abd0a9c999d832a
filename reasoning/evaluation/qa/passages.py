"""Support from passages: how strongly what is retrieved for a question speaks of an answer.

    score(option) = Σ over passages that mention it  exp(score(passage) - score(best passage))       (our choice)

A passage mentions an answer when its text has the name, or the release has linked one of its entities there. For a
statement it has to mention both ends; a sentence that names both with a word of negation counts against it. The
query is the question alone, without its entities: what plain lexical and dense retrieval know.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp
from typing import Final

from ontology.reading.text import language, normal_form, sentences
from reasoning.evaluation.qa.found import Found, Piece
from reasoning.evaluation.qa.heard import Heard, Hypothesis, denies
from retrieval.passage import Passage
from retrieval.preset import load_preset
from retrieval.question import Question
from retrieval.retrieve import Retriever

PASSAGES: Final = 16
"""SEMA-RAG's k."""


@dataclass(frozen=True)
class PassageSupport:
    """Retrieves and reads the passages of one release."""

    retriever: Retriever

    def find(self, heard: Heard) -> Found:
        """Support of every hypothesis."""
        passages = self.retriever.passages.ranked(replace(heard.question, topics=()), load_preset(), PASSAGES)
        pieces = tuple(Piece((passage.chunk,), f"{passage.title}: {passage.text}") for passage in passages)
        topic = _topic(heard.question) if heard.statement else None
        ends = [*heard.hypotheses.values(), *([topic] if topic else [])]
        mentions = self._mentions(passages, frozenset(c for end in ends for c in end.entities))
        scores, cited = {}, {}
        for name, hypothesis in heard.hypotheses.items():
            total, ids = 0.0, []
            for passage in passages:
                linked = mentions.get(passage.chunk, frozenset())
                if all(_mentioned(end, passage, linked) for end in (hypothesis, topic) if end):
                    weight = exp(passage.score - passages[0].score)
                    total += -weight if topic and _denied(topic, hypothesis, passage) else weight
                    ids.append(passage.chunk)
            scores[name], cited[name] = round(total, 9), tuple(ids)
        return Found(scores, cited, pieces, queries=1, rounds=1)

    def _mentions(self, passages: Sequence[Passage], entities: frozenset[str]) -> dict[str, frozenset[str]]:
        """Which of these entities the release has linked in each passage."""
        if not passages or not entities:
            return {}
        rows = self.retriever.store.rows(
            "MATCH (c:Chunk)-[:MENTIONS]->(n) WHERE c.id IN $ids AND n.id IN $entities "
            "RETURN c.id AS chunk, collect(n.id) AS entities",
            {"ids": [passage.chunk for passage in passages], "entities": sorted(entities)},
        )
        return {row["chunk"]: frozenset(row["entities"]) for row in rows}


def _topic(question: Question) -> Hypothesis | None:
    """The first end of a statement."""
    if not question.topics:
        return None
    (topic,) = question.topics
    return Hypothesis((topic.text, topic.label), frozenset(curie for curie, _ in topic.group))


def _mentioned(end: Hypothesis, passage: Passage, linked: frozenset[str]) -> bool:
    return bool(end.entities & linked) or _named(end, f"{passage.title}\n{passage.text}")


def _denied(one: Hypothesis, other: Hypothesis, passage: Passage) -> bool:
    """Whether a sentence names both ends and denies."""
    return any(
        _named(one, sentence) and _named(other, sentence) and denies(sentence, language(sentence))
        for start, end in sentences(passage.text)
        if (sentence := passage.text[start:end])
    )


def _named(end: Hypothesis, text: str) -> bool:
    """Whether a text has one of the names: as words of their own, in Chinese anywhere."""
    form = normal_form(text)
    for name in map(normal_form, end.names):
        pattern = re.escape(name) if language(name) == "zh" else rf"(?<!\w){re.escape(name)}(?!\w)"
        if name and re.search(pattern, form):
            return True
    return False
