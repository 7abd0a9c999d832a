"""Keys that look like another: an index of hashed character n-grams.

Three code points in a row, ends included; two where one of them is Chinese.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ontology.reading.codes import code_points

_BUCKETS: Final = 1 << 17
_BREAK: Final = "\n"
_CANDIDATES: Final = 200
_RAREST: Final = 12


def index_ngrams(keys: Sequence[str]) -> dict[str, NDArray[Any]]:
    """For each hashed n-gram the keys that have it.

    Returns:
        `gram_starts` (int64[buckets + 1]): where the keys of each n-gram begin in `gram_keys` (int32);
        `gram_counts` (int32[n]): how many n-grams each key has.
    """
    grams, owners = _ngrams(_BREAK.join(keys))
    pairs = np.sort(grams.astype(np.int64) << 32 | owners)  # as one number each, because that is sorted fastest
    pairs = pairs[np.diff(pairs, prepend=-1) > 0]
    grams, owners = pairs >> 32, (pairs & 0xFFFFFFFF).astype(np.int32)
    return {
        "gram_starts": np.searchsorted(grams, np.arange(_BUCKETS + 1)).astype(np.int64),
        "gram_keys": owners,
        "gram_counts": np.bincount(owners, minlength=len(keys)).astype(np.int32),
    }


def near(index: Mapping[str, NDArray[Any]], key: str) -> list[int]:
    """Up to 200 keys that share most n-grams with `key` (Dice), from its 12 rarest n-grams."""
    starts, postings = index["gram_starts"], index["gram_keys"]
    grams = np.unique(_ngrams(key)[0]).astype(np.int64)
    sizes = starts[grams + 1] - starts[grams]
    rarest = grams[np.argsort(sizes, kind="stable")][:_RAREST]
    if not len(rarest):
        return []
    hits = np.bincount(np.concatenate([postings[starts[gram] : starts[gram + 1]] for gram in rarest]))
    candidates = np.flatnonzero(hits)
    dice = hits[candidates] / (len(grams) + index["gram_counts"][candidates])
    best = np.argsort(-dice, kind="stable")[:_CANDIDATES]
    return [int(found) for found in candidates[best]]


def _ngrams(joined: str) -> tuple[NDArray[np.integer[Any]], NDArray[np.integer[Any]]]:
    """Hashed n-grams of strings joined by `_BREAK`, each with the ordinal of its string."""
    codes = code_points(f"{_BREAK}{joined}{_BREAK}{_BREAK}")
    breaks, chinese = codes == ord(_BREAK), codes >= 0x3000
    a, b, c = codes[:-2], codes[1:-1], codes[2:]
    two = chinese[:-2] | chinese[1:-1]
    three = ~(two | breaks[1:-1] | chinese[2:])
    # Numbers wrap around at 2³², a multiple of the buckets.
    hashed = np.where(two, a * 1_000_033 + b * 7_907, (a * 31 + b) * 1_000_003 + c * 7_919) % _BUCKETS
    # A break belongs to the string that follows it; a gram that ends in one begins in its own string.
    owner = np.cumsum(breaks[:-2], dtype=np.int32) - 1
    return hashed[two | three], owner[two | three]
