"""Findings of arms: the best answer, merging, confidence."""

import pytest

from reasoning.evaluation.qa.found import Found, Piece, adaptive_alpha, confidence, merge


def test_the_most_supported_answer_is_best_and_ties_stay_ties() -> None:
    assert Found({"a": 0.2, "b": 0.9}).best() == ["b"]
    assert Found({"a": 0.9, "b": 0.2, "c": 0.9}).best() == ["a", "c"]


@pytest.mark.parametrize("scores", [{}, {"a": 0.0, "b": 0.0}, {"a": -1.0, "b": 0.0}])
def test_without_support_nothing_is_best(scores: dict[str, float]) -> None:
    assert Found(scores).best() == []


def test_scores_are_merged_as_shares_of_their_largest() -> None:
    vector = Found({"a": 4.0, "b": 2.0}, {"a": ("c1",)}, (Piece(("c1",), "one"),), queries=1, rounds=1)
    graph = Found({"b": 0.5, "c": -0.25}, {"b": ("a1",)}, (Piece(("a1",), "two"),), queries=2, rounds=2)
    merged = merge(vector, graph, 0.25)
    assert merged.scores == {"a": 0.25, "b": 0.25 * 0.5 + 0.75, "c": -0.375}
    assert (merged.queries, merged.rounds) == (3, 2)
    assert [piece.text for piece in merged.pieces] == ["two", "one"]
    assert (merged.cited["a"], merged.cited["b"]) == (("c1",), ("a1",))


@pytest.mark.parametrize(
    ("scores", "wanted"),
    [
        ({"a": 4.0, "b": 1.0}, 0.75),
        ({"a": 4.0, "b": 4.0}, 0.0),
        ({"a": 4.0, "b": -9.0}, 1.0),
        ({"holds": -1.0}, 1.0),
        ({"holds": 0.0}, 0.0),
        ({}, 0.0),
    ],
)
def test_confidence_is_the_margin_of_the_leader(scores: dict[str, float], wanted: float) -> None:
    assert confidence(Found(scores)) == wanted


def test_the_surer_side_weighs_more() -> None:
    sure, unsure, blank = Found({"a": 1.0, "b": 0.0}), Found({"a": 4.0, "b": 3.0}), Found()
    assert adaptive_alpha(sure, unsure) == pytest.approx(1 / 1.25)
    assert adaptive_alpha(unsure, sure) == pytest.approx(0.25 / 1.25)
    assert adaptive_alpha(blank, blank) == 0.5
    assert adaptive_alpha(blank, sure) == 0.0
