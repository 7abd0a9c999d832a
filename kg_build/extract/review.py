"""Candidates on their way to a reviewer and back: JSON Lines, one candidate a line.

    candidates ──write_review──▶ file ──a person sets `accepted` and `reviewer`──▶ kg_build.sources.accepted

A line holds everything that a decision needs, and everything that the decision is checked against later: each quote
with the passage it was found in. A reviewer may delete pieces of evidence that do not carry the statement; the quotes
that stay are what the acceptance stands on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from kg_build.extract.candidates import Candidate
from kg_build.extract.statement import Statement
from ontology.errors import ClewError, Code
from ontology.model import Assertion

_Text = Annotated[str, Field(min_length=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Quote(_Strict):
    """One place where a text states it.

    Attributes:
        rule: that found it.
        confidence: in [0, 1], an order.
        status: what the text says about the thing mentioned.
        quote: the sentence.
        chunk: id of the passage.
        start: first code point of the quote in the passage.
        end: one past the last.
        passage: text of the passage.
        section: path of headings.
        document: CURIE of the document.
        source: key of the source of the document.
        references: what the document renders.
    """

    rule: str
    confidence: float
    status: str
    quote: _Text
    chunk: _Text
    start: int
    end: int
    passage: str
    section: str
    document: _Text
    source: str
    references: list[str]

    @property
    def holds(self) -> bool:
        """Whether the quote is what its passage says at its place."""
        return 0 <= self.start < self.end and self.passage[self.start : self.end] == self.quote


class Review(_Strict):
    """A candidate and what became of it.

    Attributes:
        accepted: null until somebody has decided.
        reviewer: who has decided; how to name oneself is free (`ORCID:… 2026-01-31`).
        subject: CURIE; `object` likewise.
        subject_label: its label, for people; `object_label` likewise.
        predicate: of the ontology file.
        standing: how it stood to the graph when it was extracted.
        confidence: in [0, 1], an order.
        evidence: where texts state it.
    """

    accepted: bool | None = None
    reviewer: str = ""
    subject: _Text
    subject_label: str
    predicate: _Text
    object: _Text
    object_label: str
    standing: str
    confidence: float
    evidence: list[Quote]

    @property
    def assertion(self) -> Assertion:
        """What is accepted or not."""
        return Assertion(self.subject, self.predicate, self.object)


def as_review(candidate: Candidate, labels: Mapping[str, str]) -> Review:
    """A candidate as a reviewer gets it.

    Args:
        candidate: the candidate.
        labels: of its entities.
    """
    stated = candidate.assertion
    return Review(
        subject=stated.subject,
        subject_label=labels[stated.subject],
        predicate=stated.predicate,
        object=stated.object,
        object_label=labels[stated.object],
        standing=candidate.standing,
        confidence=candidate.confidence,
        evidence=[_quote(statement) for statement in candidate.statements],
    )


def write_review(path: Path, candidates: Iterable[Candidate], labels: Mapping[str, str]) -> None:
    """Write candidates for review; a file that is there is not written over, for somebody may have reviewed it.

    Raises:
        ClewError: BAD_INPUT when the file is there, or cannot be written.
    """
    try:
        with path.open("x", encoding="utf-8") as file:
            file.writelines(as_review(candidate, labels).model_dump_json() + "\n" for candidate in candidates)
    except FileExistsError as error:
        raise ClewError(Code.BAD_INPUT, f"{path} is there already", remedy="name another file") from error
    except OSError as error:
        raise ClewError(Code.BAD_INPUT, f"{path} cannot be written: {error.strerror}") from error


def _quote(statement: Statement) -> Quote:
    evidence = statement.evidence
    return Quote(
        rule=statement.rule,
        confidence=statement.confidence,
        status=statement.status,
        quote=evidence.quote,
        chunk=statement.chunk,
        start=statement.start,
        end=statement.end,
        passage=statement.passage,
        section=statement.section,
        document=evidence.document,
        source=evidence.source,
        references=list(evidence.references),
    )
