"""Pickles are read as data: nothing in them is ever run."""

import bz2
import os
import pickle
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_build.sources.pickled import plain_pickle, unpacked_bz2
from ontology.errors import ClewError, Code

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner),
    max_leaves=10,
)


@given(PLAIN)
def test_plain_data_comes_back(value: object) -> None:
    assert plain_pickle(pickle.dumps(value), "file") == value


class Hostile:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.path),)


def test_a_pickle_that_asks_for_a_function_is_refused_and_runs_nothing(tmp_path: Path) -> None:
    with pytest.raises(ClewError) as caught:
        plain_pickle(pickle.dumps(["高血压", Hostile(tmp_path / "made")]), "file")
    assert caught.value.code is Code.UNREADABLE_SOURCE
    assert "mkdir" in caught.value.cause
    assert not (tmp_path / "made").exists()


@given(st.binary(max_size=60))
def test_any_bytes_are_data_or_a_coded_error(content: bytes) -> None:
    with suppress(ClewError):  # anything else fails the test
        plain_pickle(content, "file")


@pytest.mark.parametrize("packed", [b"no bzip2", bz2.compress(b"x" * 2000), bz2.compress(b"x" * 500)[:-5]])
def test_a_damaged_or_oversized_stream_is_refused(packed: bytes) -> None:
    assert unpacked_bz2(bz2.compress(b"data"), "file", largest=1000) == b"data"
    with pytest.raises(ClewError) as caught:
        unpacked_bz2(packed, "file", largest=1000)
    assert caught.value.code is Code.UNREADABLE_SOURCE
