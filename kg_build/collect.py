"""Collecting: records become the canonical tables, checked against the ontology on the way.

Every record is checked as it comes in or at the end; what cannot stay is dropped with a reason and counted,
so that the graph as a whole reconciles as its sources do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

import pyarrow as pa

from kg_build.reconcile import Tally
from kg_build.release import TABLES
from kg_build.sources.contract import Record, Source
from ontology.curie import is_curie
from ontology.document import Chunk, Document, Mention
from ontology.errors import ClewError
from ontology.model import Entity, Evidence, Name
from ontology.model import Mapping as TermMapping
from ontology.schema import Domain

SORT_KEYS: Final[dict[str, list[str]]] = {
    "entity": ["id"],
    "name": ["entity", "lang", "text", "kind", "source", "reference"],
    "assertion": ["id"],
    "evidence": ["id"],
    "mapping": ["subject", "predicate", "object", "source", "justification"],
    "document": ["id"],
    "chunk": ["document", "ordinal"],
    "mention": ["chunk", "start", "end", "entity"],
}
"""The columns that put each table in its one order."""


_Row = tuple[Any, ...]


@dataclass
class Collector:
    """Gathers the records of all sources.

    Assertions and evidence are kept as rows of their tables: a million records as objects would take twice the
    memory.

    Attributes:
        domain: the ontology file.
        sources: by key, for the release and licence that every evidence row carries.
        tally: the balance of the graph as a whole (`entity`, `name`, `evidence`, …).
    """

    domain: Domain
    sources: Mapping[str, Source]
    tally: Tally = field(default_factory=lambda: Tally("graph"))
    entities: dict[str, Entity] = field(default_factory=dict)
    names: set[Name] = field(default_factory=set)
    assertions: dict[str, _Row] = field(default_factory=dict)
    evidence: dict[str, _Row] = field(default_factory=dict)
    mappings: set[TermMapping] = field(default_factory=set)
    documents: dict[str, Document] = field(default_factory=dict)
    chunks: dict[str, Chunk] = field(default_factory=dict)
    mentions: set[Mention] = field(default_factory=set)

    def add(self, records: Iterable[Record | Mention]) -> None:
        """Take records in; the first record of an id stands."""
        for record in records:
            match record:
                case Evidence():
                    self._add_evidence(record)
                case Entity():
                    self._add_entity(record)
                case Name():
                    self._keep_in("name", self.names, record)
                case TermMapping():
                    self._keep_in("mapping", self.mappings, record)
                case Document():
                    self._keep("document", self.documents, record.id, record)
                case Chunk():
                    self._keep("chunk", self.chunks, record.id, record)
                case Mention():
                    self._keep_in("mention", self.mentions, record)

    def settle(self) -> None:
        """Drop what refers to things that are not there or that the ontology does not allow."""
        self._drop_where("name", self.names, lambda n: "" if n.entity in self.entities else "of no entity")
        self._drop_where("mapping", self.mappings, lambda m: "" if m.subject in self.entities else "of no entity")
        for orphan in [c.id for c in self.chunks.values() if c.document not in self.documents]:
            del self.chunks[orphan]
            self.tally.kept_rows["chunk"] -= 1
            self.tally.dropped("chunk", "of no document")
        faults = {row[0]: reason for row in self.assertions.values() if (reason := self._fault(row))}
        for identifier in [row[0] for row in self.evidence.values() if row[1] in faults]:
            gone = self.evidence.pop(identifier)
            self.tally.kept_rows["evidence"] -= 1
            self.tally.dropped("evidence", faults[gone[1]], example=f"{gone[2]}: {gone[6]}")
        for assertion in faults:
            del self.assertions[assertion]

    def tables(self) -> dict[str, pa.Table]:
        """The canonical tables, sorted."""
        rows: dict[str, Iterable[_Row]] = {
            "entity": map(_values, self.entities.values()),
            "name": map(_values, self.names),
            "assertion": self.assertions.values(),
            "evidence": self.evidence.values(),
            "mapping": map(_values, self.mappings),
            "document": map(_values, self.documents.values()),
            "chunk": map(_values, self.chunks.values()),
            "mention": map(_values, self.mentions),
        }
        return {name: make_table(name, values) for name, values in rows.items()}

    def denied_identities(self) -> set[frozenset[str]]:
        """Pairs that some source says are not the same."""
        rows = (row for row in self.assertions.values() if row[2] == "same_as" and row[4])
        return {frozenset((row[1], row[3])) for row in rows}

    def _add_evidence(self, evidence: Evidence) -> None:
        self.tally.read("evidence")
        evidence = self._oriented(evidence)
        if evidence.id in self.evidence:
            self.tally.dropped("evidence", "same id again")
            return
        assertion = evidence.assertion
        known = self.assertions.get(assertion.id)
        if known is None:
            self.assertions[assertion.id] = known = (
                assertion.id, assertion.subject, assertion.predicate, assertion.object, assertion.negated,
                assertion.qualifier_text,
            )  # fmt: skip
        self.evidence[evidence.id] = _evidence_row(evidence, known[0], self.sources[evidence.source])
        self.tally.kept("evidence")

    def _oriented(self, evidence: Evidence) -> Evidence:
        """A symmetric statement has one direction, so that its evidence from all sources comes together."""
        stated = evidence.assertion
        predicate = self.domain.predicates.get(stated.predicate)
        if predicate is None or not predicate.symmetric or stated.subject <= stated.object:
            return evidence
        return replace(evidence, assertion=replace(stated, subject=stated.object, object=stated.subject))

    def _add_entity(self, entity: Entity) -> None:
        self.tally.read("entity")
        known = self.entities.get(entity.id)
        if not is_curie(entity.id):
            self.tally.dropped("entity", "id is not a CURIE")
        elif known is not None:
            reason = "same id again" if known.type == entity.type else "id already stands for another type"
            self.tally.dropped("entity", reason)
        else:
            self._admit(entity)

    def _admit(self, entity: Entity) -> None:
        """Take an entity in if the ontology has its type."""
        try:
            self.domain.check_type(entity.type)
        except ClewError as error:
            self.tally.dropped("entity", error.cause, example=f"{entity.source}: {entity.id} {entity.label}")
        else:
            self.entities[entity.id] = entity
            self.tally.kept("entity")

    def _keep(self, kind: str, table: dict[str, Any], key: str, record: Any) -> None:
        self.tally.read(kind)
        if key in table:
            self.tally.dropped(kind, "same id again")
        else:
            table[key] = record
            self.tally.kept(kind)

    def _keep_in(self, kind: str, table: set[Any], record: Any) -> None:
        self.tally.read(kind)
        if record in table:
            self.tally.dropped(kind, "said twice")
        else:
            table.add(record)
            self.tally.kept(kind)

    def _drop_where(self, kind: str, table: set[Any], fault: Any) -> None:
        for record, reason in [(r, f) for r in table if (f := fault(r))]:
            table.remove(record)
            self.tally.kept_rows[kind] -= 1
            self.tally.dropped(kind, reason)

    def _fault(self, row: _Row) -> str:
        """Why an assertion cannot stay; empty when it can."""
        _, subject_id, predicate, object_id, *_ = row
        subject, object_ = self.entities.get(subject_id), self.entities.get(object_id)
        if subject is None or object_ is None:
            return f"{predicate}: {'subject' if subject is None else 'object'} is not in the graph"
        try:
            self.domain.check_statement(subject.type, predicate, object_.type)
        except ClewError as error:
            return error.cause
        return ""


def make_table(name: str, rows: Iterable[_Row]) -> pa.Table:
    """A canonical table from rows in the schema's column order, sorted."""
    schema = TABLES[name]
    rows = list(rows)
    arrays = [pa.array([row[i] for row in rows], type=f.type) for i, f in enumerate(schema)]
    table = pa.Table.from_arrays(arrays, schema=schema)
    return table.sort_by([(key, "ascending") for key in SORT_KEYS[name]])


def _values(record: Any) -> _Row:
    return tuple(getattr(record, f.name) for f in fields(record))


def _evidence_row(e: Evidence, assertion: str, source: Source) -> _Row:
    return (
        e.id, assertion, e.source, source.release, source.licence, e.references, e.record, e.code,
        e.knowledge_level, e.agent_type, e.quote, e.document, e.frequency, e.onset, e.sex, e.modifiers, e.agent,
    )  # fmt: skip
