"""Measurements that notes report: names, units and reference limits, from `laboratory.yaml`.

The file explains its fields and names its sources. Limits are those of adults unless it says otherwise.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, model_validator

from ontology.reading.quantities import unit_key
from ontology.reading.value import Level, ValueKind

Specimen = Literal["blood", "csf", "urine", "fluid"]
Sex = Literal["", "male", "female"]
Bounds = tuple[float | None, float | None]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class Limits(_Strict):
    """What is normal, both ends included, for one sex or both between two ages in years (`until` excluded)."""

    low: float | None = None
    high: float | None = None
    sex: Sex = ""
    since: float = Field(default=18, alias="from")
    until: float = Field(default=200, alias="to")


class Measurement(_Strict):
    """One measurement."""

    kind: ValueKind = "laboratory"
    names: list[str]
    with_unit: list[str] = []
    units: dict[str, float | tuple[float, float]]
    plausible: tuple[float, float]
    limits: list[Limits] = []
    source: str | list[str] = []
    low: tuple[str, str] | None = None
    high: tuple[str, str] | None = None
    csf: str = ""
    urine: str = ""
    percent: str = ""
    graded: bool = False

    @property
    def unit(self) -> str:
        """The unit results are given in; empty for a pure number."""
        first = next(iter(self.units))
        return "" if first == "1" else first

    @property
    def factors(self) -> dict[str, tuple[float, float]]:
        """By unit the factor and shift to `unit`."""
        return {unit: to if isinstance(to, tuple) else (to, 0.0) for unit, to in self.units.items()}

    def factor(self, key: str) -> tuple[float, float] | None:
        """Factor and shift from the unit of this key to `unit`; None when results are not given in it."""
        return next((factor for unit, factor in self.factors.items() if unit_key(unit) == key), None)

    def plausible_factors(self, number: float) -> list[tuple[float, float]]:
        """The different factors and shifts of the units in which a number is plausible."""
        factors = dict.fromkeys(self.factors.values())
        return [(scale, shift) for scale, shift in factors if self.is_plausible(number * scale + shift)]

    def is_plausible(self, number: float) -> bool:
        """Whether people can have a value, in `unit`."""
        return self.plausible[0] <= number <= self.plausible[1]

    def bounds(self, sex: str, age_years: float | None) -> Bounds:
        """The limits for a person; the wider ones when the sex is not known; an adult when the age is not."""
        age = 18.0 if age_years is None else age_years
        fitting = [limits for limits in self.limits if limits.since <= age < limits.until]
        fitting = [limits for limits in fitting if not limits.sex or not sex or limits.sex == sex.lower()]
        lows = [limits.low for limits in fitting if limits.low is not None]
        highs = [limits.high for limits in fitting if limits.high is not None]
        return min(lows, default=None), max(highs, default=None)

    def finding(self, level: Level) -> str:
        """The CURIE of a low or high value; empty when there is none."""
        named = {"low": self.low, "high": self.high}.get(level)
        return named[0] if named else ""


class Laboratory(_Strict):
    """The whole file."""

    sources: dict[str, str]
    specimens: dict[Specimen, list[str]]
    beside: dict[Specimen, list[str]]
    tests: dict[str, Measurement]

    @model_validator(mode="after")
    def _check_references(self) -> Laboratory:
        for name, test in self.tests.items():
            sources = [test.source] if isinstance(test.source, str) else test.source
            if unknown := set(sources) - self.sources.keys():
                raise ValueError(f"{name}: unknown source {unknown}")
            if bool(test.limits) != bool(sources):
                raise ValueError(f"{name}: limits need a source, and a source limits")
            if unknown := {test.csf, test.urine, test.percent} - {""} - self.tests.keys():
                raise ValueError(f"{name}: unknown test {unknown}")
        return self


@cache
def load_laboratory() -> Laboratory:
    """The measurements of this installation."""
    text = files("ontology.reading").joinpath("laboratory.yaml").read_text(encoding="utf-8")
    return Laboratory.model_validate(yaml.load(text, yaml.CSafeLoader))


def level_between(number: float, bounds: Bounds, comparator: str = "") -> Level:
    """Where a number lies, or a number that the text only bounds (`<`, `>`); empty when that cannot be said."""
    low, high = bounds
    if low is not None and comparator != ">" and (number < low or (comparator == "<" and number == low)):
        return "low"
    if high is not None and comparator != "<" and (number > high or (comparator == ">" and number == high)):
        return "high"
    no_longer_low = low is None or (comparator != "<" and number >= low)
    no_longer_high = high is None or (comparator != ">" and number <= high)
    return "normal" if bounds != (None, None) and no_longer_low and no_longer_high else ""
