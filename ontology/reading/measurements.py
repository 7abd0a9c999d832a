"""Vital signs and laboratory results in a text, each against the range that decides on it.

A measurement is a name of `laboratory.yaml`, some words that may stand between (`was`, `of`, `为`), and a number
with or without unit, flag and range. A flag (`↑`, `H`) decides on the level; else a range that the text prints
does; else the table does, when the unit is known. Every step looks at a bounded stretch of text.

No measurement: a number with an amount, a time or a length (`iron 325 mg`, `platelets 2 days later`), one that
goes on like a date or a telephone number, and one that is not plausible in any unit when none is given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from ontology.reading.codes import CJK
from ontology.reading.laboratory import Bounds, Measurement, Specimen, level_between, load_laboratory
from ontology.reading.quantities import NUMBER, NUMBER_END, find_unit, read_number, unit_key
from ontology.reading.value import Level, Value

_NO_BOUNDS: Final[Bounds] = (None, None)
_SAME: Final = (1.0, 0.0)


def find_measurements(text: str, plain: str, *, sex: str, age_years: float | None) -> Iterator[Value]:
    """Measurements in order; `plain` is the narrow text, as long as `text`."""
    reader, names = _Reader(text, plain, sex, age_years), _names()
    specimen: Specimen = "blood"
    beside: Specimen | None = None
    done = vital = 0
    for anchor in names.anchors.finditer(plain):
        start = anchor.start()
        if start < done:
            continue
        found = None if anchor["stop"] else names.by_first[anchor[0][0]].match(plain, start)
        word = found[0].lower() if found else ""
        if anchor["stop"]:
            specimen = "blood"
        elif word in names.specimens:
            specimen = names.specimens[word]
        elif found and word in names.beside:
            beside = names.beside[word]
            done = found.end() + (plain[found.end() : found.end() + 1] in _BLANKS)
            continue
        elif found:
            at_vital = vital > 0 and _BETWEEN_VITALS.fullmatch(plain, vital, start) is not None
            value = reader.read(found, (beside if start == done else None) or specimen, after_vital=at_vital)
            if word.startswith(("csf", "脑脊液")):
                specimen = "csf"
            if value is not None:
                yield value
                done = value.end
                vital = done if value.kind != "laboratory" else 0
        beside = None


@dataclass(frozen=True, slots=True)
class _Number:
    """A number and what belongs to it; `unit` is a key, `written` the unit as it is written."""

    end: int
    number: float
    upper: float | None
    comparator: str
    flag: Level
    unit: str
    written: str
    bounds: Bounds


@dataclass(frozen=True, slots=True)
class _Reader:
    text: str
    plain: str
    sex: str
    age_years: float | None

    def read(self, found: re.Match[str], specimen: Specimen, *, after_vital: bool) -> Value | None:
        """The measurement whose name was found."""
        name = found[0]
        if name == "" or name.lower() in _PRESSURES:
            return self._degrees(found.end()) if found["degrees"] is not None else self._pressure(found)
        if _DIGIT_OR_GRADE.search(self.plain, found.end(), found.end() + _REACH) is None:
            return None
        key, needs_unit = _names().tests[name if name in _names().tests else name.lower()]
        label, measurement, own = _of_specimen(key, specimen)
        gap = _GAP.match(self.plain, found.end())
        at = gap.end() if gap else found.end()
        if measurement.graded and (grade := _GRADE.match(self.plain, at)):
            return self._graded(found.start(), grade, label, measurement)
        number = _read_number_at(self.plain, at)
        vital = measurement.kind != "laboratory"
        if (
            number is None
            or (not number.unit and needs_unit and not (vital and after_vital))
            or (not vital and at == found.end() and _is_part_of_name(number))
        ):
            return None
        if number.unit == "%" and measurement.percent:
            label = measurement.percent
            measurement = load_laboratory().tests[label]
        return self._measured(found.start(), number, label, measurement, judged=own, needs_unit=needs_unit)

    def _measured(
        self, start: int, number: _Number, label: str, test: Measurement, *, judged: bool, needs_unit: bool
    ) -> Value | None:
        fitting = [] if number.unit else test.plausible_factors(number.number)
        factor = test.factor(number.unit) if number.unit else fitting[0] if len(fitting) == 1 else None
        if number.unit and factor is None and (needs_unit or "/" not in number.unit):
            return None
        if not number.unit and (not fitting or (factor is None and number.upper is not None)):
            return None
        scale, shift = factor or _SAME
        if factor and judged and not test.is_plausible(number.number * scale + shift):
            return None
        given = _scaled(number.bounds, scale, shift)
        printed = given != _NO_BOUNDS
        bounds = given if printed or not (factor and judged) else test.bounds(self.sex, self.age_years)
        upper = None if number.upper is None else _rounded(number.upper * scale + shift)
        value = _rounded(number.number * scale + shift)
        level = number.flag or level_between(value, bounds, number.comparator)
        if upper is not None and not number.flag and level_between(upper, bounds) != level:
            level = ""
        used = bounds if level and (printed or not number.flag) else _NO_BOUNDS
        return Value(
            start,
            number.end,
            self.text[start : number.end],
            test.kind,
            label,
            value,
            upper,
            test.unit if factor else number.written,
            number.comparator,
            *used,
            level,
            test.finding(level) if judged else "",
        )

    def _graded(self, start: int, grade: re.Match[str], label: str, test: Measurement) -> Value:
        signs = grade["signs"] or ""
        level: Level = "high" if grade["signs"] or grade["yes"] else "normal" if grade["no"] else ""
        number = float(signs[0]) if signs[:1].isdigit() else float(len(signs)) if signs else None
        end = grade.end()
        text = self.text[start:end]
        unit = "+" if signs else ""
        return Value(start, end, text, test.kind, label, number, unit=unit, level=level, finding=test.finding(level))

    def _pressure(self, found: re.Match[str]) -> Value | None:
        pressure = _PRESSURE.match(self.plain, found.end())
        if pressure is None:
            return None
        tests = load_laboratory().tests
        systolic, diastolic = tests["systolic blood pressure"], tests["diastolic blood pressure"]
        key = unit_key(pressure["unit"] or "mmHg")
        scale, _ = systolic.factor(key) or _SAME
        upper, lower = (_rounded(read_number(pressure[name]) * scale) for name in ("upper", "lower"))
        if not (systolic.is_plausible(upper) and diastolic.is_plausible(lower) and lower < upper):
            return None
        bounds = systolic.bounds(self.sex, self.age_years)
        level = level_between(upper, bounds)
        if level == "normal" and level_between(lower, diastolic.bounds(self.sex, self.age_years)) == "high":
            level = "high"
        start, end, name = found.start(), pressure.end(), "blood pressure"
        finding = tests[name].finding(level)
        text = self.text[start:end]
        return Value(start, end, text, "blood_pressure", name, upper, lower, "mmHg", "", *bounds, level, finding)

    def _degrees(self, start: int) -> Value | None:
        """A temperature without a name."""
        number = _read_number_at(self.plain, start)
        test = load_laboratory().tests["temperature"]
        if number is None or test.factor(number.unit) is None:
            return None
        return self._measured(start, number, "temperature", test, judged=True, needs_unit=True)


def _read_number_at(plain: str, start: int) -> _Number | None:
    """The number at `start` with its unit, flag and range; None when there is none, or it is something else's."""
    found = _NUMBER.match(plain, start)
    if found is None:
        return None
    number = read_number(found["number"].lstrip("-")) * (-1 if found["number"][0] == "-" else 1)
    upper = read_number(found["upper"]) if found["upper"] else None
    end = found.end()
    flag, end = _flag(plain, end, _FLAG_FIRST[found["arrow"]] if found["arrow"] else "")
    unit = None if flag and not found["arrow"] else find_unit(plain, end)
    if unit is not None:
        end = unit.end()
        flag, end = _flag(plain, end, flag)
    elif end < len(plain) and plain[end].isascii() and plain[end].isalpha():
        return None
    bounds, end = _printed_range(plain, end)
    flag, end = _flag(plain, end, flag)
    if upper is not None and upper <= number:
        return None
    comparator = _COMPARATORS[found["sign"].lower()] if found["sign"] else ""
    written = unit["unit"] if unit else ""
    return _Number(end, number, upper, comparator, flag, unit_key(written), written, bounds)


def _is_part_of_name(number: _Number) -> bool:
    """Whether a number right behind a name more likely belongs to it (IgG2, PTH1) than is its value (Na128)."""
    return not number.unit and number.number < 10 and number.number == int(number.number)


def _flag(plain: str, start: int, known: Level) -> tuple[Level, int]:
    found = None if known else _FLAG.match(plain, start)
    if found is None:
        return known, start
    return ("high" if found["high"] else "low"), found.end()


def _printed_range(plain: str, start: int) -> tuple[Bounds, int]:
    """The reference range that the text prints after a number."""
    found = _RANGE.match(plain, start)
    if found is None:
        return _NO_BOUNDS, start
    if found["bound"]:
        bound = read_number(found["bound"])
        return ((None, bound) if found["sign"] in "<≤" else (bound, None)), found.end()
    return (read_number(found["low"]), read_number(found["high"])), found.end()


def _of_specimen(key: str, specimen: Specimen) -> tuple[str, Measurement, bool]:
    """What a name means in a specimen: its label, its test, and whether the table can judge it there."""
    tests = load_laboratory().tests
    test = tests[key]
    if specimen == "blood" or test.kind != "laboratory" or key.startswith(("CSF", "urine")):
        return key, test, True
    other = {"csf": test.csf, "urine": test.urine}.get(specimen, "")
    return (other, tests[other], True) if other else (f"{key} ({specimen})", test, False)


def _scaled(bounds: Bounds, scale: float, shift: float) -> Bounds:
    low, high = (None if bound is None else _rounded(bound * scale + shift) for bound in bounds)
    return low, high


def _rounded(number: float) -> float:
    """A number to four significant digits, which is more than laboratories report."""
    return float(f"{number:.4g}")


@dataclass(frozen=True)
class _Names:
    """Where a name may begin, what is read there by first character, and what names mean.

    Attributes:
        anchors: ends of sentences (group `stop`), runs of Latin letters and digits, first characters of others.
        by_first: the pattern for what begins with a character: a name, a specimen, or a number that needs no name
            (it matches nothing there; group `degrees` when it is a temperature, else it is a blood pressure).
        tests: by name the measurement, and whether a unit has to follow.
        specimens: by word in lower case.
        beside: by word in lower case, the specimens of the name that follows.
    """

    anchors: re.Pattern[str]
    by_first: dict[str, re.Pattern[str]]
    tests: Mapping[str, tuple[str, bool]]
    specimens: Mapping[str, Specimen]
    beside: Mapping[str, Specimen]


@cache
def _names() -> _Names:
    laboratory = load_laboratory()
    tests = {
        _name_key(name): (key, name in test.with_unit)
        for key, test in laboratory.tests.items()
        for name in (*test.names, *test.with_unit)
    }
    specimens, beside = (
        {word.lower(): specimen for specimen, words in table.items() for word in words}
        for table in (laboratory.specimens, laboratory.beside)
    )
    patterns: dict[str, list[str]] = {first: [] for first in _LETTERS + _DIGITS}
    for name in sorted({*tests, *specimens, *beside, *_PRESSURES}, key=lambda name: (-len(name), name)):
        as_written = name in tests and _counts_as_written(name)
        for first in {name[0]} if as_written else {name[0].lower(), name[0].upper()}:
            patterns.setdefault(first, []).append(_pattern(name, free=not as_written))
    for first, rows in patterns.items():
        rows.append(_WITHOUT_NAME if first in _DIGITS else r"(?P<degrees>(?!))")
    others = "".join(re.escape(first) for first in patterns if not first.isascii())
    return _Names(
        re.compile(rf"[A-Za-z0-9]+|[{others}]|(?P<stop>[。;\n]|\.\s)"),
        {first: re.compile(rf"(?<![A-Za-z]-)(?:{'|'.join(rows)})") for first, rows in patterns.items()},
        tests,
        specimens,
        beside,
    )


def _pattern(name: str, *, free: bool) -> str:
    """A name where no longer word goes on; a single Chinese character only where no word comes before."""
    written = f"(?i:{re.escape(name)})" if free else re.escape(name)
    if not name[-1].isascii():
        return written + (rf"(?:(?<=[尿水液血].)|(?<![{CJK}].))" if len(name) == 1 and name != "尿" else "")
    if not name[-1].isalnum():
        return written
    return written + (r"(?![A-Za-z0-9])" if name[-1].isdigit() else r"(?![A-Za-z])")


def _name_key(name: str) -> str:
    return name if _counts_as_written(name) else name.lower()


def _counts_as_written(name: str) -> bool:
    """Whether the capitals of a name count: of at most two Latin letters."""
    return name.isascii() and sum(map(str.isalpha, name)) <= 2


_BLANKS: Final = frozenset([" ", "\t"])
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_DIGITS: Final = "0123456789"
_PRESSURES: Final = frozenset(["nibp", "abp", "bp", "blood pressure", "血压"])
_WITHOUT_NAME: Final = (
    r"(?<![0-9./-])(?:(?=[0-9]{2,3}/[0-9]{2,3}[ ]?(?i:mmHg|kPa))|"
    r"(?P<degrees>(?=[0-9]{2,3}(?:\.[0-9]{1,2})?[ ]?(?:°[ ]?[CF]|℃|℉|摄氏度))))"
)
_REACH: Final = 60
"""No number further from its name than this belongs to it (our choice)."""

_DIGIT_OR_GRADE: Final = re.compile(r"[0-9+±阴阳-]|[Nn]eg|[Pp]os|[Tt]race")
_BETWEEN_VITALS: Final = re.compile(r"[\s,;，、/|]{0,6}")
_GAP_WORDS: Final = (
    r"(?:levels?|counts?|concentrations?|values?|results?|readings?|measurements?|measured|was|is|were|are|of|at|to|"
    r"found|noted|rose|risen|fell|fallen|increased|decreased|dropped|elevated|raised|reduced|markedly|mildly|only|"
    r"low|high|up|down|peaked|peak|approximately|about|around|on|room|air|with|a|an|the|as|between|reported|"
    r"arrival|admission|presentation|triage|baseline|initially|today|returned|came|back|remained|persistently|critically|very)(?![A-Za-z])"
    r"|百分比|比例|绝对值|计数|水平|浓度|定量|测定|总数|检查|结果|升高|降低|增高|减低|下降|上升|明显|最高|最低|波动|"
    r"值|数|为|是|约|达|至|到|在|于|仅|示|提示|可|高|低|:|=|≈|~|\(|\*|,?[^\S\r\n]?最高"
)
_GAP: Final = re.compile(
    rf"(?:[ ]?\([A-Za-z][A-Za-z0-9+ -]{{0,13}}\))?(?:[^\S\r\n]{{0,3}}(?:{_GAP_WORDS})){{0,6}}[^\S\r\n]{{0,4}}",
    re.IGNORECASE,
)
_COMPARATORS: Final = {
    **dict.fromkeys(["<", "<=", "≤", "less than", "below", "under", "小于", "低于"], "<"),
    **dict.fromkeys([">", ">=", "≥", "greater than", "more than", "above", "over", "大于", "高于", "超过"], ">"),
}
_SIGNS: Final = "|".join(map(re.escape, sorted(_COMPARATORS, key=len, reverse=True)))
_FLAG_FIRST: Final[dict[str, Level]] = {"↑": "high", "↓": "low"}
_NUMBER: Final = re.compile(
    rf"(?P<arrow>[↑↓])?\s?(?:(?P<sign>{_SIGNS})\s?)?(?P<number>-?{NUMBER})"
    rf"(?:[ ]?(?:[-–~至]|to)[ ]?(?P<upper>{NUMBER}))?{NUMBER_END}",
    re.IGNORECASE,
)
_FLAG: Final = re.compile(
    r"[^\S\r\n]{0,2}(?:"
    r"(?P<high>↑|⬆|\(?(?-i:HH?|[Hh]igh|HIGH|[Ee]levated)\)?(?![A-Za-z/])|\(?(?:明显)?(?:偏高|升高|增高)\)?)|"
    r"(?P<low>↓|⬇|\(?(?-i:LL?|[Ll]ow|LOW)\)?(?![A-Za-z/])|\(?(?:明显)?(?:偏低|降低|减低|下降)\)?))[↑↓]{0,3}"
)
_RANGE: Final = re.compile(
    r"[^\S\r\n]{0,2}[(\[,]?[^\S\r\n]?"
    r"(?:(?P<word>(?:normal|reference|ref)(?: range| interval| values?)?|nl|"
    r"参考(?:值|范围|区间)?|正常(?:值|范围|参考值)?)[.:,= ]{0,3}|(?<=[(\[])|(?<=[(\[] ))"
    rf"(?:(?P<sign>[<>≤≥])=?[ ]?(?P<bound>{NUMBER})|(?P<low>{NUMBER})[ ]?(?:[-–—~至]|to)[ ]?(?P<high>{NUMBER}))"
    r"(?:[^\S\r\n]?[^\s()\[\],;。]{0,14}[)\]]|(?(word)(?![0-9.])|(?!)))",
    re.IGNORECASE,
)
_PRESSURE: Final = re.compile(
    r"(?:[^\S\r\n]{0,3}(?:was|is|of|at|to|on|arrival|admission|presentation|triage|elevated|low|high|为|是|约|达|高达|最高|升至|降至|波动于|"
    r"在|:|=|\()){0,4}[^\S\r\n]{0,3}"
    r"(?P<upper>[0-9]{2,3})[ ]?/[ ]?(?P<lower>[0-9]{2,3})(?![0-9]|/[0-9]|\.[0-9])(?:[ ]?(?P<unit>mmHg|kPa|毫米汞柱))?",
    re.IGNORECASE,
)
_GRADE: Final = re.compile(
    r"\(?(?:(?P<signs>[1-4]\+|\+{1,4})|(?P<trace>±|\+/-|\+-|trace)|"
    r"(?P<yes>positive|弱阳性|阳性)|(?P<no>-(?![0-9])|negative|neg(?![a-z])|阴性))\)?",
    re.IGNORECASE,
)
