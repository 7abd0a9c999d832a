"""Records as rows: what a reader yields becomes tables, checked one record at a time.

Rows go into Arrow tables in batches: a million records as objects would take many times the memory. Evidence stands
in one table with the assertion that it supports (`statement`); `kg_build.collect` takes the two apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final

import numpy as np
import pyarrow as pa

from kg_build.reconcile import Tally
from kg_build.release import TABLES
from kg_build.sources.contract import Record, Source
from ontology.curie import is_curie
from ontology.document import Chunk, Document
from ontology.errors import ClewError
from ontology.model import Entity, Evidence, Gloss, Name
from ontology.model import Mapping as TermMapping
from ontology.schema import Domain

_STATED: Final = ("subject", "predicate", "object", "negated", "qualifiers")

RECORD_TABLES: Final[dict[str, pa.Schema]] = {
    "entity": TABLES["entity"],
    "name": TABLES["name"],
    "gloss": TABLES["gloss"],
    "statement": pa.schema([*TABLES["evidence"], *(TABLES["assertion"].field(name) for name in _STATED)]),
    "mapping": TABLES["mapping"],
    "document": TABLES["document"],
    "chunk": TABLES["chunk"],
}
"""The tables that records become: columns as in the canonical tables, evidence and its assertion in one row."""

_KINDS: Final[dict[type, str]] = {
    Entity: "entity",
    Name: "name",
    Gloss: "gloss",
    TermMapping: "mapping",
    Document: "document",
    Chunk: "chunk",
}
_FIELDS: Final = {kind: tuple(f.name for f in fields(kind)) for kind in _KINDS}
_BATCH: Final = 1 << 16
_NOT_TEXT: Final = "holds characters that are no text (half of a surrogate pair)"
_NO_ROW: Final = (UnicodeEncodeError, pa.ArrowInvalid, pa.ArrowTypeError, OverflowError)

_Row = tuple[Any, ...]


@dataclass(frozen=True)
class RecordTables:
    """Records as tables.

    Attributes:
        tables: by name, see `RECORD_TABLES`.
        rows_of_records: what became of the records so far, as plain values; what is kept is known after collecting.
    """

    tables: Mapping[str, pa.Table]
    rows_of_records: list[dict[str, Any]]

    def table(self, name: str) -> pa.Table:
        """One of the tables."""
        return self.tables[name]


class Recorder:
    """Turns records into rows.

    Args:
        domain: the ontology file.
        source: the one they come from; its release and licence stand on every row of evidence.
    """

    def __init__(self, domain: Domain, source: Source) -> None:
        self._domain = domain
        self._source = source
        self._tally = Tally("graph")
        self._rows: dict[str, list[_Row]] = {name: [] for name in RECORD_TABLES}
        self._batches: dict[str, list[pa.RecordBatch]] = {name: [] for name in RECORD_TABLES}

    def add(self, records: Iterable[Record]) -> None:
        """Take records in."""
        for record in records:
            if isinstance(record, Evidence):
                self._add_evidence(record)
                continue
            kind = _KINDS[type(record)]
            self._tally.read(kind)
            if not isinstance(record, Entity) or self._admits(record):
                self._append(kind, _values(record))

    def finish(self) -> RecordTables:
        """The rows in the order in which they came; a row of evidence that came twice stands once."""
        for name in RECORD_TABLES:
            self._flush(name)
        found = {name: pa.Table.from_batches(self._batches[name], schema) for name, schema in RECORD_TABLES.items()}
        statement = first_rows(found["statement"], "id")
        if again := found["statement"].num_rows - statement.num_rows:
            self._tally.dropped("evidence", "same id again", again)
        return RecordTables({**found, "statement": statement}, self._tally.as_list())

    def _add_evidence(self, evidence: Evidence) -> None:
        self._tally.read("evidence")
        named = f"{evidence.source}: {evidence.record!a}"
        if evidence.source != self._source.key:
            self._tally.dropped("evidence", f"does not name {self._source.key} as its source", example=named)
            return
        try:
            self._append("statement", self._statement(self._oriented(evidence)))
        except UnicodeEncodeError:
            self._tally.dropped("evidence", _NOT_TEXT, example=named)

    def _statement(self, evidence: Evidence) -> _Row:
        stated, source = evidence.assertion, self._source
        return (
            evidence.id, stated.id, evidence.source, source.release, source.licence, evidence.references,
            evidence.record, evidence.code, evidence.knowledge_level, evidence.agent_type, evidence.quote,
            evidence.document, evidence.frequency, evidence.onset, evidence.sex, evidence.modifiers, evidence.agent,
            stated.subject, stated.predicate, stated.object, stated.negated, stated.qualifier_text,
        )  # fmt: skip

    def _oriented(self, evidence: Evidence) -> Evidence:
        """A symmetric statement has one direction, so that its evidence from all sources comes together."""
        stated = evidence.assertion
        predicate = self._domain.predicates.get(stated.predicate)
        if predicate is None or not predicate.symmetric or stated.subject <= stated.object:
            return evidence
        return replace(evidence, assertion=replace(stated, subject=stated.object, object=stated.subject))

    def _admits(self, entity: Entity) -> bool:
        fault = "" if is_curie(entity.id) else "id is not a CURIE"
        try:
            self._domain.check_type(entity.type)
        except ClewError as error:
            fault = fault or error.cause
        if fault:
            self._tally.dropped("entity", fault, example=f"{entity.source}: {entity.id} {entity.label}")
        return not fault

    def _append(self, name: str, row: _Row) -> None:
        rows = self._rows[name]
        rows.append(row)
        if len(rows) >= _BATCH:
            self._flush(name)

    def _flush(self, name: str) -> None:
        rows, schema = self._rows[name], RECORD_TABLES[name]
        if not rows:
            return
        try:
            self._batches[name].append(_batch(rows, schema))
        except _NO_ROW:
            self._batches[name] += [_batch([row], schema) for row in rows if self._fits(row, name)]
        rows.clear()

    def _fits(self, row: _Row, name: str) -> bool:
        """Whether a row fits its table; says so where it does not, so that one row costs no other."""
        try:
            _batch([row], RECORD_TABLES[name])
        except _NO_ROW as error:
            reason = _NOT_TEXT if isinstance(error, UnicodeEncodeError) else f"does not fit the table: {error}"
            self._tally.dropped("evidence" if name == "statement" else name, reason, example=ascii(row[:3]))
            return False
        return True


def first_rows(table: pa.Table, key: str) -> pa.Table:
    """The table with the first row of each value of a column, in the order in which they stand."""
    first = first_of_each(table[key])
    return table if len(first) == table.num_rows else table.take(first)


def first_of_each(column: pa.ChunkedArray) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Where each value of a column stands first: int64[distinct values], ascending."""
    codes = column.combine_chunks().dictionary_encode().indices.to_numpy(zero_copy_only=False)
    _, first = np.unique(codes, return_index=True)
    return np.sort(first)


def _batch(rows: list[_Row], schema: pa.Schema) -> pa.RecordBatch:
    columns = zip(*rows, strict=True)
    arrays = [pa.array(column, type=f.type) for column, f in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _values(record: Any) -> _Row:
    return tuple([getattr(record, name) for name in _FIELDS[type(record)]])
