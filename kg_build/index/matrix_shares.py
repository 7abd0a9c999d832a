"""From evidence rows to expected frequencies: pooled over sources, borrowed from kin, passed up the hierarchy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kg_build.index.columns import Doubles, Floats, Ints, Longs
from kg_build.index.kin import Pairs
from kg_build.index.matrix_constants import Constants
from kg_build.index.matrix_hierarchy import Hierarchy
from kg_build.index.matrix_rows import EvidenceRows

_WIDTH: Final = np.int64(2**31)


@dataclass(frozen=True)
class Shares:
    """Expected frequencies, one entry for each pair of a disease and a finding.

    Attributes:
        disease: int32[n], ascending.
        finding: int32[n], ascending within a disease.
        share: float32[n], in [0, 1].
    """

    disease: Ints
    finding: Ints
    share: Floats


def pool(rows: EvidenceRows, constants: Constants) -> Shares:
    """Expected frequency of each annotated finding: every positive row of a pair weighed together.

    Counts win over classes and per cent, and those over defaults. Counts of all references are pooled,
    `(Σ n + s·μ) / (Σ m + s)`; classes and per cent are averaged and lowered by `uncounted_trust`.
    """
    positive = rows.take(~rows.negated)
    key, inverse = np.unique(positive.disease * _WIDTH + positive.finding, return_inverse=True)

    def total(values: npt.NDArray[Any]) -> Doubles:
        return np.asarray(np.bincount(inverse, weights=values, minlength=len(key)), dtype=np.float64)

    hits, seen = total(positive.hits), total(positive.total)
    shares, written = total(np.nan_to_num(positive.share)), total(~np.isnan(positive.share))
    assumed = np.zeros(len(key))
    np.maximum.at(assumed, inverse, positive.default)
    strength = constants.count_strength
    share = np.where(
        seen > 0,
        (hits + strength * constants.count_mean) / (seen + strength),
        np.where(written > 0, constants.uncounted_trust * shares / np.maximum(written, 1), assumed),
    )
    return Shares(*_split(key), share.astype(np.float32))


def borrow(direct: Shares, kindred: Pairs, weight: float) -> Shares:
    """Shares with those that a disease takes over, at a weight, from kindred entries; the larger one counts.

    A disease without any share of its own takes none.
    """
    kindred = kindred[np.isin(kindred[:, 0], direct.disease)]
    first, last = (np.searchsorted(direct.disease, kindred[:, 1], side=side) for side in ("left", "right"))
    source = _ranges(first, last - first)
    taker = np.repeat(kindred[:, 0], last - first)
    disease, finding = np.concatenate([direct.disease, taker]), np.concatenate([direct.finding, direct.finding[source]])
    key, inverse = np.unique(disease * _WIDTH + finding, return_inverse=True)
    share = np.zeros(len(key), dtype=np.float32)
    np.maximum.at(share, inverse, np.concatenate([direct.share, np.float32(weight) * direct.share[source]]))
    return Shares(*_split(key), share)


def propagate(direct: Shares, hierarchy: Hierarchy) -> Shares:
    """Shares of the annotated findings and of all more general ones.

    A general finding is there when any of its annotated special cases is, taken as independent:
    1 - Π(1 - share).
    """
    sizes = np.diff(hierarchy.start)[direct.finding]
    source = np.repeat(np.arange(len(direct.finding)), sizes)
    finding = hierarchy.member[_ranges(hierarchy.start[direct.finding], sizes)]
    disease = direct.disease[source]
    key, inverse = np.unique(disease * _WIDTH + finding, return_inverse=True)
    miss = np.log1p(-np.minimum(direct.share, 0.99))[source]
    absent = np.bincount(inverse, weights=miss, minlength=len(key))
    return Shares(*_split(key), (1 - np.exp(absent)).astype(np.float32))


def _ranges(first: npt.NDArray[Any], count: npt.NDArray[Any]) -> Longs:
    """The numbers first, first + 1, … of each range, one range after the other."""
    offset = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    return np.asarray(np.repeat(first, count) + offset, dtype=np.int64)


def _split(key: Longs) -> tuple[Ints, Ints]:
    """Disease and finding of a combined key."""
    return (key // _WIDTH).astype(np.int32), (key % _WIDTH).astype(np.int32)
