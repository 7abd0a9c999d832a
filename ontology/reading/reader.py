"""Reading a note: what it mentions, in whose words ever, what it says of it, and where.

    text ──▶ sections, sentences ──▶ links ──▶ status of each
                                      │
        names of the dictionary, short forms of the text itself        (`Linker.link`)
        one of several entities with a name ──▶ the one that hangs together with the rest of the note
        mentions that share a word            `swelling of hands and feet`
        near misses of spelling, then meaning: stretches in which no name was found

A link of a later step never breaks one of an earlier step; it may swallow it (`pain` in `pain in his chest`). Links
below `CERTAIN` are provisional: shown, not used. What a name of the graph is taken for comes with the confidence of
its kind (`Linker`); that of a stretch read by meaning is the probability, fitted on development data, that the entity
is right (`CALIBRATION`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ontology.reading.coordination import coordinated
from ontology.reading.linker import Link, Linker
from ontology.reading.near import Meanings, Near
from ontology.reading.sections import Section, find_sections
from ontology.reading.status import Reading, Status, read_status
from ontology.reading.text import language, sentences
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

LEAST: Final = 0.2
"""Confidence below which a stretch read by meaning names nothing (our choice)."""

CALIBRATION: Final[dict[Lang, tuple[float, float]]] = {"en": (14.0, 0.80), "zh": (4.0, 2.0)}
"""Slope and middle of the logistic curve from score to probability, by language."""

MOST_WINDOWS: Final = 300
"""Stretches of a text that are read by meaning, from its beginning: about 15 pages, some seconds (our choice)."""

_LONGEST_JUDGED: Final = 2000
"""Links among which ambiguous ones are judged."""

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

    def read(self, text: str, *, types: Collection[str] = FINDING_TYPES) -> Note:
        """Understand a note; nothing in a text is an error."""
        lang, spans, sections = language(text), sentences(text), find_sections(text)
        links, unread = self._links(text, spans, types)
        statuses = read_status(text, [(link.start, link.end) for link in links])
        kinds = _kinds(sections, links)
        readings = [
            Reading(link, _in_section(status, kind, text, spans, link), kind)
            for link, status, kind in zip(links, statuses, kinds, strict=True)
        ]
        values = tuple(find_values(text))
        return Note(text, lang, tuple(sections), tuple(spans), tuple(self._aligned(readings)), values, unread)

    def links(self, text: str, *, types: Collection[str] = FINDING_TYPES) -> list[Link]:
        """The links of a text alone, in order; see the module's text."""
        return self._links(text, sentences(text), types)[0]

    def _links(self, text: str, spans: Sequence[Span], types: Collection[str]) -> tuple[list[Link], int]:
        links = self._coherent(self._linker.link(text, types=types))
        links = _merged(links, self._shared(text, spans, types))
        if self._meanings is None:
            return links, 0
        open_spans = [span for span in windows(text, spans, language(text)) if _is_open(span, links)]
        return _merged(links, self._by_meaning(text, open_spans[:MOST_WINDOWS], types)), max(
            0, len(open_spans) - MOST_WINDOWS
        )

    def _coherent(self, links: list[Link]) -> list[Link]:
        """Where several entities bear a name equally well, the one that is related to most of the rest of the text."""
        tied = [at for at, link in enumerate(links) if link.alternatives and link.confidence < CERTAIN]
        if not tied:
            return links
        clear = {link.entity for link in links[:_LONGEST_JUDGED] if link.confidence >= CERTAIN}
        chosen = list(links)
        for at in tied[:_LONGEST_JUDGED]:
            link = links[at]
            known = {curie: len(clear.intersection(self._neighbours(curie))) for curie in _bearers(link)}
            best = max(known, key=lambda curie: known[curie])
            if known[best] > known[link.entity]:
                chosen[at] = self._linker.meant(link, best, confidence=min(2 * link.confidence, 1.0))
            elif known[best] and sum(count == known[best] for count in known.values()) == 1:
                chosen[at] = replace(link, confidence=min(2 * link.confidence, 1.0))
        return chosen

    def _shared(self, text: str, spans: Iterable[Span], types: Collection[str]) -> list[Link]:
        """Mentions that share a word with another one, where the dictionary knows what they make together."""
        found: dict[tuple[Span, ...], Link] = {}
        for start, end in spans:
            for shared in coordinated(text, start, end):
                if shared.parts not in found and (link := self._linker.lookup(shared.name, types=types)):
                    first, last = shared.parts[0][0], shared.parts[-1][1]
                    found[shared.parts] = replace(
                        link,
                        start=first,
                        end=last,
                        text=text[first:last],
                        method="coordinated" if len(shared.parts) > 1 else link.method,
                        confidence=round(link.confidence * SHARED, 4),
                        parts=shared.parts if len(shared.parts) > 1 else (),
                    )
        return list(found.values())

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
        names = [text[start:end] for start, end in missed]
        for (start, end), near in zip(missed, self._meanings.nearest(names, limit=3, types=types), strict=True):
            if near and (confidence := probability(near[0], language(text[start:end]))) >= LEAST:
                others = [other.entity for other in near[1:]]
                span = text[start:end]
                links.append(
                    Link(start, end, span, near[0].entity, near[0].type, near[0].name, "meaning", confidence, others)
                )
        return links

    def _aligned(self, readings: list[Reading]) -> list[Reading]:
        """Chinese findings with what the English vocabularies have for them."""
        names = {r.link.text for r in readings if language(r.link.text) == "zh" and r.link.method != "meaning"}
        if self._meanings is None or not names:
            return readings
        listed = sorted(names)[:MOST_WINDOWS]
        near = dict(zip(listed, self._meanings.nearest(listed, limit=1, types=["PhenotypicFeature"]), strict=True))
        return [
            replace(reading, near=near[reading.link.text][0]) if near.get(reading.link.text) else reading
            for reading in readings
        ]


def probability(near: Near, lang: Lang) -> float:
    """How probable it is that the nearest entity is the right one."""
    slope, middle = CALIBRATION[lang]
    return round(1 / (1 + math.exp(-slope * (near.score - middle))), 4)


def _bearers(link: Link) -> list[str]:
    return [link.entity, *link.alternatives]


def _is_open(span: Span, links: Sequence[Link]) -> bool:
    """Whether no link covers a stretch, and none lies across one of its ends."""
    return not any(
        (link.start <= span[0] and span[1] <= link.end)
        or link.start < span[0] < link.end
        or link.start < span[1] < link.end
        for link in links
    )
