"""Keys that look like another are those that share n-grams with it."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ontology.reading.ngrams import index_ngrams, near

KEYS = ["seizure", "fever", "cardiomyopathy", "偏头痛", "癫痫发作", "头痛"]
WORDS = st.text(alphabet="ab 头痛é", min_size=1, max_size=6)


def test_a_key_is_nearest_to_itself_and_then_to_what_is_like_it() -> None:
    index = index_ngrams(KEYS)
    assert [KEYS[at] for at in near(index, "偏头痛")][:2] == ["偏头痛", "头痛"]
    assert [KEYS[at] for at in near(index, "siezure")] == ["seizure"]
    assert near(index, "xyz") == []


def test_there_may_be_no_keys_at_all() -> None:
    assert near(index_ngrams([]), "fever") == []


@given(st.lists(WORDS, min_size=1, max_size=6, unique=True))
def test_the_index_of_many_keys_is_that_of_each(keys: list[str]) -> None:
    index = index_ngrams(keys)
    alone = [np.repeat(np.arange(1 << 17), np.diff(index_ngrams([key])["gram_starts"])).tolist() for key in keys]
    assert index["gram_counts"].tolist() == list(map(len, alone))
    owners = np.repeat(np.arange(1 << 17), np.diff(index["gram_starts"]))
    found = Counter(zip(owners.tolist(), index["gram_keys"].tolist(), strict=True))
    assert found == Counter((gram, at) for at, grams in enumerate(alone) for gram in grams)
