import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontology.errors import ClewError, Code
from retrieval.fusion import WEIGHTS, fuse
from retrieval.hit import Channel, Hit

SCORES = st.dictionaries(st.sampled_from([f"x:{i}#0" for i in range(12)]), st.floats(-1, 50), max_size=12)


def hits(channel: Channel, scores: dict[str, float]) -> list[Hit]:
    return [Hit(chunk, score, channel) for chunk, score in scores.items()]


@given(SCORES, SCORES, st.floats(0, 3))
def test_a_score_is_the_sum_of_what_the_channels_contribute(
    lexical: dict[str, float], dense: dict[str, float], weight: float
) -> None:
    lists = {"lexical": hits("lexical", lexical), "dense": hits("dense", dense)}
    fused = fuse(lists, {"lexical": 1.0, "dense": weight}, 100)
    assert {hit.chunk for hit in fused} == lexical.keys() | dense.keys()
    assert all(hit.score == pytest.approx(sum(hit.by_channel.values())) for hit in fused)
    assert all(hit.by_channel.keys() == {"lexical", "dense"} for hit in fused)
    assert fused == sorted(fused, key=lambda hit: (-hit.score, hit.chunk))


@given(SCORES)
def test_one_channel_alone_keeps_its_order(scores: dict[str, float]) -> None:
    order = {hit.chunk: rank for rank, hit in enumerate(fuse({"dense": hits("dense", scores)}, WEIGHTS, 100))}
    for a, left in scores.items():
        for b, right in scores.items():
            if left > right + 1e-6 and left > 0:
                assert order[a] < order[b]


def test_a_passage_that_a_channel_missed_gets_the_channels_minimum() -> None:
    lists = {
        "lexical": hits("lexical", {"a": 9, "b": 5, "c": 1}),
        "dense": hits("dense", {"d": 0.9, "a": 0.5, "b": 0.1}),
    }
    parts = {hit.chunk: hit.by_channel for hit in fuse(lists, {"lexical": 1, "dense": 1}, 10)}
    assert parts["d"]["lexical"] == parts["c"]["lexical"] < parts["b"]["lexical"]
    assert parts["c"]["dense"] == parts["b"]["dense"]


def test_a_single_hit_counts_for_more_than_a_miss() -> None:
    lists = {"lexical": hits("lexical", {"only": 3.0}), "dense": hits("dense", {"a": 0.9, "b": 0.8, "only": 0.1})}
    assert fuse(lists, WEIGHTS, 1)[0].chunk == "only"


def test_a_channel_that_found_nothing_leaves_the_other_alone() -> None:
    lists = {"lexical": [], "dense": hits("dense", {"糖尿病#0": 0.6, "gout#0": 0.5, "af#0": 0.1})}
    assert [hit.chunk for hit in fuse(lists, WEIGHTS, 10)] == ["糖尿病#0", "gout#0", "af#0"]
    assert fuse({"lexical": [], "dense": []}, WEIGHTS, 10) == []


def test_equal_scores_are_ordered_by_id_and_the_limit_holds() -> None:
    lists = {"lexical": hits("lexical", {"c": 1, "a": 1, "b": 1})}
    assert [hit.chunk for hit in fuse(lists, WEIGHTS, 2)] == ["a", "b"]


def test_a_channel_without_a_weight_is_refused() -> None:
    with pytest.raises(ClewError) as caught:
        fuse({"lexical": [], "dense": []}, {"lexical": 1.0}, 10)
    assert caught.value.code is Code.BAD_SETTINGS
