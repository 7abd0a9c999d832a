"""Forms are found wherever they stand between the edges of words."""

from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontology.errors import ClewError, Code
from ontology.reading.scanner import Scanner, load_trie, make_trie, save_trie
from ontology.reading.text import normalise


def scanner(forms: list[str]) -> Scanner:
    trie, known = make_trie((form, number) for number, form in enumerate(forms))
    return Scanner(lambda: trie, known)


def found(forms: list[str], text: str) -> list[str]:
    norm = normalise(text)
    return [norm.text[start:-minus_end] for start, minus_end, _ in scanner(forms).scan(norm)]


def test_the_leftmost_comes_first_and_of_these_the_longest() -> None:
    assert found(["头痛", "偏头痛", "痛"], "偏头痛") == ["偏头痛", "头痛", "痛"]
    assert found(["heart", "heart attack", "attack"], "Heart attack") == ["heart attack", "heart", "attack"]


def test_a_form_within_a_word_is_none_but_chinese_has_no_words() -> None:
    assert found(["ever", "fever", "12"], "fever b12") == ["fever"]
    assert found(["hiv"], "感染hiv病毒") == ["hiv"]


ALPHABET = "ab 头痛1+\U00020000ж"


@given(st.sets(st.text(ALPHABET, min_size=1, max_size=3), min_size=1), st.text(ALPHABET, max_size=12))
def test_every_place_is_found(written: set[str], text: str) -> None:
    forms = sorted({normalise(name).text for name in written} - {""})
    norm = normalise(text).text
    inside = [
        at > 0 and at < len(norm) and all(c.isalnum() and ord(c) < 0x530 for c in norm[at - 1 : at + 1])
        for at in range(len(norm) + 1)
    ]
    places = [
        (start, -end, forms.index(norm[start:end]))
        for start, end in combinations(range(len(norm) + 1), 2)
        if norm[start:end] in forms and not inside[start] and not inside[end]
    ]
    assert scanner(forms).scan(normalise(text)) == sorted(places)


@pytest.mark.parametrize("strange", ["\0", "\ud800"])
def test_what_no_name_may_hold_parts_names(strange: str) -> None:
    assert found(["fever", f"fever{strange}x", "x"], f"fever {strange} x") == ["fever", "x"]


def saved(forms: list[str], folder: Path) -> None:
    save_trie(make_trie((form, number) for number, form in enumerate(forms))[0], folder)


def test_a_trie_is_saved_and_mapped(tmp_path: Path) -> None:
    _, known = make_trie([("fever", 7), ("头痛", 9)])
    saved(["fever", "头痛"], tmp_path)
    loaded = Scanner(lambda: load_trie(tmp_path, 2), known)
    assert loaded.scan(normalise("头痛, fever")) == [(0, -2, 9), (2, -7, 7)]


def test_one_that_is_missing_damaged_or_of_other_names_is_a_corrupt_release(tmp_path: Path) -> None:
    def refused() -> None:
        with pytest.raises(ClewError) as caught:
            load_trie(tmp_path, 2)
        assert caught.value.code is Code.CORRUPT_RELEASE

    refused()
    saved(["fever"], tmp_path)
    refused()
    for content in (b"", b"not a trie"):
        (tmp_path / "forms.marisa").write_bytes(content)
        refused()
