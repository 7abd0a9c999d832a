"""CURIEs and the digests that ids are made of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontology.curie import check_curie, digest, is_curie, mint
from ontology.errors import ClewError, Code


@pytest.mark.parametrize(
    "text", ["HP:0001250", "OMIM:154700", "cmekg:咳嗽", "clew.mention:a1", "ICD10:Q87.4", "DOI:10.1/x"]
)
def test_a_prefix_and_a_local_part_make_a_curie(text: str) -> None:
    assert is_curie(text)
    assert check_curie(text) == text


@pytest.mark.parametrize("text", ["", "HP", "HP:", ":1", "1HP:1", "HP:00 01", "HP:1\n", "感冒", "a:b'\"", "HP:{1}"])
def test_anything_else_is_refused_with_the_value_named(text: str) -> None:
    assert not is_curie(text)
    with pytest.raises(ClewError) as caught:
        check_curie(text)
    assert caught.value.code is Code.BAD_CURIE
    assert repr(text) in caught.value.cause


def test_a_digest_is_the_same_on_every_machine() -> None:
    assert digest("Disease", "感冒") == "uicbptwvjhayoppr"
    assert len(digest()) == 16


@given(st.text("ab:感", max_size=4), st.text("ab:感", max_size=4), st.text("ab:感", max_size=4))
def test_where_one_part_ends_counts(first: str, second: str, third: str) -> None:
    assert digest(first, second + third) != digest(first, second, third)
    assert (digest(first + third, second) == digest(first, third + second)) == (
        (first + third, second) == (first, third + second)
    )


@given(st.text(min_size=1), st.text(min_size=1))
def test_a_minted_id_is_a_curie_that_depends_on_type_and_name(name: str, other: str) -> None:
    assert is_curie(mint("cmekg", "Disease", name))
    assert mint("cmekg", "Disease", name) != mint("cmekg", "Drug", name)
    assert (mint("cmekg", "Disease", name) == mint("cmekg", "Disease", other)) == (name == other)
