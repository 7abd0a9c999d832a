"""Chinese terms in English words."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontology.errors import ClewError, Code
from ontology.reading.glossary import English, Glossary, cut

WORDS = {
    "呼吸": ["breathing", "respiration"],
    "困难": ["difficulty"],
    "呼吸困难": ["dyspnea"],
    "呼": ["to call"],
    "进行": ["progressive"],
}
GLOSSARY = Glossary.of(WORDS)


def test_a_whole_term_has_its_gloss_and_its_parts_beside_it() -> None:
    english = GLOSSARY.english("呼吸困难")
    assert english.whole == ("dyspnea",)
    assert (english.wide, english.narrow) == ("breathing respiration difficulty", "breathing difficulty")


def test_a_term_is_cut_into_the_fewest_known_words_without_particles() -> None:
    assert GLOSSARY.english("进行性呼吸困难").narrow == "progressive dyspnea"


def test_traditional_characters_are_the_same_word() -> None:
    assert GLOSSARY.english("呼吸困難").whole == ("dyspnea",)


def test_what_has_no_gloss_is_passed_over() -> None:
    assert GLOSSARY.english("某困难").narrow == "difficulty"
    assert GLOSSARY.english("") == English((), "", "")


def test_it_is_opened_as_it_was_saved(tmp_path: Path) -> None:
    GLOSSARY.save(tmp_path / "g")
    again = Glossary.load(tmp_path / "g")
    assert len(again) == len(WORDS)
    assert {word: list(again.english(word).whole) for word in WORDS} == WORDS


def test_a_folder_without_one_is_a_coded_error(tmp_path: Path) -> None:
    with pytest.raises(ClewError) as caught:
        Glossary.load(tmp_path)
    assert caught.value.code is Code.CORRUPT_RELEASE


@given(st.text(alphabet="呼吸困难x", max_size=20))
def test_the_parts_of_a_cut_are_the_form(form: str) -> None:
    words = list(WORDS)
    assert "".join(cut(form, lambda rest: [word for word in words if rest.startswith(word)])) == form


@given(st.text(max_size=60))
def test_any_text_is_read(text: str) -> None:
    english = GLOSSARY.english(text)
    assert all(english.whole)
    assert bool(english.wide) == bool(english.narrow)
