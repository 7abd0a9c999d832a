"""The finding matrix of a release, made from its canonical tables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kg_build.index.columns import Column, Doubles, Floats, Ints, positions
from kg_build.index.kin import kin, treatments, twins
from kg_build.index.matrix import FindingMatrix, save_matrix
from kg_build.index.matrix_constants import Constants
from kg_build.index.matrix_hierarchy import Hierarchy, close, is_a
from kg_build.index.matrix_rows import evidence_rows, read_stated
from kg_build.index.matrix_shares import Shares, borrow, pool, propagate


def build_matrix(
    entity: pa.Table,
    assertion: pa.Table,
    evidence: pa.Table,
    folder: Path,
    constants: Constants | None = None,
) -> None:
    """Write the matrix of a release into a folder, which is replaced as a whole.

    Args:
        entity: canonical table `entity`.
        assertion: canonical table `assertion`; read are `has_phenotype`, `subclass_of` between findings, `same_as`
            and `gene_associated_with_condition` of diseases, and `treats`.
        evidence: canonical table `evidence`.
        folder: where the files go.
        constants: other than the default ones.
    """
    constants = constants or Constants()
    successors = _successors(entity)
    stated = read_stated(assertion, evidence)
    diseases = stated.subjects
    current = [successors.get(curie, curie) for curie in stated.objects]
    findings, hierarchy = _findings(current, *is_a(entity, assertion))
    finding = positions(pa.array(current, pa.string()), pa.array(findings, pa.string()))[stated.object]
    rows = evidence_rows(stated, finding, constants)
    disease_labels = _labels(entity, diseases)
    index = {curie: i for i, curie in enumerate(diseases)}
    kindred = kin(assertion, index, disease_labels, constants.kin_similarity)
    direct = borrow(pool(rows, constants), kindred, constants.kin_weight)
    shares = _by_finding(propagate(direct, hierarchy))
    matrix = FindingMatrix(
        diseases=tuple(diseases),
        disease_labels=disease_labels,
        findings=tuple(findings),
        finding_labels=_labels(entity, findings),
        successors=successors,
        references=tuple(stated.references),
        frequencies=tuple(stated.frequencies),
        constants=constants,
        hierarchy=hierarchy,
        rows=rows,
        citation_start=stated.citation_start,
        citation=stated.citation,
        start=np.searchsorted(shares.finding, np.arange(len(findings) + 1)),
        shares=shares,
        expected=_sums(shares.finding, shares.share, len(findings)),
        mass=_sums(direct.disease, direct.share, len(diseases)),
        twins=twins(assertion, index),
        kin=kindred,
        treatments=treatments(assertion, index),
    )
    save_matrix(matrix, folder)


def _findings(named: list[str], special: Column, general: Column) -> tuple[list[str], Hierarchy]:
    """All findings, those named and those of the hierarchy, sorted; and the hierarchy over them."""
    findings = sorted({*named, *special.to_pylist(), *general.to_pylist()})
    vocabulary = pa.array(findings, pa.string())
    return findings, close(positions(special, vocabulary), positions(general, vocabulary), len(findings))


def _sums(index: Ints, share: Floats, count: int) -> Doubles:
    """Sum of the shares of each index; float64[count]."""
    return np.asarray(np.bincount(index, share, minlength=count), dtype=np.float64)


def _by_finding(shares: Shares) -> Shares:
    """The same shares, sorted by finding, then disease."""
    order = np.argsort(shares.finding, kind="stable")
    return Shares(shares.disease[order], shares.finding[order], shares.share[order])


def _labels(entity: pa.Table, curies: list[str]) -> tuple[str, ...]:
    """The label of each entity; its CURIE where it has none."""
    found = entity["label"].take(pc.index_in(pa.array(curies, pa.string()), value_set=entity["id"]))
    return tuple(label or curie for curie, label in zip(curies, found.to_pylist(), strict=True))


def _successors(entity: pa.Table) -> dict[str, str]:
    """Withdrawn entity -> the one to use, chains followed, circles cut."""
    old = entity.filter(pc.field("deprecated") & (pc.field("replaced_by") != ""))
    direct = dict(zip(old["id"].to_pylist(), old["replaced_by"].to_pylist(), strict=True))

    def last(curie: str) -> str:
        passed = {curie}
        while (following := direct.get(curie, "")) and following not in passed:
            passed.add(curie := following)
        return curie

    return {curie: last(curie) for curie in sorted(direct)}
