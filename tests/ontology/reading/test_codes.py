"""Code points are numbers with a kind: Chinese, or holding a word together."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontology.reading.codes import CJK, are_chinese, code_points, hold_words


@given(st.text(st.characters(), max_size=20))
def test_code_points_are_those_of_the_text_lone_surrogates_too(text: str) -> None:
    assert code_points(text).tolist() == [ord(character) for character in text]


def test_the_table_and_the_character_class_mean_the_same_characters() -> None:
    every = np.arange(0x110000, dtype=np.uint32)
    chinese = re.compile(f"[{CJK}]")
    assert are_chinese(every).tolist() == [chinese.match(chr(code)) is not None for code in every.tolist()]


@pytest.mark.parametrize(("character", "holds"), [("a", True), ("é", True), ("7", True), ("+", False), ("头", False)])
def test_letters_and_digits_hold_words_together_and_chinese_characters_do_not(character: str, holds: bool) -> None:
    assert hold_words(code_points(character)).tolist() == [holds]
