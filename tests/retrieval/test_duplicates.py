"""Passages that say what a better one says already."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_build.index.text import tokens
from retrieval.duplicates import RUN, collapse
from retrieval.passage import Passage
from tests.retrieval.made import passage

ENGLISH = "Colchicine treats acute flares of gout within three days when it is started early enough by mouth."
CHINESE = "秋水仙碱用于痛风急性发作的治疗，应当尽早开始口服，三天之内疼痛通常明显减轻。"
TEXTS = [ENGLISH, CHINESE, ENGLISH + " Rest helps.", CHINESE + "注意休息。", "", "gout", "痛风", "?!", "\x00\U0001f600"]
passages = st.lists(st.sampled_from(TEXTS) | st.text(max_size=60), max_size=12).map(
    lambda texts: [passage(f"c{at}", 1 - at / 20, text=text) for at, text in enumerate(texts)]
)


@given(passages, st.floats(0.01, 1))
def test_every_passage_is_kept_or_counted_with_the_one_that_stands_for_it(found: list[Passage], least: float) -> None:
    kept, fallen = collapse(found, least)
    assert sorted([p.chunk for p in kept] + [one.id for one in fallen]) == sorted(p.chunk for p in found)
    assert sum(p.repeated for p in kept) == len(fallen)
    assert [p.chunk for p in kept] == [p.chunk for p in found if p.chunk in {k.chunk for k in kept}]
    for one in fallen:
        stands = one.reason.removeprefix("repeats ")
        assert stands in {p.chunk for p in kept if p.repeated}
        assert int(stands[1:]) < int(one.id[1:])  # the better one stays


@given(passages, st.floats(0.01, 1))
def test_what_is_left_repeats_nothing(found: list[Passage], least: float) -> None:
    kept, _ = collapse(found, least)
    again, fallen = collapse(kept, least)
    assert (again, fallen) == (kept, [])


@given(passages)
def test_nothing_is_left_out_when_it_is_switched_off(found: list[Passage]) -> None:
    assert collapse(found, 0) == (found, [])


@pytest.mark.parametrize("text", [ENGLISH, CHINESE])
def test_the_same_words_in_other_clothes_are_the_same(text: str) -> None:
    other = text.upper().replace(" ", "\n  ").replace(".", " !")
    kept, (fallen,) = collapse([passage("a", 2.0, text=text), passage("b", 1.0, text=other)], 0.99)
    assert [(p.chunk, p.repeated) for p in kept] == [("a", 1)]
    assert (fallen.id, fallen.score, fallen.reason) == ("b", 1.0, "repeats a")


@pytest.mark.parametrize(("one", "other"), [(ENGLISH, ENGLISH + " Rest helps."), (CHINESE, CHINESE + "注意休息。")])
def test_a_little_more_is_a_repetition_up_to_the_likeness(one: str, other: str) -> None:
    found = [passage("a", text=one), passage("b", text=other)]
    assert len(collapse(found, 0.6)[0]) == 1
    assert len(collapse(found, 0.99)[0]) == 2


def test_texts_on_one_thing_that_say_different_things_both_stay() -> None:
    found = [passage("a", text=ENGLISH), passage("b", text="Allopurinol lowers uric acid and prevents flares of gout.")]
    assert len(collapse(found, 0.2)[0]) == 2


def test_texts_without_words_are_not_taken_for_the_same() -> None:
    assert len(collapse([passage("a", text=""), passage("b", text="?!"), passage("c", text="")], 0.5)[0]) == 3


def test_texts_shorter_than_a_run_are_compared_as_they_are() -> None:
    short = " ".join(f"word{i}" for i in range(RUN - 1))
    found = [passage("a", text=short), passage("b", text=short), passage("c", text="word1 word0")]
    assert [p.chunk for p in collapse(found, 0.5)[0]] == ["a", "c"]


def test_long_passages_take_bounded_time() -> None:
    found = [passage(f"c{at}", text=" ".join(f"word{n} 痛风" for n in range(1000)) * 50 + str(at)) for at in range(40)]
    kept, fallen = collapse(found, 0.8)
    assert (len(kept), len(fallen)) == (1, 39)


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
    assert [
        int(passage.chunk)
        for passage in collapse(
            [Passage(str(at), "d", "t", "", text, "en", "s", "article", "", 0) for at, text in enumerate(texts)], 0.8
        )[0]
    ] == kept
