"""Phrases of a clinical text that say something about the findings around them, and where they stand in it.

A text is cut into units: Latin words, runs of digits, single Chinese characters, marks; blanks and quotation marks are
none. A finding, however long, is one unit, so that nothing inside of its name is taken for a phrase. The phrases are
lines of `status_en.yaml` and `status_zh.yaml`, written in these units:

    [a|b c|]  one of these; an empty one may be left out
    <name>    one of the words under `words`
    #         a number, in digits or in words          %   a year
    *         any one word or Chinese character        @   a finding; the phrase itself ends before it
    !         a finding that is an event (`骨折`)      ☑ □ a ticked and an empty box; ▣ ▢ if boxes stand before findings
    ^ $       beside it the clause begins or ends

Of the phrases that begin at a place the longest counts, then the one with the fewest `*`, then the one that is written
first; what is written before and after findings in one role stands on either side. Phrases do not overlap. All
phrases of a language are one trie, so a text takes time in proportion to its length.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal

import yaml

from ontology.reading.codes import CJK

Side = Literal["before", "after", "either", "both"]
"""Where a phrase stands that says something of findings; `either` is before them if one follows in the clause."""

FINDING: Final = "@"
EVENT: Final = "!"
COMMAS: Final = frozenset(",()>[]{}\u2192")
STOPS: Final = frozenset(":;.!\n\r\u2028\u2029")


@dataclass(frozen=True, slots=True)
class Unit:
    """A word, number, character, mark or finding.

    Attributes:
        text: in lower case, simplified and half-width; `@` for a finding.
        start, end: code points.
        finding: number of the finding, -1 for anything else.
        stated: whether it is a finding that has a predicate or a site in its name (`肠鸣音减弱`, `positive Lachman`).
        event: whether it is a finding that happens and does not last (`骨折`).
    """

    text: str
    start: int
    end: int
    finding: int = -1
    stated: bool = False
    event: bool = False


@dataclass(frozen=True, slots=True)
class Trigger:
    """A phrase that was found.

    Attributes:
        role: what it says, as in the tables.
        side: where it stands.
        first, last: units, `last` is one past the end.
    """

    role: str
    side: Side
    first: int
    last: int


def units_of(text: str, begin: int, end: int, findings: Sequence[tuple[int, int]]) -> list[Unit]:
    """The units of a stretch of a text.

    Args:
        text: the untouched text.
        begin: its first code point.
        end: one past its last.
        findings: spans within the stretch, in order, without overlap.
    """
    units: list[Unit] = []
    at = begin
    for number, (start, stop) in enumerate(findings):
        units.extend(_plain_units(text, at, start))
        stated = is_stated(text[start:stop])
        units.append(Unit(FINDING, start, stop, number, stated, _EVENT.search(text, start, stop) is not None))
        at = stop
    units.extend(_plain_units(text, at, end))
    boxed = next((unit for unit in units if unit.finding >= 0 or unit.text in (_TICKED, _EMPTY)), None)
    if boxed is not None and boxed.finding < 0:
        return [replace(unit, text=_LEADING.get(unit.text, unit.text)) for unit in units]
    return units


def find_triggers(units: Sequence[Unit]) -> list[Trigger]:
    """Phrases in order, without overlap."""
    root = _tables()[0]
    triggers: list[Trigger] = []
    i = 0
    while i < len(units):
        found = _longest(root, units, i)
        if found is None:
            i += 1
            continue
        triggers.append(found)
        i = found.last
    return triggers


def is_stated(name: str) -> bool:
    """Whether a name has a predicate, a degree or a site: `肠鸣音减弱`, `双下肢水肿`, `positive Lachman`."""
    return any((_STATED.search(name), _SITED.match(name), _STATED_FIRST.match(name)))


def is_edge(units: Sequence[Unit], i: int) -> bool:
    """Whether a clause ends at this position: outside of the text, or a mark."""
    return not 0 <= i < len(units) or units[i].text in COMMAS or units[i].text in STOPS


def expand(line: str) -> Iterator[tuple[str, ...]]:
    """Every sequence of units that a line of a table stands for; plain words of a long choice stay together.

    Such a choice is one unit, `<a|b>`, unless the phrase begins with it.
    """
    parts = _CHOICE.split(line)
    options = [_choice(part.split("|")) if i % 2 else [_in_table(part)] for i, part in enumerate(parts)]
    for chosen in itertools.product(*options):
        phrase = tuple(itertools.chain.from_iterable(chosen))
        if phrase and "|" in phrase[0]:
            yield from ((*_in_table(first), *phrase[1:]) for first in phrase[0][1:-1].split("|"))
        else:
            yield phrase


_Node = dict[str, Any]
_Said = tuple[int, str, Side]
"""Number of the phrase, role and side."""
_Path = tuple[_Node, int, int, int, int]
"""Node, unit after it, how many `*`, how many conditions on what is beside, first finding within or -1."""
_END: Final = ""
_TICKED, _EMPTY = "\u2611", "\u25a1"
_LEADING: Final = {_TICKED: "\u25a3", _EMPTY: "\u25a2"}
BOX: Final = r"[\[(\uff08\u3010] {0,3}[xX\u221a\u2713\u2714]? {0,3}[\])\uff09\u3011]|[\u2610-\u2612\u25a0\u25a1]"
"""A box to tick, as one unit; `x` is what a keyboard has for a tick."""
_BOXED: Final = re.compile(BOX)
_TICK: Final = re.compile("[xX\u221a\u2713\u2714\u2611\u2612\u25a0]")
_UNIT: Final = re.compile(
    rf"{BOX}|[^\W\d_{CJK}]+(?:['\u2019][^\W\d_{CJK}]+)?|\d+(?:\.\d+)*|[^\s\"\u201c\u201d\u300c\u300d\u300a\u300b]"
)
_WORD: Final = re.compile(rf"[\w{CJK}]")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_IN_TABLE: Final = re.compile(rf"<\w+>|{_UNIT.pattern}")
_CHOICE: Final = re.compile(r"\[([^\]]*)\]")
_SPECIAL: Final = re.compile(r"[#%*@!^$<]")
_MANY: Final = 4
"""Alternatives from which a choice is kept together (our choice)."""
_WORDS: Final = "<>"
_STATED: Final = re.compile(
    "(?:减弱|增强|升高|增高|降低|下降|增多|减少|肿大|充血|增粗|增大|加深|加快|减慢|亢进|粗糙|异常|怒张|肿胀|加重|加剧|明显|增宽|毛糙|增厚|变浅|变窄|变细|萎缩|扩大|膨隆|隆起|深|偏高|偏低|偏快|增快|迟钝|缓慢|(?<!纳)差|欠佳|不佳"
    r"|[一二两三四五六七八九十\d](?:周|圈|级|度|处|枚|个|次|期|天|年|月|个月))\Z"
)
_SITED: Final = re.compile(
    "双(?:侧|下肢|上肢|肺|肾|眼|足|手|膝|小腿|踝|耳)|[左右](?:侧|下肢|上肢|肺|肾|眼|耳|膝|足|手|小腿|上腹|下腹)|四肢|全身"
    "|(?:乳房|胆囊|脑沟|脑室|肝脏|脾脏|肾脏|膀胱|甲状腺|扁桃体|咽部|颈部|腰部|背部|面部|胸部|腹部|皮肤|伤口|切口|足背|手背|手指"
    "|足趾|手足|食欲|胃纳|精神|睡眠|夜尿"
    "|眼睑|结膜|牙龈|阴囊|前列腺|子宫|附件|心影|心界|肺纹理|主动脉|冠脉|椎间盘|软组织|肠鸣音|尿色|大便)(?![炎癌瘤])"
    "|轻度|中度|重度|明显|剧烈|阵发性|持续性|间断性?|反复|偶发|频发"
)
_EVENT: Final = re.compile(
    "(?:骨折|骨裂|外伤|损伤|扭伤|挫伤|脱位|烧伤|烫伤|创伤|流产|早产|梗死|梗塞|心梗|脑梗|脑出血|卒中|中风|穿孔|阑尾炎|中毒"
    "|肠梗阻|破裂|手术|切除|术|分娩|剖宫产|溺水|电击伤|咬伤)\\Z"
)
_STATED_FIRST: Final = re.compile(
    r"(?:positive|mild|mildly|moderate|moderately|marked|slight|brisk|trace)\b", re.IGNORECASE
)
_NUMBERS: Final = frozenset(
    "a one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty several few "
    "many couple some half decade x 一 二 三 四 五 六 七 八 九 十 百 两 半 数 几 多 余 廿 第 + / - ~".split()
)
_LONGEST_NUMBER: Final = 4
_TRADITIONAL: Final = str.maketrans(
    (
        "無沒見現發熱認為與隨並經診斷癥覺聞觸應會將險報給說訴稱過復癒後來個這樣該雖卻僅還傾轉陰陽親媽爺兒孫婦"
        "貳題難確術療傳遺醫員間時體壓檢測據顯當歲於從異導減風預備請觀註東區處歷質點關係極際實變腫懷慮併須擔憂"
        "擬鑑鑒緩輕證達續餘萬較劇頻嚴約雙側產齡陣絕誤錯徵狀開單獨訊詢問們嗎幾兩鬧"
    ),
    (
        "无没见现发热认为与随并经诊断症觉闻触应会将险报给说诉称过复愈后来个这样该虽却仅还倾转阴阳亲妈爷儿孙妇"
        "贰题难确术疗传遗医员间时体压检测据显当岁于从异导减风预备请观注东区处历质点关系极际实变肿怀虑并须担忧"
        "拟鉴鉴缓轻证达续余万较剧频严约双侧产龄阵绝误错征状开单独讯询问们吗几两闹"
    ),
)
"""The characters of the phrases that traditional script writes otherwise."""
_FOLD: Final[dict[int, int | str]] = _TRADITIONAL | {
    **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},
    ord("。"): ".", ord("−"): "-", ord("–"): "-", ord("—"): "-", ord("‐"): "-", ord("‑"): "-", ord("’"): "'",
    ord("【"): "[", ord("】"): "]",
}  # fmt: skip


def _plain_units(text: str, begin: int, end: int) -> Iterator[Unit]:
    for found in _UNIT.finditer(text, begin, end):
        word = found[0]
        if _BOXED.fullmatch(word):
            word = _TICKED if _TICK.search(word) else _EMPTY
        yield Unit(word.translate(_FOLD).lower(), found.start(), found.end())


def _longest(root: _Node, units: Sequence[Unit], i: int) -> Trigger | None:
    """The phrase that begins at a position, if any."""
    if units[i].finding >= 0:
        return None
    best: tuple[int, int, int] = (0, 0, 0)
    found: list[_Said] = []
    last = i
    open_: list[_Path] = [(root, i, 0, 0, -1)]
    if i and units[i - 1].finding >= 0:
        marks = (FINDING, EVENT) if units[i - 1].event else (FINDING,)
        open_.extend((root[mark], i, 0, 1 + (mark == EVENT), -1) for mark in marks if mark in root)
    if is_edge(units, i - 1) and (node := root.get("^")) is not None:
        open_.append((node, i, 0, 1, -1))
    while open_:
        node, at, wild, beside, finding = open_.pop()
        if at > i and finding != i and _END in node and (rank := (at - i, -wild, beside)) >= best:
            found = [*(found if rank == best else ()), *node[_END]]
            best, last = rank, at if finding < 0 else finding
        open_.extend(_steps(node, units, at, wild, beside, finding))
    if not found:
        return None
    _, role, side = min(found)
    sides = {other for _, said, other in found if said == role}
    if "both" in sides:
        side = "both"
    elif len(sides) > 1:
        side = "either"
    return Trigger(role, side, i, last)


def _steps(node: _Node, units: Sequence[Unit], at: int, wild: int, beside: int, finding: int) -> Iterator[_Path]:  # noqa: C901
    """Where the trie leads from a node with the unit at a position."""
    if (after := node.get("$")) is not None and is_edge(units, at):
        yield after, at, wild, beside + 1, finding
    if at >= len(units):
        return
    unit = units[at]
    if unit.finding >= 0:
        if (after := node.get(FINDING)) is not None:
            yield after, at + 1, wild, beside, at if finding < 0 else finding
        return
    if (after := node.get(unit.text)) is not None:
        yield after, at + 1, wild, beside, finding
    for word, after in node.get(_WORDS, {}).items():
        for end in _ends(_tables()[1][word], units, at):
            yield after, end, wild, beside, finding
    if (after := node.get("*")) is not None and _WORD.match(unit.text):
        yield after, at + 1, wild + 1, beside, finding
    if (after := node.get("%")) is not None and _YEAR.fullmatch(unit.text):
        yield after, at + 1, wild, beside, finding
    if (after := node.get("#")) is not None:
        for end in _numbers(units, at):
            yield after, end, wild, beside, finding


def _numbers(units: Sequence[Unit], at: int) -> Iterator[int]:
    """Where a number may end that begins at a position: `20`, `two or three`, `二十余`."""
    for i in range(at, min(at + _LONGEST_NUMBER, len(units))):
        if not (units[i].text[0].isdigit() or units[i].text in _NUMBERS):
            return
        yield i + 1


def _ends(words: _Node, units: Sequence[Unit], at: int) -> Iterator[int]:
    """Where words of a list end that begin at a position."""
    node: _Node | None = words
    while node is not None and at < len(units):
        node = node.get(units[at].text)
        at += 1
        if node is not None and _END in node:
            yield at


@cache
def _tables() -> tuple[_Node, dict[str, _Node]]:
    """The phrases of both languages, and the lists of words that they name."""
    phrases: _Node = {}
    words: dict[str, _Node] = {}
    order = itertools.count()
    for name in ("status_en.yaml", "status_zh.yaml"):
        table = yaml.load(files(__package__).joinpath(name).read_text("utf-8"), yaml.CSafeLoader)
        lists = {f"<{key}>": lines.splitlines() for key, lines in table.pop("words").items()}
        for role, sides in table.items():
            for side, lines in sides.items():
                for phrase in filter(None, itertools.chain.from_iterable(map(expand, lines.splitlines()))):
                    lists |= {unit: unit[1:-1].split("|") for unit in phrase if "|" in unit[1:]}
                    _insert(phrases, phrase, (next(order), role, side))
        for key, lines in lists.items():
            words[key] = _list_of(lines)
    return phrases, words


def _list_of(lines: Sequence[str]) -> _Node:
    root: _Node = {}
    for line in lines:
        for parts in itertools.product(*(p.split("|") if i % 2 else [p] for i, p in enumerate(_CHOICE.split(line)))):
            node = root
            for unit in _in_table(" ".join(parts)):
                node = node.setdefault(unit, {})
            if node is not root:
                node[_END] = True
    return root


def _insert(root: _Node, phrase: tuple[str, ...], said: _Said) -> None:
    node = root
    for unit in phrase:
        node = (node.setdefault(_WORDS, {}) if _is_list(unit) else node).setdefault(unit, {})
    node.setdefault(_END, []).append(said)


def _in_table(text: str) -> tuple[str, ...]:
    return tuple(_IN_TABLE.findall(text.lower()))


def _is_list(unit: str) -> bool:
    return len(unit) > 1 and unit[0] == "<"


def _choice(alternatives: list[str]) -> list[tuple[str, ...]]:
    """The alternatives of a choice, as few as possible."""
    plain = [one for one in alternatives if one.strip() and not _SPECIAL.search(one)]
    if len(plain) < _MANY:
        return [_in_table(one) for one in alternatives]
    return [(f"<{'|'.join(plain)}>",), *(_in_table(one) for one in alternatives if one not in plain)]
