"""What two names say that cannot be said of one thing: numbers, letters, opposites, ages.

An encoder of meaning hardly sees them: type I and type II, hyper- and hypo-, acute and chronic lie close together.
The lists are short and our choice; they read English and Chinese alike, so that names compare across languages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from ontology.reading.text import normal_form

_OPPOSITES: Final[tuple[dict[str, str], ...]] = (
    {"acute": r"\bacute|急性", "chronic": r"\bchronic|慢性"},
    {"congenital": r"\bcongenital|\bhereditary|\bfamilial|先天|遗传|家族", "acquired": r"\bacquired|获得性|后天"},
    {"primary": r"\bprimary|原发", "secondary": r"\bsecondary|继发"},
    {"benign": r"\bbenign|良性", "malignant": r"\bmalign|cancer|carcinoma|sarcoma|恶性|癌|肉瘤"},
    {
        "high": r"hyper|\bhigh|\belevated|\bincreased|高|增多|增加|增强|过多|亢进",
        "low": r"hypo(?!th[ae]lam|phys|chondr|spad|gastr)|penia\b|\blow|\bdecreased|\breduced|deficien"
        r"|低|减少|减弱|过少|减退|缺乏|不足",
    },
    {"left": r"\bleft|左", "right": r"\bright|右"},
    {"male": r"\bmale|男", "female": r"\bfemale|女"},
    {"focal": r"\bfocal|\bpartial|局灶|部分", "general": r"\bgenerali[sz]ed|全身|泛发|全面"},
)
_AGES: Final[dict[str, str]] = {
    "birth": r"neonat|newborn|新生儿",
    "childhood": r"infan|child|juvenil|adolesc|p(?:a)?ediatric|小儿|儿童|婴|幼|少年",
    "adulthood": r"\badult|成人|成年",
    "old age": r"senil|elder|老年",
    "pregnancy": r"gestat|pregn|妊娠|孕",
}
_ARABIC: Final = re.compile(r"\d+(?:\.\d+)?")
_ROMAN: Final = re.compile(r"(?<![a-z0-9])x?(?:ix|iv|v?i{1,3}|v)(?![a-z0-9])")  # a plain X is the chromosome
_CHINESE: Final = re.compile(r"([一二三四五六七八九十])(?=[型期度级类号])|第([一二三四五六七八九十])")
_LETTER: Final = re.compile(
    r"(?:(?<![a-z])ig|\b(?:type|group|hepatitis|influenza|h(?:a)?emophilia|vitamin) )([a-g]|m)(?![a-z])"
    r"|(?<![a-z])([a-g])型|([甲乙丙丁戊])型"
)
_VALUES: Final = {"i": 1, "v": 5, "x": 10}
_DIGITS: Final = "一二三四五六七八九十"
_STEMS: Final = dict(zip("甲乙丙丁戊", "abcde", strict=True))


def contradictions(one: str, other: str) -> list[str]:
    """What the two names say that does not go together, in words; nothing when they may name one thing."""
    one, other = normal_form(one), normal_form(other)
    found = []
    if (mine := _numbers(one)) != (theirs := _numbers(other)):
        found.append(f"the numbers differ ({_listed(mine)} and {_listed(theirs)})")
    for mine, theirs in [
        (_letters(one), _letters(other)),
        *((_said(words, one), _said(words, other)) for words in _OPPOSITES),
    ]:
        if mine and theirs and not mine & theirs:
            found.append(f"one says {_listed(mine)}, the other {_listed(theirs)}")
    return found + other_ages(one, other)


def other_ages(one: str, other: str) -> list[str]:
    """In words, that the two names do not speak of the same ages; nothing when they do, or neither speaks of any."""
    mine, theirs = (_said(_AGES, normal_form(name)) for name in (one, other))
    return [f"they speak of different ages ({_listed(mine)} and {_listed(theirs)})"] if mine != theirs else []


def _numbers(name: str) -> set[str]:
    """The numbers of a name, Roman and Chinese ones as Arabic."""
    numbers = {match.group() for match in _ARABIC.finditer(name)}
    numbers |= {str(_roman(match.group())) for match in _ROMAN.finditer(name)}
    return numbers | {str(_DIGITS.index(m[1] or m[2]) + 1) for m in _CHINESE.finditer(name)}


def _roman(text: str) -> int:
    values = [_VALUES[letter] for letter in text]
    return sum(-value if value < max(values[i:]) else value for i, value in enumerate(values))


def _letters(name: str) -> set[str]:
    """The letters that tell kinds apart (IgA, hepatitis B, 乙型), in Latin."""
    return {m[1] or m[2] or _STEMS[m[3]] for m in _LETTER.finditer(name)}


def _said(words: Mapping[str, str], name: str) -> set[str]:
    return {word for word, pattern in words.items() if re.search(pattern, name)}


def _listed(words: set[str]) -> str:
    return ", ".join(sorted(words)) or "none"
