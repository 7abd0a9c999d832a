"""Sections of a clinical note in English and Chinese: where each begins, and what kind it is.

A heading is a phrase of the table where a heading can stand:

* at the beginning of a line, numbered or marked or not, followed by a colon, by a dash with a blank, or by the
  end of the line (`HPI:`, `## Plan`, `一、主诉：`, `既往史　高血压`);
* anywhere in brackets (`【主诉】`);
* within a line after the end of a sentence or a blank, with a colon, when the phrase begins with a capital
  letter or is Chinese (`PMH: HTN. FH: stroke.`, `主诉：发热3天。现病史：…`).

Prose that contains the words is no heading (`his family history is`, `否认家族史`). The rules
are our own; the phrases are in `sections.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final, Literal

import yaml
from pydantic import BaseModel, ConfigDict

from ontology.reading.codes import CJK
from ontology.reading.width import narrow

Kind = Literal[
    "",
    "chief_complaint",
    "present_illness",
    "past_history",
    "family_history",
    "personal_history",
    "medications",
    "allergies",
    "review_of_systems",
    "vital_signs",
    "examination",
    "tests",
    "assessment",
    "plan",
    "course",
    "instructions",
]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a note.

    Attributes:
        kind: what is told in it; empty before the first heading.
        heading: the phrase as it is written, without its number, brackets and colon; empty before the first.
        start: first code point of the heading with its number or bracket, on the untouched text.
        end: one past the last code point, where the next section starts.
        body: first code point after the heading, its colon and the blanks that follow; `end` when nothing does.
    """

    kind: Kind
    heading: str
    start: int
    end: int
    body: int


def find_sections(text: str) -> list[Section]:
    """The sections in order, without overlap; together they are the whole text, in linear time."""
    plain = narrow(text)
    sections: list[Section] = []
    end = len(text)
    for heading in reversed(list(_headings(plain))):
        body = _skip_blanks(plain, heading.end, end)
        kind = _table().kinds[_key(heading.name(plain))]
        sections.append(Section(kind, heading.name(text), heading.start, end, body))
        end = heading.start
    if end:
        sections.append(Section("", "", 0, end, 0))
    return sections[::-1]


@dataclass(frozen=True, slots=True)
class _Heading:
    start: int
    name_start: int
    name_end: int
    end: int

    def name(self, text: str) -> str:
        return text[self.name_start : self.name_end]


def _headings(plain: str) -> Iterator[_Heading]:
    """Headings in order, without overlap."""
    for line in _LINE.finditer(plain):
        floor, stop = line.span()
        first = _at_line_start(plain, floor, stop)
        if first is not None:
            yield first
            floor = first.end
        for sign in _WITHIN.finditer(plain, floor, stop):
            heading = _in_brackets(sign) if sign["name"] else _before_colon(plain, floor, sign)
            if heading is not None and heading.start >= floor:
                yield heading
                floor = heading.end


def _at_line_start(plain: str, start: int, stop: int) -> _Heading | None:
    """The heading that a line begins with."""
    marks = _MARKS.match(plain, start, stop)
    name_start = marks.end() if marks else start
    end = _AFTER_NAME.search(plain, name_start, min(stop, name_start + _LONGEST))
    if end is None:
        return None
    name = plain[name_start : end.start()]
    if _key(name) not in _table().kinds or not _may_end_here(name, end):
        return None
    return _Heading(_skip_blanks(plain, start, stop), name_start, end.start(), end.end())


def _in_brackets(sign: re.Match[str]) -> _Heading | None:
    if _key(sign["name"]) not in _table().kinds:
        return None
    return _Heading(sign.start(), *sign.span("name"), sign.end())


def _before_colon(plain: str, floor: int, colon: re.Match[str]) -> _Heading | None:
    """The heading before a colon within a line: since the last stop, or else since the last blank or comma."""
    window = max(floor, colon.start() - _LONGEST)
    piece = plain[window : colon.start()]
    since_stop = window + 1 + max(piece.rfind(stop) for stop in _STOPS)
    marks = _MARKS.match(plain, since_stop, colon.start())
    name_start = marks.end() if marks else since_stop
    name = plain[name_start : colon.start()]
    if since_stop > window and _key(name) in _table().kinds and not name[:1].islower():
        return _Heading(_skip_blanks(plain, since_stop, colon.start()), name_start, colon.start(), colon.end())
    name_start = window + 1 + max(piece.rfind(" "), piece.rfind(","), piece.rfind("\t"), since_stop - window - 1)
    name = plain[name_start : colon.start()]
    if name_start > window and name in _table().within_sentence:
        return _Heading(name_start, name_start, colon.start(), colon.end())
    return None


def _may_end_here(name: str, end: re.Match[str]) -> bool:
    """Whether a heading at the beginning of a line may end so.

    Without a colon an abbreviation has to be in the capitals of the table; everyday words in Chinese need a wide
    blank.
    """
    blank = end["blank"]
    if blank:
        return name not in _table().everyday or len(blank) > 1 or blank in "\t\u3000"
    return ":" in end[0] or not name.isascii() or name in _table().short or _key(name) in _table().phrases


def _skip_blanks(text: str, start: int, end: int) -> int:
    while start < end and text[start].isspace():
        start += 1
    return start


def _key(name: str) -> str:
    return " ".join(name.lower().split())


class _Phrases(BaseModel):
    """The headings of one kind, as `sections.yaml` explains."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    short: list[str]
    en: list[str]
    zh: list[str]


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    headings: dict[Kind, _Phrases]
    everyday: list[str]


@dataclass(frozen=True)
class _Table:
    """What phrases mean: by key all of them, and those that count as they are written."""

    kinds: dict[str, Kind]
    short: frozenset[str]
    phrases: frozenset[str]
    everyday: frozenset[str]
    within_sentence: frozenset[str]


@cache
def _table() -> _Table:
    text = files("ontology.reading").joinpath("sections.yaml").read_text(encoding="utf-8")
    file = _File.model_validate(yaml.load(text, yaml.CSafeLoader))
    rows = file.headings.items()
    short = frozenset(name for _, row in rows for name in row.short)
    chinese = frozenset(name for _, row in rows for name in row.zh)
    return _Table(
        kinds={_key(name): kind for kind, row in rows for name in (*row.short, *row.en, *row.zh)},
        short=short,
        phrases=frozenset(_key(name) for _, row in rows for name in row.en),
        everyday=frozenset(file.everyday),
        within_sentence=(short | chinese) - frozenset(file.everyday),
    )


_LONGEST: Final = 48
"""No heading with its number and blanks is longer."""

_STOPS: Final = "。;；.!?"
_LINE: Final = re.compile(r"[^\r\n\u2028\u2029]+")
_MARKS: Final = re.compile(
    r"\ufeff?\s{0,16}(?:[#>*•·-]{1,6}\s{0,3}|\(?(?:[0-9]{1,2}|[一二三四五六七八九十]{1,3}|[IVX]{1,4})[).、]\s{0,3}){0,2}"
)
_AFTER_NAME: Final = re.compile(
    r"\s{0,3}\*{0,2}\s{0,3}:\*{0,2}|\s{1,3}[-–—]{1,2}(?=\s|\Z)|[-–—]{1,2}(?=\s)|[–—]{1,2}|"
    rf"\s{{0,3}}\*{{0,2}}\s{{0,3}}\Z|(?P<blank>(?<=[{CJK}])\s{{1,4}}(?=\S))"
)
_WITHIN: Final = re.compile(r"[【\[〖]\s?(?P<name>[^】\]〖【\[:]{1,40}?)\s?[】\]〗]\s?:?|\s?:")
