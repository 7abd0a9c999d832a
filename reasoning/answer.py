"""The extractive answer: sentences made from statements, quotes from passages, every one of them cited.

Nothing is said that is not an edge or a passage of the release. Statements are rendered with the sentence
templates of the ontology file in the question's language; quotes stay in their own language and say which.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from kg_build.index.text import tokens
from ontology.reading.terminology import Terminology
from ontology.reading.text import sentences
from ontology.schema import Domain, Lang
from ontology.trace import Trace
from reasoning.cite import Verifier
from reasoning.interpret import Interpreter
from retrieval.channels.graph import Fact
from retrieval.question import Question, SubQuestion, Topic
from retrieval.retrieve import Passage, Retriever

OBJECTS_PER_SENTENCE: Final = 8
QUOTES: Final = 3
LONGEST_QUOTE: Final = 400
SHORTEST_QUOTE: Final = 15
"""Characters: shorter lines are headings and fragments (our choice)."""


@dataclass(frozen=True)
class Citation:
    """What a sentence rests on.

    Attributes:
        number: as cited in the text, from 1.
        kind: a statement of the graph, or a passage.
        id: assertion id or chunk id.
        title: the statement in words, or the document's title and section.
        sources: keys of the sources.
        references: what the sources cite.
        cypher: the statement that returns the fact, or empty.
        quote: the quoted words, or empty.
        lang: language of the quote.
    """

    number: int
    kind: Literal["statement", "passage"]
    id: str
    title: str
    sources: tuple[str, ...]
    references: tuple[str, ...]
    cypher: str = ""
    quote: str = ""
    lang: str = ""


@dataclass(frozen=True)
class Sentence:
    """One sentence of the answer, what it answers, and the numbers of its citations."""

    text: str
    answers: str
    citations: tuple[int, ...]


@dataclass(frozen=True)
class Answer:
    """The answer with its evidence and trace.

    Attributes:
        question: as interpreted.
        sentences: in reading order; empty when `insufficient` says why.
        citations: in the order of their numbers.
        insufficient: why there is no answer, or empty.
        unanswered: sub-questions for which the graph has nothing.
        removed: citations that failed verification, and were left out.
        trace: the stages.
    """

    question: Question
    sentences: list[Sentence]
    citations: list[Citation]
    insufficient: str
    unanswered: list[str]
    removed: int
    trace: Trace


@dataclass
class _Draft:
    """Sentences and citations while they are collected."""

    sentences: list[Sentence] = field(default_factory=list)
    citations: list[Citation] = field(default_factory=list)
    removed: int = 0


@dataclass(frozen=True)
class Answerer:
    """Answers questions against one release, without a language model."""

    interpreter: Interpreter
    retriever: Retriever
    verifier: Verifier
    terminology: Terminology
    domain: Domain

    def ask(self, text: str) -> Answer:
        """Answer a question.

        Raises:
            ClewError: EMPTY_INPUT, BAD_INPUT.
        """
        trace = Trace()
        with trace.stage("interpret") as details:
            question = self.interpreter.interpret(text)
            details["entities"] = [f"{topic.id} {topic.label}" for topic in question.topics]
            details["asked"] = [f"{p.predicate}/{p.side}" for topic in question.topics for p in topic.asked]
        evidence = self.retriever.retrieve(question, trace)
        draft = _Draft()
        with trace.stage("answer") as details:
            for sub_question, facts in evidence.facts:
                self._state(sub_question, facts, question.lang, draft)
            for passage in evidence.passages:
                if sum(citation.kind == "passage" for citation in draft.citations) < QUOTES:
                    self._quote(passage, question, draft)
            details.update(sentences=len(draft.sentences), citations=len(draft.citations), removed=draft.removed)
        unanswered = [sub.text for sub, facts in evidence.facts if not facts]
        return Answer(
            question,
            draft.sentences,
            draft.citations,
            _insufficient(question, draft),
            unanswered,
            draft.removed,
            trace,
        )

    def _state(self, sub: SubQuestion, facts: Sequence[Fact], lang: Lang, draft: _Draft) -> None:
        """One sentence for the facts of a sub-question."""
        template = self.domain.predicates[sub.property.predicate].say.get(sub.property.side)
        kept = []
        for fact in facts[:OBJECTS_PER_SENTENCE]:
            if self.verifier.statement(fact.assertion):
                kept.append(fact)
            else:
                draft.removed += 1
        if not kept or template is None:
            return
        numbers, parts = [], []
        for fact in kept:
            other = self._name(fact.other, lang, fact.other_name)
            title = template[lang].format(entity=self._name(fact.topic, lang, sub.topic.label), others=other)
            numbers.append(_cite(draft, fact, title))
            parts.append(f"{other}{_frequency(fact, lang)} [{numbers[-1]}]")
        others = ("、" if lang == "zh" else ", ").join(parts)
        text = template[lang].format(entity=sub.topic.label, others=others)
        draft.sentences.append(Sentence(text, sub.text, tuple(numbers)))

    def _quote(self, passage: Passage, question: Question, draft: _Draft) -> None:
        """The sentence of a passage that is nearest to the question, word for word."""
        names = [name for topic in question.topics for name in self._names_of(topic)]
        quote = best_sentence(passage.text, question.text, names)
        if not quote:
            return
        if not self.verifier.quote(passage.chunk, quote):
            draft.removed += 1
            return
        number = len(draft.citations) + 1
        where = " › ".join(part for part in (passage.title, passage.section) if part and part != passage.title)
        draft.citations.append(
            Citation(
                number,
                "passage",
                passage.chunk,
                where or passage.title,
                (passage.source,),
                (passage.reference,),
                quote=quote,
                lang=passage.lang,
            )
        )
        draft.sentences.append(Sentence(_introduced(quote, passage, question.lang, number), question.text, (number,)))

    def _names_of(self, topic: Topic) -> list[str]:
        """The topic as written, and its labels and exact synonyms in both languages."""
        senses = [sense for curie, _ in topic.group for sense in self.terminology.by_id(curie)]
        return [topic.text, *(s.text for s in senses if s.kind in ("label", "exact") and len(s.text) > 1)]

    def _name(self, curie: str, lang: Lang, fallback: str) -> str:
        """The name of an entity in a language, or the one the graph has."""
        senses = [s for s in self.terminology.by_id(curie) if s.lang == lang and s.kind in ("label", "exact")]
        labels = [s for s in senses if s.kind == "label"] or senses
        return labels[0].text if labels else fallback


def best_sentence(text: str, question: str, names: Sequence[str]) -> str:
    """The sentence of a text that is nearest to a question, word for word; empty when none is near enough.

    When the question is about entities, only a sentence that names one of them is near enough. Otherwise it has
    to share half of the question's words, and at least two.

    Args:
        text: the passage.
        question: the question.
        names: names of the question's entities, in any language.
    """
    wanted = set(tokens(question))
    lowered = [name.lower() for name in names]
    best, best_shared = "", -1
    for start, end in sentences(text):
        sentence = text[start:end]
        if not SHORTEST_QUOTE <= len(sentence) <= LONGEST_QUOTE or sentence.startswith(("#", "|")):
            continue
        shared = len(wanted & set(tokens(sentence)))
        near = any(name in sentence.lower() for name in lowered) if names else shared >= max(2, len(wanted) / 2)
        if near and shared > best_shared:
            best, best_shared = sentence, shared
    return best


def _cite(draft: _Draft, fact: Fact, title: str) -> int:
    number = len(draft.citations) + 1
    draft.citations.append(
        Citation(number, "statement", fact.assertion, title, fact.sources, fact.references, cypher=fact.cypher)
    )
    return number


def _frequency(fact: Fact, lang: Lang) -> str:
    if fact.frequency is None:
        return ""
    share = f"{fact.frequency:.0%}"
    return f"（{share}）" if lang == "zh" else f" ({share})"


def _introduced(quote: str, passage: Passage, lang: Lang, number: int) -> str:
    year = f", {passage.year}" if passage.year else ""
    if lang == "zh":
        original = "（英文原文）" if passage.lang == "en" else ""
        return f"《{passage.title}》{original}：“{quote}” [{number}]"
    original = " (Chinese original)" if passage.lang == "zh" else ""
    return f"{passage.title}{year}{original}: “{quote}” [{number}]"


def _insufficient(question: Question, draft: _Draft) -> str:
    if draft.sentences:
        return ""
    if not question.topics:
        return {
            "en": "Not enough evidence: no entity of the graph was recognised, and no passage is near enough.",
            "zh": "证据不足：问题中没有识别出图谱中的实体，也没有足够接近的文献段落。",
        }[question.lang]
    names = ", ".join(topic.label for topic in question.topics)
    return {
        "en": f"Not enough evidence: {names} is in the graph, but neither a statement nor a passage answers this.",
        "zh": f"证据不足：图谱中有{names}，但没有能回答该问题的陈述或段落。",
    }[question.lang]
