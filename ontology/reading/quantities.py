"""Numbers and units as notes write them, in digits and in words, in English and Chinese.

Units are compared by key: lower case, micro as u, no blanks, a power of ten as `10^9`. What a unit means depends
on the test (the molar mass), so factors stand in `laboratory.yaml` and not here; a general library of units
has none of them, and would not spare us reading the many spellings.

All texts here are narrow (`ontology.reading.width`).
"""

from __future__ import annotations

import re
from typing import Final

_ONES: Final = "one two three four five six seven eight nine".split()
_TEENS: Final = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety".split()

NUMBER: Final = r"(?:[0-9]{1,3}(?:,[0-9]{3}){1,2}|[0-9]{1,7})(?:\.[0-9]{1,5})?"
"""Digits, with or without thousands separators."""

NUMBER_END: Final = r"(?![0-9]|[.,/:][0-9]|[-–][0-9])"
"""What does not follow a number: more of it, or the rest of a date, a clock, a ratio, a telephone number."""

ENGLISH: Final = (
    rf"(?:(?:{'|'.join(_TENS)})(?:[- ](?:{'|'.join(_ONES)}))?|{'|'.join(_TEENS)}|{'|'.join(_ONES)}|"
    r"half an?|a couple of|an?)(?![a-z])"
)
"""A number in words, below a hundred."""

NUMBER_WORDS: Final = frozenset([*_ONES, *_TEENS, *_TENS, "half", "a", "an"])
"""The words that `ENGLISH` may begin with."""

CHINESE: Final = r"(?:[〇零一二两俩三四五六七八九十百廿]{1,5}|半)"
"""A number in Chinese characters, below a thousand."""


def read_number(text: str) -> float:
    """The number that `NUMBER`, `ENGLISH` (in any case) or `CHINESE` found."""
    if text[0] in "0123456789":
        return float(text.replace(",", ""))
    return _read_english(text.lower()) if text[0].isascii() else _read_chinese(text)


def find_unit(text: str, start: int) -> re.Match[str] | None:
    """The unit at `start`, after at most two blanks; its group `unit` is the unit alone."""
    return _UNIT.match(text, start)


def unit_key(unit: str) -> str:
    """The key under which all spellings of a unit are the same."""
    key = unit.lower().translate(_PLAIN)
    for pattern, same in _SAME:
        key = pattern.sub(same, key)
    return key


def _read_english(words: str) -> float:
    if words.startswith(("half", "a couple")):
        return 0.5 if words.startswith("half") else 2.0
    return float(sum(_WORDS[word] for word in re.split(r"[ -]", words)))


def _read_chinese(text: str) -> float:
    if text == "半":
        return 0.5
    total = digit = 0
    for character in text:
        power = _ZH_POWERS.get(character)
        if power:
            total += (digit or 1) * power
            digit = 0
        else:
            digit = _ZH_DIGITS[character]
    return float(total + digit)


_WORDS: Final = (
    {word: value for value, word in enumerate([*_ONES, *_TEENS], start=1)}
    | dict(zip(_TENS, range(20, 100, 10), strict=True))
    | {"a": 1, "an": 1}
)
_ZH_DIGITS: Final = {character: value for value, character in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
    "俩": 2,
}
_ZH_POWERS: Final = {"十": 10, "百": 100, "廿": 20}

_PLAIN: Final[dict[int, str | None]] = {
    **dict(zip(map(ord, "µμ³²⁹¹⁶₂"), "uu329162", strict=True)),
    **dict.fromkeys(map(ord, " \t^*·×✕()"), None),
}
_SAME: Final = [
    (re.compile(pattern), same)
    for pattern, same in [
        (r"^x(?=10)", ""),
        (r"^10e?(12|3|6|9)(?=/|$)", r"10^\1"),
        (r"^10\^(9|12)$", r"10^\1/l"),
        (r"mc(?=g|l|mol)", "u"),
        (r"(?:mm3|cumm)$", "ul"),
        (r"^万.*", "万"),
        (r"^thou(?:s(?:and)?)?(?=/)|^k(?=/ul)", "10^3"),
        (r"^m(?=/ul)", "10^6"),
        (r"^(?:cells?|个)(?=/)", ""),
        (r"(?<=/)(?:hpf?|高倍视野)$", "hpf"),
        (r"(?<=/)(?:24(?:h(?:ours?|rs?)?|小时)|d(?:ay)?|日|天)$", "24h"),
        (r"^units?", "u"),
        (r"^mm/.*", "mm/h"),
        (r"^(?:bpm|beats.*|breaths.*|次/.*|/min.*|perminute)$", "/min"),
        (r"^(?:℃|摄氏度|度|degrees?c.*|c)$", "°c"),
        (r"^(?:℉|华氏度|degrees?f.*|f)$", "°f"),
        (r"^(?:公斤|千克|kgs)$", "kg"),
        (r"^克$", "g"),
        (r"^(?:lbs|pounds?)$", "lb"),
        (r"^(?:厘米|公分)$", "cm"),
        (r"^米$", "m"),
        (r"^inches$", "inch"),
        (r"^(?:sec(?:onds?)?|秒)$", "s"),
        (r"^毫米汞柱$", "mmhg"),
    ]
]
_VOLUME: Final = r"(?:(?:[dmuμµ]|mc)?L|mm3|mm³|cumm)"
_UNIT: Final = re.compile(
    r"[ \t]{0,2}(?P<unit>"
    + "|".join(
        [
            rf"(?:[x×✕*·][ ]?)?10[ ]?(?:\^|\*\*|E)?[ ]?\(?(?:12|[369]|⁹|¹²|⁶|³)\)?[ ]?/[ ]?{_VOLUME}",
            r"[x×✕*][ ]?10[ ]?\^?[ ]?\(?(?:12|9|⁹|¹²)\)?",
            rf"(?:thou(?:s(?:and)?)?|cells?|个|[km])[ ]?/[ ]?(?:{_VOLUME}|HPF?|高倍视野)",
            (
                rf"(?:mc|[munpfkμµ])?(?:mol|Eq|Osm|IU|units?|U|g|kat|L)[ ]?/[ ]?"
                rf"(?:{_VOLUME}|kg|g|mmol|mol|24[ ]?h(?:ours?|rs?)?|24小时|day|d|日|天)"
            ),
            r"mL/min(?:/1\.73[ ]?m(?:2|²|\^2))?",
            r"mm/(?:1[ ]?)?h(?:r|our)?|mmHg|kPa|[cm]m[ ]?H(?:2|₂)O|毫米汞柱",
            r"bpm|b(?:eats?|reaths?)(?:/| per )min(?:ute)?|次/(?:分钟?|min)|/min(?:ute)?|per minute",
            rf"/[ ]?(?:{_VOLUME}|HPF?|高倍视野)",
            r"°[ ]?[CF]|℃|℉|摄氏度|华氏度|度|degrees? (?:celsius|fahrenheit|[CF])",
            r"%|fL|pg|um3|μm³|万",
            r"mcg|mg|kgs?|ml|cc|IU|units?|mEq|mmol|tab(?:let)?s?|caps?(?:ules?)?|puffs?|drops?",
            r"片|粒|支|袋|丸|枚|滴|克|毫克|微克|毫升|公斤|千克|斤|厘米|毫米|公分|米",
            r"cm|mm|inch(?:es)?|lbs?|pounds?|sec(?:onds?)?|min(?:ute)?s?|hours?|(?-i:hrs?)|days?|weeks?|wks?|months?|(?-i:mos?)",
            r"years?|yrs?|SDs?|standard deviations?|fold|kDa?|percent(?:ile)?|st|nd|rd|th",
            r"秒|小时|分钟|天|日|周|个月|月|年|岁|次|times|个|例|级|分|点|倍",
            r"(?-i:[CFKkUugmsdhly])",
        ]
    )
    + r")(?![A-Za-z])",
    re.IGNORECASE,
)
