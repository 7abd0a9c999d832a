"""The task `diagnosis`: how well the differential ranks the published diagnosis.

Four figures belong together: all evidence or the case's own publication hidden, per case or each disease weighing at
most ten cases. The primary one is capped with own references hidden; the mean over diseases stands beside it.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, Protocol

import numpy as np

from kg_build.index.columns import Doubles
from ontology.errors import ClewError
from reasoning.diagnosis.case import Case
from reasoning.diagnosis.likelihood import DiagnosisEngine
from reasoning.evaluation.diagnosis.gold import Gold, Outcome, Ranking, Resolver
from reasoning.evaluation.lines import malformed
from reasoning.evaluation.metrics import (
    capped_weights,
    expected_calibration_error,
    macro_weights,
    rank_figures,
    weighted_median,
)
from reasoning.evaluation.record import Problem, Record
from reasoning.evaluation.task import Arm, counted, mean_scores

ALL_EVIDENCE: Final = "all evidence"
OWN_HIDDEN: Final = "own references hidden"
VIEWS: Final = (ALL_EVIDENCE, OWN_HIDDEN)
ENGINE: Final = "clew"
_RATES: Final = ("top1", "top3", "top5", "top10", "mrr")

Lines = Iterable[tuple[int, Case | ClewError]]


class DiagnosisPeer(Protocol):
    """Another way to rank the diseases of a graph by findings."""

    name: str

    def scores(self, case: Case, hidden: Collection[str]) -> Mapping[str, float]:
        """Score of the diseases it knows, by CURIE, as if the hidden references did not exist; higher is better."""
        ...


class DiagnosisTask:
    """The task; see the module's text.

    Args:
        engine: the engine to judge.
        lines: cases as `read_cases` gives them.
        resolve: finds diseases by name; by default the labels of the matrix.
        peers: measured beside it.
        view: the one whose figures stand on top.
    """

    name = "diagnosis"

    def __init__(
        self,
        engine: DiagnosisEngine,
        lines: Lines,
        *,
        resolve: Resolver | None = None,
        peers: Sequence[DiagnosisPeer] = (),
        view: str = ALL_EVIDENCE,
    ) -> None:
        self.engine = engine
        self.lines = lines
        self.gold = Gold(engine, resolve)
        self.peers = peers
        self.view = view

    def cases(self) -> Iterator[tuple[int, Case | Problem]]:
        """Cases, those whose gold is not in the graph as a problem too; see `Task.cases`."""
        for number, case in self.lines:
            if isinstance(case, ClewError):
                yield number, malformed(number, case.cause)
                continue
            if not self.gold.find(case)[0]:
                named = ", ".join((*case.gold_ids, *case.gold_labels)) or "no gold"
                yield (
                    number,
                    Problem(line=number, reason="gold not in the graph", cause=f"{case.id}: {named}", fatal=False),
                )
            yield number, case

    def arms(self) -> Sequence[Arm[Case]]:
        """The engine under both views, then the peers."""
        own = [Arm(ENGINE, partial(self._answer, view), view) for view in VIEWS]
        return [*own, *(Arm(p.name, partial(self._by_peer, p, view), view) for p in self.peers for view in VIEWS)]

    def figures(self, records: Sequence[Record], problems: Sequence[Problem]) -> dict[str, Any]:
        """The object of FORMATS: rates over covered cases, `*_all` over every case."""
        by_arm: dict[tuple[str, str], list[Record]] = {}
        for record in records:
            by_arm.setdefault((record.arm, record.view), []).append(record)
        found = counted(problems)
        peers = sorted({arm for arm, _ in by_arm} - {ENGINE})
        return {
            "task": self.name,
            **_summary(by_arm.get((ENGINE, self.view), [])),
            "malformed": found.get("malformed", 0),
            "problems": found,
            "view": self.view,
            "views": {view: _summary(by_arm[ENGINE, view]) for view in VIEWS if (ENGINE, view) in by_arm},
            "peers": {
                peer: {view: _summary(by_arm[peer, view]) for view in VIEWS if (peer, view) in by_arm} for peer in peers
            },
        }

    def _answer(self, view: str, case: Case) -> Record:
        started = time.perf_counter()
        ranking = self.gold.listed(self.engine.scores(case.findings, without_references=_hidden(case, view)))
        chances = self.engine.probabilities(ranking.listed)
        ms = (time.perf_counter() - started) * 1000
        outcome = self.gold.compare(case, ranking, chances)
        return _record(case, ENGINE, view, outcome, ms, probability=outcome.confidence)

    def _by_peer(self, peer: DiagnosisPeer, view: str, case: Case) -> Record:
        started = time.perf_counter()
        ranking = self._ranking(peer.scores(case, _hidden(case, view)))
        ms = (time.perf_counter() - started) * 1000
        outcome = self.gold.compare(case, ranking, np.zeros(len(ranking.listed)))
        known = self.gold.positions(case)  # the same cases count for every arm
        ours = self.engine.scores(case.findings, without_references=_hidden(case, view))
        outcome.covered = bool(known) and bool(np.isfinite(ours[known]).any())
        return _record(case, peer.name, view, outcome, ms, probability=None)

    def _ranking(self, known: Mapping[str, float]) -> Ranking:
        scores: Doubles = np.array([known.get(curie, -np.inf) for curie in self.engine.matrix.diseases])
        return self.gold.listed(scores)


def _hidden(case: Case, view: str) -> tuple[str, ...]:
    """The references that a view hides for a case."""
    return case.references if view == OWN_HIDDEN else ()


def result_line(record: Record) -> dict[str, Any]:
    """A line of RESULTS.jsonl, as FORMATS has it."""
    return {"id": record.case, **record.detail}


def _record(case: Case, arm: str, view: str, outcome: Outcome, ms: float, *, probability: float | None) -> Record:
    first, last = outcome.span
    named = (*case.gold_ids, *case.gold_labels)
    return Record(
        case=case.id,
        arm=arm,
        view=view,
        group=named[0] if named else case.id,
        counted=outcome.covered,
        scores=rank_figures([outcome.span]),
        ms=round(ms, 3),
        detail={
            "gold": outcome.gold or list(named),
            "matched_by": outcome.matched_by,
            "covered": outcome.covered,
            "rank": (first + last) / 2 if np.isfinite(last) else None,
            "top": [{"id": name, "score": round(score, 4)} for name, score in outcome.top],
            **({} if probability is None else {"probability": round(probability, 6), "right": outcome.right}),
        },
    )


def _summary(records: Sequence[Record]) -> dict[str, Any]:
    covered = [record for record in records if record.counted]
    groups = [record.group for record in covered]
    everyone = [record.model_copy(update={"counted": True}) for record in records]
    by_probability = [record.detail for record in covered if "probability" in record.detail]
    return {
        "n": len(records),
        "covered": len(covered),
        **_weighed(covered, None),
        "median_rank": _median_rank(covered, None),
        "capped": {
            **_weighed(covered, capped_weights(groups)),
            "median_rank": _median_rank(covered, capped_weights(groups)),
        },
        "macro": {**_weighed(covered, macro_weights(groups)), "diseases": len(set(groups))},
        "ece": round(
            expected_calibration_error(
                [detail["probability"] for detail in by_probability], [detail["right"] for detail in by_probability]
            ),
            4,
        )
        if by_probability or not covered
        else None,
        "ms_per_case": round(sum(record.ms for record in records) / max(len(records), 1), 3),
        **{f"{name}_all": value for name, value in _weighed(everyone, None).items()},
    }


def _weighed(records: Sequence[Record], weights: Sequence[float] | None) -> dict[str, float]:
    means = mean_scores(records, weights)
    return {name: means.get(name, 0.0) for name in _RATES}


def _median_rank(records: Sequence[Record], weights: Sequence[float] | None) -> float | None:
    """The rank that half of the cases reach; None when fewer are ranked at all."""
    ranks = [np.inf if record.detail["rank"] is None else float(record.detail["rank"]) for record in records]
    median = weighted_median(ranks, weights or [1.0] * len(ranks)) if ranks else np.inf
    return float(median) if np.isfinite(median) else None
