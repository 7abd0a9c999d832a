"""Passages that repeat a better one: found by their terms, in both languages, whatever is compared first."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_build.index.text import tokens
from retrieval.duplicates import RUN, collapse
from retrieval.passage import Passage

EN = (
    "Colchicine treats flares of gout within three days and is taken twice a day with water after a meal, while "
    "allopurinol lowers uric acid over months and years and has to be started slowly by a doctor who knows the kidneys."
)
ZH = (
    "秋水仙碱可用于痛风急性发作期的治疗，应在发作后尽早服用，"
    "每日两次，饭后用温水送服，肾功能不全的患者需要减量并定期复查。"
)


def passages(*texts: str) -> list[Passage]:
    return [Passage(str(i), "d", "t", "", text, "en", "s", "article", "", 0) for i, text in enumerate(texts)]


def left(*texts: str, likeness: float = 0.8) -> list[str]:
    return [fallen.id for fallen in collapse(passages(*texts), likeness)[1]]


@pytest.mark.parametrize("text", [EN, ZH])
def test_what_repeats_a_better_one_is_left_out_and_counted(text: str) -> None:
    kept, fallen = collapse(passages(text, "Something else entirely.", text), 0.8)
    assert [(passage.chunk, passage.repeated) for passage in kept] == [("0", 1), ("1", 0)]
    assert [(one.id, one.reason) for one in fallen] == [("2", "repeats 0")]


def test_word_forms_and_function_words_make_no_difference() -> None:
    assert left(EN, EN.replace("flares", "the flare").replace("a meal", "meals").upper()) == ["1"]
    assert left("What is gout?", "Gout", "gout!") == ["1", "2"]


def test_texts_on_one_thing_that_say_different_things_both_stay() -> None:
    assert left(EN, EN.replace("gout", "fever").replace("water", "milk").replace("months", "weeks")) == []
    assert left(ZH, ZH.replace("痛风", "发热").replace("两次", "三次").replace("温水", "牛奶")) == []


def test_a_text_without_words_repeats_nothing_and_nothing_repeats_it() -> None:
    assert left("", "", "…", "\ud800", EN, "\x00" * 3) == []


def test_no_likeness_leaves_all() -> None:
    assert left(EN, EN, likeness=0) == []


@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(st.sampled_from(["gout", "fever", "of", "痛风", "发热", "3", "is"]), max_size=12), max_size=6))
def test_short_texts_are_compared_as_the_definition_says(made: list[list[str]]) -> None:
    texts = [" ".join(words)[:40] for words in made]
    runs = []
    for text in texts:
        terms = tokens(text)
        runs.append({tuple(terms[at : at + RUN]) for at in range(max(1, len(terms) - RUN + 1)) if terms})
    kept: list[int] = []
    for at, own in enumerate(runs):
        if not any(own and len(own & runs[i]) >= 0.8 * len(own | runs[i]) for i in kept):
            kept.append(at)
    assert [int(passage.chunk) for passage in collapse(passages(*texts), 0.8)[0]] == kept
