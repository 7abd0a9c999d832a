"""Collecting: the parts of all sources become the canonical tables, checked against the ontology on the way.

    parts ──▶ entities (the first record of an id stands) ──▶ what refers to nothing, or says what may not be
    said, leaves with a reason ──▶ tables, sorted

The result depends on the parts and their order only. What cannot stay is counted, so that the graph as a whole
reconciles as its sources do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any, Final, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kg_build.reconcile import Tally
from kg_build.records import RECORD_TABLES, Recorder, first_rows
from kg_build.release import TABLES, rows
from kg_build.sources.contract import Record, Source
from ontology.document import Chunk, Document, Mention
from ontology.errors import ClewError
from ontology.model import Entity, Name
from ontology.model import Mapping as TermMapping
from ontology.schema import Domain

SORT_KEYS: Final[dict[str, list[str]]] = {
    "entity": ["id"],
    "name": ["entity", "lang", "text", "kind", "source", "reference"],
    "gloss": ["lang", "text", "into", "source", "reference", "rank", "meaning"],
    "assertion": ["id"],
    "evidence": ["id"],
    "mapping": ["subject", "predicate", "object", "source", "justification"],
    "document": ["id"],
    "chunk": ["document", "ordinal"],
    "mention": ["chunk", "start", "end", "entity", "method", "confidence"],
}
"""The columns that put each table in its one order."""

_THREADS: Final = 2
_MENTION: Final = attrgetter(*(f.name for f in fields(Mention)))
_ASSERTION: Final = ("subject", "predicate", "object", "negated", "qualifiers")


class Records(Protocol):
    """Rows that came from one place: a part in the cache, or `kg_build.records.RecordTables`."""

    @property
    def rows_of_records(self) -> list[dict[str, Any]]:
        """What became of the records so far."""
        ...

    def table(self, name: str) -> pa.Table:
        """One of `RECORD_TABLES`."""
        ...


@dataclass
class Collection:
    """Everything that is said, as tables that are not sorted yet.

    Attributes:
        domain: the ontology file.
        tables: by name, see `RECORD_TABLES`.
        tally: the balance of the graph as a whole (`entity`, `name`, `evidence`, …).
    """

    domain: Domain
    tables: dict[str, pa.Table]
    tally: Tally

    def denied_identities(self) -> set[frozenset[str]]:
        """Pairs that some source says are not the same."""
        statement = self.tables["statement"]
        denied = statement.filter(pc.and_(pc.equal(statement["predicate"], "same_as"), statement["negated"]))
        return {frozenset(pair) for pair in rows(denied, "subject", "object")}

    def add(self, more: Records) -> None:
        """Take in evidence that was derived from what is here."""
        self.tally.absorb(more.rows_of_records)
        statement = _settled_statements(more.table("statement"), self.tables["entity"], self.domain, self.tally)
        self.tables["statement"] = pa.concat_tables([self.tables["statement"], statement])

    def finish(self, mention: pa.Table | None = None) -> dict[str, pa.Table]:
        """The canonical tables, sorted; the balance is closed.

        Args:
            mention: the mentions of the passages.

        Raises:
            ClewError: UNRECONCILED.
        """
        statement = self.tables["statement"]
        found = {name: self.tables[name] for name in ("entity", "name", "gloss", "mapping", "document", "chunk")}
        found["evidence"] = statement.select(TABLES["evidence"].names)
        stated = first_rows(statement.select(["assertion", *_ASSERTION]), "assertion")
        found["assertion"] = stated.rename_columns(["id", *_ASSERTION])
        found["mention"] = TABLES["mention"].empty_table() if mention is None else mention
        if found["mention"].num_rows:
            self.tally.read("mention", found["mention"].num_rows)
        with ThreadPoolExecutor(_THREADS) as threads:  # sorting lets other threads run
            tables = dict(zip(found, threads.map(in_order, found, found.values()), strict=True))
        for name, table in tables.items():
            if table.num_rows and name != "assertion":
                self.tally.kept(name, table.num_rows)
        self.tally.check()
        return tables


def collect(parts: Iterable[Records], domain: Domain) -> Collection:
    """Bring parts together.

    Args:
        parts: in the order in which sources describe entities: the first record of an id stands.
        domain: the ontology file.
    """
    parts, tally = list(parts), Tally("graph")
    for part in parts:
        tally.absorb(part.rows_of_records)
    tables = {name: pa.concat_tables([part.table(name) for part in parts]) for name in RECORD_TABLES} if parts else {}
    tables = {name: tables.get(name, schema.empty_table()) for name, schema in RECORD_TABLES.items()}
    tables["entity"] = entity = _first_entities(tables["entity"], tally)
    for name in ("name", "gloss", "mapping"):
        tables[name] = _distinct(tables[name], name, tally)
    tables["name"] = _kept(tables["name"], "entity", entity["id"], "name", "of no entity", tally)
    tables["mapping"] = _kept(tables["mapping"], "subject", entity["id"], "mapping", "of no entity", tally)
    for name in ("document", "chunk"):
        tables[name] = _first(tables[name], name, tally)
    tables["chunk"] = _kept(tables["chunk"], "document", tables["document"]["id"], "chunk", "of no document", tally)
    tables["statement"] = _settled_statements(tables["statement"], entity, domain, tally)
    return Collection(domain, tables, tally)


def collect_records(
    records: Iterable[Record | Mention], sources: Mapping[str, Source], domain: Domain
) -> tuple[Collection, list[Mention]]:
    """Bring records together that were made by hand, for tests and small graphs; mentions are handed back.

    Args:
        records: in any order; those without a source of their own belong to the first one.
        sources: by key, in the order in which they describe entities.
        domain: the ontology file.
    """
    recorders = {key: Recorder(domain, source) for key, source in sources.items()}
    mentions = []
    for record in records:
        if isinstance(record, Mention):
            mentions.append(record)
        else:
            recorders[getattr(record, "source", next(iter(sources)))].add([record])
    return collect([recorder.finish() for recorder in recorders.values()], domain), mentions


def in_order(name: str, table: pa.Table) -> pa.Table:
    """A canonical table in its one order and layout, so that equal rows give equal bytes."""
    ordered = table.select(TABLES[name].names).sort_by([(key, "ascending") for key in SORT_KEYS[name]])
    return ordered.cast(TABLES[name]).combine_chunks()


def mention_table(mentions: Iterable[Mention]) -> pa.Table:
    """Mentions as a table; one that is found twice stands once."""
    found = sorted(set(map(_MENTION, mentions)))
    columns = zip(*found, strict=True) if found else [()] * len(TABLES["mention"])
    return pa.Table.from_arrays(
        [pa.array(column, f.type) for column, f in zip(columns, TABLES["mention"], strict=True)],
        schema=TABLES["mention"],
    )


def entities_of(table: pa.Table) -> dict[str, Entity]:
    """The entities of a table, by id."""
    return {entity.id: entity for entity in _objects(Entity, table)}


def names_of(table: pa.Table) -> Iterator[Name]:
    """The names of a table."""
    return _objects(Name, table)


def mappings_of(table: pa.Table) -> Iterator[TermMapping]:
    """The mappings of a table."""
    return _objects(TermMapping, table)


def chunks_of(table: pa.Table) -> Iterator[Chunk]:
    """The passages of a table."""
    return _objects(Chunk, table)


def documents_of(table: pa.Table) -> dict[str, Document]:
    """The documents of a table, by id."""
    return {document.id: document for document in _objects(Document, table)}


def _first_entities(entity: pa.Table, tally: Tally) -> pa.Table:
    first = first_rows(entity, "id")
    if again := entity.num_rows - first.num_rows:
        known = dict(rows(first, "id", "type"))
        other = sum(known[curie] != type_name for curie, type_name in rows(entity, "id", "type"))
        for reason, n in (("id already stands for another type", other), ("same id again", again - other)):
            if n:
                tally.dropped("entity", reason, n)
    return first


def _first(table: pa.Table, kind: str, tally: Tally) -> pa.Table:
    first = first_rows(table, "id")
    if again := table.num_rows - first.num_rows:
        tally.dropped(kind, "same id again", again)
    return first


def _distinct(table: pa.Table, kind: str, tally: Tally) -> pa.Table:
    once = table.group_by(table.column_names, use_threads=False).aggregate([]).cast(table.schema)
    if again := table.num_rows - once.num_rows:
        tally.dropped(kind, "same row again", again)
    return once


def _kept(table: pa.Table, column: str, known: pa.ChunkedArray, kind: str, reason: str, tally: Tally) -> pa.Table:
    kept = table.filter(pc.is_in(table[column], value_set=known.combine_chunks()))
    if gone := table.num_rows - kept.num_rows:
        tally.dropped(kind, reason, gone)
    return kept


def _settled_statements(statement: pa.Table, entity: pa.Table, domain: Domain, tally: Tally) -> pa.Table:
    """The rows that speak of entities that are there and say what the ontology allows.

    Few combinations of types and predicate occur, so each is checked once.
    """
    statement = _first(statement, "evidence", tally)
    if not statement.num_rows:
        return statement
    subject, subjects = _types(statement["subject"], entity)
    object_, objects = _types(statement["object"], entity)
    predicate, predicates = _codes(statement["predicate"])
    widths = (len(subjects), len(predicates), len(objects))
    combined = np.ravel_multi_index((subject, predicate, object_), widths)
    found, where = np.unique(combined, return_inverse=True)
    triples = zip(*np.unravel_index(found, widths), strict=True)
    faults = [_fault(subjects[s], predicates[p], objects[o], domain) for s, p, o in triples]
    for i, reason in enumerate(faults):
        if reason:
            at = np.flatnonzero(where == i)
            first = statement.slice(int(at[0]), 1)
            example = f"{first['source'][0].as_py()}: {first['record'][0].as_py()}"
            tally.dropped("evidence", reason, len(at), example=example)
    stands = np.array([not reason for reason in faults])[where]
    return statement if stands.all() else statement.filter(pa.array(stands))


def _types(column: pa.ChunkedArray, entity: pa.Table) -> tuple[np.ndarray[Any, Any], list[str]]:
    """For each row the number of its entity's type, and the types; the last one, empty, is that of no entity."""
    codes, names = _codes(entity["type"])
    at = pc.index_in(column, value_set=entity["id"].combine_chunks()).fill_null(-1).to_numpy()
    return np.append(codes, len(names))[at], [*names, ""]


def _codes(column: pa.ChunkedArray) -> tuple[np.ndarray[Any, Any], list[str]]:
    encoded = column.combine_chunks().dictionary_encode()
    return encoded.indices.to_numpy(zero_copy_only=False), encoded.dictionary.to_pylist()


def _fault(subject: str, predicate: str, object_: str, domain: Domain) -> str:
    """Why a statement cannot stand; empty when it can."""
    if not subject or not object_:
        return f"{predicate}: {'object' if subject else 'subject'} is not in the graph"
    try:
        domain.check_statement(subject, predicate, object_)
    except ClewError as error:
        return error.cause
    return ""


def _objects(kind: Any, table: pa.Table) -> Iterator[Any]:
    """The rows of a table as records."""
    for batch in table.to_batches(max_chunksize=1 << 16):
        columns = [_column(batch[f.name]) for f in fields(kind)]
        yield from (kind(*row) for row in zip(*columns, strict=True))


def _column(array: pa.Array) -> list[Any]:
    """The values as records have them: lists as tuples."""
    found: list[Any] = array.to_pylist()
    return [tuple(value) for value in found] if pa.types.is_list(array.type) else found
