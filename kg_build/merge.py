"""Why two entities are one or not: everything the release holds on the question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import pyarrow.compute as pc

from kg_build.identity import CONCEPT_VOCABULARIES, NAME_KINDS
from kg_build.release import Release, rows
from ontology.errors import ClewError, Code
from ontology.reading.text import normal_form
from ontology.schema import load_domain

Verdict = Literal["same", "not the same", "not stated"]


@dataclass(frozen=True)
class Statement:
    """One row of evidence on the identity of the pair; `negated` when it says that they are not the same."""

    negated: bool
    source: str
    references: tuple[str, ...]
    record: str
    agent_type: str
    quote: str


@dataclass(frozen=True)
class MergeReport:
    """What speaks for and against two entities being one.

    Attributes:
        one: CURIE, `other` likewise.
        labels: their labels, in that order.
        types: their types.
        verdict: `same` when a `same_as` assertion stands and no negative one does.
        statements: the evidence of `same_as` between exactly these two.
        shared_names: label and exact names of both, by normal form.
        shared_codes: concept codes of third vocabularies that both carry.
        reasons: why nothing is stated, in words; empty when something is.
    """

    one: str
    other: str
    labels: tuple[str, str]
    types: tuple[str, str]
    verdict: Verdict
    statements: tuple[Statement, ...]
    shared_names: tuple[str, ...]
    shared_codes: tuple[str, ...]
    reasons: tuple[str, ...]


def explain_merge(release: Release, one: str, other: str) -> MergeReport:
    """Collect everything a release holds on whether two entities are the same.

    Raises:
        ClewError: UNKNOWN_ENTITY, BAD_INPUT (the same id twice), CORRUPT_RELEASE.
    """
    if one == other:
        raise ClewError(Code.BAD_INPUT, f"both are {one}", remedy="name two different entities")
    known = _select(release, "entity", "id", (one, other), "id", "label", "type")
    described = {row[0]: row for row in known}
    for curie in (one, other):
        if curie not in described:
            raise ClewError(Code.UNKNOWN_ENTITY, f"{curie} is not in the release")
    types = (described[one][2], described[other][2])
    statements = _statements(release, one, other)
    names, codes = _shared_names(release, one, other), _shared_codes(release, one, other)
    return MergeReport(
        one=one,
        other=other,
        labels=(described[one][1], described[other][1]),
        types=types,
        verdict=_verdict(statements),
        statements=statements,
        shared_names=names,
        shared_codes=codes,
        reasons=() if statements else _reasons(one, other, types, names, codes),
    )


def _verdict(statements: tuple[Statement, ...]) -> Verdict:
    if any(statement.negated for statement in statements):
        return "not the same"
    return "same" if statements else "not stated"


def _statements(release: Release, one: str, other: str) -> tuple[Statement, ...]:
    pairs = _select(release, "assertion", "subject", (one, other), "id", "predicate", "subject", "object", "negated")
    negated = {i: flag for i, predicate, s, o, flag in pairs if predicate == "same_as" and {s, o} == {one, other}}
    if not negated:
        return ()
    columns = ("assertion", "source", "references", "record", "agent_type", "quote")
    found = _select(release, "evidence", "assertion", tuple(negated), *columns)
    return tuple(
        Statement(negated[assertion], source, tuple(references), record, agent, quote)
        for assertion, source, references, record, agent, quote in found
    )


def _shared_names(release: Release, one: str, other: str) -> tuple[str, ...]:
    found = _select(release, "name", "entity", (one, other), "entity", "text", "kind")
    forms: dict[str, set[str]] = {one: set(), other: set()}
    for entity, text, kind in found:
        if kind in NAME_KINDS:
            forms[entity].add(normal_form(text))
    return tuple(sorted(forms[one] & forms[other]))


def _shared_codes(release: Release, one: str, other: str) -> tuple[str, ...]:
    codes: dict[str, set[str]] = {one: set(), other: set()}
    for subject, code in _select(release, "mapping", "subject", (one, other), "subject", "object"):
        if code.partition(":")[0] in CONCEPT_VOCABULARIES:
            codes[subject].add(code)
    return tuple(sorted(codes[one] & codes[other]))


def _reasons(
    one: str, other: str, types: tuple[str, str], names: tuple[str, ...], codes: tuple[str, ...]
) -> tuple[str, ...]:
    reasons = []
    if types[0] != types[1]:
        reasons.append(f"they are of different types ({types[0]}, {types[1]}): names never bridge types")
    elif (types[0], types[1]) not in load_domain().predicates["same_as"].ends:
        reasons.append(f"the ontology states no identity between things of type {types[0]}")
    if one.partition(":")[0] == other.partition(":")[0]:
        reasons.append("they are of one vocabulary, which keeps them apart")
    if not names:
        reasons.append("they share no label or exact synonym")
    if not codes:
        reasons.append("they share no concept code")
    if names or codes:
        reasons.append("what they share is not theirs alone: other entities of their vocabularies have it too")
    return tuple(reasons)


def _select(release: Release, table: str, column: str, wanted: tuple[str, ...], *columns: str) -> list[tuple[Any, ...]]:
    """The rows of a table whose column is one of the wanted values."""
    read = release.table(table, sorted({column, *columns}))
    chosen = read.filter(pc.field(column).isin(list(wanted)))
    return list(rows(chosen, *columns))
