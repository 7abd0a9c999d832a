"""The task `icd10`: whether the diagnoses of a record are found, as terms and as codes.

Set-level precision, recall and F1, micro-averaged over cases, by three measures of when a prediction is right:

lenient   term and gold are each matched with the ICD-10 names most like them (the 10 best of at least 50 of 100), and
          the two sets intersect: the measure of the published evaluation of ICA-RAG's authors. It forgives much, so it
          never stands alone. Which similarity they take is not stated; ours is `ratio` (see `codes`)
exact     a code in common, as fine as the lists are
category  the first three characters of a code in common

Each gold counts once, for at most one prediction, and each prediction for at most one gold: the most that can be
matched so (a maximum matching, which no order of the lists decides). Gold without a code is a problem of the file; it
stays in the count as gold that nobody can get exactly. A gold label that joins several diagnoses stays one label.

The arms are baselines that can be seen through: what the text itself names as present, and the differential, cut at
five (our choice; the development records have two to three diagnoses, and several ways to say each).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from ontology.reading.text import normal_form
from reasoning.evaluation.icd10.codes import LISTS, CodeBook, Term
from reasoning.evaluation.record import Problem, Record
from reasoning.evaluation.sets import case_f1, precision_recall_f1
from reasoning.evaluation.task import Arm, counted

MEASURES: Final = ("lenient", "exact", "category")
DIFFERENTIAL: Final = "differential"
MENTIONED: Final = "mentioned"
TOP: Final = 5

Predictor = Callable[[str], Sequence[Term]]
"""A text -> the diagnoses that are said of it, best first."""


@dataclass(frozen=True, slots=True)
class RecordCase:
    """A record with its diagnoses.

    Attributes:
        id: of the case.
        text: the record.
        gold: its diagnoses, each once.
        department: where it was written, or empty.
    """

    id: str
    text: str
    gold: tuple[Term, ...]
    department: str = ""


def parse_record(value: Any) -> RecordCase:
    """A case from a JSON value in the format of diagnosis cases; gold may hold `icd10`, a list of codes, too.

    Codes (else ids) that are as many as the labels are those of the labels, in order; without labels each is a
    diagnosis. Where their number differs, labels count.

    Raises:
        ValidationError: text or gold is missing or empty.
    """
    line = _Line.model_validate(value)
    codes = [code if ":" in code else f"{LISTS[0]}:{code}" for code in line.gold.icd10] or line.gold.ids
    labels = line.gold.labels or codes
    ids = codes if len(codes) == len(labels) else [""] * len(labels)
    terms = (Term(label, (curie,) if curie else ()) for label, curie in zip(labels, ids, strict=True))
    return RecordCase(line.id, line.text, _each_once(terms), line.department)


class Icd10Task:
    """The task; see the module's text.

    Args:
        book: names and codes of the release.
        predictors: the arms by name, the one that is measured first.
        lines: cases as `read_cases` gives them with `parse_record`.
    """

    name = "icd10"

    def __init__(
        self, book: CodeBook, predictors: Mapping[str, Predictor], lines: Iterable[tuple[int, RecordCase | Problem]]
    ) -> None:
        self.book = book
        self.predictors = predictors
        self.lines = lines

    def cases(self) -> Iterator[tuple[int, RecordCase | Problem]]:
        """Cases, those with gold that has no code as a problem too; see `Task.cases`."""
        for number, case in self.lines:
            if isinstance(case, RecordCase) and (without := self._without_code(case)):
                cause = f"{case.id}: no ICD-10 code for {'; '.join(without)}"
                yield number, Problem(line=number, reason="gold not in the graph", cause=cause, fatal=False)
            yield number, case

    def arms(self) -> Sequence[Arm[RecordCase]]:
        """The predictors, in the order given."""
        return [
            Arm(name, partial(self._answer, arm=name, predict=predict)) for name, predict in self.predictors.items()
        ]

    def figures(self, records: Sequence[Record], problems: Sequence[Problem]) -> dict[str, Any]:
        """Micro-averages of every arm, for each department too where the cases name one."""
        by_arm = {arm: [r for r in records if r.arm == arm] for arm in dict.fromkeys(r.arm for r in records)}
        first = next(iter(by_arm.values()), [])
        return {
            "task": self.name,
            "n": len(first),
            "gold": sum(record.detail["counts"]["gold"] for record in first),
            "gold_without_code": sum(record.detail["counts"]["gold_without_code"] for record in first),
            "arms": {arm: _summary(found) for arm, found in by_arm.items()},
            "problems": counted(problems),
        }

    def _without_code(self, case: RecordCase) -> list[str]:
        return [term.label for term in case.gold if not self.book.codes(term)]

    def _answer(self, case: RecordCase, arm: str, predict: Predictor) -> Record:
        started = time.perf_counter()
        predicted = _each_once(predict(case.text))
        ms = (time.perf_counter() - started) * 1000
        views: dict[str, Callable[[Term], frozenset[str]]] = {
            "lenient": self.book.candidates,
            "exact": self.book.codes,
            "category": self.book.categories,
        }
        right = {
            measure: matched([view(term) for term in predicted], [view(term) for term in case.gold])
            for measure, view in views.items()
        }
        counts = {"predicted": len(predicted), "gold": len(case.gold)}
        return Record(
            case=case.id,
            arm=arm,
            scores={
                f"{measure}_f1": case_f1(right[measure], counts["predicted"], counts["gold"]) for measure in MEASURES
            },
            ms=round(ms, 3),
            detail={
                "department": case.department,
                "counts": {**counts, "gold_without_code": len(self._without_code(case)), **right},
                "gold": [self._shown(term) for term in case.gold],
                "predicted": [self._shown(term) for term in predicted],
            },
        )

    def _shown(self, term: Term) -> dict[str, Any]:
        return {"label": term.label, "codes": sorted(self.book.codes(term))}


def matched(predicted: Sequence[frozenset[str]], gold: Sequence[frozenset[str]]) -> int:
    """How many pairs of a prediction and a gold that intersect there are at most, each used once."""
    if not predicted or not gold:
        return 0
    meets = csr_array(np.array([[bool(one & other) for other in gold] for one in predicted], dtype=np.int8))
    return int(np.count_nonzero(maximum_bipartite_matching(meets) >= 0))


def _each_once(terms: Iterable[Term]) -> tuple[Term, ...]:
    """Terms without those whose label was there already."""
    return tuple({normal_form(term.label): term for term in reversed(list(terms))}.values())[::-1]


def _summary(records: Sequence[Record]) -> dict[str, Any]:
    departments = {d: [r for r in records if r.detail["department"] == d] for d in _departments(records)}
    return {
        **_rates(records),
        **({"departments": {name: _rates(found) for name, found in departments.items()}} if departments else {}),
        "predicted": sum(record.detail["counts"]["predicted"] for record in records),
        "ms_per_case": round(sum(record.ms for record in records) / max(len(records), 1), 3),
    }


def _departments(records: Sequence[Record]) -> list[str]:
    return sorted({record.detail["department"] for record in records} - {""})


def _rates(records: Sequence[Record]) -> dict[str, dict[str, float]]:
    total: Counter[str] = Counter()
    for record in records:
        total.update(record.detail["counts"])
    rates = {m: precision_recall_f1(total[m], total["predicted"], total["gold"]) for m in MEASURES}
    return {m: {"p": found["precision"], "r": found["recall"], "f1": found["f1"]} for m, found in rates.items()}


class _Tolerant(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _Gold(_Tolerant):
    ids: list[str] = []
    labels: list[str] = []
    icd10: list[str] = []

    @model_validator(mode="after")
    def _some(self) -> _Gold:
        if not any(one.strip() for one in (*self.ids, *self.labels, *self.icd10)):
            raise ValueError("neither labels, ids nor icd10")
        return self


class _Line(_Tolerant):
    id: str = Field(min_length=1)
    text: str = Field(pattern=r"\S")
    gold: _Gold
    department: str = ""
