"""The task `status`: what a text says of the findings it mentions, when it is known where they are.

Every arm is given the text and the spans of all its findings. `clew` is the reader; `clew, one at a time` is the same
reader asked for each finding as if it knew of no other, which is what happens to a finding whose neighbours are in no
dictionary. `prevailing` says `present` of everything. Peers read the languages that they say they read; other cases
are not theirs and do not count for them.

Figures are over findings: `accuracy`, `macro_f1` (mean over the statuses that the file has), F1 of every status, and
precision, recall and F1 of `absent`, each also by language.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Protocol, get_args

from ontology.reading.status import Status, status_of, statuses
from reasoning.evaluation.record import Problem, Record
from reasoning.evaluation.status.cases import StatusCase
from reasoning.evaluation.task import Arm, counted

STATUSES: Final[tuple[Status, ...]] = get_args(Status)
CLEW: Final = "clew"
ALONE: Final = "clew, one at a time"
PREVAILING: Final = "prevailing"

Span = tuple[int, int]


class StatusReader(Protocol):
    """Whoever says what a text says of findings.

    Attributes:
        name: as figures name it.
        languages: that it reads; empty means all.
    """

    name: str
    languages: tuple[str, ...]

    def read(self, text: str, spans: Sequence[Span]) -> list[Status]:
        """The status of each finding."""
        ...


class Clew:
    """The reader that is measured."""

    name = CLEW
    languages: tuple[str, ...] = ()

    def read(self, text: str, spans: Sequence[Span]) -> list[Status]:
        """The status of each finding, all of them known."""
        return statuses(text, spans)


class Alone:
    """The same reader, which is told of one finding at a time."""

    name = ALONE
    languages: tuple[str, ...] = ()

    def read(self, text: str, spans: Sequence[Span]) -> list[Status]:
        """The status of each finding, no other known."""
        return [status_of(text, start, end) for start, end in spans]


class Prevailing:
    """Says of every finding what is said of most."""

    name = PREVAILING
    languages: tuple[str, ...] = ()

    def read(self, text: str, spans: Sequence[Span]) -> list[Status]:  # noqa: ARG002  (it does not look)
        """`present`, whatever the text says."""
        return ["present" for _ in spans]


class StatusTask:
    """The task; see the module's text.

    Args:
        lines: cases as `read_status_cases` gives them.
        peers: measured beside the reader.
    """

    name = "status"

    def __init__(self, lines: Iterable[tuple[int, StatusCase | Problem]], peers: Sequence[StatusReader] = ()) -> None:
        self.lines = lines
        self.readers: tuple[StatusReader, ...] = (Clew(), Alone(), Prevailing(), *peers)

    def cases(self) -> Iterator[tuple[int, StatusCase | Problem]]:
        """See `Task.cases`."""
        yield from self.lines

    def arms(self) -> Sequence[Arm[StatusCase]]:
        """The reader, then baselines and peers; the tables of phrases are read before, which is no case's time."""
        for reader in self.readers:
            reader.read("no fever", [(3, 8)])
        return [_arm(reader) for reader in self.readers]

    def figures(self, records: Sequence[Record], problems: Sequence[Problem]) -> dict[str, Any]:
        """The reader's figures on top, those of every other arm under its name."""
        by_arm: dict[str, list[Record]] = {}
        for record in records:
            by_arm.setdefault(record.arm, []).append(record)
        own = by_arm.get(CLEW, [])
        return {
            "task": self.name,
            "n": len(own),
            **status_figures(own),
            "languages": _by_language(own),
            "arms": {
                arm: {**status_figures(found), "languages": _by_language(found)}
                for arm, found in by_arm.items()
                if arm != CLEW
            },
            "problems": counted(problems),
        }


def status_figures(records: Sequence[Record]) -> dict[str, Any]:
    """What one arm gets right, over the findings of the records that count for it."""
    used = [record for record in records if record.counted]
    pairs = Counter(pair for record in used for pair in zip(record.detail["gold"], record.detail["said"], strict=True))
    findings = sum(pairs.values())
    by_status = {status: _rates(pairs, status) for status in STATUSES}
    f1 = {status: rates["f1"] for status, rates in by_status.items() if any(gold == status for gold, _ in pairs)}
    seconds = sum(record.ms for record in used) / 1000
    return {
        "findings": findings,
        "accuracy": round(sum(n for (gold, said), n in pairs.items() if gold == said) / max(findings, 1), 4),
        "macro_f1": round(sum(f1.values()) / max(len(f1), 1), 4),
        "f1": f1,
        "absent": by_status["absent"],
        "findings_per_second": round(findings / seconds) if seconds else None,
    }


def status_records(reader: StatusReader, cases: Iterable[StatusCase]) -> list[Record]:
    """What a reader says of the findings of each case."""
    return [_record(reader, case) for case in cases]


def _arm(reader: StatusReader) -> Arm[StatusCase]:
    return Arm(reader.name, lambda case: _record(reader, case))


def _record(reader: StatusReader, case: StatusCase) -> Record:
    if reader.languages and case.lang.partition("-")[0] not in reader.languages:
        return Record(case=case.id, arm=reader.name, counted=False, detail={"lang": case.lang})
    started = time.perf_counter()
    said = reader.read(case.text, case.spans)
    ms = (time.perf_counter() - started) * 1000
    right = sum(one == other for one, other in zip(case.gold, said, strict=True))
    return Record(
        case=case.id,
        arm=reader.name,
        scores={"right": right / len(said)},
        ms=round(ms, 3),
        detail={"lang": case.lang, "gold": list(case.gold), "said": list(said)},
    )


def _by_language(records: Sequence[Record]) -> dict[str, dict[str, Any]]:
    languages = sorted({record.detail["lang"] for record in records if record.counted})
    return {lang: status_figures([r for r in records if r.detail["lang"] == lang]) for lang in languages}


def _rates(pairs: Counter[tuple[str, str]], status: str) -> dict[str, float]:
    """Precision, recall and F1 of one status; 0 where nothing is divided by nothing."""
    right = pairs[status, status]
    said = sum(n for (_, other), n in pairs.items() if other == status)
    gold = sum(n for (other, _), n in pairs.items() if other == status)
    return {
        "precision": round(right / max(said, 1), 4),
        "recall": round(right / max(gold, 1), 4),
        "f1": round(2 * right / max(said + gold, 1), 4),
    }
