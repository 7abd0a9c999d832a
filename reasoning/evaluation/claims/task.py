"""The task `claims`: whether evidence supports, refutes or leaves open a claim.

`accuracy` and `macro_f1` (mean of F1 over the three labels, each counting the same) are of the judge under test.
Beside it stand an arm that always says the label that most cases of the file have, and `overlap`, which says Supports
when at least half of the claim's words are in the evidence, else Neutral. A judge that does not beat both has not
understood anything. Figures are scikit-learn's; a label that is never said has precision 0.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field
from sklearn.metrics import accuracy_score, precision_recall_fscore_support

from reasoning.evaluation.record import Problem, Record
from reasoning.evaluation.task import Arm, counted
from reasoning.verify import LABELS, ClaimJudge, Label, Verdict, coverage

MAJORITY: Final = "majority"
OVERLAP: Final = "overlap"
_ENOUGH: Final = 0.5
"""Share of the claim's words from which `overlap` says Supports (our choice)."""


@dataclass(frozen=True, slots=True)
class ClaimCase:
    """A claim, the evidence, and what the one is to the other."""

    id: str
    claim: str
    evidence: str
    label: Label


def parse_claim(value: Any) -> ClaimCase:
    """A case from a JSON value.

    Raises:
        ValidationError: a field is missing, empty or not one of the labels.
    """
    line = _Line.model_validate(value)
    return ClaimCase(line.id, line.claim, line.evidence, line.label)


class ClaimsTask:
    """The task; see the module's text.

    Args:
        judge: under test.
        lines: cases as `read_cases` gives them with `parse_claim`; read at once, because the majority is the file's.
    """

    name = "claims"

    def __init__(self, judge: ClaimJudge, lines: Iterable[tuple[int, ClaimCase | Problem]]) -> None:
        self.judge = judge
        self.lines = list(lines)

    def cases(self) -> Iterator[tuple[int, ClaimCase | Problem]]:
        """See `Task.cases`."""
        yield from self.lines

    def arms(self) -> Sequence[Arm[ClaimCase]]:
        """The judge, then the baselines."""
        found = Counter(case.label for _, case in self.lines if isinstance(case, ClaimCase))
        most = max(LABELS, key=lambda label: found[label])
        return [
            _arm(self.judge.name, self.judge.judge),
            _arm(MAJORITY, lambda *_: Verdict(most, {most: 1.0}, ())),
            _arm(OVERLAP, _by_overlap),
        ]

    def figures(self, records: Sequence[Record], problems: Sequence[Problem]) -> dict[str, Any]:
        """The judge's figures on top, the baselines' accuracy and macro F1 under their names."""
        by_arm: dict[str, list[Record]] = {}
        for record in records:
            by_arm.setdefault(record.arm, []).append(record)
        own = by_arm.get(self.judge.name, [])
        baselines = {arm: _rates(by_arm.get(arm, [])) for arm in (MAJORITY, OVERLAP)}
        return {
            "task": self.name,
            "n": len(own),
            **_rates(own),
            "labels": _by_label(own),
            **baselines,
            "ms_per_case": round(sum(record.ms for record in own) / max(len(own), 1), 3),
            "problems": counted(problems),
        }


def _arm(name: str, judge: Callable[[str, str], Verdict]) -> Arm[ClaimCase]:
    def answer(case: ClaimCase) -> Record:
        started = time.perf_counter()
        verdict = judge(case.claim, case.evidence)
        return Record(
            case=case.id,
            arm=name,
            group=case.claim,
            scores={"right": float(verdict.label == case.label)},
            ms=round((time.perf_counter() - started) * 1000, 3),
            detail={
                "gold": case.label,
                "said": verdict.label,
                "scores": dict(verdict.scores),
                "reasons": list(verdict.reasons),
            },
        )

    return Arm(name, answer)


def _by_overlap(claim: str, evidence: str) -> Verdict:
    share = coverage(claim, evidence)
    return Verdict("Supports" if share >= _ENOUGH else "Neutral", {"Supports": share, "Neutral": 1 - share}, ())


def _labels(records: Sequence[Record]) -> tuple[list[str], list[str]]:
    return [record.detail["gold"] for record in records], [record.detail["said"] for record in records]


def _rates(records: Sequence[Record]) -> dict[str, float]:
    """Accuracy and macro F1 over all three labels."""
    gold, said = _labels(records)
    by_label = _by_label(records).values()
    accuracy = float(accuracy_score(gold, said)) if gold else 0.0
    return {
        "accuracy": round(accuracy, 4),
        "macro_f1": round(sum(figures["f1"] for figures in by_label) / len(LABELS), 4),
    }


def _by_label(records: Sequence[Record]) -> dict[str, dict[str, float]]:
    gold, said = _labels(records)
    columns = precision_recall_fscore_support(gold, said, labels=list(LABELS), zero_division=0)
    return {
        label: {
            "precision": round(float(precision), 4),
            "recall": round(float(recall), 4),
            "f1": round(float(f1), 4),
            "support": int(support),
        }
        for label, precision, recall, f1, support in zip(LABELS, *columns, strict=True)
    }


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str = Field(min_length=1)
    claim: str = Field(pattern=r"\S")
    evidence: str = Field(pattern=r"\S")
    label: Label
