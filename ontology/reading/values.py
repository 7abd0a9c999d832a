"""Values that a note states: age, sex, times, vital signs, laboratory results, each with its level and finding.

Numbers are converted to one unit for each test and judged by a flag or a range in the text, or else by the table
of `laboratory.yaml`, for the sex and age that are given or that the text states. Only adults are judged by the
table, and children where it has a band for their age. See `ontology.reading.value` for the record.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ontology.reading.measurements import find_measurements
from ontology.reading.times import find_times
from ontology.reading.value import Level, Value, ValueKind
from ontology.reading.width import narrow

__all__ = ["Level", "Value", "ValueKind", "find_values"]


def find_values(text: str, *, sex: str = "", age_years: float | None = None) -> list[Value]:
    """The values of a text in order, without overlap, in linear time.

    Args:
        text: a note in English or Chinese.
        sex: of the patient, `male` or `female` in any case; the first the text states when it is anything else.
        age_years: of the patient; the first the text states when None; an adult when it states none.
    """
    plain = narrow(text)
    times = _without_overlap(find_times(text, plain))
    if sex.lower() not in {"male", "female"}:
        sex = next((value.name for value in times if value.kind == "sex"), "")
    if age_years is None:
        age_years = next((_years(value) for value in times if value.kind == "age"), None)
    measurements = find_measurements(text, plain, sex=sex.lower(), age_years=age_years)
    return _without_overlap([*measurements, *times])


def _without_overlap(values: Iterable[Value]) -> list[Value]:
    """In order; of those that overlap the one that starts first, then the longest, then the first given."""
    kept: list[Value] = []
    for value in sorted(values, key=lambda value: (value.start, -value.end)):
        if not kept or value.start >= kept[-1].end:
            kept.append(value)
    return kept


def _years(age: Value) -> float:
    return (age.number or 0.0) * _IN_YEARS[age.unit]


_IN_YEARS: Final = {
    "year": 1.0,
    "month": 1 / 12,
    "week": 7 / 365.25,
    "day": 1 / 365.25,
    "hour": 1 / 8766,
    "minute": 0.0,
}
