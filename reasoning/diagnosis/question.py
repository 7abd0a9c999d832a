"""Which finding to ask about next: the one whose answer would tell the leaders apart best."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

import numpy as np

from kg_build.index.columns import Doubles, Ints
from kg_build.index.matrix import FindingMatrix
from kg_build.index.matrix_shares import propagate
from ontology.errors import ClewError, Code
from reasoning.diagnosis.likelihood import DiagnosisEngine, Differential
from reasoning.diagnosis.view import View

LEADERS: Final = 50
_SUREST: Final = 0.98


@dataclass(frozen=True, slots=True)
class NextQuestion:
    """A finding to ask about.

    Attributes:
        finding: CURIE; `label` beside it.
        gain: expected information about which leader it is, in bits.
        chance: probability that the answer is yes.
        favours: the leader that gains most by yes.
        disfavours: the leader that loses most by yes.
    """

    finding: str
    label: str
    gain: float
    chance: float
    favours: str
    disfavours: str


def next_questions(
    engine: DiagnosisEngine, differential: Differential, asked: Collection[str] = (), top: int = 5
) -> list[NextQuestion]:
    """The findings with the largest expected information gain over the leaders, best first.

    The gain is H(d) - Σ_answer P(answer) · H(d | answer), over the first 50 candidates with their
    probabilities made to sum to 1. Considered are findings annotated to a leader, but none that was asked or
    used, that an observed finding implies, or that an excluded one rules out. References that were hidden from the
    differential stay hidden.

    Args:
        engine: the engine that made the differential.
        differential: at least two candidates; fewer give no question.
        asked: CURIEs of findings not to ask about.
        top: how many.

    Raises:
        ClewError: BAD_INPUT when `top` is negative.
    """
    if top < 0:
        raise ClewError(Code.BAD_INPUT, f"top = {top}", remedy="give 0 or more")
    leaders = differential.candidates[:LEADERS]
    if len(leaders) < 2:
        return []
    matrix = engine.matrix
    places = np.array([matrix.disease_index[leader.disease] for leader in leaders], dtype=np.int32)
    prior = np.array([leader.probability for leader in leaders])
    findings, yes = _chances(
        engine.view(differential.without_references), places, _settled(matrix, differential, asked)
    )
    if not len(findings):
        return []
    prior = prior / prior.sum() if prior.sum() > 0 else np.full(len(leaders), 1 / len(leaders))
    chance = prior @ yes
    gain = _entropy(prior[:, None]) - (
        chance * _entropy(prior[:, None] * yes / chance)
        + (1 - chance) * _entropy(prior[:, None] * (1 - yes) / (1 - chance))
    )
    order = np.argsort(-gain, kind="stable")[:top]
    shift = prior[:, None] * (yes / chance - 1)
    return [
        NextQuestion(
            finding=matrix.findings[findings[i]],
            label=matrix.finding_labels[findings[i]],
            gain=float(max(gain[i], 0.0)),
            chance=float(chance[i]),
            favours=leaders[int(shift[:, i].argmax())].disease,
            disfavours=leaders[int(shift[:, i].argmin())].disease,
        )
        for i in order
    ]


def _chances(view: View, places: Ints, settled: set[int]) -> tuple[Ints, Doubles]:
    """Open findings annotated to the leaders, and the chance of each in each leader; int[Q], float[L, Q]."""
    matrix = view.matrix
    direct = view.direct(places)
    shares = propagate(direct, matrix.hierarchy)
    findings = np.setdiff1d(direct.finding, np.array(sorted(settled), dtype=np.int32))
    leader = np.zeros(len(matrix.diseases), dtype=np.int32)
    leader[places] = np.arange(len(places))
    kept = np.isin(shares.finding, findings)
    yes = np.zeros((len(places), len(findings)))
    yes[leader[shares.disease[kept]], np.searchsorted(findings, shares.finding[kept])] = shares.share[kept]
    noise = matrix.constants.noise
    yes = (1 - noise) * yes + noise * view.background[findings]
    return findings, np.minimum(yes, _SUREST)


def _settled(matrix: FindingMatrix, differential: Differential, asked: Collection[str]) -> set[int]:
    """Findings whose answer is known: used, asked, implied by an observed, ruled out by an excluded one."""
    index, hierarchy = matrix.finding_index, matrix.hierarchy
    settled = {index[curie] for curie in asked if curie in index}
    for curie in differential.observed:
        settled.update(hierarchy.ancestors(index[curie]).tolist())
    excluded = [index[curie] for curie in differential.excluded]
    if excluded:
        within = np.isin(hierarchy.member, excluded)
        special = np.searchsorted(hierarchy.start, np.flatnonzero(within), side="right") - 1
        settled.update(special.tolist())
    return settled


def _entropy(chances: Doubles) -> Doubles:
    """Entropy along the first axis, in bits."""
    safe = np.where(chances > 0, chances, 1.0)
    return np.asarray(-(safe * np.log2(safe)).sum(axis=0))
