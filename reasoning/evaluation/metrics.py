"""Figures of merit: ranks, capped and macro means, calibration.

A rank counts from 1; `inf` means that the gold is not in the list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

TOPS: Final = (1, 3, 5, 10)
CAP: Final = 10.0


def pessimistic_rank(scores: npt.ArrayLike, gold: Sequence[int]) -> float:
    """Rank of the best gold position, behind everything else that scores the same.

    Args:
        scores: float[n], higher is better; -inf is not ranked.
        gold: positions of equivalent right answers; they do not compete with each other.
    """
    values = np.asarray(scores, dtype=np.float64)
    best = max((values[i] for i in gold), default=-np.inf)
    if not np.isfinite(best):
        return float("inf")
    rivals = values >= best
    rivals[list(gold)] = False
    return float(np.count_nonzero(rivals)) + 1


def tied_hits(scores: npt.ArrayLike, gold: Sequence[int]) -> tuple[int, int]:
    """First and last rank that the best gold position can take among equal scores."""
    values = np.asarray(scores, dtype=np.float64)
    best = max(values[i] for i in gold)
    rivals = np.ones(len(values), dtype=np.bool_)
    rivals[list(gold)] = False
    first = int(np.count_nonzero(rivals & (values > best))) + 1
    return first, first + int(np.count_nonzero(rivals & (values == best)))


def rank_figures(spans: Sequence[tuple[float, float]], weights: Sequence[float] | None = None) -> dict[str, float]:
    """`top1`, `top3`, `top5`, `top10` and `mrr`, averaged over the ranks that ties allow.

    Args:
        spans: first and last possible rank of each case; equal when nothing is tied or ties count as lost.
        weights: of each case; all equal when None.
    """
    if not spans:
        return {**{f"top{k}": 0.0 for k in TOPS}, "mrr": 0.0}
    first, last = np.array(spans, dtype=np.float64).T
    names = [*(f"top{k}" for k in TOPS), "mrr"]
    columns = [*(_share_within(first, last, k) for k in TOPS), _mean_reciprocal(first, last)]
    means = [float(np.average(column, weights=weights)) for column in columns]
    return dict(zip(names, means, strict=True))


def capped_weights(groups: Sequence[str], cap: float = CAP) -> list[float]:
    """Weights under which each group counts as at most `cap` cases."""
    sizes = Counter(groups)
    return [min(1.0, cap / sizes[group]) for group in groups]


def macro_weights(groups: Sequence[str]) -> list[float]:
    """Weights under which each group counts the same."""
    sizes: Mapping[str, int] = Counter(groups)
    return [1.0 / sizes[group] for group in groups]


def weighted_median(values: Sequence[float], weights: Sequence[float]) -> float:
    """The least value up to which at least half of the weight lies; values may be infinite, not empty."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(np.asarray(weights, dtype=np.float64)[order])
    return float(np.asarray(values)[order][np.searchsorted(reached, reached[-1] / 2)])


def expected_calibration_error(confidence: Sequence[float], right: Sequence[bool], bins: int = 10) -> float:
    """Mean gap between confidence and accuracy over equal bins of confidence, weighted by size.

    Σ_b (n_b / n) · |accuracy_b - confidence_b| (Naeini et al. 2015). Bins are
    (0, 1/bins], …; 0 joins the first.
    """
    if not confidence:
        return 0.0
    sure, hit = np.asarray(confidence, dtype=np.float64), np.asarray(right, dtype=np.float64)
    bin_of = np.clip(np.ceil(sure * bins).astype(np.int64) - 1, 0, bins - 1)
    gaps = np.bincount(bin_of, weights=hit - sure, minlength=bins)
    return float(np.abs(gaps).sum() / len(sure))


def _share_within(first: npt.NDArray[np.float64], last: npt.NDArray[np.float64], top: int) -> npt.NDArray[np.float64]:
    """Share of the possible ranks that are at most `top`."""
    with np.errstate(invalid="ignore"):
        share = (np.minimum(last, top) - first + 1) / (last - first + 1)
    return np.where(np.isfinite(first), np.clip(share, 0.0, 1.0), 0.0)


def _mean_reciprocal(first: npt.NDArray[np.float64], last: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Mean of 1 / rank over the possible ranks."""
    finite = np.isfinite(first)
    spans = zip(first[finite].astype(int), last[finite].astype(int), strict=True)
    value = np.zeros(len(first))
    value[finite] = [float(np.mean(1.0 / np.arange(a, b + 1))) for a, b in spans]
    return value
