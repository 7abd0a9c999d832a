"""What a note states in numbers: the record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

ValueKind = Literal[
    "age",
    "sex",
    "duration",
    "onset",
    "temperature",
    "blood_pressure",
    "heart_rate",
    "respiratory_rate",
    "oxygen_saturation",
    "weight",
    "height",
    "laboratory",
]
Level = Literal["", "low", "normal", "high"]


@dataclass(frozen=True, slots=True)
class Value:
    """A value that a text states.

    Attributes:
        start: first code point on the untouched text, with the name of what is measured.
        end: one past the last, with its unit, flag and printed range.
        text: the slice.
        kind: what is stated.
        name: of a measurement its name in `laboratory.yaml`, with the specimen in brackets where it is none of
            blood's and has no test of its own; of a sex MALE or FEMALE; of a duration `lasted` or `ago`; of an
            age or onset empty.
        number: in `unit`; None for a sex and for a result without a number (`positive`).
        high: the second number: diastolic pressure, or the end of a range (`2-3 days`).
        unit: the first unit of the test in `laboratory.yaml`, to which numbers are converted; `+` for graded
            results; year, month, week, day, hour or minute for times. Empty when it has none or it is not known;
            then `number` is as written. A unit in which the test cannot be judged stays as it is written.
        comparator: `<` or `>` when the text gives only a bound.
        low_limit: the lower limit that decided on the level, in `unit`; None when there is none.
        high_limit: the upper one.
        level: where the value lies; empty when that cannot be said.
        finding: CURIE of the finding that this is; empty when the level is normal or unknown, or has no name.
    """

    start: int
    end: int
    text: str
    kind: ValueKind
    name: str = ""
    number: float | None = None
    high: float | None = None
    unit: str = ""
    comparator: str = ""
    low_limit: float | None = None
    high_limit: float | None = None
    level: Level = ""
    finding: str = ""

    @property
    def iso8601(self) -> str:
        """The age, onset or duration as an ISO 8601 duration (`P3Y2M`); empty for anything else.

        Parts of a year are months, parts of a month, week or day the next smaller unit, rounded.
        """
        if self.number is None or self.unit not in _PARTS:
            return ""
        whole, smaller, parts = _PARTS[self.unit]
        units = int(self.number)
        rest = round((self.number - units) * parts)
        if self.unit == "month" and units >= 12:
            return f"P{units // 12}Y" + (f"{units % 12}M" if units % 12 else "")
        if rest:
            return smaller.format(rest) if not units else _joined(whole.format(units), smaller.format(rest))
        return whole.format(units)


def _joined(first: str, second: str) -> str:
    """One duration of two: weeks stand alone in the standard, so they become days."""
    if first.endswith("W"):
        return f"P{int(first[1:-1]) * 7 + int(second[1:-1])}D"
    if first.startswith("PT"):
        return first + second[2:]
    return first + second[1:]


_PARTS: Final = {
    "year": ("P{}Y", "P{}M", 12),
    "month": ("P{}M", "P{}D", 30),
    "week": ("P{}W", "P{}D", 7),
    "day": ("P{}D", "PT{}H", 24),
    "hour": ("PT{}H", "PT{}M", 60),
    "minute": ("PT{}M", "PT{}S", 60),
}
"""By unit: how whole ones are written, how parts are, and how many parts make a whole."""
