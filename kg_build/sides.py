"""The conflicts of a release with both sides: who says what, on which evidence, and the Cypher that shows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from kg_build.conflicts import KINDS, Conflict, Kind, find_conflicts
from kg_build.release import Release, rows
from kg_build.store.evidence import EvidenceRow
from ontology.errors import ClewError, Code, nearest
from ontology.render import literal
from ontology.schema import load_domain


@dataclass(frozen=True, slots=True)
class Side:
    """One of the statements of a conflict.

    Attributes:
        assertion: its id.
        subject: CURIE; `subject_label` beside it.
        predicate: as the ontology file names it.
        object: CURIE; `object_label` beside it.
        negated: whether it denies.
        evidence: the rows that are in conflict, by id.
    """

    assertion: str
    subject: str
    subject_label: str
    predicate: str
    object: str
    object_label: str
    negated: bool
    evidence: tuple[EvidenceRow, ...]


@dataclass(frozen=True, slots=True)
class Dispute:
    """A conflict with its sides, what is said for it first, and the statement that returns it from the store."""

    conflict: Conflict
    sides: tuple[Side, ...]
    cypher: str


@dataclass(frozen=True, slots=True)
class Disputes:
    """Conflicts of a release.

    Attributes:
        counts: how many there are of each kind, of those asked for.
        shown: the first of them.
    """

    counts: Mapping[str, int]
    shown: tuple[Dispute, ...]


def read_disputes(
    release: Release, *, kind: str | None = None, entity: str | None = None, limit: int | None = None
) -> Disputes:
    """The conflicts of a release.

    Args:
        release: where they are looked for.
        kind: only these, one of `kg_build.conflicts.KINDS`.
        entity: only those one of whose statements is about this CURIE.
        limit: how many to show at most; all are counted.

    Raises:
        ClewError: BAD_INPUT (kind), UNKNOWN_ENTITY, CORRUPT_RELEASE.
    """
    if kind is not None and kind not in KINDS:
        raise ClewError(Code.BAD_INPUT, f"unknown kind of conflict {kind!r}", choices=KINDS)
    labels = dict(rows(release.table("entity", ["id", "label"]), "id", "label"))
    if entity is not None and entity not in labels:
        raise ClewError(Code.UNKNOWN_ENTITY, f"{entity} is not in the release", choices=nearest(entity, labels))
    assertion, evidence = release.table("assertion"), release.table("evidence")
    found = [c for c in find_conflicts(assertion, evidence, load_domain()) if kind in (None, c.kind)]
    stated = _by_id(assertion, (identifier for conflict in found for identifier in conflict.assertions))
    if entity is not None:
        found = [c for c in found if any(entity in (stated[i]["subject"], stated[i]["object"]) for i in c.assertions)]
    shown = found[:limit]
    cited = _evidence(evidence, {identifier for conflict in shown for identifier in conflict.assertions})
    disputes = tuple(
        Dispute(c, tuple(_side(stated[i], cited[i], c.evidence, labels) for i in c.assertions), conflict_cypher(c))
        for c in shown
    )
    counts = Counter[Kind](conflict.kind for conflict in found)
    return Disputes({name: counts[name] for name in KINDS if counts[name]}, disputes)


def conflict_cypher(conflict: Conflict) -> str:
    """The statement that returns a conflict with the evidence of both sides from the store."""
    one, other = conflict.assertions[0], conflict.assertions[-1]
    returned = [f"{row}.{name}" for row in "ef" for name in ("source", "references", "frequency", "quote")]
    return (
        f"MATCH (a:Assertion {{id: {literal(one)}}})-[c:CONFLICTS_WITH]->(b:Assertion {{id: {literal(other)}}}), "
        "(a)-[:HAS_EVIDENCE]->(e:Evidence), (b)-[:HAS_EVIDENCE]->(f:Evidence) "
        f"RETURN c.kind, c.detail, {', '.join(returned)}"
    )


def _side(
    stated: Mapping[str, Any], cited: Iterable[EvidenceRow], disputed: Collection[str], labels: Mapping[str, str]
) -> Side:
    return Side(
        assertion=stated["id"],
        subject=stated["subject"],
        subject_label=labels[stated["subject"]],
        predicate=stated["predicate"],
        object=stated["object"],
        object_label=labels[stated["object"]],
        negated=stated["negated"],
        evidence=tuple(row for row in cited if not disputed or row.id in disputed),
    )


def _evidence(evidence: pa.Table, assertions: Collection[str]) -> dict[str, list[EvidenceRow]]:
    columns = [item.name for item in fields(EvidenceRow)]
    chosen = evidence.select(columns).filter(_among(evidence["assertion"], assertions))
    found: dict[str, list[EvidenceRow]] = {identifier: [] for identifier in assertions}
    for row in chosen.to_pylist():
        found[row["assertion"]].append(EvidenceRow(**row))
    return found


def _by_id(assertion: pa.Table, wanted: Iterable[str]) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in assertion.filter(_among(assertion["id"], wanted)).to_pylist()}


def _among(column: pa.ChunkedArray, values: Iterable[str]) -> pa.ChunkedArray:
    return pc.is_in(column, value_set=pa.array(sorted(set(values)), pa.string()))
