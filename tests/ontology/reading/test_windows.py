"""Stretches of a text that may name something."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontology.reading.text import language, sentences
from ontology.reading.windows import windows, without_filler


def stretches(text: str) -> list[str]:
    return [text[start:end] for start, end in windows(text, sentences(text), language(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She has a racing heart since Monday.", ["racing heart", "Monday"]),
        ("Reports pain in the chest.", ["pain in the chest"]),
        ("The patient was well.", []),
        ("患者反复心里发慌3天。", ["心里发慌"]),
        ("患者自诉睡不着觉，食欲正常。", ["睡不着觉"]),
        ("", []),
    ],
)
def test_what_names_nothing_is_left_out(text: str, expected: list[str]) -> None:
    found = stretches(text)
    assert [piece for piece in found if piece in expected] == expected
    assert bool(found) == bool(expected)


def test_of_a_long_run_the_beginning_and_the_end_are_tried() -> None:
    found = stretches("alpha beta gamma delta epsilon zeta eta theta iota")
    assert found == ["alpha beta gamma delta", "zeta eta theta iota"]


def test_filler_is_taken_off_both_ends() -> None:
    text = "患者伴有胸闷不适等症状"
    start, end = without_filler(text, 0, len(text))
    assert text[start:end] == "胸闷不适"


def test_small_words_without_end_take_no_time() -> None:
    assert stretches("a " * 300_000) == []


@given(st.text(alphabet="ab of the 患者有心慌，。 \n\x00🤒", max_size=80))
def test_stretches_lie_in_their_sentence_and_are_not_empty(text: str) -> None:
    spans = sentences(text)
    for start, end in windows(text, spans, language(text)):
        assert start < end
        assert any(begin <= start and end <= stop for begin, stop in spans)
