"""Cases of the task `status`: texts with the status of every finding.

JSON Lines, `{"id", "text", "lang"?, "findings": [{"start", "end", "status"}]}`. Offsets are code points of the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ontology.reading.status import Status
from ontology.reading.text import language
from reasoning.evaluation.lines import read_cases
from reasoning.evaluation.record import Problem


@dataclass(frozen=True, slots=True)
class StatusCase:
    """A text and what it says of its findings.

    Attributes:
        id: of the case.
        text: the text.
        lang: BCP-47 language.
        spans: the findings, as code points.
        gold: the status of each.
    """

    id: str
    text: str
    lang: str
    spans: tuple[tuple[int, int], ...]
    gold: tuple[Status, ...]


def read_status_cases(path: Path) -> Iterator[tuple[int, StatusCase | Problem]]:
    """The cases of a file.

    Raises:
        ClewError: BAD_INPUT when the file cannot be read, EMPTY_INPUT when it holds no line.
    """
    return read_cases(path, parse_status_case)


def parse_status_case(value: Any) -> StatusCase:
    """A case from a JSON value.

    Raises:
        ValidationError: a field is missing or of the wrong kind, or offsets are outside of the text.
    """
    line = _Line.model_validate(value)
    spans = tuple((finding.start, finding.end) for finding in line.findings)
    gold = tuple(finding.status for finding in line.findings)
    return StatusCase(line.id, line.text, line.lang or language(line.text), spans, gold)


class _Finding(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    start: int = Field(ge=0)
    end: int
    status: Status


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str = Field(min_length=1)
    text: str = Field(min_length=1)
    lang: str = ""
    findings: list[_Finding] = Field(min_length=1)

    @model_validator(mode="after")
    def _within(self) -> _Line:
        for finding in self.findings:
            if not finding.start < finding.end <= len(self.text):
                raise ValueError(f"finding {finding.start}-{finding.end} of a text of {len(self.text)} code points")
        return self
