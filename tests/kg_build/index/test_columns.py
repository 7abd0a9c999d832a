"""Text becomes numbers."""

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from kg_build.index.columns import encode, fixed_bytes, positions

TEXTS = st.lists(st.text(max_size=4))


@given(TEXTS, st.lists(st.text(max_size=4), unique=True))
def test_a_position_is_where_a_value_stands_in_the_vocabulary(texts: list[str], vocabulary: list[str]) -> None:
    found = positions(pa.array(texts, pa.string()), pa.array(vocabulary, pa.string()))
    assert found.dtype == np.int32
    assert found.tolist() == [vocabulary.index(text) if text in vocabulary else -1 for text in texts]


@given(st.lists(TEXTS))
def test_the_vocabulary_is_sorted_as_python_sorts_and_leads_back(chunks: list[list[str]]) -> None:
    column = pa.chunked_array(chunks, pa.string())
    vocabulary, codes = encode(column)
    words = vocabulary.to_pylist()
    assert words == sorted(set(column.to_pylist()))
    assert [words[code] for code in codes] == column.to_pylist()


@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=4)))
def test_bytes_are_utf8_of_one_width(texts: list[str]) -> None:
    written = fixed_bytes(pa.chunked_array([texts], pa.string()))
    assert written.tolist() == [text.encode() for text in texts]
    assert written.dtype.itemsize == max([1, *(len(text.encode()) for text in texts)])
