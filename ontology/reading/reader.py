"""Reading a note: what it mentions, in whose words ever, what it says of it, and where.

    text ──▶ sections, sentences ──▶ links ──▶ status of each
                                      │
        names of the dictionary, short forms of the text itself        (`Linker.link`)
        one of several entities with a name ──▶ the one that hangs together with the rest of the note
        mentions that share a word            `swelling of hands and feet`
        near misses of spelling, then meaning: stretches in which no name was found

A link of a later step never breaks one of an earlier step; a shared word may swallow one. Links
below `CERTAIN` are provisional: shown, not used. What a name of the graph is taken for comes with the confidence of
its kind (`Linker`); that of a stretch read by meaning is the probability, fitted on development data, that the entity
is right (`CALIBRATION`).
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from ontology.reading.coordination import coordinated
from ontology.reading.linker import Link, Linker
from ontology.reading.near import Meanings, Near
from ontology.reading.sections import Section, find_sections
from ontology.reading.status import Reading, Status, statuses
from ontology.reading.text import language, normal_form, sentences
from ontology.reading.values import Value, find_values
from ontology.reading.windows import windows
from ontology.schema import Lang

Span = tuple[int, int]

FINDING_TYPES: Final = ("PhenotypicFeature", "Disease")
"""Types whose names are read as findings: the graph has diseases among the findings of diseases."""

CERTAIN: Final = 0.5
"""Confidence below which a link is provisional (our choice: rather wrong than right)."""

SHARED: Final = 0.9
"""Factor for a mention that shares a word with another (our choice)."""

UNMARKED: Final[dict[Lang, float]] = {"en": 0.65, "zh": 0.27}
"""Factor for a stretch that nothing but its meaning marks as a name: of the stretches of the sentences for assertion
status that are near to a name (probability from .5), 27 of 41 English ones hold a finding and 17 of 62 Chinese ones. So
what is read of a Chinese note by meaning alone is always provisional."""

LEAST: Final = 0.2
"""Confidence below which a stretch read by meaning names nothing (our choice)."""

_SHARED_BY_MEANING: Final = 0.8
"""Probability from which a mention that shares a word is taken by its meaning; below it, it is provisional."""

CALIBRATION: Final[dict[Lang, tuple[float, float, float]]] = {"en": (18.2, 23.7, -17.1), "zh": (1.9, 12.9, -4.5)}
"""Weights of score and margin, and intercept, of a logistic regression to whether the nearest entity is right: on 1,000
held-out lay names of HPO (development half), and on 800 of its Chinese names."""

MOST_WINDOWS: Final = 300
"""Stretches of a text that are read by meaning, from its beginning: a second of work with the default sources (our
choice)."""

LONGEST_SPAN: Final = 200
"""Code points of a stretch that is read by meaning, or that is given, at most: no name is longer (our choice)."""

_LONGEST_JUDGED: Final = 2000
"""Links among which ambiguous ones are judged."""

_HEADED: Final = 200
_AROUND: Final = 60
"""Code points on each side of a mention that may say that it goes on (our choice)."""

_EMPTY_WORDS: Final = frozenset("level levels concentration concentrations symptom symptoms the of in".split())
"""Words that a name may have more than what a text says."""

_OF_SECTION: Final[dict[str, Status]] = {
    "family_history": "family",
    "past_history": "historical",
    "instructions": "hypothetical",
}
"""What stands in a section without any word on it."""

_ONGOING: Final = re.compile(
    r"\b(?:on|taking|takes|controlled|currently|ongoing|chronic|longstanding|since|for \w+ (?:years|months))\b|"
    r"年|长期|目前|现服|服用|控制|口服|治疗中",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Note:
    """A text as it was understood.

    Attributes:
        text: untouched.
        lang: how it was read.
        sections: in order, without gaps.
        sentences: their spans.
        readings: the findings, in order.
        values: ages, measurements and the like, in order.
        unread: stretches that were left unread by meaning, because there were too many.
    """

    text: str
    lang: Lang
    sections: tuple[Section, ...]
    sentences: tuple[Span, ...]
    readings: tuple[Reading, ...]
    values: tuple[Value, ...]
    unread: int


class Reader:
    """Reads notes with the names of a release.

    Args:
        linker: finds names.
        meanings: entities by what names mean; None where the release does not have it yet.
        neighbours: the entities that an entity is related to.
    """

    def __init__(
        self,
        linker: Linker,
        meanings: Meanings | None = None,
        neighbours: Callable[[str], Collection[str]] = lambda _: (),
    ) -> None:
        self._linker = linker
        self._meanings = meanings
        self._neighbours = neighbours
        self._english: dict[str, Near | None] = {}  # of Chinese names met before: notes repeat them

    def read(
        self, text: str, *, types: Collection[str] = FINDING_TYPES, nested: bool = False, detected: Sequence[Span] = ()
    ) -> Note:
        """Understand a note; nothing in a text is an error.

        Args:
            text: a note.
            types: only entities of these types.
            nested: also names of the dictionary inside other mentions.
            detected: stretches that somebody else holds for mentions, as code points; where no name is found they are
                linked as `link_spans` does.
        """
        lang, spans, sections = language(text), sentences(text), find_sections(text)
        links, unread = self._links(text, spans, types, detected=detected)
        links = self._with_nested(text, links, types) if nested else links
        values = find_values(text)
        links = _outside(links, [(value.start, value.end) for value in values])
        told = zip(links, _sections_of(links, sections), strict=True)  # a heading (`现病史`) names nothing
        links = [link for link, section in told if link.end > section.body or not section.kind]
        said = statuses(text, [(link.start, link.end) for link in links])
        readings = [
            Reading(link, _in_section(status, section, text, link), section.kind)
            for link, status, section in zip(links, said, _sections_of(links, sections), strict=True)
        ]
        aligned = tuple(self._aligned(readings))
        return Note(text, lang, tuple(sections), tuple(spans), aligned, tuple(values), unread)

    def links(self, text: str, *, types: Collection[str] = FINDING_TYPES, prefer: tuple[str, ...] = ()) -> list[Link]:
        """The links of a text alone, in order; see the module's text and `Linker.link`."""
        return self._links(text, sentences(text), types, prefer)[0]

    def link_spans(self, text: str, spans: Iterable[Span], *, types: Collection[str] = FINDING_TYPES) -> list[Link]:
        """What given stretches of a text name as a whole: by the dictionary, else a near miss, else by meaning.

        Args:
            text: the text.
            spans: code points; those that are empty, not in the text or longer than `LONGEST_SPAN` are passed over,
                and of the others the first `MOST_WINDOWS` are linked.
            types: only entities of these types.

        Returns:
            The links, in order; none for a stretch that names nothing.
        """
        inside = sorted(
            {(start, end) for start, end in spans if 0 <= start < end <= min(len(text), start + LONGEST_SPAN)}
        )
        links, unnamed = [], []
        for start, end in inside[:MOST_WINDOWS]:
            named = self._linker.lookup(text[start:end], types=types)
            if named is None:
                unnamed.append((start, end))
            else:
                links.append(replace(named, start=start, end=end, text=text[start:end]))
        return sorted([*links, *self._by_meaning(text, unnamed, types)], key=_place)

    def _links(
        self,
        text: str,
        spans: Sequence[Span],
        types: Collection[str],
        prefer: tuple[str, ...] = (),
        detected: Iterable[Span] = (),
    ) -> tuple[list[Link], int]:
        links = self._coherent(self._linker.link(text, types=types, prefer=prefer), prefer)
        links = _with_shared(links, self._shared(text, spans, types))
        links = _merged(links, self.link_spans(text, _open(detected, links), types=types))
        if self._meanings is None:
            return links, 0
        unnamed = [
            span for span in _open(windows(text, spans, language(text)), links) if span[1] - span[0] <= LONGEST_SPAN
        ]
        named = self._by_meaning(text, unnamed[:MOST_WINDOWS], types)
        return _merged(links, named), max(0, len(unnamed) - MOST_WINDOWS)

    def _with_nested(self, text: str, links: list[Link], types: Collection[str]) -> list[Link]:
        """Links with the names of the dictionary that lie inside one of them."""
        starts = [link.start for link in links]
        reach = [0]
        for link in links:
            reach.append(max(reach[-1], link.end))
        known = {(link.start, link.end) for link in links}
        inner = [
            link
            for link in self._linker.link(text, types=types, nested=True)
            if (link.start, link.end) not in known and reach[bisect_right(starts, link.start)] >= link.end
        ]
        return sorted([*links, *inner], key=lambda link: (link.start, -link.end))

    def _coherent(self, links: list[Link], prefer: tuple[str, ...]) -> list[Link]:
        """Where several entities bear a name equally well, the one that is related to most of the rest of the text."""
        tied = [at for at, link in enumerate(links) if link.alternatives and link.confidence < CERTAIN]
        if not tied:
            return links
        clear = {link.entity for link in links[:_LONGEST_JUDGED] if link.confidence >= CERTAIN}
        chosen = list(links)
        neighbours = cache(self._neighbours)  # texts repeat names, and an entity may have thousands
        for at in tied[:_LONGEST_JUDGED]:
            link = links[at]
            known = {curie: len(clear.intersection(neighbours(curie))) for curie in _bearers(link, prefer)}
            best = max(known, key=lambda curie: known[curie])
            if known[best] > known[link.entity]:
                chosen[at] = self._linker.meant(link, best, confidence=min(2 * link.confidence, 1.0))
            elif known[best] and sum(count == known[best] for count in known.values()) == 1:
                chosen[at] = replace(link, confidence=min(2 * link.confidence, 1.0))
        return chosen

    def _shared(self, text: str, spans: Iterable[Span], types: Collection[str]) -> list[Link]:
        """Mentions that share a word with another one, where the dictionary knows what they make together."""
        found: dict[tuple[Span, ...], Link] = {}
        unknown: dict[tuple[Span, ...], str] = {}
        for shared in (one for start, end in spans for one in coordinated(text, start, end)):
            link = None if shared.parts in found else self._linker.lookup(shared.name, types=types)
            if link is not None:
                found[shared.parts] = _in_parts(link, text, shared.parts, link.confidence)
            elif shared.listed and len(shared.name) <= LONGEST_SPAN:
                unknown.setdefault(shared.parts, shared.name)
        missing = [(parts, name) for parts, name in unknown.items() if parts not in found][:MOST_WINDOWS]
        if self._meanings is not None and missing:
            near = self._meanings.nearest([name for _, name in missing], limit=1, types=types)
            for (parts, name), (best, *_) in ((one, found) for one, found in zip(missing, near, strict=True) if found):
                confidence = probability(best, language(name))
                if (
                    confidence >= LEAST
                    and not _says_more(best.name, name)
                    and not any(self._names(text[slice(*part)], best.entity, types) for part in parts)
                ):
                    link = Link(0, 0, "", best.entity, best.type, best.name, "meaning", confidence, [])
                    certain = confidence >= _SHARED_BY_MEANING
                    found[parts] = _in_parts(link, text, parts, confidence if certain else min(confidence, CERTAIN))
        return list(found.values())

    def _names(self, name: str, entity: str, types: Collection[str]) -> bool:
        """Whether a name is one of an entity's: then it shares no word with its neighbour."""
        link = self._linker.lookup(name, types=types)
        return link is not None and entity in _bearers(link, ())

    def _by_meaning(self, text: str, spans: Sequence[Span], types: Collection[str]) -> list[Link]:
        """Stretches in which no name was found, by their spelling and then by their meaning."""
        links = []
        missed = []
        for start, end in spans:
            near_miss = self._linker.near_miss(text[start:end], types=types)
            if near_miss is None:
                missed.append((start, end))
            else:
                links.append(replace(near_miss, start=start, end=end, text=text[start:end]))
        if self._meanings is None or not missed:
            return links
        missed = [span for span in missed if not _is_word(text[slice(*span)])]
        names = [text[start:end] for start, end in missed]
        for (start, end), near in zip(missed, self._meanings.nearest(names, limit=3, types=types), strict=True):
            span = text[start:end]
            fitting = [one for one in near if not _says_more(one.name, span)]
            confidence = _read_as(fitting[0], language(span)) if fitting else 0.0
            if confidence >= LEAST:
                best, others = fitting[0], [other.entity for other in fitting[1:]]
                links.append(Link(start, end, span, best.entity, best.type, best.name, "meaning", confidence, others))
        return links

    def _aligned(self, readings: list[Reading]) -> list[Reading]:
        """Chinese findings with what the English vocabularies have for them."""
        names = {r.link.text for r in readings if language(r.link.text) == "zh" and r.link.method != "meaning"}
        if self._meanings is None or not names:
            return readings
        listed = sorted(names)[:MOST_WINDOWS]
        unknown = [name for name in listed if name not in self._english]
        for name, found in zip(unknown, self._meanings.nearest(unknown, limit=1, types=FINDING_TYPES[:1]), strict=True):
            self._english[name] = found[0] if found and probability(found[0], "zh") >= CERTAIN else None
        return [replace(reading, near=self._english.get(reading.link.text)) for reading in readings]


def probability(near: Near, lang: Lang) -> float:
    """How probable it is that the nearest entity is the right one."""
    score, margin, intercept = CALIBRATION[lang]
    return round(1 / (1 + math.exp(-(score * near.score + margin * near.margin + intercept))), 4)


def _read_as(near: Near, lang: Lang) -> float:
    """The confidence of a stretch that nothing but its meaning marks as a name."""
    return round(UNMARKED[lang] * probability(near, lang), 4)


def _is_word(span: str) -> bool:
    """Whether a stretch is one English word: what no dictionary knows is seldom a finding by itself."""
    return span.isascii() and " " not in span


def _says_more(name: str, span: str) -> bool:
    """Whether an English name says something that the stretch does not: `swollen lymph nodes` of `lymph nodes`."""
    words, own = set(normal_form(name).split()), set(normal_form(span).split())
    return own < words and not words - own <= _EMPTY_WORDS


def _touched(link: Link, links: Sequence[Link]) -> bool:
    """Whether one of the links, which are in order and not nested, has a character of another one."""
    at = bisect_left(links, link.start, key=lambda other: other.end)
    while at < len(links) and links[at].end <= link.start:
        at += 1
    return at < len(links) and links[at].start < link.end


def _in_parts(link: Link, text: str, parts: tuple[Span, ...], confidence: float) -> Link:
    """A link for a mention that is in these parts of a text."""
    first, last = parts[0][0], parts[-1][1]
    shared = len(parts) > 1
    return replace(
        link,
        start=first,
        end=last,
        text=text[first:last],
        method="coordinated" if shared else link.method,
        confidence=round(confidence * SHARED, 4),
        parts=parts if shared else (),
    )


def _with_shared(links: list[Link], shared: Iterable[Link]) -> list[Link]:
    """Links with those that share a word; what lies inside a piece of one of them (`swelling`) is swallowed.

    One that is provisional swallows nothing: it stands where nothing else does.
    """
    shared = [link for link in shared if link.confidence >= CERTAIN or not _touched(link, links)]
    whole: list[Link] = []
    pieces: list[Link] = []
    for link in shared:
        (pieces if link.parts else whole).append(link)
    taken = _merged(links, whole)
    spans = sorted(part for link in pieces for part in link.parts)
    starts = [start for start, _ in spans]
    reach = [0]
    for _, end in spans:
        reach.append(max(reach[-1], end))
    kept = [link for link in taken if reach[bisect_right(starts, link.start)] < link.end]
    return sorted([*kept, *pieces], key=_place)


def _merged(links: list[Link], more: Iterable[Link]) -> list[Link]:
    """Links with those of a later step that lie across none of them, longest first; what they cover they swallow."""
    taken = sorted(links, key=_place)
    for link in sorted(more, key=lambda link: (link.start - link.end, link.start)):
        first = bisect_left(taken, link.start, key=lambda other: other.start)
        first -= first > 0 and taken[first - 1].end > link.start
        last = bisect_left(taken, link.end, key=lambda other: other.start)
        if all(link.start <= other.start and other.end <= link.end for other in taken[first:last]):
            taken[first:last] = [link]
    return taken


def _place(link: Link) -> Span:
    return link.start, link.end


def _sections_of(links: Sequence[Link], sections: Sequence[Section]) -> Iterator[Section]:
    """The section that each link begins in."""
    starts = [section.start for section in sections]
    for link in links:
        yield sections[max(bisect_right(starts, link.start) - 1, 0)]


def _in_section(status: Status, section: Section, text: str, link: Link) -> Status:
    """What a heading says where the sentence says nothing, as far as it reaches.

    Where text follows it in its own line, it reaches to the end of that line; else to the next empty line.
    """
    said = _OF_SECTION.get(section.kind)
    if status != "present" or said is None or (said == "historical" and _ONGOING.search(_around(text, link))):
        return status
    rest = text[section.body : section.body + _HEADED]
    begin = section.body + len(rest) - len(rest.lstrip())
    inline = "\n" not in text[section.body : begin]
    return status if text.find("\n" if inline else "\n\n", begin, link.start) >= 0 else said


def _bearers(link: Link, prefer: tuple[str, ...]) -> list[str]:
    """The entities that bear the name of a link; of preferred vocabularies only, where the first is of one."""
    others = [curie for curie in link.alternatives if not link.entity.startswith(prefer) or curie.startswith(prefer)]
    return [link.entity, *(others if prefer else link.alternatives)]


def _around(text: str, link: Link) -> str:
    """What stands around a mention, in its line."""
    before, after = text[max(0, link.start - _AROUND) : link.start], text[link.end : link.end + _AROUND]
    return before.rpartition("\n")[2] + after.partition("\n")[0]


def _outside(links: Iterable[Link], spans: Sequence[Span]) -> list[Link]:
    """The links that do not lie inside a value: `体温` in `体温38.5℃` is what was measured, and no finding."""
    ordered = sorted(spans)
    starts = [start for start, _ in ordered]
    reach = [0]
    for _, end in ordered:
        reach.append(max(reach[-1], end))
    return [link for link in links if reach[bisect_right(starts, link.start)] < link.end]


def _open(spans: Iterable[Span], links: Sequence[Link]) -> list[Span]:
    """The stretches that hold no part of a link; both are in order of where they begin."""
    reach = [0]
    for link in links:
        reach.append(max(reach[-1], link.end))
    starts = [link.start for link in links]
    return [span for span in spans if reach[bisect_left(starts, span[1])] <= span[0]]
