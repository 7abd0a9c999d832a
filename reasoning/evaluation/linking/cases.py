"""Cases of the task `linking`: texts with annotated mentions, and names that stand for themselves.

JSON Lines, one of

    {"id", "text", "lang"?, "mentions": [{"start", "end", "ids": [CURIE], "type"?}]}
    {"id", "name", "lang"?, "ids": [CURIE], "type"?, "held_out"?: bool}

or PubTator (see `pubtator` beside this). Offsets are code points of the text. A mention without ids is one that its
annotators could not normalise: it counts for detection and not for linking.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ontology.curie import check_curie
from ontology.reading.text import language
from reasoning.evaluation.lines import read_cases
from reasoning.evaluation.linking.pubtator import read_pubtator
from reasoning.evaluation.record import Problem

_PUBTATOR: Final = (".pubtator", ".txt")


@dataclass(frozen=True, slots=True)
class GoldMention:
    """An annotated stretch of a text.

    Attributes:
        start, end: code points.
        ids: CURIEs, any of which is right; empty when the annotators had none.
        type: as the annotators call it, or empty.
    """

    start: int
    end: int
    ids: tuple[str, ...]
    type: str = ""


@dataclass(frozen=True, slots=True)
class LinkingCase:
    """A text with its mentions, or a name with what it means.

    Attributes:
        id: of the case.
        text: the text, or the name.
        lang: BCP-47 language.
        mentions: gold; for a name the one that is all of it.
        is_name: whether the whole text is meant as one entity.
        held_out: whether the linker must not know this name of its entity.
        relations: how many relations the file states of the text; they are no mentions.
    """

    id: str
    text: str
    lang: str
    mentions: tuple[GoldMention, ...]
    is_name: bool = False
    held_out: bool = False
    relations: int = 0


def read_linking_cases(path: Path) -> Iterator[tuple[int, LinkingCase | Problem]]:
    """The cases of a file; PubTator when its name ends in .PubTator or .txt (or either with .gz), else JSON Lines.

    Raises:
        ClewError: BAD_INPUT when the file cannot be read, EMPTY_INPUT when it holds no line.
    """
    name = path.name.lower().removesuffix(".gz")
    if not name.endswith(_PUBTATOR):
        yield from read_cases(path, parse_linking_case)
        return
    for number, found in read_pubtator(path):
        if isinstance(found, Problem):
            yield number, found
            continue
        mentions = tuple(GoldMention(m.start, m.end, m.ids, m.type) for m in found.mentions)
        yield number, LinkingCase(found.id, found.text, language(found.text), mentions, relations=found.relations)


def parse_linking_case(value: Any) -> LinkingCase:
    """A case from a JSON value.

    Raises:
        ValidationError: a field is missing or of the wrong kind, or offsets are outside of the text.
        ClewError: BAD_CURIE.
    """
    if isinstance(value, dict) and "name" in value:
        name = _Name.model_validate(value)
        gold = GoldMention(0, len(name.name), _curies(name.ids), name.type)
        lang = name.lang or language(name.name)
        return LinkingCase(name.id, name.name, lang, (gold,), is_name=True, held_out=name.held_out)
    text = _Text.model_validate(value)
    mentions = tuple(GoldMention(m.start, m.end, _curies(m.ids), m.type) for m in text.mentions)
    return LinkingCase(text.id, text.text, text.lang or language(text.text), mentions)


def _curies(ids: list[str]) -> tuple[str, ...]:
    return tuple(check_curie(curie) for curie in ids)


class _Tolerant(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _Mention(_Tolerant):
    start: int = Field(ge=0)
    end: int
    ids: list[str] = []
    type: str = ""


class _Text(_Tolerant):
    id: str = Field(min_length=1)
    text: str = Field(min_length=1)
    lang: str = ""
    mentions: list[_Mention]

    @model_validator(mode="after")
    def _within(self) -> _Text:
        for mention in self.mentions:
            if not mention.start < mention.end <= len(self.text):
                raise ValueError(f"mention {mention.start}-{mention.end} of a text of {len(self.text)} code points")
        return self


class _Name(_Tolerant):
    id: str = Field(min_length=1)
    name: str = Field(min_length=1, pattern=r"\S")
    lang: str = ""
    ids: list[str] = Field(min_length=1)
    type: str = ""
    held_out: bool = False
