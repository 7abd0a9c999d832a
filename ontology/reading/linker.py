"""From names to entities: mentions in a text, and a whole string that is meant as one entity.

A name may mean several entities. The choice, in this order: an allowed type, the language of the text, the
preferred kind of name, the priority of the vocabulary (by CURIE prefix), and then the id, so that it is
always the same.

Confidence is how often such a link is right, where that could be measured (`CONFIDENCE`), times what speaks against
it: an inflected form, other entities with the name (`RIVALLED`, `TIED`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Final, Literal

from ontology.errors import ClewError, Code
from ontology.reading.abbreviations import Abbreviation, find_abbreviations, occurrences
from ontology.reading.sense import Match, Sense, kind_rank
from ontology.reading.terminology import Terminology
from ontology.reading.text import language, normal_form

Method = Literal["exact", "normalised", "inflected", "abbreviation", "coordinated", "near", "meaning"]

CONFIDENCE: Final[Mapping[str, float]] = MappingProxyType(
    {"label": 0.97, "exact": 0.93, "lay": 0.9, "abbreviation": 0.85, "brand": 0.8}
)
"""By kind of name; any other kind (related, narrow, broad) has .6.

The first two are measured (`scripts/calibrate_links`): where a name of a MeSH disease stands in the abstracts of the
BC5CDR sample and is annotated, a label is right 137 of 141 times and an exact synonym 95 of 100; of 1,999 names of
CMeKG that are a label in the Chinese ICD-10, 1,972 have its category. For the others there is nothing to measure with:
they are our choice.
"""

INFLECTED: Final = 0.95
"""Factor when only an inflected form matches (5 of 6 in the same abstracts)."""

RIVALLED: Final = 0.9
"""Factor when another entity has the name too but ranks lower (our choice)."""

TIED: Final = 0.54
"""Factor when another entity ranks the same and the id decided.

Such a link is right more often, because many of these entities are one thing in two vocabularies; it is kept low on
purpose (our choice), so that with any kind of name but label and exact it is provisional and the context decides.
"""

MISSPELT: Final = 0.8
"""Factor for a name with a letter or two wrong (our choice)."""

NEAR_MISS: Final = 90.0
_SHORTEST_MISS: Final = 6

LOCAL: Final = 0.95
"""Factor for a short form that the text itself defines (our choice)."""


@dataclass(frozen=True, slots=True)
class Link:
    """A stretch of text and the entity it means.

    Attributes:
        start: first code point on the untouched text.
        end: one past the last.
        text: the slice.
        entity: CURIE.
        type: entity type.
        label: preferred name of the entity, in the language of the text where it has one.
        method: `exact` (as the source writes it), `normalised` (equal normal form), `inflected` (another form of the
            name), `abbreviation` (short for a name that the text gives), and those of `ontology.reading.reader`:
            `coordinated`, `near`, `meaning`.
        confidence: in [0, 1].
        alternatives: CURIEs of the other entities with this name, best first.
        parts: the pieces of a mention that is not in one; empty when it is.
    """

    start: int
    end: int
    text: str
    entity: str
    type: str
    label: str
    method: Method
    confidence: float
    alternatives: list[str]
    parts: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class _Choice:
    """What a name means in texts of one language; as in `Link`."""

    sense: Sense
    label: str
    confidence: float
    alternatives: tuple[str, ...]


class Linker:
    """Links names to entities.

    Args:
        terminology: all names.
        priority: rank of a vocabulary by CURIE prefix, lower is preferred; one it does not name ranks last.
    """

    def __init__(self, terminology: Terminology, priority: Mapping[str, int] | None = None) -> None:
        self._terminology = terminology
        self._priority = dict(priority or {})
        self._choice = lru_cache(maxsize=1 << 15)(self._choose)  # texts use the same names again and again

    def link(
        self, text: str, *, types: Collection[str] | None = None, prefer: tuple[str, ...] = (), nested: bool = False
    ) -> list[Link]:
        """Mentions in a text, in order: names of the dictionary, and short forms that the text defines itself.

        A short form means what its definition says, or nothing where that is not known, whatever else bears it.

        Args:
            text: any text.
            types: only entities of these types.
            prefer: CURIE prefixes of vocabularies whose entities win over others with the same name.
            nested: also mentions inside others; else leftmost-longest.
        """
        links = self.dictionary(text, types=types, prefer=prefer, nested=nested)
        defined = find_abbreviations(text)
        return self._with_short_forms(text, links, defined, types, prefer) if defined else links

    def dictionary(
        self, text: str, *, types: Collection[str] | None = None, prefer: tuple[str, ...] = (), nested: bool = False
    ) -> list[Link]:
        """Mentions by the names of the dictionary alone; see `link`."""
        lang = language(text)
        return [self._link(match, lang, prefer) for match in self._terminology.find(text, types=types, nested=nested)]

    def lookup(self, name: str, *, types: Collection[str] | None = None, prefer: tuple[str, ...] = ()) -> Link | None:
        """The entity that a string names as a whole; the best one where several bear it, None where none does."""
        match = self._whole(name, types) if name.strip() else None
        return None if match is None else self._link(match, language(name), prefer)

    def resolve(self, name: str, *, types: Collection[str] | None = None) -> Link:
        """The entity that a whole string means: a known CURIE, or a name.

        Raises:
            ClewError: EMPTY_INPUT, UNKNOWN_ENTITY with names that look like it, AMBIGUOUS_ENTITY with the
                entities it may mean.
        """
        if not name.strip():
            raise ClewError(Code.EMPTY_INPUT, "no name given", remedy="give a name or a CURIE")
        known = _of_types(self._terminology.by_id(name.strip()), types)
        lang = language(known[0].text if known else name)
        match = Match(0, len(name), name, known) if known else self._whole(name, types)
        if match is None:
            raise self._unknown(name, types)
        first, *others = self._ranked(match.senses, lang)
        rivals = {s.entity: s for s in others if self._rank(s, lang) == self._rank(first, lang)}
        if not known and rivals.keys() - {first.entity}:
            raise self._ambiguous(name, {first.entity: first} | rivals, lang)
        link = self._link(match, lang)
        return replace(link, method="exact", confidence=1.0) if known else link

    def _whole(self, name: str, types: Collection[str] | None) -> Match | None:
        senses = _of_types(self._terminology.lookup(name), types)
        if senses:
            return Match(0, len(name), name, senses)
        stripped = name.strip()
        matches = self._terminology.find(name, types=types, nested=True)
        return next((match for match in matches if match.text == stripped), None)

    def near_miss(self, name: str, *, types: Collection[str] | None = None) -> Link | None:
        """The entity with a name that differs from a string in a letter or two; None where none does, or several do.

        Only strings of at least 6 letters, and names that begin with the same one, at a likeness of 90 of 100
        (RapidFuzz's ratio; our choice).
        """
        key = normal_form(name)
        if len(key) < _SHORTEST_MISS or not key.isascii():
            return None
        near = [(sense, score) for sense, score in self._terminology.likely(key, NEAR_MISS) if sense.text]
        senses = tuple(sense for sense, _ in near if types is None or sense.type in types)
        if not senses or len({normal_form(sense.text) for sense in senses}) > 1:
            return None
        link = self._link(Match(0, len(name), name, senses), language(name))
        return replace(link, method="near", confidence=round(link.confidence * MISSPELT, 4))

    def meant(self, link: Link, entity: str, *, confidence: float) -> Link:
        """A link taken for another one of its entities."""
        named = self._terminology.by_id(entity)
        others = [curie for curie in (link.entity, *link.alternatives) if curie != entity]
        label = self._label(named[0], language(link.text))
        return replace(link, entity=entity, type=named[0].type, label=label, confidence=confidence, alternatives=others)

    def _with_short_forms(
        self,
        text: str,
        links: list[Link],
        defined: list[Abbreviation],
        types: Collection[str] | None,
        prefer: tuple[str, ...],
    ) -> list[Link]:
        meant = {one.short: self._long_form(text, one, links, types, prefer) for one in defined}
        short: list[Link] = []
        covered: list[tuple[int, int]] = []
        for start, end, one in occurrences(text, defined):
            if (long_form := meant[one.short]) is not None:
                here = replace(long_form, start=start, end=end, text=text[start:end], method="abbreviation")
                short.append(replace(here, confidence=round(long_form.confidence * LOCAL, 4)))
            covered.append((start, end))
        first = [start for start, _ in covered]
        kept = [link for link in links if not _within(link, first, covered)]
        return sorted(kept + short, key=lambda link: (link.start, -link.end))

    def _long_form(
        self,
        text: str,
        defined: Abbreviation,
        links: list[Link],
        types: Collection[str] | None,
        prefer: tuple[str, ...],
    ) -> Link | None:
        """What the long form of a short form means."""
        ending = [link for link in links if link.end == defined.long_end]
        if defined.long_start is None:
            return ending[0] if ending else None
        whole = next((link for link in ending if link.start == defined.long_start), None)
        return whole or self.lookup(text[defined.long_start : defined.long_end], types=types, prefer=prefer)

    def _link(self, match: Match, lang: str, prefer: tuple[str, ...] = ()) -> Link:
        choice = self._choice(match.senses, lang, INFLECTED if match.inflected else 1.0, prefer)
        best = choice.sense
        method: Method = "exact" if match.text == best.text else "normalised"
        return Link(
            match.start,
            match.end,
            match.text,
            best.entity,
            best.type,
            choice.label,
            "inflected" if match.inflected else method,
            choice.confidence,
            list(choice.alternatives),
        )

    def _choose(self, senses: tuple[Sense, ...], lang: str, certainty: float, prefer: tuple[str, ...]) -> _Choice:
        ranked = self._ranked(senses, lang)
        if prefer:
            ranked.sort(key=lambda sense: not sense.entity.startswith(prefer))
        best = ranked[0]
        rivals = (
            [s for s in ranked if s.entity.startswith(prefer)] if prefer and best.entity.startswith(prefer) else ranked
        )
        others = {s.entity: s for s in reversed(rivals) if s.entity != best.entity}
        confidence = CONFIDENCE.get(best.kind, 0.6) * certainty
        if any(self._rank(s, lang) == self._rank(best, lang) for s in others.values()):
            confidence *= TIED
        elif others:
            confidence *= RIVALLED
        alternatives = dict.fromkeys(s.entity for s in ranked if s.entity != best.entity)
        return _Choice(best, self._label(best, lang), round(confidence, 4), tuple(alternatives))

    def _ranked(self, senses: Iterable[Sense], lang: str) -> list[Sense]:
        return sorted(senses, key=lambda sense: (self._rank(sense, lang), sense.entity, sense.text))

    def _rank(self, sense: Sense, lang: str) -> tuple[bool, int, int]:
        prefix = sense.entity.partition(":")[0]
        return _primary(sense.lang) != lang, kind_rank(sense.kind), self._priority.get(prefix, len(self._priority))

    def _label(self, sense: Sense, lang: str) -> str:
        names = self._terminology.by_id(sense.entity)
        labels = [name for name in names if name.kind == "label"] or names
        return next((name.text for name in labels if _primary(name.lang) == lang), labels[0].text)

    def _unknown(self, name: str, types: Collection[str] | None) -> ClewError:
        near = _of_types(self._terminology.suggest(name, limit=20), types)[:5]
        wanted = f" of type {', '.join(sorted(types))}" if types else ""
        return ClewError(
            Code.UNKNOWN_ENTITY,
            f"nothing{wanted} is called {name!r}",
            remedy="use one of the names or ids of the release",
            choices=[f"{sense.entity} {sense.text}" for sense in near],
        )

    def _ambiguous(self, name: str, senses: Mapping[str, Sense], lang: str) -> ClewError:
        return ClewError(
            Code.AMBIGUOUS_ENTITY,
            f"{name!r} is the name of {len(senses)} entities",
            remedy="give the id",
            choices=[f"{entity} {self._label(sense, lang)} ({sense.type})" for entity, sense in sorted(senses.items())],
        )


def _within(link: Link, first: list[int], spans: list[tuple[int, int]]) -> bool:
    """Whether a link lies inside one of the spans, which are in order."""
    at = bisect_right(first, link.start) - 1
    return at >= 0 and link.end <= spans[at][1]


def _of_types(senses: Iterable[Sense], types: Collection[str] | None) -> tuple[Sense, ...]:
    return tuple(sense for sense in senses if types is None or sense.type in types)


def _primary(lang: str) -> str:
    return lang.partition("-")[0].lower()
