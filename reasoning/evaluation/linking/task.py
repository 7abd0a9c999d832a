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
entities and what is the same as them, because `same_as` may stem from that very name.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final

from kg_build.index.terms import make_linker
from ontology.errors import ClewError, Code
from ontology.reading.linker import Link, Linker
from ontology.reading.terminology import Terminology
from reasoning.evaluation.linking.cases import GoldMention, LinkingCase
from reasoning.evaluation.linking.held_out import Pair
from reasoning.evaluation.record import Problem, Record
from reasoning.evaluation.sets import case_f1, precision_recall_f1
from reasoning.evaluation.task import Arm, counted

DICTIONARY: Final = "dictionary"
NEAREST: Final = "nearest name"
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
    """

    terminology: Terminology
    without: Callable[[Collection[Pair]], Terminology]
    type_of: Callable[[str], str | None]
    same: Callable[[str], Sequence[str]]


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
        self._linker = make_linker(names.terminology)

    def cases(self) -> Iterator[tuple[int, LinkingCase | Problem]]:
        """Cases, those with gold that the graph does not have as a problem too; see `Task.cases`."""
        for number, case in self.lines:
            if isinstance(case, LinkingCase) and (absent := self._absent(case)):
                cause = f"{case.id}: {len(absent)} mentions: {', '.join(dict.fromkeys(absent))}"
                yield number, Problem(line=number, reason="gold not in the graph", cause=cause, fatal=False)
            yield number, case

    def arms(self) -> Sequence[Arm[LinkingCase]]:
        """The dictionary; for names also what looks most like a name that it does not know."""
        self._linker.link("fever")  # opens the dictionary: that is no case's time
        arms: list[Arm[LinkingCase]] = [Arm(DICTIONARY, lambda case: self._answer(case, DICTIONARY))]
        if any(case.is_name for case in self._all):
            arms.append(Arm(NEAREST, lambda case: self._answer(case, NEAREST)))
        return arms

    def figures(self, records: Sequence[Record], problems: Sequence[Problem]) -> dict[str, Any]:
        """Micro-averages of the dictionary; names of every arm; null for what the file has no case of."""
        own = [record for record in records if record.arm == DICTIONARY]
        arms = dict.fromkeys(record.arm for record in records)
        return {
            "task": self.name,
            "n": len(own),
            **_text_figures([record for record in own if "counts" in record.detail]),
            "names": _name_figures(own),
            "arms": {arm: _name_figures([r for r in records if r.arm == arm]) for arm in arms if arm != DICTIONARY},
            "ms_per_case": round(sum(record.ms for record in own) / max(len(own), 1), 3),
            "problems": counted(problems),
        }

    @cached_property
    def types(self) -> frozenset[str] | None:
        """Types of links that take part in texts; None, all, when the file gives no hint."""
        mentions = (mention for case in self._all if not case.is_name for mention in case.mentions)
        return frozenset(type_ for mention in mentions for type_ in self._partners(mention)) or None

    @cached_property
    def _unknowing(self) -> tuple[Linker, Terminology]:
        """The linker that does not know the held-out names of the file."""
        held = [case for case in self._all if case.held_out]
        pairs = {(curie, case.text) for case in held for gold in case.mentions for curie in self._family(gold.ids)}
        terminology = self.names.without(pairs)
        return make_linker(terminology), terminology

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
        linker, terminology = self._unknowing if case.held_out else (self._linker, self.names.terminology)
        if case.is_name:
            return self._name_record(case, arm, linker, terminology)
        started = time.perf_counter()
        links = linker.link(case.text, types=self.types)
        return self._text_record(case, arm, links, (time.perf_counter() - started) * 1000)

    def _name_record(self, case: LinkingCase, arm: str, linker: Linker, terminology: Terminology) -> Record:
        (gold,) = case.mentions
        types = self._partners(gold) or None
        started = time.perf_counter()
        said, how = _resolved(case.text, linker, types)
        if arm == NEAREST and how == "unknown":
            near = (s for s in terminology.suggest(case.text, limit=20) if types is None or s.type in types)
            said = next((sense.entity for sense in near), "")
        ms = (time.perf_counter() - started) * 1000
        strict, right = said in gold.ids, said in self._family(gold.ids)
        return Record(
            case=case.id,
            arm=arm,
            group=gold.ids[0],
            counted=self._known(gold.ids),
            scores={"right": float(right), "right_strict": float(strict)},
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


def _resolved(name: str, linker: Linker, types: Collection[str] | None) -> tuple[str, str]:
    """The entity that a name is taken for, empty when none is, and how: `found`, `unknown` or `ambiguous`."""
    try:
        return linker.resolve(name, types=types).entity, "found"
    except ClewError as error:
        if error.code not in (Code.UNKNOWN_ENTITY, Code.AMBIGUOUS_ENTITY):
            raise
        return "", "ambiguous" if error.code is Code.AMBIGUOUS_ENTITY else "unknown"


def _touches(span: tuple[int, int], others: Iterable[tuple[int, int]]) -> bool:
    return any(start < span[1] and span[0] < end for start, end in others)


def _shown(text: str, span: tuple[int, int], gold: list[str], said: str = "") -> dict[str, Any]:
    return {"start": span[0], "end": span[1], "text": text[span[0] : span[1]], "gold": gold, "said": said}


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
            "strict": round(sum(record.scores["right_strict"] for record in found) / len(found), 4),
            "unknown": sum(record.detail["how"] == "unknown" for record in found),
            "ambiguous": sum(record.detail["how"] == "ambiguous" for record in found),
        }
        for lang, found in sorted(by_lang.items())
    }
