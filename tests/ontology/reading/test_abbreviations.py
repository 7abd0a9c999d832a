"""Abbreviations that a text defines itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontology.reading.abbreviations import find_abbreviations, occurrences


def defined(text: str) -> dict[str, str | None]:
    """Short form -> long form; None where only its end is known."""
    found = find_abbreviations(text)
    assert all(text[one.start : one.end] == one.short for one in found)
    return {one.short: None if one.long_start is None else text[one.long_start : one.long_end] for one in found}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Known chronic obstructive pulmonary disease (COPD).",
         {"COPD": "chronic obstructive pulmonary disease"}),
        ("COPD (chronic obstructive pulmonary disease)", {"COPD": "chronic obstructive pulmonary disease"}),
        ("慢性阻塞性肺疾病（COPD）加重", {"COPD": None}),
        ("冠状动脉粥样硬化性心脏病（简称冠心病）", {"冠心病": None}),
        ("fever (since Monday)", {}),
        ("a mild cough (XRAY)", {}),
        ("()", {}),
    ],
)  # fmt: skip
def test_a_short_form_in_brackets_stands_for_the_words_that_hold_its_letters(
    text: str, expected: dict[str, str | None]
) -> None:
    assert defined(text) == expected


def test_the_first_definition_counts() -> None:
    text = "multiple sclerosis (MS), not mitral stenosis (MS)"
    assert defined(text) == {"MS": "multiple sclerosis"}


def test_a_short_form_is_met_as_a_whole_word_only() -> None:
    text = "multiple sclerosis (MS). MS is no MSG; 患MS多年"
    places = occurrences(text, find_abbreviations(text))
    assert [start for start, *_ in places] == [20, 25, text.index("患") + 1]


@given(st.text(alphabet="AB ab(（)）简称肺-/.\n", max_size=80))
def test_whatever_the_text_the_long_form_is_not_the_short_one(text: str) -> None:
    for short, long_form in defined(text).items():
        assert long_form is None or len(long_form) > len(short)
