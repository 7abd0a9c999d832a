"""The interpreter: from a question's wording to entities, asked properties and constraints (SEMA-RAG's I).

Entities come from the dictionary; what is asked of them from the cue words of the ontology file, read outside
the entities' own names. A cue that several properties of a type share counts for each of them in part.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from kg_build.identity import as_one
from kg_build.index.adjacency import Adjacency
from ontology.errors import ClewError, Code
from ontology.reading.linker import Link, Linker
from ontology.reading.terminology import Terminology
from ontology.reading.text import language
from ontology.schema import Domain, Lang
from retrieval.question import Property, Question, Topic

TOPIC_TYPES: Final = (
    "Disease",
    "PhenotypicFeature",
    "Drug",
    "DrugClass",
    "Gene",
    "Procedure",
    "CodedCategory",
)
"""Types a question can be about; phrases such as causes and populations are only ever answers (our choice)."""

MOST_TOPICS: Final = 5
_CUE_THRESHOLD: Final = 0.5
_LONGEST_QUESTION: Final = 2000
_WEAK: Final = {"what is": 0.2, "是什么": 0.2}
"""Cues that any question may hold: they count only where nothing else is heard."""

_WORDING: Final = frozenset(
    "出现 引起 导致 常见 不同 比较 关系 注意 剂量 反复 长期 严重 吃药 复发 老人 成年人 青少年 父母 日 as was".split()
)
"""Words of any question that some source lists as a disease, a finding or a drug (found by trying them)."""

_COMPARISON: Final[dict[Lang, str]] = {
    "en": r"\b(compare[ds]?|comparison|difference|differ|versus|vs|better than|rather than)\b",
    "zh": r"比较|区别|不同|还是|哪个更|相比",
}
_NEGATION: Final[dict[Lang, str]] = {
    "en": r"\b(not|never|without|except|avoid|contraindicated)\b",
    "zh": r"不能|不可|不宜|禁|除了|没有|忌",
}
_CONSTRAINTS: Final[dict[Lang, str]] = {
    "en": r"\b(pregnan\w+|breast-?feeding|lactation|child(?:ren)?|infants?|neonat\w+|newborns?|elderly|adults?|"
    r"renal impairment|kidney disease|liver disease|first-line|acute|chronic|severe)\b",
    "zh": r"孕妇|妊娠|怀孕|哺乳期|儿童|小儿|婴儿|新生儿|老年人?|成人|肾功能不全|肝功能不全|急性|慢性|重度|一线",
}


@dataclass(frozen=True)
class Interpreter:
    """Reads questions against one release."""

    linker: Linker
    terminology: Terminology
    adjacency: Adjacency
    domain: Domain

    def interpret(self, text: str) -> Question:
        """Understand a question.

        Raises:
            ClewError: EMPTY_INPUT; BAD_INPUT when it is longer than 2,000 characters or not Unicode.
        """
        stripped = text.strip()
        if not stripped:
            raise ClewError(Code.EMPTY_INPUT, "the question is empty", remedy="ask something")
        if any("\ud800" <= character <= "\udfff" for character in stripped):
            raise ClewError(Code.BAD_INPUT, "the question is not Unicode text (a lone surrogate)", remedy="send UTF-8")
        if len(stripped) > _LONGEST_QUESTION:
            raise ClewError(
                Code.BAD_INPUT,
                f"the question has {len(stripped):,} characters, at most {_LONGEST_QUESTION:,} are read",
                remedy="ask one question; a whole case goes to: clew diagnose",
            )
        lang = language(stripped)
        links = self._links(stripped)
        rest = _without(stripped, links)
        topics = tuple(self._topic(link, rest, lang) for link in links)
        return Question(
            text=stripped,
            lang=lang,
            topics=topics,
            compared=re.search(_COMPARISON[lang], rest, re.IGNORECASE) is not None,
            negated=re.search(_NEGATION[lang], rest, re.IGNORECASE) is not None,
            constraints=tuple(dict.fromkeys(re.findall(_CONSTRAINTS[lang], rest, re.IGNORECASE))),
            hops=self._hops(topics, rest, lang),
        )

    def entities(self, name: str) -> list[str]:
        """CURIEs of what a whole string names: one, or one of each type when things of different types share it.

        Raises:
            ClewError: EMPTY_INPUT, UNKNOWN_ENTITY; AMBIGUOUS_ENTITY when things of one type share the name.
        """
        try:
            return [self.linker.resolve(name).entity]
        except ClewError as error:
            senses = {s.entity: s.type for s in self.terminology.lookup(name) if s.kind == "label"}
            of_one_type = len(set(senses.values())) < len(senses)
            if error.code is not Code.AMBIGUOUS_ENTITY or not senses or of_one_type:
                raise
            return sorted(senses)

    def _links(self, text: str) -> list[Link]:
        """The entities named, each once; what are words of the wording itself are not entities."""
        lang = language(text)
        cues = {cue for predicate in self.domain.predicates.values() for side in predicate.cues.values()
                for words in side.values() for cue in words} | _WORDING  # fmt: skip
        links: dict[str, Link] = {}
        for link in self.linker.link(text, types=TOPIC_TYPES):
            narrows = link.type != "Disease" and re.fullmatch(_CONSTRAINTS[lang], link.text, re.IGNORECASE)
            inside = lang == "zh" and any(link.text in cue for cue in cues)  # Chinese cues are phrases
            if link.text.lower() not in cues and not inside and not narrows:
                links.setdefault(link.entity, link)
        named = [link for link in links.values() if link.type != "CodedCategory"]
        return (named or list(links.values()))[:MOST_TOPICS]  # a classification's headings only for want of better

    def _topic(self, link: Link, rest: str, lang: Lang) -> Topic:
        group = self._group(link)
        best, best_type = max(group, key=lambda member: self.adjacency.degree(member[0]))
        every = [item for type_name in [best_type, *(n for _, n in group)] for item in self._properties(type_name)]
        first: dict[str, Property] = {}
        for item in every:
            first.setdefault(item.predicate, item)
        # Of both sides of a predicate the better-known type's counts; the other one for words nobody else hears.
        preferred = [*self._properties(best_type), *first.values()]
        heard = asked(preferred, rest, lang, self.domain)
        rest = _heard((cue for item in preferred for cue in _cues(item, lang, self.domain)), rest, lang)[1]
        others = asked([item for item in every if item not in preferred], rest, lang, self.domain)
        return Topic(best, best_type, link.label, link.text, group, (*heard, *others), self._ones(group))

    def _hops(self, topics: Iterable[Topic], rest: str, lang: Lang) -> int:
        """Relations in the wording that no topic has by itself: another entity has to stand between."""
        types = {type_name for topic in topics for _, type_name in topic.group}
        own = {item.predicate for type_name in types for item in self._properties(type_name)}
        cues = {
            name: [cue for side in predicate.cues.values() for cue in side.get(lang, []) if cue not in _WEAK]
            for name, predicate in self.domain.predicates.items()
        }
        heard, _ = _heard((cue for words in cues.values() for cue in words), rest, lang)
        shared = {cue for name in own for cue in cues[name]}
        return sum(
            bool(heard.intersection(words) - shared) for name, words in cues.items() if name not in own and types
        )

    def _properties(self, type_name: str) -> list[Property]:
        return [Property(predicate, side) for predicate, side in self.domain.types[type_name].properties]

    def _group(self, link: Link) -> tuple[tuple[str, str], ...]:
        """The linked entity, others that bear exactly this name, and what `same_as` leads to from these in one step."""
        named = {link.entity: link.type}
        for sense in self.terminology.lookup(link.text):
            if sense.kind in ("label", "exact") and sense.type in TOPIC_TYPES:
                named.setdefault(sense.entity, sense.type)
        same = {other: type_name for curie, type_name in named.items() for other in self.adjacency.same(curie)}
        return tuple((named | {other: t for other, t in same.items() if other not in named}).items())

    def _ones(self, group: tuple[tuple[str, str], ...]) -> tuple[tuple[str, ...], ...]:
        """The members of a group that are the same pair by pair, where there are several."""
        accepted = {frozenset((curie, other)) for curie, _ in group for other in self.adjacency.same(curie)}
        return tuple(ones for ones in as_one((curie for curie, _ in group), accepted) if len(ones) > 1)


def asked(properties: Iterable[Property], wording: str, lang: Lang, domain: Domain) -> tuple[Property, ...]:
    """The properties that a wording asks for, strongest first, in the ontology's order among equals.

    Asked for is what has a cue of its own in the wording, or more than half of the best score.
    """
    cues = {item: _cues(item, lang, domain) for item in properties}
    shared: dict[str, int] = {}
    for words in cues.values():
        for cue in words:
            shared[cue] = shared.get(cue, 0) + 1
    heard, _ = _heard(shared, wording, lang)
    scores = {
        item: sum(_WEAK.get(cue, 1.0) / shared[cue] for cue in words if cue in heard) for item, words in cues.items()
    }
    own = {item for item, words in cues.items() if any(shared[c] == 1 and c not in _WEAK for c in heard & {*words})}
    best = sorted(scores, key=lambda item: -scores[item])
    return tuple(item for item in best if item in own or scores[item] > _CUE_THRESHOLD * scores[best[0]])


def _cues(item: Property, lang: Lang, domain: Domain) -> list[str]:
    return domain.predicates[item.predicate].cues.get(item.side, {}).get(lang, [])


def _heard(cues: Iterable[str], wording: str, lang: Lang) -> tuple[set[str], str]:
    """The cues in a wording, longest first, each stretch of text counted once; and the wording without them."""
    rest, found = wording.lower(), set()
    for cue in sorted(set(cues), key=lambda cue: (-len(cue), cue)):
        pattern = re.escape(cue) if lang == "zh" else rf"\b{re.escape(cue)}\b"
        if re.search(pattern, rest):
            found.add(cue)
            rest = re.sub(pattern, "\x00", rest)
    return found, rest


def _without(text: str, links: Iterable[Link]) -> str:
    """The text with the names of its entities blanked out."""
    characters = list(text)
    for link in links:
        characters[link.start : link.end] = "\x00" * (link.end - link.start)
    return "".join(characters)
