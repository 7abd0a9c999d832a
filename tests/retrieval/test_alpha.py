"""Alpha: how far the graph is to be trusted beside the text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.alpha import alpha_of, shared_out
from retrieval.hit import CHANNELS, Channel

SHARES = st.floats(0, 1)


@given(SHARES, SHARES, SHARES)
def test_it_lies_between_nothing_and_everything(coverage: float, lexical: float, dense: float) -> None:
    assert 0 < alpha_of(coverage, {"lexical": lexical, "dense": dense}) < 1


@given(SHARES, SHARES, SHARES, st.floats(0.01, 1))
def test_it_grows_with_what_the_graph_knows_and_falls_with_what_the_text_can_do(
    coverage: float, lexical: float, dense: float, more: float
) -> None:
    alpha = alpha_of(coverage, {"lexical": lexical, "dense": dense})
    assert alpha_of(coverage + more, {"lexical": lexical, "dense": dense}) >= alpha
    assert alpha_of(coverage, {"lexical": lexical + more, "dense": dense}) <= alpha
    assert alpha_of(coverage, {"lexical": lexical, "dense": dense + more}) <= alpha


def test_a_channel_that_is_not_asked_is_as_good_as_usual() -> None:
    good, poor = (alpha_of(0.5, {"lexical": share, "dense": 0.4}) for share in (0.9, 0.0))
    assert good < alpha_of(0.5, {"dense": 0.4}) < poor


@given(st.dictionaries(st.sampled_from(CHANNELS), st.floats(0, 10)), SHARES, SHARES)
def test_weights_never_grow_and_the_text_keeps_its_floor(
    weights: dict[Channel, float], alpha: float, floor: float
) -> None:
    shared = shared_out(weights, alpha, floor)
    for channel, weight in weights.items():
        least = 0.0 if channel == "graph" else weight * floor
        assert least - 1e-9 <= shared[channel] <= weight + 1e-9


@pytest.mark.parametrize("alpha", [0.0, 0.25, 1.0])
def test_with_two_channels_and_no_floor_it_is_the_papers(alpha: float) -> None:
    assert shared_out({"dense": 1.0, "graph": 1.0}, alpha, 0.0) == {"dense": 1 - alpha, "graph": alpha}
