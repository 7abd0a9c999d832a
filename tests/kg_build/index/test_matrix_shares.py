"""How often a finding is expected follows from all that is stated of it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_build.index.matrix import FindingMatrix
from kg_build.index.matrix_hierarchy import Hierarchy
from kg_build.index.matrix_shares import Shares, propagate
from tests.reasoning.diagnosis.graph import FEVER, FOCAL, ROOT, SEIZURE, SPASM, matrix


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> FindingMatrix:
    return matrix(tmp_path_factory.mktemp("matrix") / "matrix")


def share(built: FindingMatrix, disease: str, finding: str) -> float:
    diseases, shares = built.column(built.finding_index[finding])
    return float(shares[diseases == built.disease_index[disease]].sum())


def test_counts_of_all_references_are_pooled_and_shrunk(built: FindingMatrix) -> None:
    assert share(built, "OMIM:1", SPASM) == pytest.approx((4 + 2 + 0.8) / (10 + 8))


def test_per_cent_and_classes_are_trusted_half(built: FindingMatrix) -> None:
    assert share(built, "OMIM:2", FEVER) == pytest.approx(0.8 / 2)
    assert share(built, "OMIM:1", FEVER) == pytest.approx(0.17 / 2)


def test_a_special_finding_counts_for_the_general_one_but_not_the_reverse(built: FindingMatrix) -> None:
    assert share(built, "OMIM:1", SEIZURE) == pytest.approx(share(built, "OMIM:1", SPASM))
    assert share(built, "OMIM:1", FOCAL) == 0
    expected = 1 - (1 - share(built, "OMIM:1", SPASM)) * (1 - 0.17 / 2)
    assert share(built, "OMIM:1", ROOT) == pytest.approx(expected)


def test_a_negative_assertion_gives_no_share(built: FindingMatrix) -> None:
    assert share(built, "OMIM:2", SEIZURE) == 0


def test_without_code_a_finding_of_many_lists_is_expected_less_than_one_of_a_single_list(
    built: FindingMatrix,
) -> None:
    assert share(built, "cmekg:1", "cmekg:咳嗽") == pytest.approx(0.15)
    assert share(built, "cmekg:1", "cmekg:鸡鸣样吸气吼声") == pytest.approx(0.45)


@given(st.lists(st.floats(0.0, 1.0, width=32), min_size=1, max_size=5))
def test_a_general_finding_is_expected_at_least_as_often_as_any_special_one(shares: list[float]) -> None:
    count = len(shares)
    start = np.concatenate([[0], np.arange(1, count + 1) * 2, [count * 2 + 1]]).astype(np.int32)
    member = np.array([*(x for i in range(count) for x in (i, count)), count], dtype=np.int32)
    direct = Shares(np.zeros(count, np.int32), np.arange(count, dtype=np.int32), np.array(shares, dtype=np.float32))
    top = propagate(direct, Hierarchy(start, member)).share[-1]
    assert min(max(shares), 0.99) - 1e-6 <= top <= 1
