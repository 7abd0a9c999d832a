"""Passages without an entity of the question count for less."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.compose import Clew
from retrieval.discount import discounted
from retrieval.passage import Passage
from retrieval.preset import load_preset
from tests.retrieval.made import passage

scored = st.lists(st.floats(-1, 5, width=16), max_size=10).map(
    lambda scores: [passage(f"c{at}", score) for at, score in enumerate(sorted(scores, reverse=True))]
)
named = st.sets(st.sampled_from([f"c{at}" for at in range(10)]))


@pytest.fixture(scope="module")
def graph(miniature_home: Path) -> Clew:
    return Clew.open(miniature_home)


def test_a_passage_loses_its_share_of_what_it_is_ahead_by() -> None:
    found = [passage("a", 5.0), passage("b", 4.0), passage("c", 1.0)]
    assert [(p.chunk, p.score) for p in discounted(found, {"b"}, 0.5)] == [("b", 4.0), ("a", 3.0), ("c", 1.0)]


@given(scored, st.floats(0, 1))
def test_without_an_entity_nothing_changes(found: list[Passage], discount: float) -> None:
    assert discounted(found, set(), discount) == found


@given(scored, named)
def test_without_a_discount_nothing_changes(found: list[Passage], mentioning: set[str]) -> None:
    assert discounted(found, mentioning, 0.0) == found


@given(scored, named.filter(bool), st.floats(0, 1))
def test_who_mentions_an_entity_keeps_the_score_and_nobody_falls_below_the_worst(
    found: list[Passage], mentioning: set[str], discount: float
) -> None:
    after = discounted(found, mentioning, discount)
    before = {p.chunk: p.score for p in found}
    assert {p.chunk for p in after} == before.keys()
    assert after == sorted(after, key=lambda p: (-p.score, p.chunk))
    for one in after:
        assert one.score == before[one.chunk] if one.chunk in mentioning else one.score <= before[one.chunk] + 1e-9
        assert one.score >= min(before.values()) - 1e-9


@given(scored, named.filter(bool), st.floats(0, 1), st.floats(0.5, 100), st.floats(-10, 10))
def test_the_scale_of_the_scores_does_not_matter(
    found: list[Passage], mentioning: set[str], discount: float, factor: float, offset: float
) -> None:
    moved = [passage(p.chunk, factor * p.score + offset) for p in found]
    expected = {p.chunk: factor * p.score + offset for p in discounted(found, mentioning, discount)}
    assert {p.chunk: p.score for p in discounted(moved, mentioning, discount)} == pytest.approx(expected, abs=1e-6)


def test_lay_words_are_not_punished_because_mentions_are_linked(graph: Clew) -> None:
    asked = graph.interpreter.interpret("What is high blood pressure?")
    texts = {row["id"]: row["text"].lower() for row in graph.release.table("chunk").to_pylist()}
    mentioning = graph.topics.ask(asked.topics).mentioning(texts)
    in_other_words = sorted(chunk for chunk in mentioning if "high blood pressure" not in texts[chunk])
    assert in_other_words
    (stranger,) = (chunk for chunk in texts if chunk.startswith("clew.doc:hpo/HP:0001166"))
    found = [passage(stranger, 2.0), *(passage(chunk, 1.5) for chunk in in_other_words), passage("worst", 1.0)]
    after = [(p.chunk, p.score) for p in discounted(found, mentioning, 0.6)]
    assert after == [*((chunk, 1.5) for chunk in in_other_words), (stranger, 1.4), ("worst", 1.0)]


def test_a_question_without_entities_is_ranked_as_without_the_discount(graph: Clew) -> None:
    question, preset = graph.interpreter.interpret("When are two drugs needed at the start?"), load_preset("gentext")
    assert not question.topics
    search = graph.retriever.passages
    assert search.ranked(question, preset, 20) == search.ranked(question, preset.without("discount"), 20)
