"""What a text, a name and an id of a source may be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_build.sources.texts import LONGEST_ID, LONGEST_NAME, is_id, is_name, is_text, only_texts

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8", exclude_characters="\0")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="ascii", min_codepoint=32)), inner),
)


@pytest.mark.parametrize("value", ["", "gout", "痛风", "\U0001f600", "a\nb"])
def test_unicode_without_nul_is_text(value: str) -> None:
    assert is_text(value)


@pytest.mark.parametrize("value", ["\ud800", "a\udfffb", "a\0b", b"bytes", None, 7, ["a"]])
def test_halves_of_pairs_nul_and_other_things_are_not(value: object) -> None:
    assert not is_text(value)
    assert not is_name(value)


@pytest.mark.parametrize(
    "value", ["gout", "痛风", "CD4+", "α-1", "a" * LONGEST_NAME, "Ménière", "HIV 感染", "two\nlines"]
)
def test_what_can_be_compared_is_a_name(value: str) -> None:
    assert is_name(value)


@pytest.mark.parametrize(
    "value",
    ["", "  ", "——", "a" * (LONGEST_NAME + 1), "\u202egnitteb\u202c", "\u2066a", "a\x1b[31m", "a\x07", "a\x9b2J"],
)
def test_what_is_empty_endless_or_obeyed_by_a_screen_is_no_name(value: str) -> None:
    assert not is_name(value)


def test_an_id_is_a_curie_of_bounded_length() -> None:
    assert is_id("HP:0001250")
    assert not is_id("seizure")
    assert is_id("x:" + "1" * (LONGEST_ID - 2))
    assert not is_id("x:" + "1" * (LONGEST_ID - 1))


@given(JSON)
def test_only_texts_accepts_what_json_can_say_in_utf8(value: object) -> None:
    assert only_texts(value)


@pytest.mark.parametrize("value", ["\ud800", ["a", ["\0"]], {"a": {"\udc00": 1}}, {"a": [{"b": "\ud800"}]}, ({"\0"},)])
def test_only_texts_looks_everywhere(value: object) -> None:
    assert not only_texts(value)


def test_depth_does_not_matter() -> None:
    deep: list[object] = ["\ud800"]
    for _ in range(100_000):
        deep = [deep]
    assert not only_texts(deep)
