"""Whether a difference between two systems on the same cases is more than chance.

Cases of one group (a gold disease with forty patients) are not independent: the bootstrap draws groups, not cases,
and weighs them as the figure does. McNemar's test is exact and looks at cases alone. Several comparisons of one
table are corrected together (Holm).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.stats import binomtest

SAMPLES: Final = 10_000
SEED: Final = 20_240_229


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean of b − a over paired cases.

    Attributes:
        mean: weighted.
        low, high: 95 % interval, percentiles of the bootstrap.
        p: two-sided, the share of bootstrap means on the other side of nothing, doubled; at least 1 / samples.
    """

    mean: float
    low: float
    high: float
    p: float


def paired_bootstrap(
    a: Sequence[float],
    b: Sequence[float],
    *,
    groups: Sequence[str] | None = None,
    weights: Sequence[float] | None = None,
    samples: int = SAMPLES,
    seed: int = SEED,
) -> Difference:
    """Bootstrap of a paired difference by groups (Efron & Tibshirani 1993, chapter 8; cluster form).

    Args:
        a: a score of every case under one system; not empty.
        b: the same under the other, in the same order.
        groups: of each case; None when each stands for itself.
        weights: of each case in the mean; None when equal.
        samples: bootstrap samples.
        seed: of the draw.
    """
    gain = np.asarray(b, dtype=np.float64) - np.asarray(a, dtype=np.float64)
    weight = np.ones(len(gain)) if weights is None else np.asarray(weights, dtype=np.float64)
    names = np.arange(len(gain)) if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1]
    total = np.bincount(names, weights=gain * weight).astype(np.float64)
    size = np.bincount(names, weights=weight).astype(np.float64)
    means = _resampled(total, size, samples, seed)
    low, high = np.quantile(means, [0.025, 0.975])
    # A sample mean of exactly nothing counts half on either side: no change at all gives p = 1.
    below = (np.count_nonzero(means < 0) + np.count_nonzero(means == 0) / 2) / samples
    p = min(1.0, max(2 * min(below, 1 - below), 1 / samples))
    return Difference(float(total.sum() / size.sum()), float(low), float(high), float(p))


def mcnemar(a: Sequence[bool], b: Sequence[bool]) -> float:
    """Exact two-sided p of McNemar's test: cases that one of two systems gets right (McNemar 1947; binomial form)."""
    won = sum(1 for x, y in zip(a, b, strict=True) if y and not x)
    lost = sum(1 for x, y in zip(a, b, strict=True) if x and not y)
    return float(binomtest(won, won + lost, 0.5).pvalue) if won + lost else 1.0


def holm(p_values: Sequence[float]) -> list[float]:
    """The p values of one table, corrected for their number (Holm 1979), in the order given."""
    order = np.argsort(p_values, kind="stable")
    corrected, highest = [0.0] * len(p_values), 0.0
    for rank, position in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[position]))
        corrected[int(position)] = highest
    return corrected


def _resampled(
    total: npt.NDArray[np.float64], size: npt.NDArray[np.float64], samples: int, seed: int
) -> npt.NDArray[np.float64]:
    """Weighted means of samples of groups, drawn with replacement; in blocks, to bound memory."""
    generator, n = np.random.default_rng(seed), len(total)
    block = max(1, 4_000_000 // n)
    means = []
    for start in range(0, samples, block):
        drawn = generator.integers(0, n, size=(min(block, samples - start), n))
        means.append(total[drawn].sum(axis=1) / size[drawn].sum(axis=1))
    return np.concatenate(means)
