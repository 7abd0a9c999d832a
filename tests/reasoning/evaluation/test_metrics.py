import pytest

from reasoning.evaluation.metrics import (
    capped_weights,
    expected_calibration_error,
    macro_weights,
    pessimistic_rank,
    rank_figures,
    tied_hits,
    weighted_median,
)

INF = float("inf")


def test_a_tie_counts_as_lost() -> None:
    assert pessimistic_rank([3.0, 1.0, 1.0, 1.0, 0.0], [2]) == 4
    assert pessimistic_rank([3.0, 1.0], [0]) == 1


def test_equivalent_gold_does_not_compete_with_itself() -> None:
    assert pessimistic_rank([2.0, 2.0, 1.0], [0, 1]) == 1


def test_what_is_not_ranked_has_no_rank() -> None:
    assert pessimistic_rank([1.0, -INF], [1]) == INF
    assert pessimistic_rank([1.0], []) == INF


def test_ties_among_candidates_are_averaged() -> None:
    assert tied_hits([1.0, 1.0, 1.0], [1]) == (1, 3)
    figures = rank_figures([(1, 3)])
    assert figures["top1"] == pytest.approx(1 / 3)
    assert figures["mrr"] == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)


def test_rates_count_ranks_within_and_missing_ones_as_zero() -> None:
    figures = rank_figures([(1, 1), (4, 4), (INF, INF), (10, 10)])
    assert [figures[f"top{k}"] for k in (1, 3, 5, 10)] == [0.25, 0.25, 0.5, 0.75]
    assert figures["mrr"] == pytest.approx((1 + 1 / 4 + 0 + 1 / 10) / 4)
    assert rank_figures([])["mrr"] == 0


def test_a_disease_weighs_at_most_ten_cases_and_in_macro_exactly_one() -> None:
    groups = ["a"] * 20 + ["b"] * 5
    assert sum(capped_weights(groups)) == pytest.approx(15)
    assert sum(macro_weights(groups)) == pytest.approx(2)


def test_calibration_error_worked_by_hand() -> None:
    # Two of .9 with one right: gap .4 over half of them; two of .2 with none right: gap .2.
    assert expected_calibration_error([0.9, 0.9, 0.2, 0.2], [True, False, False, False]) == pytest.approx(0.3)
    assert expected_calibration_error([], []) == 0


def test_the_median_is_where_half_of_the_weight_is_reached() -> None:
    assert weighted_median([5, 1, 3], [1, 1, 1]) == 3
    assert weighted_median([1, 2, 3], [1, 1, 8]) == 3
    assert weighted_median([1, INF, INF], [1, 1, 1]) == INF
