"""How far a channel is trusted for one question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.confidence import BEST, adapted, confidence
from retrieval.hit import CHANNELS, Channel, Hit
from tests.retrieval.made import hits

CHUNKS = [f"x:{i}#0" for i in range(20)]
LISTS = st.dictionaries(
    st.sampled_from(CHANNELS), st.dictionaries(st.sampled_from(CHUNKS), st.floats(-1, 50, width=32)), min_size=1
).map(lambda found: {channel: hits(channel, scores) for channel, scores in found.items()})
NAMED = st.sets(st.sampled_from(CHUNKS))


@given(LISTS, NAMED)
def test_it_lies_between_nothing_and_one(lists: dict[Channel, list[Hit]], named: set[str]) -> None:
    for channel in lists:
        assert 0 <= confidence(channel, lists, named) <= 1


@given(LISTS, NAMED, st.floats(0, 1), st.floats(0, 10))
def test_a_weight_stays_within_the_strength_around_what_it_was(
    lists: dict[Channel, list[Hit]], named: set[str], strength: float, weight: float
) -> None:
    found = adapted(lists, dict.fromkeys(CHANNELS, weight), named, strength)
    assert found.keys() == lists.keys()
    assert all((1 - strength) * weight - 1e-9 <= one <= (1 + strength) * weight + 1e-9 for one in found.values())


@given(LISTS, NAMED)
def test_without_strength_a_weight_stays_what_it_was(lists: dict[Channel, list[Hit]], named: set[str]) -> None:
    assert adapted(lists, dict.fromkeys(CHANNELS, 0.7), named, 0.0) == dict.fromkeys(lists, 0.7)


@given(LISTS, NAMED, st.sampled_from(CHUNKS))
def test_it_grows_with_agreement(lists: dict[Channel, list[Hit]], named: set[str], chunk: str) -> None:
    for channel in lists:
        other: Channel = next(one for one in CHANNELS if one != channel)
        more = [*(hit for hit in lists.get(other, []) if hit.chunk != chunk), Hit(chunk, -2.0, other)]
        assert confidence(channel, {**lists, other: more}, named) >= confidence(channel, lists, named)


@given(LISTS, NAMED.filter(bool), st.sampled_from(CHUNKS))
def test_it_grows_with_coverage(lists: dict[Channel, list[Hit]], named: set[str], chunk: str) -> None:
    for channel in lists:
        assert confidence(channel, lists, named | {chunk}) >= confidence(channel, lists, named)


@given(st.lists(st.floats(0, 1), min_size=BEST + 1, max_size=30), st.floats(0, 10))
def test_it_grows_with_what_the_best_one_is_ahead_by(scores: list[float], lead: float) -> None:
    found = [Hit(CHUNKS[0] + str(at), score, "dense") for at, score in enumerate(sorted(scores, reverse=True))]
    ahead = [Hit(found[0].chunk, found[0].score + lead, "dense"), *found[1:]]
    assert confidence("dense", {"dense": ahead}, ()) >= confidence("dense", {"dense": found}, ()) - 1e-9


def test_a_hand_worked_one() -> None:
    scores = {f"x:{i}": 1.0 - i / 20 for i in range(20)}  # tenth: .55, last: .05
    lists = {"dense": hits("dense", scores), "lexical": hits("lexical", {"x:0": 9.0, "x:9": 8.0, "x:10": 7.0})}
    agreement, margin, coverage = 2 / 10, (1.0 - 0.55) / (1.0 - 0.05), 3 / 10
    found = confidence("dense", lists, {"x:1", "x:2", "x:3", "x:15"})
    assert found == pytest.approx((agreement + margin + coverage) / 3)
    assert adapted(lists, {"dense": 0.8, "lexical": 1.0}, {"x:1", "x:2", "x:3", "x:15"}, 0.5)["dense"] == pytest.approx(
        0.8 * (1 + 0.5 * (2 * found - 1))
    )


def test_what_cannot_be_told_counts_half() -> None:
    lists = {"dense": hits("dense", {"a": 1.0, "b": 1.0})}
    assert confidence("dense", lists, ()) == pytest.approx((0 + 0 + 0.5) / 3)


def test_who_found_nothing_is_not_trusted() -> None:
    assert confidence("graph", {"graph": [], "dense": hits("dense", {"a": 1.0})}, {"a"}) == 0.0
