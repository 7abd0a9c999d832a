"""Which diseases explain the findings: log-likelihood ratios, for all diseases at once.

For a finding t and a disease d the share p(t|d) comes from the annotations (`kg_build.index.matrix`), the
background b(t) is its mean over the diseases. An observed finding contributes

    log( (1 - noise) · p(t|d) / b(t) + noise )

where p is at least what kinship gives: a disease annotated near t, but not with t or a special case of it,
gets `kinship · p(a|d) · b(t) / b(a)` for the best more general finding a. An excluded finding contributes
`weight · log((1 - p) / (1 - b))`, bounded below. A disease with a rich profile explains some findings of any
case by chance, hence `-power · n · log(Σ p)` over its n-finding case. The contributions sum to the score.

The idea is LIRICAL's (Robinson et al. 2020, doi:10.1016/j.ajhg.2020.06.021); kinship, the bound and the
normaliser are ours, see `Constants`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from kg_build.index.matrix import Doubles, FindingMatrix, Floats, Ints, pool, propagate
from ontology.errors import ClewError, Code
from reasoning.diagnosis.case import Finding

PROFILE: Final = "profile size"
_Parts = list[Doubles | Floats]
_CACHED_COLUMNS: Final = 1000
_MOST_CERTAIN: Final = 0.98


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one finding, or the profile's size, adds to a score.

    Attributes:
        kind: `observed`, `excluded` or `profile size`.
        finding: CURIE of the finding, empty for the profile's size.
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
        score: sum of the contributions.
        probability: share among all ranked diseases, in [0, 1].
        contributions: per finding, then the profile's size.
    """

    disease: str
    label: str
    score: float
    probability: float
    contributions: tuple[Contribution, ...]


@dataclass(frozen=True, slots=True)
class Differential:
    """Diseases in order of their score.

    Attributes:
        candidates: best first; equal scores by id.
        ranked: how many diseases competed.
        observed, excluded: CURIEs of the findings that were used.
        unknown: findings that the matrix does not have.
        followed: withdrawn id -> the id used for it.
    """

    candidates: tuple[Candidate, ...]
    ranked: int
    observed: tuple[str, ...]
    excluded: tuple[str, ...]
    unknown: tuple[Finding, ...]
    followed: Mapping[str, str]


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
        self._whole = _View(matrix)

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
            without_references: rank as if the evidence that cites any of these did not exist.

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
        view = self._view(without_references)
        parts = view.parts(known)
        scores = view.score(parts)
        chances = self.probabilities(scores)
        ranked = int(np.isfinite(scores).sum())
        order = np.argsort(-scores, kind="stable")[: ranked if top is None else min(top, ranked)]
        return Differential(
            candidates=tuple(self._candidate(int(d), scores, chances, known, parts) for d in order),
            ranked=ranked,
            observed=tuple(self.matrix.findings[t] for t in known.observed),
            excluded=tuple(self.matrix.findings[t] for t in known.excluded),
            unknown=known.unknown,
            followed=known.followed,
        )

    def scores(self, case_findings: Sequence[Finding], *, without_references: Collection[str] = ()) -> Doubles:
        """Score of every disease, in the order of `matrix.diseases`; -inf where no finding is expected."""
        view = self._view(without_references)
        return view.score(view.parts(self.understand(case_findings)))

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

    @property
    def background(self) -> Doubles:
        """Mean share of each finding over the diseases that have any; float64[F]."""
        return self._whole.background

    def _view(self, without_references: Collection[str]) -> _View:
        rows = self.matrix.rows_by_reference
        cited = [rows[reference] for reference in without_references if reference in rows]
        return _View(self.matrix, np.unique(np.concatenate(cited))) if cited else self._whole

    def _candidate(
        self,
        disease: int,
        scores: Doubles,
        chances: Doubles,
        known: Understood,
        parts: _Parts,
    ) -> Candidate:
        names = [("observed", t) for t in known.observed] + [("excluded", t) for t in known.excluded]
        contributions = [
            Contribution(kind, self.matrix.findings[t], self.matrix.finding_labels[t], float(part[disease]))
            for (kind, t), part in zip(names, parts, strict=False)
        ]
        contributions.append(Contribution(PROFILE, "", "", float(parts[-1][disease])))
        return Candidate(
            disease=self.matrix.diseases[disease],
            label=self.matrix.disease_labels[disease],
            score=float(scores[disease]),
            probability=float(chances[disease]),
            contributions=tuple(contributions),
        )


class _View:
    """The matrix, or the matrix without some evidence rows: only the affected diseases are computed again."""

    def __init__(self, matrix: FindingMatrix, hidden: Ints | None = None) -> None:
        self.matrix = matrix
        self.expected = matrix.expected
        self.mass = matrix.mass
        self._again: dict[int, tuple[Ints, Floats]] = {}
        self._columns: dict[tuple[bool, int], Floats] = {}
        denied = matrix.rows.negated
        if hidden is not None:
            denied = denied.copy()
            denied[hidden] = False
            self._leave_out(hidden)
        self._denied = _by_finding(matrix.rows.finding[denied], matrix.rows.disease[denied])

    def _leave_out(self, hidden: Ints) -> None:
        matrix = self.matrix
        self.expected, self.mass = matrix.expected.copy(), matrix.mass.copy()
        for disease in np.unique(matrix.rows.disease[hidden]):
            rows = matrix.rows_of(disease)
            before = propagate(pool(matrix.rows.take(rows), matrix.constants), matrix.hierarchy)
            left = pool(matrix.rows.take(np.setdiff1d(rows, hidden)), matrix.constants)
            after = propagate(left, matrix.hierarchy)
            self.expected[before.finding] -= before.share
            self.expected[after.finding] += after.share
            self.mass[disease] = left.share.sum(dtype=np.float64)
            self._again[int(disease)] = (after.finding, after.share)

    def parts(self, known: Understood) -> _Parts:
        """What each observed finding, each excluded finding and the profile's size add; each float[D]."""
        parts: _Parts = [self._column(t, excluded=False) for t in known.observed]
        parts += [self._column(t, excluded=True) for t in known.excluded]
        return [*parts, -len(known.observed) * self._profile_size]

    def score(self, parts: _Parts) -> Doubles:
        """Sum of the parts; -inf for diseases without an expected finding."""
        total = np.zeros(len(self.mass))
        for part in parts:
            total += part
        total[self.mass <= 0] = -np.inf
        return total

    @cached_property
    def _profile_size(self) -> Doubles:
        constants = self.matrix.constants
        return np.asarray(constants.profile_power * np.log(np.maximum(self.mass, constants.profile_least)))

    @cached_property
    def background(self) -> Doubles:
        """Mean share of each finding over the diseases that have any; float64[F]."""
        excess = self.matrix.constants.background_excess
        return np.asarray((self.expected + excess) / (np.count_nonzero(self.mass > 0) + 2 * excess))

    def share(self, finding: int) -> Floats:
        """Share of a finding in each disease; float32[D]."""
        shares = np.zeros(len(self.mass), dtype=np.float32)
        diseases, values = self.matrix.column(finding)
        shares[diseases] = values
        for disease, (findings, again) in self._again.items():
            place = np.searchsorted(findings, finding)
            shares[disease] = again[place] if place < len(findings) and findings[place] == finding else 0
        return shares

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
        constants, background = self.matrix.constants, self.background
        ratio = self.share(finding) / background[finding]
        ancestors = self.matrix.hierarchy.ancestors(finding)
        for general in ancestors:
            if general != finding and background[general] <= constants.kinship_limit:
                np.maximum(ratio, self.share(general) * (constants.kinship / background[general]), out=ratio)
        value = np.log((1 - constants.noise) * ratio + constants.noise)
        denied = [self._denied[general] for general in ancestors if general in self._denied]
        if denied:
            value[np.unique(np.concatenate(denied))] += np.log(constants.denial)
        return np.asarray(value, dtype=np.float32)

    def _excluded(self, finding: int) -> Floats:
        constants, background = self.matrix.constants, self.background
        absent = 1 - np.minimum(self.share(finding), _MOST_CERTAIN)
        value = np.log(absent / (1 - min(background[finding], _MOST_CERTAIN)))
        value = constants.exclusion_weight * np.maximum(value, constants.exclusion_floor)
        return np.asarray(value, dtype=np.float32)


def _by_finding(finding: Ints, disease: Ints) -> dict[int, Ints]:
    """Diseases that deny each finding."""
    return {int(t): disease[finding == t] for t in np.unique(finding)}
