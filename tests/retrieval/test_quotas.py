"""Which passages are kept."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.passage import Passage
from retrieval.question import Property
from retrieval.quotas import (
    REGISTERS,
    Quotas,
    asks_about_drugs,
    count_words,
    registers_first,
    within_budget,
    within_quotas,
)
from tests.retrieval.made import passage, question, topic

(REGISTER,) = REGISTERS
KINDS = ["definition", "guideline", "differential"]
ranked = st.lists(st.sampled_from(KINDS), max_size=24).map(
    lambda kinds: [passage(f"c{at:02}", 1 - at / 100, kind=kind) for at, kind in enumerate(kinds)]
)
quotas = st.sampled_from(["none", "half", "equal"])


def kinds(passages: list[Passage]) -> dict[str, int]:
    return Counter(p.kind for p in passages)


@given(ranked, quotas, st.integers(1, 12))
def test_everyone_is_kept_or_falls_the_best_is_kept_and_the_order_stays(
    found: list[Passage], how: Quotas, most: int
) -> None:
    kept, fallen = within_quotas(found, how, most)
    assert len(kept) <= most
    assert kept == [p for p in found if p in kept]
    assert kept[:1] == found[:1]
    assert [one.id for one in fallen] == [p.chunk for p in found if p not in kept]
    assert all(one.cut == min(p.score for p in kept) for one in fallen)


@given(ranked, st.integers(1, 12))
def test_without_quotas_the_best_are_kept(found: list[Passage], most: int) -> None:
    kept, fallen = within_quotas(found, "none", most)
    assert kept == found[:most]
    assert {one.reason for one in fallen} <= {"others are better"}


@given(ranked, st.integers(1, 12))
def test_no_kind_takes_more_than_half_while_others_are_left(found: list[Passage], most: int) -> None:
    kept, _ = within_quotas(found, "half", most)
    assert len(kept) == min(most, len(found))
    for kind, count in kinds(kept).items():
        assert count <= (most + 1) // 2 or not [p for p in found if p.kind != kind and p not in kept]


@given(ranked, st.integers(1, 12))
def test_equal_numbers_of_every_kind_that_has_so_many(found: list[Passage], most: int) -> None:
    kept, _ = within_quotas(found, "equal", most)
    each = max(1, most // max(len(kinds(found)), 1))
    wanted = {kind: min(count, each) for kind, count in kinds(found).items()}
    assert kinds(kept) == wanted or (len(wanted) > most == len(kept))


def test_what_a_full_kind_loses_to_a_worse_passage_is_said() -> None:
    found = [passage(f"d{at}", 1 - at / 10, kind="definition") for at in range(4)] + [
        passage("g", 0.1, kind="guideline")
    ]
    kept, fallen = within_quotas(found, "equal", 4)
    assert [p.chunk for p in kept] == ["d0", "d1", "g"]
    assert [(one.id, one.reason) for one in fallen] == [
        ("d2", "2 of the kind definition are better"),
        ("d3", "2 of the kind definition are better"),
    ]


def test_passages_of_drug_registers_come_first_each_in_their_order() -> None:
    found = [passage("a", 9), passage("r1", 8, source=REGISTER), passage("b", 7), passage("r2", 6, source=REGISTER)]
    assert [p.chunk for p in registers_first(found)] == ["r1", "r2", "a", "b"]


@pytest.mark.parametrize(
    ("about", "expected"),
    [
        (topic("aspirin", type_name="Drug"), True),
        (topic("他汀", type_name="DrugClass"), True),
        (topic("gout", Property("treats", "object")), True),
        (topic("gout", Property("has_phenotype", "subject")), False),
        (topic("痛风"), False),
    ],
)
def test_a_question_is_about_drugs_when_it_names_one_or_asks_what_treats(about: object, expected: bool) -> None:
    assert asks_about_drugs(question(topic("fever"), about)) is expected  # type: ignore[arg-type]


def test_a_question_without_entities_is_not_about_drugs() -> None:
    assert not asks_about_drugs(question())


texts = st.lists(st.integers(0, 60), max_size=8).map(
    lambda lengths: [passage(f"c{at}", -at, text="word " * n) for at, n in enumerate(lengths)]
)


@given(texts, st.integers(1, 100))
def test_no_more_words_than_the_budget_except_for_the_first(found: list[Passage], budget: int) -> None:
    kept, fallen = within_budget(found, budget)
    assert kept[:1] == found[:1]
    assert sum(count_words(p.text) for p in kept) <= max(budget, count_words(found[0].text) if found else 0)
    assert [one.id for one in fallen] == [p.chunk for p in found if p not in kept]


def test_a_passage_too_long_makes_room_for_shorter_ones_after_it() -> None:
    found = [passage("a", text="one two"), passage("long", text="word " * 50), passage("b", text="three")]
    kept, (fallen,) = within_budget(found, 10)
    assert [p.chunk for p in kept] == ["a", "b"]
    assert (fallen.id, fallen.reason) == ("long", "50 words more than the budget holds")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("gout flares", 2),
        ("痛风急性发作", 6),
        ("成人2型糖尿病患者的 HbA1c 控制目标为 7% 以下。", 20),
        ("beta-blocker", 1),
        ("  \n\t ", 0),
    ],
)
def test_a_chinese_character_counts_as_a_word(text: str, words: int) -> None:
    assert count_words(text) == words
