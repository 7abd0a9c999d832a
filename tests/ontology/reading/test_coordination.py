"""Mentions that share a word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontology.reading.coordination import coordinated


def shared(text: str) -> dict[str, list[str]]:
    """Name -> the pieces of the text that it is made of."""
    return {one.name: [text[a:b] for a, b in one.parts] for one in coordinated(text, 0, len(text))}


@pytest.mark.parametrize(
    ("text", "name", "pieces"),
    [
        ("swelling of hands and feet", "swelling of hands", ["swelling of hands"]),
        ("swelling of hands and feet", "swelling of feet", ["swelling", "feet"]),
        ("swelling of hands and feet", "feet swelling", ["swelling", "feet"]),
        ("hand and foot swelling", "hand swelling", ["hand", "swelling"]),
        ("hand and foot swelling", "foot swelling", ["foot swelling"]),
        ("arm, hand, or foot pain", "arm pain", ["arm", "pain"]),
        ("双手、双足肿胀", "双手肿胀", ["双手", "肿胀"]),
        ("双手、双足肿胀", "双足肿胀", ["双足肿胀"]),
    ],
)
def test_each_item_is_joined_with_the_shared_word(text: str, name: str, pieces: list[str]) -> None:
    assert shared(text)[name] == pieces


@pytest.mark.parametrize("text", ["", "swelling", "no fever", "发热", "with and without"])
def test_where_nothing_is_listed_nothing_is_shared(text: str) -> None:
    assert not shared(text)


@given(st.text(alphabet="ab of and,/手足、及肿 \n\u200d", max_size=60))
def test_pieces_are_in_order_and_in_the_text(text: str) -> None:
    for one in coordinated(text, 0, len(text)):
        places = [at for part in one.parts for at in part]
        assert places == sorted(places)
        assert 0 <= places[0] < places[-1] <= len(text)
