"""Why a disease stands where it stands: findings for and against it, each with the evidence rows behind."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from kg_build.index.columns import Ints, Longs
from kg_build.index.matrix_shares import pool
from ontology.errors import ClewError, Code, nearest
from reasoning.diagnosis.case import Finding
from reasoning.diagnosis.likelihood import DiagnosisEngine
from reasoning.diagnosis.view import View

_TYPICAL_SHARE: Final = 0.25


@dataclass(frozen=True, slots=True)
class Annotation:
    """One evidence row of a disease or of a kindred entry.

    Attributes:
        disease: CURIE of the disease that is annotated.
        row: position in the matrix's evidence rows.
        assertion: id of the assertion it supports.
        finding: CURIE of the annotated finding; `label` beside it.
        negated: whether the disease is said NOT to have it.
        frequency: as the source writes it, or empty.
        references: what the source cites.
    """

    disease: str
    row: int
    assertion: str
    finding: str
    label: str
    negated: bool
    frequency: str
    references: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Point:
    """A finding with the annotations of the disease that bear on it.

    Attributes:
        finding: CURIE; `label` beside it.
        match: `same`, `special` or `general`, of the annotated finding as seen from this one; `kin` when a kindred
            entry is annotated with it or a special case; `none`.
        annotations: the evidence rows.
    """

    finding: str
    label: str
    match: str
    annotations: tuple[Annotation, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """The case for and against a disease.

    Attributes:
        disease: CURIE; `label` beside it.
        supporting: observed findings annotated to the disease; excluded ones it is said NOT to have.
        conflicting: excluded findings that it is annotated with; observed ones it is said NOT to have.
        unexplained: observed findings that nothing annotated matches.
        missing: findings typical of the disease that were not mentioned, most frequent first.
    """

    disease: str
    label: str
    supporting: tuple[Point, ...]
    conflicting: tuple[Point, ...]
    unexplained: tuple[Point, ...]
    missing: tuple[Point, ...]


def explain(
    engine: DiagnosisEngine,
    case_findings: Sequence[Finding],
    disease: str,
    *,
    missing: int = 10,
    without_references: Collection[str] = (),
) -> Explanation:
    """Set the findings of a case against the annotations of a disease.

    Args:
        engine: the engine that ranked the case.
        case_findings: as given to `rank`.
        disease: CURIE.
        missing: how many typical findings that were not mentioned to list.
        without_references: as given to `rank`.

    Raises:
        ClewError: UNKNOWN_ENTITY when the disease is not in the matrix.
    """
    matrix = engine.matrix
    place = matrix.disease_index.get(disease)
    if place is None:
        raise ClewError(Code.UNKNOWN_ENTITY, f"{disease} has no findings", choices=nearest(disease, matrix.diseases))
    known = engine.understand(case_findings)
    profile = _Profile(engine.view(without_references), place)
    supporting, conflicting, unexplained = [], [], []
    for finding in known.observed:
        denied, said = profile.denying(finding), profile.matching(finding)
        if denied:
            conflicting.append(denied)
        if said.annotations:
            supporting.append(said)
        elif not denied:
            unexplained.append(said)
    for finding in known.excluded:
        said, denied = profile.matching(finding), profile.denying(finding)
        if said.annotations and said.match != "general":
            conflicting.append(said)
        elif denied:
            supporting.append(denied)
    return Explanation(
        disease=disease,
        label=matrix.disease_labels[place],
        supporting=tuple(supporting),
        conflicting=tuple(conflicting),
        unexplained=tuple(unexplained),
        missing=tuple(profile.missing(known.observed, known.excluded, missing)),
    )


class _Profile:
    """The annotations of one disease."""

    def __init__(self, view: View, disease: int) -> None:
        self.view, self.matrix = view, view.matrix
        rows = view.rows_of(disease)
        negated = self.matrix.rows.negated[rows]
        self.said, self.denied = rows[~negated], rows[negated]
        kindred = self.matrix.kin[self.matrix.kin[:, 0] == disease, 1]
        lent = np.concatenate([rows[:0], *(view.rows_of(int(other)) for other in kindred)])
        self.lent = lent[~self.matrix.rows.negated[lent]]

    def matching(self, finding: int) -> Point:
        """Annotations with the finding, else with special cases, else of kindred entries, else the nearest general."""
        annotated = self.matrix.rows.finding[self.said]
        choices = (
            ("same", self.said[annotated == finding]),
            ("special", self.said[self._within(annotated, finding)]),
            ("kin", self.lent[self._within(self.matrix.rows.finding[self.lent], finding)]),
        )
        for match, rows in choices:
            if len(rows):
                return self._point(finding, match, rows)
        general = set(annotated.tolist()) & set(self._ancestors(finding).tolist())
        if not general:
            return self._point(finding, "none", self.said[:0])
        closest = max(general, key=lambda t: (len(self._ancestors(t)), t))
        return self._point(finding, "general", self.said[annotated == closest])

    def _within(self, annotated: Ints, finding: int) -> npt.NDArray[np.bool_]:
        """Which findings are this one or a special case of it."""
        return np.array([finding in self._ancestors(t) for t in annotated], dtype=np.bool_)

    def denying(self, finding: int) -> Point | None:
        """NOT annotations with the finding or a more general one."""
        denied = self.matrix.rows.finding[self.denied]
        rows = self.denied[np.isin(denied, self._ancestors(finding))]
        same = bool((denied == finding).any())
        return self._point(finding, "same" if same else "general", rows) if len(rows) else None

    def missing(self, observed: Sequence[int], excluded: Sequence[int], top: int) -> list[Point]:
        """Frequent findings that are neither near an observed one nor excluded."""
        direct = pool(self.view.take(self.said), self.matrix.constants)
        open_ = [
            (float(share), int(finding))
            for finding, share in zip(direct.finding, direct.share, strict=True)
            if share >= _TYPICAL_SHARE and not self._settled(int(finding), observed, excluded)
        ]
        open_.sort(key=lambda item: (-item[0], item[1]))
        return [self.matching(finding) for _, finding in open_[:top]]

    def _settled(self, finding: int, observed: Sequence[int], excluded: Sequence[int]) -> bool:
        above = self._ancestors(finding)
        near = any(t in above or finding in self._ancestors(t) for t in observed)
        return near or any(t in above for t in excluded)

    def _ancestors(self, finding: int) -> Ints:
        return self.matrix.hierarchy.ancestors(finding)

    def _point(self, finding: int, match: str, rows: Longs) -> Point:
        matrix = self.matrix
        annotations = tuple(
            Annotation(
                disease=matrix.diseases[matrix.rows.disease[row]],
                row=int(row),
                assertion=matrix.rows.assertion[row].decode(),
                finding=matrix.findings[matrix.rows.finding[row]],
                label=matrix.finding_labels[matrix.rows.finding[row]],
                negated=bool(matrix.rows.negated[row]),
                frequency=self.view.frequency(int(row)),
                references=self.view.cited_by(int(row)),
            )
            for row in rows
        )
        return Point(matrix.findings[finding], matrix.finding_labels[finding], match, annotations)
