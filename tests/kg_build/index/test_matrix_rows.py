"""Every row of evidence is kept as its source states it."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from kg_build.index.matrix import FindingMatrix
from kg_build.index.matrix_constants import Constants
from kg_build.index.matrix_rows import evidence_rows, read_stated
from tests.reasoning.diagnosis.graph import FEVER, OLD_FEVER, RASH, ROWS, matrix, tables

STATED = ["references", "code", "frequency"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> FindingMatrix:
    return matrix(tmp_path_factory.mktemp("matrix") / "matrix")


def test_every_row_of_evidence_of_findings_is_there_sorted_by_disease_and_finding(built: FindingMatrix) -> None:
    pairs = list(zip(built.rows.disease.tolist(), built.rows.finding.tolist(), strict=True))
    assert pairs == sorted(pairs)
    named = [(built.diseases[disease], built.findings[finding]) for disease, finding in pairs]
    assert sorted(named) == sorted((disease, finding) for disease, finding, *_ in ROWS)


def test_each_row_keeps_its_assertion_frequency_and_references(built: FindingMatrix) -> None:
    row = next(int(r) for r in built.rows_by_reference["PMID:3"])
    assert built.cited_by(row) == ("PMID:2", "PMID:3")
    assert built.frequencies[built.rows.frequency[row]] == "2/5"
    assert (built.rows.hits[row], built.rows.total[row]) == (2, 5)
    assert built.rows.assertion[row].startswith(b"a.")


def test_a_negative_statement_is_a_row_too(built: FindingMatrix) -> None:
    assert built.rows.negated.sum() == 1


def test_withdrawn_findings_lead_to_their_successor(tmp_path: Path, built: FindingMatrix) -> None:
    assert built.successors == {OLD_FEVER: FEVER}
    renamed = matrix(tmp_path / "matrix", [(d, OLD_FEVER if f == FEVER else f, *rest) for d, f, *rest in ROWS])
    assert renamed.findings == built.findings
    assert renamed.shares.share.tolist() == built.shares.share.tolist()


def test_what_a_source_leaves_empty_reads_as_nothing() -> None:
    _, assertion, evidence = tables([("ORPHA:3", RASH, "3/4", "PCS", ("PMID:1",), False)])
    empty = [pa.nulls(len(evidence), field.type) for field in evidence.schema if field.name in STATED]
    kept = evidence.drop_columns(STATED)
    for name, column in zip(STATED, empty, strict=True):
        kept = kept.append_column(name, column)
    stated = read_stated(assertion, kept)
    assert (stated.frequencies, stated.codes, stated.references) == ([""], [""], [])
    rows = evidence_rows(stated, stated.object, Constants())
    assert (rows.hits[0], rows.total[0]) == (0, 0)
    assert np.isnan(rows.share[0])
