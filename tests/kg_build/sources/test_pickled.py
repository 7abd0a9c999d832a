"""Pickles are read as data: nothing in them is ever run."""

import bz2
import copyreg
import os
import pickle
import subprocess
import sys
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_build.sources import pickled
from kg_build.sources.pickled import plain_pickle, unpacked_bz2
from ontology.errors import ClewError, Code

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


def refusal(content: bytes) -> str:
    with pytest.raises(ClewError) as caught:
        plain_pickle(content, "file")
    assert caught.value.code is Code.UNREADABLE_SOURCE
    return caught.value.cause


@given(PLAIN, st.integers(0, pickle.HIGHEST_PROTOCOL))
def test_plain_data_comes_back(value: object, protocol: int) -> None:
    if protocol > 2 or not any(
        isinstance(part, bytes) for part in parts(value)
    ):  # before, bytes were a call of a codec
        assert plain_pickle(pickle.dumps(value, protocol), "file") == value


def parts(value: Any) -> Iterator[Any]:
    yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from parts(inner)


class Hostile:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.path),)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_that_asks_for_a_function_is_refused_and_runs_nothing(tmp_path: Path, protocol: int) -> None:
    assert "GLOBAL" in refusal(pickle.dumps(["高血压", Hostile(tmp_path / "made")], protocol))
    assert not (tmp_path / "made").exists()


class Ours:
    """A class that this process knows."""


class Persistent(pickle.Pickler):
    """Writes strings as ids of persistent objects."""

    def persistent_id(self, obj: object) -> str | None:
        return "an id" if isinstance(obj, Ours) else None


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize(
    "value", [Ours(), Ours, OrderedDict(a=1), {1}, frozenset({1}), (1,), 1j, bytearray(b"x"), print]
)
def test_every_class_and_function_is_refused_under_every_protocol(value: object, protocol: int) -> None:
    refusal(pickle.dumps({"高血压": [value]}, protocol))


def test_a_class_under_an_extension_code_is_refused_even_when_the_process_has_used_the_code() -> None:
    copyreg.add_extension(__name__, "Ours", 240)
    try:
        content = pickle.dumps(Ours, 2)
        assert pickle.loads(content) is Ours  # noqa: S301  (from now on the code is resolved without asking for the class)
        assert "EXT1" in refusal(content)
    finally:
        copyreg.remove_extension(__name__, "Ours", 240)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_ids_of_persistent_objects_are_refused(tmp_path: Path, protocol: int) -> None:
    with (tmp_path / "p").open("wb") as stream:
        Persistent(stream, protocol).dump([Ours()])
    assert "PERSID" in refusal((tmp_path / "p").read_bytes())


def test_buffers_from_outside_are_refused() -> None:
    content = pickle.dumps(pickle.PickleBuffer(b"x"), 5, buffer_callback=lambda _: False)
    assert "BYTEARRAY8" in refusal(content) or "BUFFER" in refusal(content)


HUGE = {
    "a number to keep a value under": b"\x80\x02K\x01r\xff\xff\xff\x7f.",
    "the same in digits": b"I1\np99999999999\n.",
    "a length of text": b"\x80\x04\x8d" + (2**62).to_bytes(8, "little") + b"x.",
    "the largest length of text": b"\x80\x04\x8d" + b"\xff" * 8 + b"x.",
    "a length of bytes": b"\x80\x04\x8e" + (2**40).to_bytes(8, "little") + b"x.",
    "a length of bytes that can change": b"\x80\x05\x96" + (2**40).to_bytes(8, "little") + b"x.",
    "a frame": b"\x80\x04\x95" + b"\xff" * 7 + b"\x7fN.",
    "a number in digits": b"I" + b"9" * 100_000 + b"\n.",
    "tuples in tuples as a key": b"\x80\x02})" + b"\x85" * 1_000_000 + b"K\x01s.",
}
MEASURED = """
import resource, sys
from kg_build.sources.pickled import plain_pickle
from ontology.errors import ClewError
content, before = sys.stdin.buffer.read(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    plain_pickle(content, "file")
except ClewError as refused:
    print(refused.code.number, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.parametrize("content", HUGE.values(), ids=HUGE)
def test_what_asks_for_huge_memory_or_depth_is_refused_before_it_gets_it(content: bytes) -> None:
    ended = subprocess.run(  # noqa: S603  (in a process of its own: what is not refused brings it down)
        [sys.executable, "-c", MEASURED], input=content, capture_output=True, timeout=60, check=True
    )
    code, megabytes = ended.stdout.split()
    assert code.decode() == Code.UNREADABLE_SOURCE.number
    assert int(megabytes) < 100


def test_a_pickle_of_more_steps_than_known_ones_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pickled, "MOST_STEPS", 1000)
    assert plain_pickle(pickle.dumps([[]] * 10), "file") == [[]] * 10
    assert "more than 1,000" in refusal(b"\x80\x02" + b"]" * 5000 + b".")


def test_lists_within_lists_may_be_as_deep_as_they_like() -> None:
    value = plain_pickle(b"\x80\x02" + b"]" * 100_000 + b"a" * 99_999 + b".", "file")
    depth = 0
    while value:
        (value,) = value
        depth += 1
    assert depth == 99_999


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
