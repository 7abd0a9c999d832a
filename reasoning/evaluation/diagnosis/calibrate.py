"""The softmax temperature that suits some cases."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

import numpy as np

from reasoning.diagnosis.case import Case
from reasoning.diagnosis.likelihood import DiagnosisEngine
from reasoning.evaluation.diagnosis.gold import Gold
from reasoning.evaluation.metrics import capped_weights, expected_calibration_error, pessimistic_rank

_TEMPERATURES: Final = tuple(float(t) for t in np.round(np.geomspace(0.5, 10.0, 27), 2))


@dataclass(frozen=True, slots=True)
class Calibration:
    """The best temperature, and the expected calibration error under cross-validation."""

    temperature: float
    ece: float


def calibrate(
    engine: DiagnosisEngine, cases: Iterable[Case], *, hide_own_references: bool = False, folds: int = 5
) -> Calibration:
    """The temperature under which the gold diseases are most likely, each weighing at most 10 cases.

    Args:
        engine: the engine to calibrate.
        cases: those whose gold disease is ranked count.
        hide_own_references: as if the evidence citing a case's own publications did not exist.
        folds: for the error: each fold is judged under the temperature of the others; the cases of a disease stay
            together.
    """
    gold = Gold(engine)
    judged = [
        (case.gold_ids[0], curves)
        for case in cases
        if case.gold_ids and (curves := _curves(gold, case, case.references if hide_own_references else ()))
    ]
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


def _curves(gold: Gold, case: Case, hidden: tuple[str, ...]) -> tuple[list[float], list[float], bool] | None:
    """Loss and confidence of a case under each temperature, and whether it is right; None if it is not ranked."""
    ranking = gold.listed(gold.engine.scores(case.findings, without_references=hidden))
    right = [int(ranking.place[position]) for position in gold.positions(case)]
    own = max((ranking.listed[i] for i in right), default=-np.inf)
    if not np.isfinite(own):
        return None
    scores = ranking.listed[np.isfinite(ranking.listed)]
    totals = [float(np.logaddexp.reduce(scores / t)) for t in _TEMPERATURES]
    losses = [total - float(own) / t for total, t in zip(totals, _TEMPERATURES, strict=True)]
    sure = [float(np.exp(scores.max() / t - total)) for total, t in zip(totals, _TEMPERATURES, strict=True)]
    return losses, sure, pessimistic_rank(ranking.listed, right) == 1
