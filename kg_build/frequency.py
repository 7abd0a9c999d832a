"""Frequencies as sources write them: counts, percentages, and the HPO's frequency classes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_COUNT: Final = re.compile(r"\s*(\d+)\s*/\s*(\d+)\s*\Z")
_PERCENT: Final = re.compile(r"\s*(\d+(?:\.\d+)?)\s*%\s*\Z")
_CLASSES: Final = {
    "HP:0040280": (1.0, 1.0),  # obligate
    "HP:0040281": (0.8, 0.99),  # very frequent
    "HP:0040282": (0.3, 0.79),  # frequent
    "HP:0040283": (0.05, 0.29),  # occasional
    "HP:0040284": (0.01, 0.04),  # very rare
    "HP:0040285": (0.0, 0.0),  # excluded
}
_CLASS_RANGES: Final = {
    "HP:0040280": "100%",
    "HP:0040281": "80–99%",
    "HP:0040282": "30–79%",
    "HP:0040283": "5–29%",
    "HP:0040284": "1–4%",
    "HP:0040285": "0%",
}
_CLASS_WEIGHT: Final = 10.0
"""How many patients a class or a percentage without a denominator counts for when pooled (our choice)."""


@dataclass(frozen=True, slots=True)
class Frequency:
    """How often a finding occurs.

    Attributes:
        share: in [0, 1]; the midpoint for an HPO class.
        weight: number of patients behind it.
        counted: whether the source gave numerator and denominator.
        low: the least share that the words allow; `high` the largest. Both are `share` but for an HPO class.
    """

    share: float
    weight: float
    counted: bool
    low: float
    high: float


def parse_frequency(text: str) -> Frequency | None:
    """Read a frequency as written; None when it is empty, impossible or not understood."""
    if match := _COUNT.match(text):
        observed, total = int(match[1]), int(match[2])
        return _of_share(observed / total, total, counted=True) if 0 < total >= observed else None
    if match := _PERCENT.match(text):
        share = float(match[1]) / 100
        return _of_share(share, _CLASS_WEIGHT, counted=False) if share <= 1 else None
    if bounds := _CLASSES.get(text.strip()):
        low, high = bounds
        return Frequency(round((low + high) / 2, 3), _CLASS_WEIGHT, counted=False, low=low, high=high)
    return None


def _of_share(share: float, weight: float, *, counted: bool) -> Frequency:
    return Frequency(share, weight, counted, low=share, high=share)


def describe_frequency(text: str) -> str:
    """A frequency for people: HPO classes as their range, anything else as the source writes it."""
    return _CLASS_RANGES.get(text.strip(), text)
