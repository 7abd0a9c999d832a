"""Which diseases explain the findings: log-likelihood ratios, for all diseases at once.

For a finding t and a disease d the share p(t|d) comes from the annotations (`kg_build.index.matrix`), the
background b(t) is its mean over the diseases. An observed finding contributes

    log( (1 - noise) · p(t|d) / b(t) + noise )

where p is at least what kinship gives: a disease annotated near t, but not with t or a special case of it,
gets `kinship · p(a|d) · b(t) / b(a)` for the best more general finding a. An excluded finding contributes
`weight · log((1 - p) / (1 - b))`, bounded below. A disease with a rich profile explains some findings of any
case by chance, hence `-power · n · log(Σ p)` over its n-finding case. The prior is
`weight · log(1 + treatments)`, half of it outright and half in so far as the disease explains the findings, so that
a common one that explains nothing does not win. The contributions sum to the score.

The idea is LIRICAL's (Robinson et al. 2020, doi:10.1016/j.ajhg.2020.06.021); kinship, the bound, the prior and the
normaliser are ours, see `Constants`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from kg_build.index.columns import Doubles, Floats, Ints
from kg_build.index.matrix import FindingMatrix
from ontology.errors import ClewError, Code
from reasoning.diagnosis.case import Finding
from reasoning.diagnosis.view import View

PRIOR: Final = "prior"
PROFILE: Final = "profile size"
_Parts = list[Doubles | Floats]
_CACHED_COLUMNS: Final = 1000
_MOST_CERTAIN: Final = 0.98


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one finding, the prior or the profile's size adds to a score.

    Attributes:
        kind: `observed`, `excluded`, `prior` or `profile size`.
        finding: CURIE of the finding, empty for the prior and the profile's size.
        label: of the finding.
        value: natural log units; positive speaks for the disease.
    """

    kind: str
    finding: str
    label: str
    value: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """A disease in a differential.

    Attributes:
        disease: CURIE; `label` beside it.
        also: CURIEs of the same disease under other ids, which score less and are not listed again.
        score: sum of the contributions.
        probability: share among all ranked diseases, in [0, 1].
        contributions: per finding, then the prior and the profile's size.
    """

    disease: str
    label: str
    also: tuple[str, ...]
    score: float
    probability: float
    contributions: tuple[Contribution, ...]


@dataclass(frozen=True, slots=True)
class Differential:
    """Diseases in order of their score.

    Attributes:
        candidates: best first; equal scores by id.
        ranked: how many diseases competed, each under one id.
        observed, excluded: CURIEs of the findings that were used.
        unknown: findings that the matrix does not have.
        followed: withdrawn id -> the id used for it.
        without_references: what was hidden.
    """

    candidates: tuple[Candidate, ...]
    ranked: int
    observed: tuple[str, ...]
    excluded: tuple[str, ...]
    unknown: tuple[Finding, ...]
    followed: Mapping[str, str]
    without_references: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Understood:
    """Findings as columns of the matrix, each once; what is observed is not excluded too."""

    observed: tuple[int, ...]
    excluded: tuple[int, ...]
    unknown: tuple[Finding, ...]
    followed: Mapping[str, str]


class DiagnosisEngine:
    """Ranks the diseases of a matrix; safe to share between readers.

    Args:
        matrix: as loaded; the constants it was built with are used.
    """

    def __init__(self, matrix: FindingMatrix) -> None:
        self.matrix = matrix
        self._whole = _Likelihood(View(matrix))
        self._accepted = {frozenset(pair) for pair in matrix.twins.tolist()}

    def rank(
        self,
        case_findings: Sequence[Finding],
        *,
        top: int | None = 20,
        without_references: Collection[str] = (),
    ) -> Differential:
        """The differential of a case.

        Args:
            case_findings: observed and excluded findings with ids.
            top: how many candidates to explain, or None for all.
            without_references: rank as if these did not exist: what only they state is gone, what others state too
                has no known frequency (see `View`).

        Raises:
            ClewError: NO_FINDINGS when the matrix has none of the findings.
        """
        known = self.understand(case_findings)
        if not known.observed and not known.excluded:
            raise ClewError(
                Code.NO_FINDINGS,
                f"none of the {len(case_findings)} findings is in the graph",
                remedy="give findings with ids of the graph, such as HP:0001250",
            )
        likelihood = self._likelihood(without_references)
        parts = likelihood.parts(known)
        scores = likelihood.score(parts)
        place = self.listed_under(scores)
        own = np.where(place == np.arange(len(place)), scores, -np.inf)
        chances = self.probabilities(own)
        ranked = int(np.isfinite(own).sum())
        order = np.argsort(-own, kind="stable")[: ranked if top is None else min(top, ranked)]
        return Differential(
            candidates=tuple(self._candidate(int(d), place, chances, known, parts) for d in order),
            ranked=ranked,
            observed=tuple(self.matrix.findings[t] for t in known.observed),
            excluded=tuple(self.matrix.findings[t] for t in known.excluded),
            unknown=known.unknown,
            followed=known.followed,
            without_references=tuple(without_references),
        )

    def scores(self, case_findings: Sequence[Finding], *, without_references: Collection[str] = ()) -> Doubles:
        """Score of every disease, in the order of `matrix.diseases`; -inf where no finding is expected."""
        likelihood = self._likelihood(without_references)
        return likelihood.score(likelihood.parts(self.understand(case_findings)))

    def listed_under(self, scores: Doubles) -> Ints:
        """The disease under which each is listed: itself, or its better-scored twin; int32[D].

        Best first, a disease takes its twins along; so nobody is listed twice. A twin that is not the same as all
        that are listed there already stays by itself: what is counted as one is the same pair by pair.
        """
        twins = self.matrix.twins
        place = np.arange(len(scores), dtype=np.int32)
        listed: dict[int, tuple[int, ...]] = {}
        settled: set[int] = set()
        better = scores[twins].max(axis=1, initial=-np.inf)
        for pair in twins[np.argsort(-better, kind="stable")].tolist():
            leader, twin = sorted(pair, key=lambda d: (-scores[d], d))
            if twin in settled or place[leader] != leader:
                continue
            company = listed.get(leader, ())
            if all(frozenset((twin, other)) in self._accepted for other in company):
                place[twin] = leader
                listed[leader] = (*company, twin)
                settled |= {leader, twin}
        return place

    def probabilities(self, scores: Doubles) -> Doubles:
        """Softmax of scores over the calibrated temperature; zeros when nothing is ranked."""
        best = scores.max(initial=-np.inf)
        if not np.isfinite(best):
            return np.zeros_like(scores)
        weights = np.exp((scores - best) / self.matrix.constants.temperature)
        return np.asarray(weights / weights.sum())

    def understand(self, case_findings: Sequence[Finding]) -> Understood:
        """Findings by their column, withdrawn ids followed."""
        columns: dict[bool, dict[int, None]] = {False: {}, True: {}}
        unknown: list[Finding] = []
        followed: dict[str, str] = {}
        for finding in case_findings:
            curie = self.matrix.successors.get(finding.id, finding.id)
            column = self.matrix.finding_index.get(curie)
            if column is None:
                unknown.append(finding)
                continue
            if curie != finding.id:
                followed[finding.id] = curie
            columns[finding.excluded][column] = None
        excluded = tuple(t for t in columns[True] if t not in columns[False])
        return Understood(tuple(columns[False]), excluded, tuple(unknown), followed)

    def view(self, without_references: Collection[str] = ()) -> View:
        """The evidence that is left when these references are hidden."""
        return self._likelihood(without_references).view

    def _likelihood(self, without_references: Collection[str]) -> _Likelihood:
        known = self.matrix.rows_by_reference
        hidden = [reference for reference in without_references if reference in known]
        return _Likelihood(View(self.matrix, hidden)) if hidden else self._whole

    def _candidate(
        self,
        disease: int,
        place: Ints,
        chances: Doubles,
        known: Understood,
        parts: _Parts,
    ) -> Candidate:
        names = [("observed", t) for t in known.observed] + [("excluded", t) for t in known.excluded]
        contributions = [
            Contribution(kind, self.matrix.findings[t], self.matrix.finding_labels[t], float(part[disease]))
            for (kind, t), part in zip(names, parts, strict=False)
        ]
        contributions += [
            Contribution(kind, "", "", float(part[disease]))
            for kind, part in zip((PRIOR, PROFILE), parts[-2:], strict=True)
        ]
        return Candidate(
            disease=self.matrix.diseases[disease],
            label=self.matrix.disease_labels[disease],
            also=tuple(self.matrix.diseases[d] for d in np.flatnonzero(place == disease) if d != disease),
            score=float(sum(part[disease] for part in parts)),
            probability=float(chances[disease]),
            contributions=tuple(contributions),
        )


class _Likelihood:
    """What each finding adds to the score of every disease, under a view of the evidence."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._constants = view.matrix.constants
        self._columns: dict[tuple[bool, int], Floats] = {}

    def parts(self, known: Understood) -> _Parts:
        """What each observed finding, each excluded finding, the prior and the profile's size add; each float[D]."""
        observed: _Parts = [self._column(t, excluded=False) for t in known.observed]
        excluded: _Parts = [self._column(t, excluded=True) for t in known.excluded]
        explained = sum((part > 0 for part in observed), np.zeros(len(self.view.mass))) / max(len(observed), 1)
        return [*observed, *excluded, (1 + explained) / 2 * self._commonness, -len(known.observed) * self._profile_size]

    def score(self, parts: _Parts) -> Doubles:
        """Sum of the parts; -inf for diseases without an expected finding."""
        total = np.zeros(len(self.view.mass))
        for part in parts:
            total += part
        total[self.view.mass <= 0] = -np.inf
        return total

    @cached_property
    def _commonness(self) -> Doubles:
        return np.asarray(self._constants.treatment_prior * np.log1p(self.view.matrix.treatments), dtype=np.float64)

    @cached_property
    def _profile_size(self) -> Doubles:
        least, power = self._constants.profile_least, self._constants.profile_power
        return np.asarray(power * np.log(np.maximum(self.view.mass, least)))

    def _column(self, finding: int, *, excluded: bool) -> Floats:
        key = (excluded, finding)
        column = self._columns.get(key)
        if column is None:
            if len(self._columns) >= _CACHED_COLUMNS:
                self._columns.clear()
            column = self._excluded(finding) if excluded else self._observed(finding)
            self._columns[key] = column
        return column

    def _observed(self, finding: int) -> Floats:
        constants, background = self._constants, self.view.background
        ratio = self.view.share(finding) / background[finding]
        ancestors = self.view.matrix.hierarchy.ancestors(finding)
        for general in ancestors:
            if general != finding and background[general] <= constants.kinship_limit:
                np.maximum(ratio, self.view.share(general) * (constants.kinship / background[general]), out=ratio)
        value = np.log((1 - constants.noise) * ratio + constants.noise)
        denied = [self.view.denied[general] for general in ancestors if general in self.view.denied]
        if denied:
            value[np.unique(np.concatenate(denied))] += np.log(constants.denial)
        return np.asarray(value, dtype=np.float32)

    def _excluded(self, finding: int) -> Floats:
        constants, background = self._constants, self.view.background
        absent = 1 - np.minimum(self.view.share(finding), _MOST_CERTAIN)
        value = np.log(absent / (1 - min(background[finding], _MOST_CERTAIN)))
        value = constants.exclusion_weight * np.maximum(value, constants.exclusion_floor)
        return np.asarray(value, dtype=np.float32)
