"""A statement: one place where a text says something, before anybody has looked at it."""

from __future__ import annotations

from dataclasses import dataclass

from ontology.model import Evidence
from ontology.reading.status import Status


@dataclass(frozen=True, slots=True)
class Statement:
    """One place where a text states something.

    Attributes:
        evidence: with what it supports; its quote is the sentence, its record the passage and where in it.
        rule: `section symptoms`, `pattern cause`, …
        confidence: in [0, 1], an order.
        start: first code point of the sentence in the passage.
        end: one past the last.
        status: what the text says about the thing mentioned.
        section: path of headings.
        passage: text of the passage.
        chunk: its id.
        names: how the text names the two ends.
    """

    evidence: Evidence
    rule: str
    confidence: float
    start: int
    end: int
    status: Status
    section: str
    passage: str
    chunk: str
    names: tuple[str, str]
