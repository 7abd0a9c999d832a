"""Candidates: what texts state, brought together by assertion and held against what the graph already says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from math import prod
from typing import Final

from kg_build.extract.asserted import Asserted, Standing
from kg_build.extract.statement import Statement
from ontology.model import Assertion

_HIGHEST: Final = 0.99


@dataclass(frozen=True, slots=True)
class Candidate:
    """An assertion that texts state and nobody has accepted.

    Attributes:
        assertion: what they state.
        standing: see `kg_build.extract.asserted`.
        confidence: 1 − Π (1 − confidence) over different sentences, at most .99: an order (our choice).
        statements: where they state it, the most confident first.
    """

    assertion: Assertion
    standing: Standing
    confidence: float
    statements: tuple[Statement, ...]


def pool(statements: Iterable[Statement], asserted: Asserted) -> list[Candidate]:
    """Bring statements together: one candidate for each assertion, best first."""
    by_assertion: dict[str, list[Statement]] = defaultdict(list)
    for statement in statements:
        by_assertion[statement.evidence.assertion.id].append(statement)
    return sorted((_candidate(stated, asserted) for stated in by_assertion.values()), key=_rank)


def _candidate(stated: list[Statement], asserted: Asserted) -> Candidate:
    once = _each_place(stated)
    assertion = once[0].evidence.assertion
    by_quote: dict[str, float] = {}
    for statement in once:
        by_quote.setdefault(statement.evidence.quote, statement.confidence)
    confidence = min(1 - prod(1 - value for value in by_quote.values()), _HIGHEST)
    standing = asserted.standing(assertion, (statement.names for statement in once))
    return Candidate(assertion, standing, round(confidence, 4), tuple(once))


def _each_place(stated: list[Statement]) -> list[Statement]:
    """The statements, best first, each sentence once; the rule that is surest of it stands."""
    ordered = sorted(stated, key=lambda s: (-s.confidence, s.evidence.record, s.rule))
    places: dict[str, Statement] = {}
    for statement in ordered:
        places.setdefault(statement.evidence.record, statement)
    return list(places.values())


def _rank(candidate: Candidate) -> tuple[float, str]:
    return -candidate.confidence, candidate.assertion.id
