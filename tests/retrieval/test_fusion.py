"""What several channels think of a passage, added up."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.fusion import FusedHit, Strategy, fuse
from retrieval.hit import CHANNELS, Channel
from tests.retrieval.made import MadeAsked, hits

SCORES = st.dictionaries(st.sampled_from([f"x:{i}#0" for i in range(8)] + ["糖尿病#0", "痛风#0"]), st.floats(-1, 2))
THREE = st.fixed_dictionaries(dict.fromkeys(CHANNELS, SCORES))
WEIGHTS = st.fixed_dictionaries({channel: st.floats(0, 10) for channel in CHANNELS})
ONES: dict[Channel, float] = dict.fromkeys(CHANNELS, 1.0)
STRATEGIES: list[Strategy] = ["scores", "ranks"]


def fused(
    thought: Mapping[Channel, Mapping[str, float]],
    weights: Mapping[Channel, float] = ONES,
    strategy: Strategy = "scores",
    depth: int = 100,
) -> list[FusedHit]:
    asked = {channel: MadeAsked(channel, scores) for channel, scores in thought.items()}
    return fuse({channel: one.best(depth) for channel, one in asked.items()}, asked, weights, strategy)


@given(THREE, WEIGHTS, st.sampled_from(STRATEGIES))
def test_a_score_is_the_sum_of_what_the_channels_contribute(
    thought: dict[Channel, dict[str, float]], weights: dict[Channel, float], strategy: Strategy
) -> None:
    found = fused(thought, weights, strategy)
    assert {hit.chunk for hit in found} == {chunk for scores in thought.values() for chunk in scores}
    assert all(hit.score == pytest.approx(sum(hit.by_channel.values())) for hit in found)
    assert all(hit.by_channel.keys() == thought.keys() for hit in found)


@given(THREE, WEIGHTS, st.integers(0, 4))
def test_a_passage_has_every_channels_own_score_whoever_found_it(
    thought: dict[Channel, dict[str, float]], weights: dict[Channel, float], depth: int
) -> None:
    for hit in fused(thought, weights, depth=depth):
        assert hit.by_channel == {c: weights[c] * scores.get(hit.chunk, 0.0) for c, scores in thought.items()}


def test_a_channel_is_asked_for_what_others_found_and_for_nothing_else() -> None:
    words, meaning = MadeAsked("lexical", {"a": 0.9, "b": 0.5, "c": 0.4}), MadeAsked("dense", {"b": 0.8, "d": 0.7})
    lists = {"lexical": words.best(2), "dense": meaning.best(2)}
    found = {hit.chunk: hit.by_channel for hit in fuse(lists, {"lexical": words, "dense": meaning}, ONES)}
    assert (words.asked, meaning.asked) == (["d"], ["a"])
    assert found == {
        "a": {"lexical": 0.9, "dense": 0.0},
        "b": {"lexical": 0.5, "dense": 0.8},
        "d": {"lexical": 0.0, "dense": 0.7},  # c, third of the words, is nobody's find
    }


def test_a_passage_missing_from_one_list_gets_that_channels_own_score() -> None:
    thought: dict[Channel, dict[str, float]] = {"lexical": {"a": 0.9, "b": 0.8}, "dense": {"b": 0.7, "a": 0.6}}
    (a, b) = sorted(fused(thought, depth=1), key=lambda hit: hit.chunk)
    assert (a.by_channel, b.by_channel) == ({"lexical": 0.9, "dense": 0.6}, {"lexical": 0.8, "dense": 0.7})


def test_reciprocal_ranks_are_those_of_cormack() -> None:
    thought: dict[Channel, dict[str, float]] = {
        "lexical": {"a": 30.0, "b": 20.0, "c": 10.0},
        "dense": {"c": 0.9, "a": 0.1},
    }
    found = {hit.chunk: hit.score for hit in fused(thought, strategy="ranks")}
    assert found == pytest.approx({"a": 1 / 61 + 1 / 62, "b": 1 / 62, "c": 1 / 63 + 1 / 61})
    weighted = {hit.chunk: hit.score for hit in fused(thought, {**ONES, "dense": 0.5}, "ranks")}
    assert weighted == pytest.approx({"a": 1 / 61 + 0.5 / 62, "b": 1 / 62, "c": 1 / 63 + 0.5 / 61})


@given(SCORES, st.floats(0.01, 100), st.floats(-5, 5))
def test_ranks_know_nothing_of_the_scale(scores: dict[str, float], factor: float, offset: float) -> None:
    order = [hit.chunk for hit in hits("dense", scores)]
    lists = {"dense": hits("dense", scores)}
    moved = {"dense": [hit.__class__(hit.chunk, factor * hit.score + offset, "dense") for hit in lists["dense"]]}
    asked = {"dense": MadeAsked("dense", {})}
    assert fuse(lists, asked, ONES, "ranks") == fuse(moved, asked, ONES, "ranks")
    assert [hit.chunk for hit in fuse(lists, asked, ONES, "ranks")] == order


@given(THREE, st.permutations(CHANNELS), st.sampled_from(STRATEGIES))
def test_the_order_of_the_channels_does_not_matter(
    thought: dict[Channel, dict[str, float]], order: list[Channel], strategy: Strategy
) -> None:
    one, other = fused(thought, strategy=strategy), fused({c: thought[c] for c in order}, strategy=strategy)
    assert {hit.chunk: hit.by_channel for hit in one} == {hit.chunk: hit.by_channel for hit in other}
    assert [hit.score for hit in one] == pytest.approx([hit.score for hit in other])


@given(THREE, st.sampled_from(STRATEGIES))
def test_equal_scores_are_ordered_by_id(thought: dict[Channel, dict[str, float]], strategy: Strategy) -> None:
    found = fused(thought, strategy=strategy)
    assert found == sorted(found, key=lambda hit: (-hit.score, hit.chunk))
    level = fused({"lexical": {"c": 1.0, "a": 1.0, "痛风": 1.0, "b": 1.0}}, strategy="scores")
    assert [hit.chunk for hit in level] == ["a", "b", "c", "痛风"]


@given(SCORES)
def test_one_channel_alone_keeps_its_order(scores: dict[str, float]) -> None:
    assert [hit.chunk for hit in fused({"dense": scores})] == [hit.chunk for hit in hits("dense", scores)]


@given(THREE, SCORES)
def test_a_channel_without_weight_changes_no_score(
    thought: dict[Channel, dict[str, float]], other: dict[str, float]
) -> None:
    weights: dict[Channel, float] = {**ONES, "graph": 0.0}
    without = {hit.chunk: hit.score for hit in fused({c: thought[c] for c in ("lexical", "dense")}, weights)}
    with_it = {hit.chunk: hit.score for hit in fused({**thought, "graph": other}, weights)}
    assert without.items() <= with_it.items()


def test_channels_that_found_nothing_leave_the_others_alone() -> None:
    thought: dict[Channel, dict[str, float]] = {"lexical": {}, "dense": {"糖尿病#0": 0.6, "gout#0": 0.5}}
    assert [hit.chunk for hit in fused(thought)] == ["糖尿病#0", "gout#0"]
    assert fused({"lexical": {}, "dense": {}}) == fused({}) == []
