"""How well the diagnosis engine ranks the published diagnosis.

evaluate              a case file -> the figures of `clew eval diagnosis`
calibrate             the softmax temperature that suits some cases
"""

from __future__ import annotations

import json
import time
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

import numpy as np

from kg_build.index.columns import Doubles, Ints
from ontology.errors import ClewError
from reasoning.diagnosis.case import Case
from reasoning.diagnosis.likelihood import DiagnosisEngine
from reasoning.evaluation.metrics import (
    capped_weights,
    expected_calibration_error,
    macro_weights,
    pessimistic_rank,
    rank_figures,
    tied_hits,
)

Resolver = Callable[[str], Iterable[str]]
"""A disease name -> CURIEs of the diseases that bear it, as label or accepted synonym, in any language."""

Lines = Iterable[tuple[int, Case | ClewError]]

_TEMPERATURES: Final = tuple(float(t) for t in np.round(np.geomspace(0.5, 10.0, 27), 2))


@dataclass(frozen=True, slots=True)
class Calibration:
    """The best temperature, and the expected calibration error under cross-validation."""

    temperature: float
    ece: float


@dataclass
class _Outcome:
    """What came of one case."""

    case: Case
    gold: list[str]
    matched_by: str
    covered: bool
    span: tuple[float, float] = (float("inf"), float("inf"))
    top: list[tuple[str, float]] = field(default_factory=list)
    confidence: float = 0.0
    right: bool = False
    seconds: float = 0.0

    @property
    def group(self) -> str:
        """The gold disease, for capped and macro means."""
        named = (*self.case.gold_ids, *self.case.gold_labels)
        return named[0] if named else self.case.id


def evaluate(
    engine: DiagnosisEngine,
    cases: Lines,
    *,
    hide_own_references: bool = False,
    out: Path | None = None,
    limit: int | None = None,
    resolve: Resolver | None = None,
) -> dict[str, Any]:
    """Rank every case and sum up.

    Args:
        engine: the engine to judge.
        cases: as `read_cases` gives them; malformed lines are counted.
        hide_own_references: rank each case as if the evidence citing its own publications did not exist.
        out: where to write one JSON line a case, malformed lines included.
        limit: stop after this many well-formed cases.
        resolve: finds diseases by name; by default the labels of the matrix.

    Returns:
        The object of FORMATS: rates over covered cases, `*_all` over every case, `malformed` beside them.
    """
    judge = _Judge(engine, resolve or label_resolver(engine), hide_own_references=hide_own_references)
    outcomes: list[_Outcome] = []
    lines: list[dict[str, Any]] = []
    for number, case in cases:
        if limit is not None and len(outcomes) >= limit:
            break
        if isinstance(case, ClewError):
            lines.append({"line": number, "error": case.as_dict()})
            continue
        outcomes.append(judge.judge(case))
        lines.append(_line(outcomes[-1]))
    if out is not None:
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        out.write_text(text, encoding="utf-8")
    return _summary(outcomes, malformed=len(lines) - len(outcomes))


def label_resolver(engine: DiagnosisEngine) -> Resolver:
    """Finds diseases by their normalised labels."""
    by_name: dict[str, list[str]] = {}
    for curie, label in zip(engine.matrix.diseases, engine.matrix.disease_labels, strict=True):
        by_name.setdefault(normalise(label), []).append(curie)
    return lambda name: by_name.get(normalise(name), [])


def normalise(name: str) -> str:
    """A name without case, width, punctuation and spacing differences."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return " ".join("".join(c if c.isalnum() else " " for c in folded).split())


def calibrate(
    engine: DiagnosisEngine, cases: Iterable[Case], *, hide_own_references: bool = False, folds: int = 5
) -> Calibration:
    """The temperature under which the gold diseases are most likely, each weighing at most 10 cases.

    Args:
        engine: the engine to calibrate.
        cases: those whose gold disease is ranked count.
        hide_own_references: as in `evaluate`.
        folds: for the error: each fold is judged under the temperature of the others; the cases of a disease stay
            together.
    """
    judge = _Judge(engine, label_resolver(engine), hide_own_references=hide_own_references)
    judged = [(case.gold_ids[0], curves) for case in cases if case.gold_ids and (curves := judge.curves(case))]
    if not judged:
        return Calibration(temperature=engine.matrix.constants.temperature, ece=0.0)
    groups = [group for group, _ in judged]
    loss, confidence = (np.array([curves[part] for _, curves in judged]) for part in (0, 1))
    right = [curves[2] for _, curves in judged]
    weights = np.array(capped_weights(groups))
    fold = np.array([blake2b(group.encode()).digest()[0] % folds for group in groups])
    sure = np.zeros(len(groups))
    for number in np.unique(fold):
        inside, rest = fold == number, (fold != number) if (fold != number).any() else fold == number
        sure[inside] = confidence[inside, np.average(loss[rest], axis=0, weights=weights[rest]).argmin()]
    best = int(np.average(loss, axis=0, weights=weights).argmin())
    return Calibration(_TEMPERATURES[best], expected_calibration_error(sure.tolist(), right))


class _Judge:
    """Ranks one case after the other under the same rules."""

    def __init__(self, engine: DiagnosisEngine, resolve: Resolver, *, hide_own_references: bool) -> None:
        self.engine = engine
        self.resolve = resolve
        self.hide = hide_own_references

    def judge(self, case: Case) -> _Outcome:
        gold, rule = self._gold(case)
        positions = [self.engine.matrix.disease_index[curie] for curie in gold]
        start = time.perf_counter()
        scores, listed, place = self._scores(case)
        chances = self.engine.probabilities(listed)
        seconds = time.perf_counter() - start
        covered = bool(positions) and bool(np.isfinite(scores[positions]).any())
        if rule == "id" and covered and not case.candidates and not np.isfinite(listed[positions]).any():
            rule = "same_as"
        outcome = _Outcome(case, gold, rule, covered, seconds=seconds)
        if case.candidates:
            self._among_candidates(outcome, scores)
        else:
            self._among_all(outcome, listed, chances, sorted({int(place[d]) for d in positions}))
        return outcome

    def curves(self, case: Case) -> tuple[list[float], list[float], bool] | None:
        """Loss and confidence of a case under each temperature, and whether it is right; None if it is not ranked."""
        _, listed, place = self._scores(case)
        gold = [int(place[self.engine.matrix.disease_index[curie]]) for curie in self._gold(case)[0]]
        own = max((listed[i] for i in gold), default=-np.inf)
        if not np.isfinite(own):
            return None
        scores = listed[np.isfinite(listed)]
        totals = [float(np.logaddexp.reduce(scores / t)) for t in _TEMPERATURES]
        losses = [total - float(own) / t for total, t in zip(totals, _TEMPERATURES, strict=True)]
        sure = [float(np.exp(scores.max() / t - total)) for total, t in zip(totals, _TEMPERATURES, strict=True)]
        return losses, sure, pessimistic_rank(listed, gold) == 1

    def _scores(self, case: Case) -> tuple[Doubles, Doubles, Ints]:
        """Score of every disease; the same with -inf where it is listed under its twin; and under whom it is listed."""
        scores = self.engine.scores(case.findings, without_references=case.references if self.hide else ())
        place = self.engine.listed_under(scores)
        return scores, np.where(place == np.arange(len(place)), scores, -np.inf), place

    def _gold(self, case: Case) -> tuple[list[str], str]:
        """The gold diseases of the graph, and the rule that found them: `id`, `name` or `none`."""
        index = self.engine.matrix.disease_index
        by_id = [curie for curie in case.gold_ids if curie in index]
        if by_id:
            return by_id, "id"
        named = {c: None for label in case.gold_labels for c in self.resolve(label) if c in index}
        return list(named), "name" if named else "none"

    def _among_all(self, outcome: _Outcome, scores: Doubles, chances: Doubles, gold: list[int]) -> None:
        rank = pessimistic_rank(scores, gold)
        best = np.argsort(-scores, kind="stable")[:10]
        outcome.span = (rank, rank)
        outcome.top = [(self.engine.matrix.diseases[d], float(scores[d])) for d in best if np.isfinite(scores[d])]
        outcome.confidence, outcome.right = float(chances.max(initial=0.0)), rank == 1

    def _among_candidates(self, outcome: _Outcome, scores: Doubles) -> None:
        """Rank the named candidates only; one that the graph does not know comes last."""
        case, index = outcome.case, self.engine.matrix.disease_index
        names = sorted(case.candidates, key=lambda name: blake2b(f"{case.id}\x1f{name}".encode()).digest())
        wanted = {normalise(label) for label in case.gold_labels} | set(case.gold_ids)
        found = [[index[c] for c in (name, *self.resolve(name)) if c in index] for name in names]
        known = np.array([max((scores[i] for i in ids), default=-np.inf) for ids in found])
        known = np.where(np.isfinite(known), known, np.min(known[np.isfinite(known)], initial=0.0) - 1e6)
        gold = [
            i
            for i, name in enumerate(names)
            if normalise(name) in wanted or name in wanted or set(outcome.gold) & set(self._ids(name))
        ]
        order = np.argsort(-known, kind="stable")[:10]
        outcome.top = [(names[i], float(known[i])) for i in order]
        if gold:
            outcome.span = tied_hits(known, gold)
            outcome.right = bool(outcome.span[1] == 1)
        outcome.confidence = float(self.engine.probabilities(known).max(initial=0.0))

    def _ids(self, name: str) -> list[str]:
        return [name, *self.resolve(name)]


def _summary(outcomes: list[_Outcome], *, malformed: int) -> dict[str, Any]:
    covered = [outcome for outcome in outcomes if outcome.covered]
    spans = [outcome.span for outcome in covered]
    groups = [outcome.group for outcome in covered]
    everyone = rank_figures([outcome.span for outcome in outcomes])
    seconds = sum(outcome.seconds for outcome in outcomes)
    return {
        "task": "diagnosis",
        "n": len(outcomes),
        "covered": len(covered),
        **_rounded(rank_figures(spans)),
        "capped": _rounded(rank_figures(spans, capped_weights(groups))),
        "macro": {**_rounded(rank_figures(spans, macro_weights(groups))), "diseases": len(set(groups))},
        "ece": round(expected_calibration_error([o.confidence for o in covered], [o.right for o in covered]), 4),
        "ms_per_case": round(1000 * seconds / max(len(outcomes), 1), 3),
        **{f"{name}_all": value for name, value in _rounded(everyone).items()},
        "malformed": malformed,
    }


def _rounded(figures: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in figures.items()}


def _line(outcome: _Outcome) -> dict[str, Any]:
    first, last = outcome.span
    return {
        "id": outcome.case.id,
        "gold": outcome.gold or [*outcome.case.gold_ids, *outcome.case.gold_labels],
        "matched_by": outcome.matched_by,
        "covered": outcome.covered,
        "rank": (first + last) / 2 if np.isfinite(last) else None,
        "top": [{"id": name, "score": round(score, 4)} for name, score in outcome.top],
        "probability": round(outcome.confidence, 6),
    }
