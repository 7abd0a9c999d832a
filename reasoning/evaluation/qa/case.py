"""Questions with options, as three kinds of files have them, told apart line by line.

    multiple choice   {"id", "question", "options": {"A": …}, "answer": "A"}      (MIRAGE)
                      {"text", "options_combined", "correct_node"}                (a list within the question's text)
    true/false        {"text", "label"}; also multiple choice whose options are yes and no
    entity            {"text", "node_hits"}: which node the text names; without options

Where options stand carries no information: they are put in the order of a digest of id and option, so that an arm
never sees the file's order. Equal options are one. Options never enter a query (SEMA-RAG): a list within the text is
cut off. A line without an id has its number as id.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from string import ascii_uppercase
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, StringConstraints

from ontology.curie import digest
from ontology.errors import ClewError, Code
from ontology.reading.text import normal_form
from reasoning.evaluation.lines import read_cases
from reasoning.evaluation.record import Problem

Kind = Literal["multiple choice", "true/false", "entity"]

AFFIRMED: Final = frozenset({"true", "yes", "right", "correct", "是", "对", "正确"})
DENIED: Final = frozenset({"false", "no", "wrong", "incorrect", "否", "不是", "错", "错误", "不对"})
UNDECIDED: Final = frozenset({"maybe", "unknown", "不确定"})

_Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


@dataclass(frozen=True)
class Item:
    """A question.

    Attributes:
        id: its own, or the number of its line.
        kind: see the module's text.
        text: the question or statement, without options.
        options: in an order that says nothing; empty for the kind `entity`.
        gold: the right option, or the name of the right node.
    """

    id: str
    kind: Kind
    text: str
    options: tuple[str, ...]
    gold: str

    @property
    def guess(self) -> float:
        """Expected accuracy of guessing; nothing can be guessed without options."""
        return 1 / len(self.options) if self.options else 0.0

    def verdict(self, *, affirmed: bool) -> str:
        """The option of a true/false question that affirms, or denies."""
        words = AFFIRMED if affirmed else DENIED
        return next(option for option in self.options if normal_form(option) in words)


class _Choice(BaseModel):
    id: str | int = ""
    question: _Words
    options: dict[str, _Words]
    answer: _Words


class _Listed(BaseModel):
    id: str | int = ""
    text: _Words
    options_combined: _Words
    correct_node: _Words


class _Statement(BaseModel):
    id: str | int = ""
    text: _Words
    label: Literal["True", "False"] | bool


class _Prompt(BaseModel):
    id: str | int = ""
    text: _Words
    node_hits: _Words


def read_items(path: Path) -> Iterator[tuple[int, Item | Problem]]:
    """The questions of a file, plain or .gz, with the numbers of their lines.

    Raises:
        ClewError: BAD_INPUT, EMPTY_INPUT.
    """
    for number, item in read_cases(path, parse_item):
        yield number, item if isinstance(item, Problem) or item.id else _identified(item, str(number))


def parse_item(value: Any) -> Item:
    """The question of a line.

    Raises:
        ClewError: BAD_INPUT when it is of no known kind, or its answer is none of its options.
        ValidationError: when a field is missing or of another type.
    """
    fields = value if isinstance(value, dict) else {}
    if "options" in fields or "question" in fields:
        choice = _Choice.model_validate(value)
        if choice.answer not in choice.options:
            raise _bad(f"answer {choice.answer!r} is none of the options {', '.join(choice.options)}")
        return _with_options(choice.id, choice.question, choice.options.values(), choice.options[choice.answer])
    if "options_combined" in fields:
        listed = _Listed.model_validate(value)
        options = [option for option in map(str.strip, listed.options_combined.split(",")) if option]
        return _with_options(listed.id, _without_list(listed), options, listed.correct_node)
    if "label" in fields:
        statement = _Statement.model_validate(value)
        return _with_options(statement.id, statement.text, ("True", "False"), str(statement.label))
    if "node_hits" in fields:
        prompt = _Prompt.model_validate(value)
        return Item(str(prompt.id), "entity", prompt.text, (), prompt.node_hits)
    raise _bad("neither options, options_combined, label nor node_hits")


def _with_options(given: str | int, text: str, options: Iterable[str], gold: str) -> Item:
    unlike = {normal_form(option): option for option in options}
    if normal_form(gold) not in unlike:
        raise _bad(f"{gold!r} is none of the options")
    if not 2 <= len(unlike) <= len(ascii_uppercase):
        raise _bad(f"{len(unlike)} different options, 2 to {len(ascii_uppercase)} are read")
    decided = unlike.keys() - UNDECIDED
    verdict = decided <= AFFIRMED | DENIED and len(decided & AFFIRMED) == len(decided & DENIED) == 1
    kind: Kind = "true/false" if verdict else "multiple choice"
    return _identified(Item("", kind, text, tuple(unlike.values()), unlike[normal_form(gold)]), str(given))


def _identified(item: Item, identifier: str) -> Item:
    """The item under its id, which also decides the order of its options."""
    order = sorted(item.options, key=lambda option: digest(identifier, normal_form(option)))
    return replace(item, id=identifier, options=tuple(order))


def _without_list(listed: _Listed) -> str:
    """The text before the list of options, without the words that announce it."""
    before, found, _ = listed.text.partition(listed.options_combined)
    if not found:
        return listed.text
    asked, end, _ = before.rpartition(". ")
    if not (asked or before).strip():
        raise _bad("the text is only a list of options")
    return asked.strip() if end else before.strip()


def _bad(cause: str) -> ClewError:
    return ClewError(Code.BAD_INPUT, cause)
