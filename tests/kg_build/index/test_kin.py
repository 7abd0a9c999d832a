from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from kg_build.index.kin import kin, treatments, twins
from tests.reasoning.diagnosis.graph import NEAR_ROWS, matrix, tables

INDEX = {"OMIM:1": 0, "OMIM:2": 1, "ORPHA:5": 2, "ORPHA:6": 3, "cmekg:3": 4}
LABELS = ("Spasm disease, type II", "Fever disease", "The spasm disease type 2", "Fever disease", "感冒")


def test_kindred_entries_share_a_gene_and_words_across_vocabularies() -> None:
    _, assertion, _ = tables()
    assert kin(assertion, INDEX, LABELS, 0.5).tolist() == [[0, 2], [2, 0]]


def test_the_same_name_without_a_common_gene_is_not_kindred() -> None:
    _, assertion, _ = tables()
    assert [1, 3] not in kin(assertion, INDEX, LABELS, 0.0).tolist()


def test_twins_and_treatments_are_those_stated() -> None:
    _, assertion, _ = tables()
    assert twins(assertion, INDEX).tolist() == [[1, 3]]
    assert treatments(assertion, INDEX).tolist() == [0, 0, 0, 0, 20]


def test_diseases_that_some_source_says_are_not_the_same_are_no_twins() -> None:
    _, assertion, _ = tables()
    (stated,) = assertion.filter(pc.field("predicate") == "same_as").to_pylist()
    denial = stated | {"id": "a.denial", "subject": stated["object"], "object": stated["subject"], "negated": True}
    denied = pa.Table.from_pylist([*assertion.to_pylist(), denial], schema=assertion.schema)
    assert twins(denied, INDEX).tolist() == []


def test_a_finding_is_lent_at_a_tenth_and_never_lowers_the_own_share(tmp_path: Path) -> None:
    built = matrix(tmp_path, NEAR_ROWS)
    diseases, shares = built.column(built.finding_index["HP:0000988"])
    share = dict(zip(diseases.tolist(), shares.tolist(), strict=True))
    lent, own = (share[built.disease_index[curie]] for curie in ("OMIM:1", "ORPHA:5"))
    assert lent == pytest.approx(own / 10)
