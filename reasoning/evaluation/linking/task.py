"""The task `linking`: whether mentions are found in texts, and whether names are taken for the right entities.

Detection asks whether a link has the span of a gold mention, whatever it means: strictly, or `overlap`, where a
character in common is enough (precision: links that touch a gold mention; recall: gold mentions that a link touches).

Linking asks for span and entity. An entity is right when its id is one of the gold ids, or one accepted `same_as` joins
it to one of them; `strict` counts ids alone. Of gold mentions whose span was linked, `accuracy_given_span` is the share
that is right; `among_senses` also takes the entities that the linker knew for the name and ranked lower. Gold without
an id, or with none that the graph has, is counted for detection and left out of linking: links that touch only such
mentions are neither right nor wrong there.

Which links take part: those of types that the corpus annotates. What a corpus calls Disease may be a Disease or a
PhenotypicFeature of the graph, and the other way round; Chemical and Drug may be a Drug or a DrugClass (`PARTNERS`);
any other type stands for itself, and a mention without a type for that of its gold entity. The types of all mentions
of the file count, so that a Procedure in a corpus of diseases is no false positive, and a disease in a text where the
annotators saw none is one. The linker is asked for these types only.

A case of a name is asked for as a whole. Where the linker finds several entities and declines to choose, the case is
wrong, and counted as `ambiguous`. A name that is `held_out` is asked of a dictionary that does not have it for the gold
entities and what is the same as them, because `same_as` may stem from that very name; the same goes for the index of
meanings.

Every arm is asked for the vocabularies that the file's gold is in (`MESH`, `HP`): in texts their entities win over
others of the same name, names are ranked among them alone. The arms: the `reader` with all that it is certain of (for
a name the dictionary, then the index of meanings) and the `dictionary` alone; for names also the `nearest name` in
writing, where the dictionary knows none, and the sentence `encoder` alone, by the cosine to all names. `top5` counts
gold among the first five.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, Final

from kg_build.index.meaning import Meaning
from kg_build.index.terms import make_linker
from kg_build.mentions import LINKED_TYPES
from ontology.errors import ClewError, Code
from ontology.reading.linker import Link, Linker
from ontology.reading.reader import CERTAIN, Reader
from ontology.reading.terminology import Terminology
from reasoning.evaluation.linking.cases import GoldMention, LinkingCase
from reasoning.evaluation.linking.held_out import Pair
from reasoning.evaluation.record import Problem, Record
from reasoning.evaluation.sets import case_f1, precision_recall_f1
from reasoning.evaluation.task import Arm, counted

DICTIONARY: Final = "dictionary"
READER: Final = "reader"
NEAREST: Final = "nearest name"
ENCODER: Final = "encoder"
_TOP: Final = 5
PARTNERS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "Disease": ("Disease", "PhenotypicFeature"),
        "PhenotypicFeature": ("Disease", "PhenotypicFeature"),
        "Chemical": ("Drug", "DrugClass"),
        "Drug": ("Drug", "DrugClass"),
        "DrugClass": ("Drug", "DrugClass"),
    }
)
"""Types of links that may be right for what a corpus annotates."""


@dataclass(frozen=True)
class Names:
    """What the task needs of a release.

    Attributes:
        terminology: the dictionary.
        without: the dictionary without some names of some entities.
        type_of: type of an entity, None when the graph does not have it.
        same: what one accepted `same_as` joins to an entity.
        neighbours: what an entity is related to.
        meaning: entities by what names mean; None where the release does not have it.
        meaning_without: the same without some names of some entities; None likewise.
    """

    terminology: Terminology
    without: Callable[[Collection[Pair]], Terminology]
    type_of: Callable[[str], str | None]
    same: Callable[[str], Sequence[str]]
    neighbours: Callable[[str], Collection[str]] = lambda _: ()
    meaning: Meaning | None = None
    meaning_without: Callable[[Collection[Pair]], Meaning] | None = None


@dataclass(frozen=True)
class _Asked:
    """What the arms ask, with or without the held-out names."""

    linker: Linker
    terminology: Terminology
    meaning: Meaning | None


class LinkingTask:
    """The task; see the module's text.

    Args:
        names: of the release that is measured.
        lines: as `read_linking_cases` gives them; read at once, because types and held-out names are the file's.
    """

    name = "linking"

    def __init__(self, names: Names, lines: Iterable[tuple[int, LinkingCase | Problem]]) -> None:
        self.names = names
        self.lines = list(lines)
        self._all = [case for _, case in self.lines if isinstance(case, LinkingCase)]
        self._asked = _Asked(make_linker(names.terminology), names.terminology, names.meaning)
        self._reader = Reader(self._asked.linker, names.meaning, names.neighbours)

    def cases(self) -> Iterator[tuple[int, LinkingCase | Problem]]:
        """Cases, those with gold that the graph does not have as a problem too; see `Task.cases`."""
        for number, case in self.lines:
            if isinstance(case, LinkingCase) and (absent := self._absent(case)):
                cause = f"{case.id}: {len(absent)} mentions: {', '.join(dict.fromkeys(absent))}"
                yield number, Problem(line=number, reason="gold not in the graph", cause=cause, fatal=False)
            yield number, case

    def arms(self) -> Sequence[Arm[LinkingCase]]:
        """The reader and the dictionary; for names also the nearest in writing, and the encoder alone."""
        self._reader.links("fever, racing of the heart")  # opens dictionary and encoder: that is no case's time
        names = [READER, DICTIONARY]
        if any(case.is_name for case in self._all):
            names += [NEAREST, ENCODER] if self.names.meaning else [NEAREST]
        return [Arm(name, partial(self._answer, arm=name)) for name in names]

    def figures(self, records: Sequence[Record], problems: Sequence[Problem]) -> dict[str, Any]:
        """Micro-averages of the reader, and of every arm; null for what the file has no case of."""
        by_arm: dict[str, list[Record]] = {}
        for record in records:
            by_arm.setdefault(record.arm, []).append(record)
        own = by_arm.get(READER, [])
        arms = {arm: _arm_figures(found) for arm, found in by_arm.items()}
        return {"task": self.name, "n": len(own), **_arm_figures(own), "arms": arms, "problems": counted(problems)}

    @cached_property
    def types(self) -> frozenset[str] | None:
        """Types of links that take part in texts; None, all, when the file gives no hint."""
        mentions = (mention for case in self._all if not case.is_name for mention in case.mentions)
        return frozenset(type_ for mention in mentions for type_ in self._partners(mention)) or None

    @cached_property
    def vocabularies(self) -> tuple[str, ...]:
        """CURIE prefixes of the gold of the file, with their colon."""
        ids = (curie for case in self._all for gold in case.mentions for curie in gold.ids)
        return tuple(sorted({curie.partition(":")[0] + ":" for curie in ids}))

    @cached_property
    def _unknowing(self) -> _Asked:
        """What does not know the held-out names of the file."""
        held = [case for case in self._all if case.held_out]
        pairs = {(curie, case.text) for case in held for gold in case.mentions for curie in self._family(gold.ids)}
        terminology = self.names.without(pairs)
        meaning = self.names.meaning_without(pairs) if self.names.meaning_without else None
        return _Asked(make_linker(terminology), terminology, meaning)

    def _partners(self, mention: GoldMention) -> tuple[str, ...]:
        types = [mention.type] if mention.type else [t for c in mention.ids if (t := self.names.type_of(c))]
        return tuple(dict.fromkeys(partner for type_ in types for partner in PARTNERS.get(type_, (type_,))))

    def _family(self, ids: Iterable[str]) -> set[str]:
        return {one for curie in ids for one in (curie, *self.names.same(curie))}

    def _known(self, ids: Iterable[str]) -> bool:
        return any(self.names.type_of(curie) is not None for curie in ids)

    def _absent(self, case: LinkingCase) -> list[str]:
        """Ids of the mentions that have some, but none that the graph has."""
        return ["|".join(gold.ids) for gold in case.mentions if gold.ids and not self._known(gold.ids)]

    def _answer(self, case: LinkingCase, arm: str) -> Record:
        if case.is_name:
            return self._name_record(case, arm, self._unknowing if case.held_out else self._asked)
        started = time.perf_counter()
        types, prefer = self.types or LINKED_TYPES, self.vocabularies
        if arm == READER:
            found = self._reader.links(case.text, types=types, prefer=prefer)
            links = [link for link in found if link.confidence >= CERTAIN]
        else:
            links = self._asked.linker.dictionary(case.text, types=types, prefer=prefer)
        return self._text_record(case, arm, links, (time.perf_counter() - started) * 1000)

    def _ranked(self, name: str, types: Collection[str] | None, arm: str, asked: _Asked) -> tuple[list[str], str]:
        """The entities that an arm takes a name for, best first, and what its dictionary says of it."""
        how = _known_as(name, asked.linker, types)
        link = asked.linker.lookup(name, types=types, prefer=self.vocabularies) if how == "found" else None
        ranked = [link.entity, *link.alternatives] if link else []
        if arm == ENCODER and asked.meaning is not None:
            near = asked.meaning.nearest_by_encoder(name, limit=_TOP, types=types, prefixes=self.vocabularies)
            ranked, how = [one.entity for one in near], "unknown"
        elif arm == NEAREST and how == "unknown":
            senses = asked.terminology.suggest(name, limit=50)
            ranked = [sense.entity for sense in senses if types is None or sense.type in types]
        elif arm == READER and asked.meaning is not None:
            near = asked.meaning.nearest([name], limit=_TOP, types=types, prefixes=self.vocabularies)[0]
            ranked += [one.entity for one in near]
        return [curie for curie in dict.fromkeys(ranked) if curie.startswith(self.vocabularies)][:_TOP], how

    def _name_record(self, case: LinkingCase, arm: str, asked: _Asked) -> Record:
        (gold,) = case.mentions
        types = self._partners(gold) or None
        started = time.perf_counter()
        ranked, how = self._ranked(case.text, types, arm, asked)
        ms = (time.perf_counter() - started) * 1000
        said, family = next(iter(ranked), ""), self._family(gold.ids)
        strict, right = said in gold.ids, said in family
        return Record(
            case=case.id,
            arm=arm,
            group=gold.ids[0],
            counted=self._known(gold.ids),
            scores={
                "right": float(right),
                "right_strict": float(strict),
                "top5": float(not family.isdisjoint(ranked)),
            },
            ms=round(ms, 3),
            detail={"name": case.text, "lang": case.lang, "gold": list(gold.ids), "said": said, "how": how},
        )

    def _text_record(self, case: LinkingCase, arm: str, links: Sequence[Link], ms: float) -> Record:
        gold: dict[tuple[int, int], set[str]] = {}
        for mention in case.mentions:  # a stretch that is annotated twice is one, with the ids of both
            gold.setdefault((mention.start, mention.end), set()).update(mention.ids)
        known = {span: ids for span, ids in gold.items() if self._known(ids)}
        said = {(link.start, link.end): link.entity for link in links}
        senses = {(link.start, link.end): (link.entity, *link.alternatives) for link in links}
        spotted = {span: said[span] for span in known if span in said}
        strict = [span for span, entity in spotted.items() if entity in known[span]]
        right = [span for span, entity in spotted.items() if entity in self._family(known[span])]
        among = [span for span in spotted if self._family(known[span]).intersection(senses[span])]
        judged = [span for span in said if _touches(span, known) or not _touches(span, gold)]
        counts = Counter(
            mentions=len(case.mentions), no_id=sum(not mention.ids for mention in case.mentions),
            not_in_graph=len(self._absent(case)), spans=len(gold), links=len(said), exact=len(gold.keys() & said),
            links_touching=sum(_touches(span, gold) for span in said),
            spans_touched=sum(_touches(span, said) for span in gold),
            known=len(known), judged=len(judged), spotted=len(spotted), strict=len(strict), right=len(right),
            among=len(among), relations=case.relations,
        )  # fmt: skip
        return Record(
            case=case.id,
            arm=arm,
            counted=bool(gold or said),
            scores={
                "detection_f1": case_f1(counts["exact"], counts["links"], counts["spans"]),
                "linking_f1": case_f1(counts["right"], counts["judged"], counts["known"]),
            },
            ms=round(ms, 3),
            detail={
                "lang": case.lang,
                "counts": dict(counts),
                "missed": [_shown(case.text, span, sorted(gold[span])) for span in gold if span not in said],
                "wrong": [
                    _shown(case.text, span, sorted(known[span]), entity)
                    for span, entity in spotted.items()
                    if span not in right
                ],
                "extra": [_shown(case.text, span, [], said[span]) for span in said if span not in gold],
            },
        )


def _known_as(name: str, linker: Linker, types: Collection[str] | None) -> str:
    """What a dictionary says of a name: `found`, `unknown` or `ambiguous`."""
    try:
        linker.resolve(name, types=types)
    except ClewError as error:
        if error.code not in (Code.UNKNOWN_ENTITY, Code.AMBIGUOUS_ENTITY):
            raise
        return "ambiguous" if error.code is Code.AMBIGUOUS_ENTITY else "unknown"
    return "found"


def _touches(span: tuple[int, int], others: Iterable[tuple[int, int]]) -> bool:
    return any(start < span[1] and span[0] < end for start, end in others)


def _shown(text: str, span: tuple[int, int], gold: list[str], said: str = "") -> dict[str, Any]:
    return {"start": span[0], "end": span[1], "text": text[span[0] : span[1]], "gold": gold, "said": said}


def _arm_figures(records: Sequence[Record]) -> dict[str, Any]:
    """What an arm did with texts and with names."""
    ms = round(sum(record.ms for record in records) / max(len(records), 1), 3)
    texts = [record for record in records if "counts" in record.detail]
    return {**_text_figures(texts), "names": _name_figures(records), "ms_per_case": ms}


def _text_figures(records: Sequence[Record]) -> dict[str, Any]:
    total: Counter[str] = Counter()
    for record in records:
        total.update(record.detail["counts"])
    figures: dict[str, Any] = {
        "mentions": total["mentions"],
        "in_graph": total["mentions"] - total["no_id"] - total["not_in_graph"],
        "no_id": total["no_id"],
        "not_in_graph": total["not_in_graph"],
        "relations": total["relations"],
    }
    if not records:
        return {**figures, "detection": None, "linking": None, "accuracy_given_span": None}
    overlap = precision_recall_f1(total["links_touching"], total["links"], total["spans"], total["spans_touched"])
    spotted = max(total["spotted"], 1)
    return {
        **figures,
        "detection": {**precision_recall_f1(total["exact"], total["links"], total["spans"]), "overlap": overlap},
        "linking": {
            **precision_recall_f1(total["right"], total["judged"], total["known"]),
            "strict": precision_recall_f1(total["strict"], total["judged"], total["known"]),
        },
        "accuracy_given_span": {
            "same_as": round(total["right"] / spotted, 4),
            "strict": round(total["strict"] / spotted, 4),
            "among_senses": round(total["among"] / spotted, 4),
            "n": total["spotted"],
        },
    }


def _name_figures(records: Sequence[Record]) -> dict[str, Any]:
    """Accuracy over names whose gold the graph has, for each language."""
    by_lang: dict[str, list[Record]] = {}
    for record in records:
        if record.counted and "name" in record.detail:
            by_lang.setdefault(record.detail["lang"], []).append(record)
    return {
        lang: {
            "n": len(found),
            "accuracy": round(sum(record.scores["right"] for record in found) / len(found), 4),
            "top5": round(sum(record.scores["top5"] for record in found) / len(found), 4),
            "strict": round(sum(record.scores["right_strict"] for record in found) / len(found), 4),
            "unknown": sum(record.detail["how"] == "unknown" for record in found),
            "ambiguous": sum(record.detail["how"] == "ambiguous" for record in found),
        }
        for lang, found in sorted(by_lang.items())
    }
