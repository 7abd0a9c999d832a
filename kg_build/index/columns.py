"""Columns of Arrow tables as arrays: text becomes numbers before anything is computed with it."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]

Column: TypeAlias = "pa.Array | pa.ChunkedArray"


def positions(column: Column, vocabulary: Column) -> Ints:
    """Where each value of a column stands in a vocabulary, -1 where it does not; int32[n]."""
    found = pc.index_in(column, value_set=vocabulary).fill_null(-1)
    return np.asarray(found.to_numpy(zero_copy_only=False), dtype=np.int32)


def encode(column: Column) -> tuple[pa.Array, Ints]:
    """The different values of a column, sorted by code points, and the position of each row's value among them."""
    distinct = pc.unique(column)
    vocabulary = distinct.take(pc.sort_indices(distinct))
    return vocabulary, positions(column, vocabulary)


def fixed_bytes(column: Column) -> npt.NDArray[np.bytes_]:
    """A column of text as UTF-8 of one width."""
    return np.asarray(column.cast(pa.binary()).to_numpy(zero_copy_only=False), dtype=np.bytes_)


def spans(starts: Longs, rows: Longs, most: int | None = None) -> tuple[Longs, Longs]:
    """The entries of some rows of a compressed sparse matrix, one row after the other.

    Args:
        starts: row pointers; int64[n+1].
        rows: which rows.
        most: entries taken of each row, from its beginning; all without it.

    Returns:
        For every entry the position of its row in `rows`, and where the entry stands.
    """
    counts = starts[rows + 1] - starts[rows]
    counts = counts if most is None else np.minimum(counts, most)
    first: Longs = np.repeat(np.arange(len(rows)), counts)
    within = np.arange(len(first)) - np.repeat(np.cumsum(counts) - counts, counts)
    return first, starts[rows][first] + within
