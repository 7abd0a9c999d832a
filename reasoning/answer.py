"""The extractive answer: sentences made from statements, quotes from passages, every one of them cited.

Nothing is said that is not an edge or a passage of the release. Statements are rendered with the sentence
templates of the ontology file in the question's language; quotes stay in their own language and say which.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from kg_build.index.text import tokens
from ontology.reading.terminology import Terminology
from ontology.reading.text import sentences
from ontology.schema import Domain, Lang
from ontology.trace import Trace
from reasoning.arms import Arm, preset_of
from reasoning.cite import Verifier
from reasoning.draft import Citation, Draft, Sentence
from reasoning.interpret import Interpreter
from reasoning.say import Teller, names_of
from retrieval.channels.graph import Fact
from retrieval.passage import Passage
from retrieval.preset import Preset
from retrieval.question import Question, SubQuestion, Topic
from retrieval.retrieve import Evidence, Retriever

OBJECTS_PER_SENTENCE: Final = 8
QUOTES: Final = 3
LONGEST_QUOTE: Final = 400
_LIST_MARK: Final = re.compile(r"^(?:[-*•]\s+)+")
_SHORTEST_NAME: Final = 4
"""Letters: shorter English names are mostly abbreviations that other things share (our choice)."""

SHORTEST_QUOTE: Final = 10
"""Characters: shorter lines are headings and fragments (our choice)."""


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
        arm: how evidence was looked for.
        preset: name of the preset with what was left out; empty where the arm has none.
    """

    question: Question
    sentences: list[Sentence]
    citations: list[Citation]
    insufficient: str
    unanswered: list[str]
    removed: int
    trace: Trace
    arm: Arm = "hybrid"
    preset: str = "default"


@dataclass(frozen=True)
class Answerer:
    """Answers questions against one release, without a language model."""

    interpreter: Interpreter
    retriever: Retriever
    verifier: Verifier
    terminology: Terminology
    domain: Domain

    def ask(self, text: str, *, preset: Preset | None = None, arm: Arm = "hybrid") -> Answer:
        """Answer a question.

        Args:
            text: the question.
            preset: the parameters of retrieval, in place of those of the arm; not looked at where the arm has none.
            arm: how evidence is looked for.

        Raises:
            ClewError: EMPTY_INPUT, BAD_INPUT.
        """
        own = preset_of(arm)
        used = own and (preset or own)
        trace = Trace()
        with trace.stage("interpret") as details:
            question = self.interpreter.interpret(text)
            details["entities"] = [f"{topic.id} {topic.label}" for topic in question.topics]
            details["asked"] = [f"{p.predicate}/{p.side}" for topic in question.topics for p in topic.asked]
        evidence = self._evidence(question, trace, arm, used)
        draft = Draft()
        with trace.stage("answer") as details:
            for passage in evidence.passages:
                if _defines(passage, question):
                    self._quote(passage, question, draft)
            if _open(question):  # nothing the graph holds was asked for: passages are nearer
                self._quote_best(evidence.passages, question, draft)
            for sub_question, facts in evidence.facts:
                self._state(sub_question, facts, question.lang, draft)
            teller = Teller(self.terminology, self.verifier, self.domain, question)
            for sub_question, answers in evidence.chains:
                teller.indirect(sub_question, answers, draft)
            for summary in evidence.communities:
                teller.community(summary, draft)
            if not _open(question):
                self._quote_best(evidence.passages, question, draft)
            details.update(sentences=len(draft.sentences), citations=len(draft.citations), removed=draft.removed)
        indirect = {sub.text for sub, _ in evidence.chains}
        unanswered = [sub.text for sub, facts in evidence.facts if not facts and sub.text not in indirect]
        return Answer(
            question,
            draft.sentences,
            draft.citations,
            _insufficient(question, draft, arm),
            unanswered,
            draft.removed,
            trace,
            arm,
            used.name if used else "",
        )

    def _evidence(self, question: Question, trace: Trace, arm: Arm, preset: Preset | None) -> Evidence:
        if arm == "graphrag":
            return self.retriever.communities(question, trace)
        return self.retriever.retrieve(question, trace, preset) if preset else Evidence([], [])

    def _state(self, sub: SubQuestion, facts: Sequence[Fact], lang: Lang, draft: Draft) -> None:
        """One sentence for each entity that the facts of a sub-question speak of."""
        template = self.domain.predicates[sub.property.predicate].say.get(sub.property.side)
        if template is None:
            return
        by_subject: dict[tuple[str, str], list[Fact]] = {}
        foreign_last = sorted(facts, key=lambda fact: not self._names(fact.other, lang))
        for fact in foreign_last[:OBJECTS_PER_SENTENCE]:
            if self.verifier.statement(fact.assertion):
                subject = sub.topic.one(fact.topic), self._subject(fact, sub.topic, lang)
                by_subject.setdefault(subject, []).append(fact)
            else:
                draft.removed += 1
        for (one, name), kept in by_subject.items():
            subject_text = self._told_apart(one, name, by_subject, sub.topic, lang)
            numbers, parts = [], []
            for fact in kept:
                other = (self._names(fact.other, lang) or [fact.other_name])[0]
                numbers.append(_cite(draft, fact, template[lang].format(entity=subject_text, others=other)))
                parts.append(f"{other}{_frequency(fact, lang)} [{numbers[-1]}]")
            others = ("、" if lang == "zh" else ", ").join(parts)
            text = template[lang].format(entity=subject_text, others=others)
            draft.sentences.append(Sentence(text, sub.text, tuple(numbers)))

    def _told_apart(self, one: str, name: str, subjects: Iterable[tuple[str, str]], topic: Topic, lang: Lang) -> str:
        """A name; with the type, or the id, where another subject that is not the same bears it too."""
        types = dict(topic.group)
        namesakes = [types.get(other) for other, borne in subjects if borne == name]
        if len(namesakes) == 1:
            return name
        of_type = types.get(one)
        mark = getattr(self.domain.types[of_type], lang) if of_type and namesakes.count(of_type) == 1 else one
        return f"{name}（{mark}）" if lang == "zh" else f"{name} ({mark})"

    def _quote_best(self, passages: Sequence[Passage], question: Question, draft: Draft) -> None:
        """Quotes from the best passages that are not definitions, up to the limit."""
        for passage in passages:
            if passage.kind != "definition" and _quotes(draft) < QUOTES:
                self._quote(passage, question, draft)

    def _quote(self, passage: Passage, question: Question, draft: Draft) -> None:
        """The sentence of a passage that is nearest to the question, word for word."""
        if _defines(passage, question):
            quote = passage.text[:LONGEST_QUOTE]
        else:
            names = [name for topic in question.topics for name in self._names_of(topic)]
            quote = best_sentence(passage.text, question.text, names, heading=passage.section)
        if not quote or any(quote == citation.quote for citation in draft.citations):
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
        exact = [s.text for s in senses if s.kind in ("label", "exact")]
        return [topic.text, *(name for name in exact if len(name) >= (_SHORTEST_NAME if name.isascii() else 2))]

    def _names(self, curie: str, lang: Lang) -> list[str]:
        return names_of(self.terminology, curie, lang)

    def _subject(self, fact: Fact, topic: Topic, lang: Lang) -> str:
        """What a sentence calls the entity a fact speaks of: its own label, or the question's name for it."""
        labels = [s.text for s in self.terminology.by_id(fact.topic) if s.lang == lang and s.kind == "label"]
        names = labels or self._names(fact.topic, lang)
        borne = topic.label.casefold() in (name.casefold() for name in names)
        return topic.label if borne or not names else names[0]


def _defines(passage: Passage, question: Question) -> bool:
    """Whether a passage is the definition of an entity of the question."""
    return passage.kind == "definition" and any(
        passage.reference == curie for topic in question.topics for curie, _ in topic.group
    )


def _open(question: Question) -> bool:
    """Whether the wording asks for no property of the graph, beyond what a thing is."""
    return all(item.predicate == "subclass_of" for topic in question.topics for item in topic.asked)


def _quotes(draft: Draft) -> int:
    return sum(citation.kind == "passage" for citation in draft.citations)


def best_sentence(text: str, question: str, names: Sequence[str], *, heading: str = "") -> str:
    """The sentence of a text that is nearest to a question, word for word; empty when none is near enough.

    When the question is about entities, a sentence is near if it names one of them, or if its heading does and it
    shares, with its heading, another word with the question. Otherwise it has to share half of the question's
    words, and at least two.

    Args:
        text: the passage.
        question: the question.
        names: names of the question's entities, in any language.
        heading: headings the passage stands under.
    """
    patterns = [_word_pattern(name) for name in names]
    wanted = set(tokens(question))
    other = wanted - {token for name in names for token in tokens(name)}
    titled, above = any(pattern.search(heading) for pattern in patterns), set(tokens(heading))
    best, best_shared = "", -1
    for start, end in sentences(text):
        sentence = _LIST_MARK.sub("", text[start:end])
        if not SHORTEST_QUOTE <= len(sentence) <= LONGEST_QUOTE or sentence.startswith(("#", "|")):
            continue
        words = set(tokens(sentence))
        shared = len(wanted & words)
        if names:
            near = any(p.search(sentence) for p in patterns) or (titled and bool(other & (words | above)))
        else:
            near = shared >= max(2, len(wanted) / 2)
        if near and shared > best_shared and not sentence.endswith((":", "：")):
            best, best_shared = sentence, shared
    return best


def _word_pattern(name: str) -> re.Pattern[str]:
    """A name as a whole word where its script has words."""
    edges = r"\b" if name.isascii() else ""
    return re.compile(rf"{edges}{re.escape(name)}{edges}", re.IGNORECASE)


def _cite(draft: Draft, fact: Fact, title: str) -> int:
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


def _insufficient(question: Question, draft: Draft, arm: Arm) -> str:
    if draft.sentences:
        return ""
    if arm == "none":
        return {
            "en": "Nothing is answered: the arm none uses no evidence, and without evidence nothing is said.",
            "zh": "不作回答：none 方式不使用任何证据，而没有证据就不下结论。",
        }[question.lang]
    if arm != "hybrid":
        return {
            "en": f"Not enough evidence: what the arm {arm} looks at does not answer this.",
            "zh": f"证据不足：{arm} 方式所查阅的内容不能回答该问题。",
        }[question.lang]
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
