"""Finding what passages state: the section rules and the pattern rules.

    passage ──▶ sentences with their mentions ──▶ section rule  (subject of the section, each mention of a fitting type)
                                             ├──▶ pattern rules (two neighbouring groups of mentions, what is between)
                                             └──▶ dependency rules, when asked for (subject and object of a verb)

A statement that the text denies is dropped and counted, not turned round: in prose a denial mostly limits (`does not
always cause`, 一般不引起), and what the graph denies comes from curated NOT rows (our choice).

Evidence is `not_provided` in Biolink's knowledge levels: a rule cannot tell what its author knows from what he reports.

How often new candidates are right was judged by hand, by their quotes, on a release of all sources (candidates that the
graph does not know, in the order of a digest; `scripts/bench_extract --sample`):

    rules                  right  wrong  undecidable
    section, any              26      2            2   mostly lists of findings in MedQuAD; of 8 in Chinese 6 are right
      causes                  12      0            0
      indications             11      0            0
      diagnosis               11      0            1
      treatment               10      2            0
      complications           15      4            1   after tightening: before, 7 of 12 were right
    pattern, any              25      3            2   of 5 in Chinese 3 are right
    dependency                20      2            3   after tightening: before, 15 of 25 were right

Section rules in Chinese were right 7 times in 30 until a mention had to stand by itself and to be an established
entity. Two names that the judged patterns got wrong were then added to those that say too little (`names`), and
sentences that only point elsewhere (`information`) to those that complications leave out. The rules for
contraindications and adverse effects, and most patterns in Chinese, find too little there to be judged one by one. One
person who wrote the rules judged; nobody did so blind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from kg_build.extract.asserted import Asserted
from kg_build.extract.dependencies import Dependencies
from kg_build.extract.names import LEAST_LINK, Names
from kg_build.extract.passages import Found, Passage
from kg_build.extract.phrases import ITEM, LIST_GAP, PHRASES, Phrase
from kg_build.extract.relations import Meaning, Relation, relations
from kg_build.extract.statement import Statement
from kg_build.extract.topics import SEPARATOR, Topic, says_no_more, topic_of
from kg_build.reconcile import Tally
from ontology.model import Assertion, Evidence
from ontology.reading.linker import Linker
from ontology.reading.status import Status, status_of
from ontology.reading.text import language, normal_form, sentences

STATEMENT: Final = "statement"
"""What the tally calls the things that rules find; a passage that none reads is counted under `PASSAGE`."""

PASSAGE: Final = "passage"

LONGEST_SENTENCE: Final = 2000
"""Code points of a sentence that is read (our choice: three passages of the usual size)."""

_DENIED: Final = "the text denies it"
_LONGEST_GAP: Final = 120
_BEFORE: Final = 80
_AFTER: Final = 24
_IF: Final = re.compile(r"\b(?:if|when|unless|should|in case)\b|如|若|一旦|倘|万一", re.IGNORECASE)
"""What makes of a section's mention a supposition (`call a doctor if fever develops`), and no more than that."""

_UNCERTAIN: Final = 0.9
_LONGEST_LIST: Final = 30
"""Members of an enumeration: two of them make 900 pairs (our choice)."""

SECTION, PATTERN, DEPENDENCY = KINDS = "section", "pattern", "dependency"
_CERTAINTY: Final = {SECTION: 0.7, PATTERN: 0.85, DEPENDENCY: 0.75}
"""What a rule's statement is worth before its links are looked at; an order, not a probability (our choice)."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence of a passage with its mentions, whose offsets count from its start."""

    passage: Passage
    start: int
    text: str
    found: tuple[Found, ...]


@dataclass(frozen=True, slots=True)
class _Hit:
    """Two things that a rule relates, before it is looked at what the text says of them."""

    relation: Relation
    subject: Found
    object: Found
    rule: str
    spoken_of: Found


class Rules:
    """Reads passages.

    Args:
        linker: finds other meanings of a name.
        asserted: what the graph says.
        tally: where passages and statements are counted.
        dependencies: reads English sentences in which no phrase is found; None for not at all.
    """

    def __init__(
        self, linker: Linker, asserted: Asserted, tally: Tally, dependencies: Dependencies | None = None
    ) -> None:
        self._dependencies = dependencies
        self._names = Names(linker, asserted)
        self._asserted = asserted
        self._tally = tally

    def read(self, passages: Iterable[Passage], types: Callable[[str], str]) -> Iterator[Statement]:
        """Yield what the passages state; all is counted.

        Args:
            passages: to read.
            types: entity -> type.
        """
        for passage in passages:
            self._tally.read(PASSAGE)
            stated = list(self._read(passage, types))
            if stated:
                self._tally.kept(PASSAGE)
            else:
                self._tally.dropped(PASSAGE, "states nothing that a rule reads")
            yield from stated

    def _read(self, passage: Passage, types: Callable[[str], str]) -> Iterator[Statement]:
        section = self._section(passage, types)
        for sentence in self._sentences(passage):
            hits = list(_pattern_hits(sentence, self._tally)) or list(self._dependency_hits(sentence))
            if section is not None:
                hits += self._section_hits(sentence, *section)
            for hit in hits:
                yield from self._settled(hit, sentence)

    def _sentences(self, passage: Passage) -> Iterator[_Sentence]:
        """The sentences that mention something."""
        found = [f for f in map(self._names.likeliest, passage.found) if self._names.means_something(f)]
        if not found:
            return
        at = 0
        for start, end in sentences(passage.chunk.text):
            first = at
            while at < len(found) and found[at].end <= end:
                at += 1
            own = tuple(_shifted(f, start) for f in found[first:at] if f.start >= start)
            if not own:
                continue
            if end - start > LONGEST_SENTENCE:
                self._drop("sentence is too long to be one")
                continue
            yield _Sentence(passage, start, passage.chunk.text[start:end], own)

    def _section(self, passage: Passage, types: Callable[[str], str]) -> tuple[Topic, Found] | None:
        """The topic of a passage's section and what the section is about."""
        topic = topic_of(passage.chunk.section)
        if topic is None:
            return None
        relation = relations()[topic[0].relation]
        wanted = tuple(sorted({m.subject if topic[0].side == "subject" else m.object for m in relation.meanings}))
        document = passage.document
        about = [curie for curie in document.about if types(curie) in wanted]
        own = Found(about[0], types(about[0]), 0, 0, document.title, 1.0) if len(about) == 1 else None
        found = self._subject(passage.chunk.section, topic, wanted, own, normal_form(document.title))
        return None if found is None else (topic[0], found)

    def _subject(
        self, section: str, topic: tuple[Topic, int], wanted: tuple[str, ...], own: Found | None, title: str
    ) -> Found | None:
        """What a section is about: the nearest heading that names one thing and nothing else, or the document's."""
        path = section.split(SEPARATOR)
        for depth in range(len(path) - 1, -1, -1):
            named = self._names.linked(path[depth], wanted)
            if not named:
                continue
            if own is not None and all(normal_form(f.text) in title for f in named):
                return own
            rest = path[depth].replace(named[0].text, " ")
            clean = says_no_more(rest, topic[0] if depth == topic[1] else None)
            return named[0] if len(named) == 1 and clean and named[0].confidence >= LEAST_LINK else None
        return own

    def _section_hits(self, sentence: _Sentence, topic: Topic, subject: Found) -> Iterator[_Hit]:
        """The subject of the section with each thing of a fitting type that a sentence mentions."""
        relation = relations()[topic.relation]
        is_subject = topic.side == "subject"
        wanted = {m.object if is_subject else m.subject for m in relation.meanings}
        rivals = {m.subject if is_subject else m.object for m in relation.meanings} - wanted
        fault = "the sentence speaks of something else" if topic.unless.search(sentence.text) else ""
        own = (normal_form(sentence.passage.document.title), normal_form(subject.text))
        for group in _groups(sentence, LIST_GAP[language(sentence.text)]):
            alone = "" if _stands_alone(sentence.text, group, topic) else "does not stand by itself"
            for mention in group:
                if mention.type in wanted:
                    if reason := fault or alone or self._unfit(mention, relation, topic):
                        self._drop(reason)
                        continue
                    ends = (subject, mention) if is_subject else (mention, subject)
                    yield _Hit(relation, *ends, f"{SECTION} {topic.name}", mention)
                elif mention.type in rivals and not fault and not _is_own(normal_form(mention.text), *own):
                    fault = "the sentence names another subject"

    def _dependency_hits(self, sentence: _Sentence) -> Iterator[_Hit]:
        """What verbs relate, where a parser was asked for."""
        if self._dependencies is None or language(sentence.text) != "en":
            return
        for related in self._dependencies.related(sentence.text, sentence.found):
            if related.denied:
                self._drop(_DENIED)
                continue
            relation = relations()[related.relation]
            yield _Hit(relation, related.subject, related.object, f"{DEPENDENCY} {related.rule}", related.object)

    def _unfit(self, mention: Found, relation: Relation, topic: Topic) -> str:
        if not topic.established:
            return ""
        predicate = relation.meanings[0].predicate
        return "" if self._asserted.is_subject_of(mention.entity, predicate) else "the graph has it in no such role"

    def _settled(self, hit: _Hit, sentence: _Sentence) -> Iterator[Statement]:
        """The statement of a hit, unless its ends do not fit or the text takes it back."""
        self._tally.read(STATEMENT)
        if (ends := self._meant(hit)) is None:
            self._drop_counted("a relation that the ontology does not have between these")
            return
        meaning, subject, object_ = ends
        if subject.entity == object_.entity or normal_form(subject.text) == normal_form(object_.text):
            self._drop_counted("relates a thing to itself")
            return
        status = status_of(sentence.text, hit.spoken_of.start, hit.spoken_of.end)
        supposed = hit.rule.startswith("section") and status == "hypothetical" and _IF.search(sentence.text)
        if status not in hit.relation.statuses or supposed:
            self._drop_counted(f"the text says: {status}")
            return
        self._tally.kept(STATEMENT)
        assertion = Assertion(subject.entity, meaning.predicate, object_.entity)
        yield _statement(hit.rule, assertion, (subject, object_), status, sentence)

    def _meant(self, hit: _Hit) -> tuple[Meaning, Found, Found] | None:
        """What a hit states, first as its mentions are linked, then with other entities of the same names."""
        as_linked = (hit.subject.type, hit.object.type)
        for meaning in sorted(hit.relation.meanings, key=lambda m: (m.subject, m.object) != as_linked):
            subject, object_ = (
                self._names.as_type(hit.subject, meaning.subject),
                self._names.as_type(hit.object, meaning.object),
            )
            if subject is not None and object_ is not None:
                return meaning, subject, object_
        return None

    def _drop_counted(self, reason: str) -> None:
        self._tally.dropped(STATEMENT, reason)

    def _drop(self, reason: str) -> None:
        self._tally.read(STATEMENT)
        self._drop_counted(reason)


def _statement(
    rule: str, assertion: Assertion, ends: tuple[Found, Found], status: Status, sentence: _Sentence
) -> Statement:
    certainty = _CERTAINTY[rule.partition(" ")[0]] * (_UNCERTAIN if status in ("uncertain", "hypothetical") else 1.0)
    chunk, document = sentence.passage.chunk, sentence.passage.document
    end = sentence.start + len(sentence.text)
    return Statement(
        evidence=Evidence(
            assertion=assertion,
            source=document.source,
            references=(document.reference,) if document.reference else (),
            record=f"{chunk.id}:{sentence.start}-{end}",
            knowledge_level="not_provided",
            agent_type="text_mining_agent",
            quote=sentence.text,
            document=document.id,
        ),
        rule=rule,
        confidence=round(certainty * ends[0].confidence * ends[1].confidence, 4),
        start=sentence.start,
        end=end,
        status=status,
        section=chunk.section,
        passage=chunk.text,
        chunk=chunk.id,
        names=(ends[0].text, ends[1].text),
    )


def _is_own(name: str, title: str, subject: str) -> bool:
    """Whether a name is that of a section's subject, or a part of the title of its document."""
    return name in title or name == subject


def _stands_alone(text: str, group: list[Found], topic: Topic) -> bool:
    """Whether an enumeration in a section is an item of its own, introduced as the topic asks for."""
    before, after = ITEM[language(text)]
    first, last = group[0].start, group[-1].end
    lead = text[max(first - _BEFORE, 0) : first]
    return bool(before.search(lead) and topic.lead.search(lead) and after.match(text[last : last + _AFTER]))


def _pattern_hits(sentence: _Sentence, tally: Tally) -> Iterator[_Hit]:
    """What the phrases between neighbouring groups of mentions relate."""
    if len(sentence.found) < 2:
        return
    lang = language(sentence.text)
    groups = list(_groups(sentence, LIST_GAP[lang]))
    for left, right in pairwise(groups):
        if not 0 < right[0].start - left[-1].end <= _LONGEST_GAP:
            continue
        found = _phrase(sentence.text, left, right, PHRASES[lang])
        if found is None:
            continue
        phrase, denied = found
        subjects, objects = (right, left) if phrase.backward else (left, right)
        if denied:
            tally.read(STATEMENT, len(left) * len(right))
            tally.dropped(STATEMENT, _DENIED, len(left) * len(right))
            continue
        for subject in subjects:
            for object_ in objects:
                yield _Hit(relations()[phrase.relation], subject, object_, f"{PATTERN} {phrase.name}", right[0])


def _phrase(
    text: str, left: list[Found], right: list[Found], phrases: tuple[Phrase, ...]
) -> tuple[Phrase, bool] | None:
    """The first phrase that joins two groups, and whether it denies what it says."""
    between = text[left[-1].end : right[0].start]
    before = text[max(left[0].start - _BEFORE, 0) : left[0].start]
    if left[0].start > _BEFORE:
        before = "\x00" + before  # what was cut off is no beginning of a sentence
    after = text[right[-1].end : right[-1].end + _AFTER]
    for phrase in phrases:
        said = phrase.between.match(between)
        if said and phrase.before.search(before) and phrase.after.match(after):
            return phrase, said["not"] is not None if "not" in phrase.between.groupindex else False
    return None


def _groups(sentence: _Sentence, gap: re.Pattern[str]) -> Iterator[list[Found]]:
    """The mentions of a sentence by enumerations; no more than a few stand in one."""
    group: list[Found] = []
    for mention in sentence.found:
        if group and not (len(group) < _LONGEST_LIST and _joined(sentence.text, group[-1], mention, gap)):
            yield group
            group = []
        group.append(mention)
    if group:
        yield group


def _joined(text: str, one: Found, other: Found, gap: re.Pattern[str]) -> bool:
    between = text[one.end : other.start]
    return len(between) <= _LONGEST_GAP and gap.match(between) is not None


def _shifted(found: Found, by: int) -> Found:
    return replace(found, start=found.start - by, end=found.end - by)
