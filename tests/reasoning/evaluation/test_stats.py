"""Whether a difference is more than chance, checked by hand and against SciPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import bootstrap

from reasoning.evaluation.stats import holm, mcnemar, paired_bootstrap


def test_no_difference_is_no_difference() -> None:
    found = paired_bootstrap([0.2, 0.8, 0.5], [0.2, 0.8, 0.5])
    assert (found.mean, found.low, found.high, found.p) == (0, 0, 0, 1)


def test_the_interval_is_that_of_scipy_when_cases_stand_for_themselves() -> None:
    generator = np.random.default_rng(1)
    a, b = generator.random(80), generator.random(80) + 0.1
    ours = paired_bootstrap(a.tolist(), b.tolist())
    theirs = bootstrap((b - a,), np.mean, method="percentile", n_resamples=10_000, random_state=2).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.01)
    assert ours.mean == pytest.approx(float((b - a).mean()))


def test_a_gain_within_one_group_only_is_not_significant() -> None:
    a, b = [0.0] * 40, [1.0] * 30 + [0.0] * 10
    alone = paired_bootstrap(a, b)
    grouped = paired_bootstrap(a, b, groups=["one"] * 30 + [f"other {n}" for n in range(10)])
    assert alone.p < 0.001
    assert grouped.p > 0.3
    assert grouped.low == 0


def test_weights_decide_what_the_mean_is() -> None:
    assert paired_bootstrap([0, 0], [1, 0], weights=[3, 1]).mean == pytest.approx(0.75)


def test_mcnemar_worked_by_hand() -> None:
    # Five cases won, none lost: 2 · 0.5^5.
    assert mcnemar([False] * 5 + [True] * 3, [True] * 8) == pytest.approx(2 * 0.5**5)
    # One won, one lost: as even as can be; cases that both get right say nothing.
    assert mcnemar([True, False, True], [False, True, True]) == 1
    assert mcnemar([True], [True]) == 1


def test_holm_worked_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_never_lowers_a_p_and_keeps_their_order(p_values: list[float]) -> None:
    corrected = holm(p_values)
    assert all(after >= before for before, after in zip(p_values, corrected, strict=True))
    order = np.argsort(p_values, kind="stable")
    assert np.all(np.diff(np.array(corrected)[order]) >= 0)
