"""Age, sex, durations and ages at onset in a text.

One pass stops at numbers, at the few words that may begin such a phrase, and at 男 and 女; the words right before
and after them say what they are. Which words decide is our own choice, made on sentences of notes. None of these
is the patient's: ages and sexes of relatives (`his 5-year-old brother`, `父亲60岁`), gestational ages, calendar
dates, intervals of doses (`每3天`), and what lies ahead (`3天后`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ontology.reading.quantities import CHINESE, ENGLISH, NUMBER, NUMBER_WORDS, read_number
from ontology.reading.value import Value, ValueKind


def find_times(text: str, plain: str) -> Iterator[Value]:
    """Ages, sexes, durations and onsets, without overlap; `plain` is the narrow text, as long as `text`."""
    done = 0
    for anchor in _ANCHOR.finditer(plain):
        start = anchor.start()
        if start < done:
            continue
        word = anchor[0]
        if word[0].isalpha() and word[0].isascii() and word.lower() not in _STARTS:
            continue
        value = _read(text, plain, start, word)
        if value is not None:
            yield value
            done = value.end


def _read(text: str, plain: str, start: int, word: str) -> Value | None:
    """What begins at an anchor, if anything."""
    key = word.lower()
    value: Value | None = None
    if word in _SEXES_ZH:
        value = _chinese_sex(text, plain, start)
    elif key in _SEXES:
        value = _english_sex(text, plain, start, word)
    elif key in _FIELDS:
        value = _field_of_sex(text, plain, start)
    elif key in _BIRTHS:
        value = _birth(text, plain, start)
    elif key in _AGE_WORDS or word.endswith("年龄"):
        value = _bare_age(text, plain, start, _BARE_AGE if word.isascii() else _BARE_AGE_ZH)
    elif word[0] in _NUMERALS:
        value = _chinese_time(text, plain, start)
    elif word[0].isalpha():
        value = _english_time(text, plain, start)
    else:
        value = _chinese_time(text, plain, start) or _english_time(text, plain, start)
        value = value or _bare_age(text, plain, start, _TELEGRAPHIC_AGE)
    return value


def _english_time(text: str, plain: str, start: int) -> Value | None:
    found = _ENGLISH_TIME.match(plain, start)
    what = _english_kind(plain, found) if found else None
    return _time(text, found, what, _ENGLISH_UNITS) if found and what else None


def _chinese_time(text: str, plain: str, start: int) -> Value | None:
    found = _CHINESE_TIME.match(plain, start)
    what = _chinese_kind(plain, found) if found else None
    return _time(text, found, what, _CHINESE_UNITS) if found and what else None


def _time(text: str, found: re.Match[str], what: tuple[ValueKind, str], units: dict[str, str]) -> Value:
    kind, name = what
    unit = units[found["unit"].lower()]
    written = found["number"]
    number, high = read_number(written), read_number(found["upper"]) if found["upper"] else None
    if written in _NEIGHBOURS:
        number, high = read_number(written[0]), read_number(written[1])
    if found["half"] or found["more_half"]:
        number += 0.5
    if found["months"] and unit == "year":
        number, unit = number * 12 + read_number(found["months"]), "month"
    return Value(*found.span(), text[slice(*found.span())], kind, name, number, high, unit)


def _english_kind(plain: str, found: re.Match[str]) -> tuple[ValueKind, str] | None:
    """What a time in English is, and how it is told."""
    start, end = found.span()
    before = plain[max(0, start - _REACH) : start]
    if _NO_TIME_BEFORE.search(before) or _NO_TIME_AFTER.match(plain, end):
        return None
    old = found["unit"].lower() in _OLD_UNITS or _OLD.match(plain, end) is not None
    if _of_relative(plain, start) or (old and _RELATIVE_AFTER.match(plain, end)):
        return None
    at = _AT_AGE.search(before)
    if at and (old or "age" in at[0] or (at["at"] and found["unit"][0] in "yYmM")):
        return ("onset", "")
    if old or _AGED.search(before):
        return ("age", "")
    if _AGO.match(plain, end):
        return ("duration", "ago")
    return ("duration", "lasted") if _LASTING.search(before) or _HISTORY.match(plain, end) else None


def _chinese_kind(plain: str, found: re.Match[str]) -> tuple[ValueKind, str] | None:
    """What a time in Chinese is, and how it is told."""
    start, end = found.span()
    before, after = plain[max(0, start - _REACH_ZH) : start], plain[end : end + _REACH_ZH]
    unit = found["unit"]
    if _NO_TIME_BEFORE_ZH.search(before) or _is_date(found, before, after):
        return None
    born = _BORN.search(before)
    if unit.endswith(("岁", "龄")) or born or (unit in _SMALL and _AFTER_SEX.search(before)):
        if _of_relative(plain, start) or _THRESHOLD_AFTER_ZH.match(after) or _THRESHOLD_BEFORE_ZH.search(before):
            return None
        onset = _ONSET_AFTER.match(after) or (not born and _ONSET_BEFORE.search(before))
        return ("onset", "") if onset else ("age", "")
    if _NO_TIME_AFTER_ZH.match(after):
        return None
    return ("duration", "ago") if _AGO_ZH.match(after) else ("duration", "lasted")


def _is_date(found: re.Match[str], before: str, after: str) -> bool:
    """Whether it is a day, month or year of the calendar."""
    unit = found["unit"]
    if unit == "年":
        return _IN_YEAR.match(after) is not None
    if found["measure"] or unit not in {"月", "日"}:
        return False
    return _DATE_BEFORE.search(before) is not None or _DATE_AFTER.match(after) is not None


def _bare_age(text: str, plain: str, start: int, pattern: re.Pattern[str]) -> Value | None:
    """An age without a unit (`since age 5`, `年龄：45`, `45F`), in years."""
    found = pattern.match(plain, start)
    if found is None or _of_relative(plain, start):
        return None
    kind: ValueKind = "onset" if found["onset"] else "age"
    return Value(*found.span(), text[slice(*found.span())], kind, "", read_number(found["number"]), unit="year")


def _birth(text: str, plain: str, start: int) -> Value | None:
    """`newborn` and `since birth`: no days old."""
    found = _BIRTH.match(plain, start)
    if found is None or (found["birth"] and not (onset := _BEFORE_BIRTH.search(plain, max(0, start - 8), start))):
        return None
    start = onset.start() if found["birth"] and onset else start
    kind: ValueKind = "age" if found["newborn"] else "onset"
    return Value(start, found.end(), text[start : found.end()], kind, "", 0.0, unit="day")


def _english_sex(text: str, plain: str, start: int, word: str) -> Value | None:
    end = start + len(word)
    before = plain[max(0, start - _REACH) : start]
    if len(word) == 1:
        stated = word.isupper() and bool(_AFTER_AGE.search(before) and _BEFORE_STOP.match(plain, end))
    else:
        stated = _BEFORE_SEX.search(before) is not None and not _NO_SEX_AFTER.match(plain, end)
        if word.lower() in {"male", "female"}:  # also adjectives: the female germ cell
            stated = stated and _PERSON_AFTER.match(plain, end) is not None
    if not stated or _of_relative(plain, start) or _RELATIVE_AFTER.match(plain, end):
        return None
    return _sex(text, start, end, female=_SEXES[word.lower()])


def _field_of_sex(text: str, plain: str, start: int) -> Value | None:
    found = _SEX_FIELD.match(plain, start)
    return _sex(text, start, found.end(), female=_SEXES[found["sex"].lower()]) if found else None


def _chinese_sex(text: str, plain: str, start: int) -> Value | None:
    found = _SEX_ZH.match(plain, start)
    if found is None or _of_relative(plain, start) or not _BEFORE_SEX_ZH.search(plain, max(0, start - 4), start):
        return None
    return _sex(text, start, found.end(), female=plain[start] == "女")


def _sex(text: str, start: int, end: int, *, female: bool) -> Value:
    return Value(start, end, text[start:end], "sex", "FEMALE" if female else "MALE")


def _of_relative(plain: str, start: int) -> bool:
    before = plain[max(0, start - _REACH) : start]
    return (_RELATIVE_BEFORE_ZH if not before.isascii() else _RELATIVE_BEFORE).search(before) is not None


_REACH: Final = 30
_REACH_ZH: Final = 8

_KIN: Final = (
    r"(?:grand)?(?:mother|father|parents?|son|daughter)|brothers?|sisters?|siblings?|sons|daughters|aunts?|uncles?|"
    r"cousins?|nieces?|nephews?|husband|wife|spouse|partner|relatives?|twin|child(?:ren)?"
)
_KIN_ZH: Final = (
    r"[父母爸妈哥弟姐妹兄叔伯舅姑姨爷奶姥]|外公|外婆|儿子|女儿|家人|亲属|丈夫|妻子|配偶|爱人|子女|[长次][子女]|其[子女]"
)
_RELATIVE_BEFORE: Final = re.compile(
    rf"(?<![A-Za-z])(?:{_KIN})(?:['’]s)?(?:,|:)?(?: (?:who|is|was|has|had|died|passed away|of \w{{1,12}}))*"
    r"(?: (?:a|an|at|in|now|currently|about|age|aged|the age of))*[ ,]*$",
    re.IGNORECASE,
)
_RELATIVE_BEFORE_ZH: Final = re.compile(rf"(?:{_KIN_ZH})[^。;\n]{{0,5}}$")
_RELATIVE_AFTER: Final = re.compile(
    rf"[- ]{{0,2}}(?:old|o)?[- ](?:\w{{1,12}} ){{0,2}}?(?:{_KIN})(?![A-Za-z])", re.IGNORECASE
)

# Times in English
_ENGLISH_UNITS: Final = {
    spelling: unit
    for unit, spellings in {
        "year": "year years yr yrs y yo y/o y.o. y.o yr/o",
        "month": "month months mo mos mth mths mo/o m/o",
        "week": "week weeks wk wks w",
        "day": "day days d",
        "hour": "hour hours hr hrs h",
        "minute": "minute minutes min mins",
    }.items()
    for spelling in spellings.split()
}
_OLD_UNITS: Final = frozenset("yo y/o y.o. y.o yr/o mo/o m/o".split())
_ENGLISH_TIME: Final = re.compile(
    rf"(?<![A-WYZa-wyz/$+])(?<![A-Za-z][xX])(?<![0-9][.,])(?P<number>{NUMBER}|{ENGLISH})"
    rf"(?:[ ]?(?:-|–|to|or)[ ]?(?P<upper>{NUMBER}|{ENGLISH}))?(?P<half>[ ]and a half)?[ -]{{0,2}}"
    r"(?P<unit>y\.o\.?|y/?o|yr/o|mo?/o|years?|yrs?|y|months?|mths?|mos?|weeks?|wks?|w|days?|d|hours?|hrs?|"
    r"h|minutes?|mins?)(?![A-Za-z/])(?P<more_half>[ ]and a half)?"
    r"(?:(?:,? | and )(?P<months>[0-9]{1,2})[ -](?:months?|mos?)(?![A-Za-z]))?",
    re.IGNORECASE,
)
_OLD: Final = re.compile(r"['’]?[ -]{0,2}(?:old|o|/o|of age|of life)(?![A-Za-z])", re.IGNORECASE)
_AGED: Final = re.compile(r"(?<![A-Za-z])age[ds]?[ :=]{0,2}(?:of[ ])?$", re.IGNORECASE)
_ABOUT: Final = r"(?:(?:about|approximately|around|roughly|almost|nearly|at least|more than|over|up to|only)[ ]|~[ ]?)?"
_AT_AGE: Final = re.compile(
    rf"(?<![A-Za-z])(?:(?P<at>since|from|at)|by|until|before|after|around)[ ](?:the[ ])?(?:age[ ])?(?:of[ ])?{_ABOUT}$",
    re.IGNORECASE,
)
_LASTING: Final = re.compile(
    r"(?:(?<![A-Za-z])(?:for|over|during|past|last|previous|last(?:ing|ed|s)|persist(?:ing|ed|s)|x|"
    r"duration(?: of|:)?)|×)"
    rf"[ ]?(?:the[ ])?(?:(?:past|last|previous|entire)[ ])?{_ABOUT}$",
    re.IGNORECASE,
)
_HISTORY: Final = re.compile(
    r"['’]?s?['’]?[- ](?:long[ ])?"
    r"(?:history|hx|h/o|duration|of(?![ ](?:age|life|gestation|therapy|treatment|antibiotics)))(?![A-Za-z])",
    re.IGNORECASE,
)
_AGO: Final = re.compile(r"[ ](?:ago|prior|before|earlier|previously|PTA|back)(?![A-Za-z])", re.IGNORECASE)
_NO_TIME_BEFORE: Final = re.compile(
    r"(?<![A-Za-z])(?:every|each|per|q|once|twice|within|first|than|gestation(?:al age)?(?: of| at)?|"
    r"(?:post)?op(?:erative)?(?: day)?)[ ]?$",
    re.IGNORECASE,
)
_NO_TIME_AFTER: Final = re.compile(
    r"(?:[ ](?:of age[ ])?(?:or|and)[ ](?:older|younger|above|over|more|less)|"
    r"(?:['’]s?)?[ -](?:gestation|gestational|of gestation|later|after|post|follow-?up|supply|per))(?![A-Za-z])",
    re.IGNORECASE,
)
_BARE_AGE: Final = re.compile(
    r"(?<![A-Za-z])(?:(?P<onset>(?:(?:since|from|at|by|until|before|after)[ ](?:the[ ])?age(?:[ ]of)?"
    r"|age (?:at|of) (?:onset|diagnosis)(?:[ ]of)?))|age(?:d|[ ]of)?)[ :=]{1,3}"
    rf"(?P<number>{NUMBER}|{ENGLISH})(?![0-9%/.-]{{0,3}}[0-9%/])"
    r"(?![ -]{0,2}(?:years?|yrs?|y|months?|mos?|weeks?|wks?|days?|hours?|minutes?)(?![A-Za-z]))",
    re.IGNORECASE,
)
_BARE_AGE_ZH: Final = re.compile(
    rf"(?:(?P<onset>[发起]病年龄)|年龄)[:为 ]{{0,3}}(?P<number>{NUMBER})(?![0-9.个岁月天日周年-])"
)
_TELEGRAPHIC_AGE: Final = re.compile(
    r"(?:(?<![\s\S])|(?<=[.;:\n]\s)|(?<=\n)|(?<=\ba\s)|(?<=\bis\s))(?P<onset>(?!))?(?P<number>[1-9][0-9]?)[ ]?"
    r"(?=[MF](?![A-Za-z0-9]))"
)
_AGE_WORDS: Final = frozenset("age aged since from at by until before after".split())

# Times in Chinese
_CHINESE_UNITS: Final = {
    spelling: unit
    for unit, spellings in {
        "year": "岁 周岁 年",
        "month": "月 月龄",
        "week": "周 星期 礼拜",
        "day": "天 日 日龄",
        "hour": "小时 h",
        "minute": "分钟",
    }.items()
    for spelling in spellings.split()
}
_SMALL: Final = frozenset("月 周 天 日 小时".split())
_NEIGHBOURS: Final = frozenset("一两 一二 两三 二三 三四 三五 四五 五六 六七 七八 八九".split())
_CHINESE_TIME: Final = re.compile(
    rf"(?<![0-9/+第几数])(?<![0-9][.,])(?P<number>{NUMBER}|{CHINESE})"
    rf"(?:[ ]?[-–~至、][ ]?(?P<upper>{NUMBER}|{CHINESE}))?[余多来]?[ ]?(?P<measure>个)?(?P<half>半)?[余多]?"
    r"(?P<unit>周岁|岁|年|月龄|月(?!经)|周(?![围期边])|星期|礼拜|天(?![花然门])|日龄|日|小时|h(?![A-Za-z])|分钟)"
    rf"(?:零?(?P<months>[0-9]{{1,2}}|{CHINESE})个?月(?!经))?(?P<more_half>半(?![身侧年月天小]))?[余多]?"
)
_BORN: Final = re.compile(r"(?:生后|出生|日龄|月龄|患儿[,:]?)(?:约|第)?[: ]?$")
_AFTER_SEX: Final = re.compile(r"[男女][性孩婴童]?[,、:\s]{0,2}(?:年龄)?:?$")
_ONSET_AFTER: Final = re.compile(r"(?:左右)?(?:时|起|发病|开始|出现|即|前|后|以前|以后|确诊|诊断)")
_ONSET_BEFORE: Final = re.compile(r"(?:自|从|于|起病年龄|发病年龄)[:为]?$")
_AGO_ZH: Final = re.compile(r"[之以]?前")
_NO_TIME_BEFORE_ZH: Final = re.compile(
    r"(?:每(?:隔|间隔)?|第|q|/|孕|胎龄|孕周|孕龄|妊娠|停经|(?<!生)后|昨|今|明|次|半)[: ]?约?$"
)
_NO_TIME_AFTER_ZH: Final = re.compile(r"之?[后後内]|以内|[0-9一二两三四]次")
_THRESHOLD_AFTER_ZH: Final = re.compile(r"[或及]?以[上下内]|及其?以|或更")
_THRESHOLD_BEFORE_ZH: Final = re.compile(r"(?:[<>≤≥]|大于|小于|超过|不足|不满|低于|高于|至少)=?$")
_IN_YEAR: Final = re.compile(r"[0-9级代龄轻纪]")
_DATE_BEFORE: Final = re.compile(r"[年月/于在至到今从自每次昨明当同即某]$")
_DATE_AFTER: Final = re.compile(r"[0-9份初底中上下末]")

# Sex and birth
_SEXES: Final = dict.fromkeys("man male boy gentleman m".split(), False) | dict.fromkeys(
    "woman female girl lady f".split(), True
)
_SEXES_ZH: Final = frozenset("男女")
_FIELDS: Final = frozenset(["sex", "gender"])
_BIRTHS: Final = frozenset("newborn neonate birth 新生儿 自出生 出生时 出生即 生后即 生后不久 出生后即".split())
_BEFORE_SEX: Final = re.compile(
    r"(?:^|(?<![A-Za-z])(?:a|an|the|this|old|yo|y/o|elderly|baby|young|healthy|"
    r"white|black|asian|caucasian|african|american|"
    r"hispanic|adult|infant|newborn|pregnant|premature|term|obese|middle-aged|[0-9]{1,3}|is)|[.\n])[ ,-]{0,2}$",
    re.IGNORECASE,
)
_PERSON_AFTER: Final = re.compile(
    r"[ -]{0,2}(?:[,.;:)\n]|\Z|"
    r"(?:infant|patient|child|newborn|neonate|baby|toddler|adolescent|teenager|student|smoker|"
    r"who|with|presents|presenting|presented|admitted|aged|in|was|has|is)(?![A-Za-z]))",
    re.IGNORECASE,
)
_NO_SEX_AFTER: Final = re.compile(
    r"[ -](?:friend|relative|sibling|cousin|partner|pattern|predominance|genital|sex|patients|who works)", re.IGNORECASE
)
_AFTER_AGE: Final = re.compile(
    r"(?:(?:^|(?<=[.;:\n] )|(?<=\n)|(?<=\ba )|(?<=\bis ))[1-9][0-9]?|"
    r"(?<![A-Za-z])[0-9]{1,3}[ -]?(?:y/?o?\.?|yrs?|years?|m/?o|mos?|d/?o|months?)(?:[ -]old)?)[ ,-]{0,2}$",
    re.IGNORECASE,
)
_BEFORE_STOP: Final = re.compile(r"(?![A-Za-z0-9/%°])")
_SEX_FIELD: Final = re.compile(
    r"(?:sex|gender)[ :=]{1,3}(?P<sex>male|female|man|woman|boy|girl|[mf])(?![A-Za-z])", re.IGNORECASE
)
_BEFORE_SEX_ZH: Final = re.compile(r"(?:(?<![\s\S])|[\s,、;。:(者儿年别]|病人)$")
_SEX_ZH: Final = re.compile(r"[男女](?:[性孩婴童士]|(?=[\s,、;。:)0-9患]|\Z))")
_BIRTH: Final = re.compile(
    r"(?P<newborn>(?i:newborn|neonate)(?![A-Za-z'’]|[ -](?:screen|period|care|nursery|unit|intensive))|"
    r"新生儿(?!筛查|期|科|疾病|重症|监护|黄疸|窒息|时))|(?P<birth>(?i:birth)(?![A-Za-z]))|"
    r"自出生|出生时(?!体重|身长|情况)|(?:出生|生)后?(?:即|不久)"
)
_BEFORE_BIRTH: Final = re.compile(r"(?<![A-Za-z])(?:since|from|at) $", re.IGNORECASE)
_NUMERALS: Final = "〇零一二两俩三四五六七八九十百廿半"
_ANCHOR: Final = re.compile(
    rf"[0-9]+|[A-Za-z]+|[{_NUMERALS}]+|[男女]|新生儿|自出生|出生[时即]|出生后即|生后(?:即|不久)|(?:发病|起病)?年龄"
)
_STARTS: Final = frozenset([*NUMBER_WORDS, *_AGE_WORDS, *_SEXES, *_FIELDS, *_BIRTHS])
"""The Latin words that an anchor can be."""
