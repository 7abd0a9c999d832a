"""Strings that lie in two arrays are read and found where they lie."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ontology.reading.strings import Strings


def strings(texts: list[str]) -> Strings:
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    return Strings(np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets)


@given(st.sets(st.text(st.characters(), max_size=5)), st.text(st.characters(), max_size=5))
def test_a_string_is_found_where_it_stands_and_nothing_else_is(texts: set[str], other: str) -> None:
    ordered = sorted(texts)
    lying = strings(ordered)
    assert [lying.text(at) for at in range(len(lying))] == ordered
    assert [lying.find(text) for text in ordered] == list(range(len(ordered)))
    assert lying.find(other) == (ordered.index(other) if other in texts else None)
