"""The program's own words stand in both languages, with the same places to fill."""

import re

import pytest

from api.words import _WORDS, words


@pytest.mark.parametrize("key", sorted(_WORDS))
def test_both_languages_fill_the_same_places(key: str) -> None:
    english, chinese = _WORDS[key]
    assert english
    assert chinese
    assert sorted(re.findall(r"\{\d\}", english)) == sorted(re.findall(r"\{\d\}", chinese))


def test_any_other_language_gets_english() -> None:
    assert words("fr", "for") == words("en", "for") == "for"
    assert words("zh", "for") == "支持"
