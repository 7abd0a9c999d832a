"""The embedded graph store: a Ladybug database derived from the canonical tables.

Loading goes through Parquet files and `COPY`, one per (relation type, from, to): typed tables are twice as
fast on chains as one generic table. The schema comes from `ontology.render`.
"""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import ladybug
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from kg_build.frequency import parse_frequency
from kg_build.release import rows, values
from kg_build.store.child import CypherResult, run_cypher
from ontology.errors import ClewError, Code
from ontology.render import (
    ASSERTION_COLUMNS,
    CHUNK_COLUMNS,
    DOCUMENT_COLUMNS,
    EVIDENCE_COLUMNS,
    literal,
    node_tables,
    relation_tables,
)
from ontology.schema import Domain, relation_name

BUFFER_BYTES: Final = 512 * 1024 * 1024

_EDGE_SCHEMA: Final = pa.schema(
    [("from", pa.string()), ("to", pa.string()), ("assertion_id", pa.string()),
     ("sources", pa.list_(pa.string())), ("trust", pa.float64()), ("references", pa.list_(pa.string())),
     ("codes", pa.list_(pa.string())), ("frequency", pa.float64())])  # fmt: skip


class LadybugStore:
    """The store, opened read-only for the program's own queries.

    Free Cypher of people or models runs in a process of its own, see `kg_build.store.child`.
    """

    def __init__(self, path: Path) -> None:
        if not path.exists():
            raise ClewError(Code.NO_RELEASE, f"{path} is missing", remedy="run: clew build")
        self._path = path
        try:
            self._database = ladybug.Database(str(path), read_only=True, buffer_pool_size=BUFFER_BYTES)
        except RuntimeError as error:
            raise ClewError(Code.CORRUPT_RELEASE, f"{path}: {error}", remedy="run: clew build") from error
        self._connection = ladybug.Connection(self._database)

    def rows(self, statement: str, parameters: Mapping[str, object] | None = None) -> list[dict[str, Any]]:
        """Run a statement of our own; one mapping per row.

        Raises:
            ClewError: FAILED_CYPHER.
        """
        try:
            result: Any = self._connection.execute(statement, dict(parameters or {}))
        except RuntimeError as error:
            raise ClewError(Code.FAILED_CYPHER, str(error)) from error
        columns = result.get_column_names()
        found = [dict(zip(columns, row, strict=True)) for row in result.get_all()]
        result.close()
        return found

    def ask(
        self, statement: str, parameters: Mapping[str, object] | None = None, *, seconds: float, rows: int
    ) -> CypherResult:
        """Run a statement of a person or a model, see `run_cypher`."""
        return run_cypher(self._path, statement, parameters or {}, seconds=seconds, rows=rows)

    def close(self) -> None:
        """Release the file."""
        self._connection.close()
        self._database.close()


def load_store(
    tables: Mapping[str, pa.Table], domain: Domain, path: Path, progress: Callable[[str], None] | None = None
) -> int:
    """Make the store of a release; returns the number of relations loaded.

    Args:
        tables: the canonical tables.
        domain: the ontology file.
        path: the database file to create.
        progress: called with a line per step.
    """
    say = progress or (lambda _: None)
    folder = path.with_name(path.name + ".load")
    folder.mkdir()
    try:
        database = ladybug.Database(str(path), buffer_pool_size=BUFFER_BYTES)
        connection = ladybug.Connection(database)
        for statement in [t.ddl() for t in node_tables(domain)] + [t.ddl() for t in relation_tables(domain)]:
            connection.execute(statement)
        loader = _Loader(connection, folder)
        types: dict[str, str] = dict(rows(tables["entity"], "id", "type"))
        say("graph: nodes")
        _load_nodes(loader, tables, domain)
        say("graph: relations")
        _load_relations(loader, tables, domain, types)
        say("graph: evidence")
        _load_links(loader, tables, types)
        connection.execute("CHECKPOINT")
        connection.close()
        database.close()
        return loader.relations
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _Loader:
    """Copies tables into the database through Parquet files."""

    def __init__(self, connection: ladybug.Connection, folder: Path) -> None:
        self.connection = connection
        self.folder = folder
        self.relations = 0

    def nodes(self, label: str, table: pa.Table) -> None:
        """Copy a node table."""
        self._copy(label, table, "")

    def edges(self, relation: str, start: str, end: str, table: pa.Table) -> None:
        """Copy the part of a relation table between two labels."""
        self.relations += table.num_rows
        self._copy(relation, table, f" (from='{start}', to='{end}')")

    def _copy(self, name: str, table: pa.Table, options: str) -> None:
        if table.num_rows == 0:
            return
        path = self.folder / "part.parquet"
        pq.write_table(table, path, compression="none")
        self.connection.execute(f"COPY {name} FROM {literal(str(path))}{options}")
        path.unlink()


def _load_nodes(loader: _Loader, tables: Mapping[str, pa.Table], domain: Domain) -> None:
    entity = tables["entity"]
    by_entity: dict[str, list[str]] = defaultdict(list)
    for owner, text in rows(tables["name"], "entity", "text"):
        by_entity[owner].append(text)
    names = pa.array([sorted(set(by_entity.get(i, ()))) for i in values(entity, "id")], pa.list_(pa.string()))
    full = entity.append_column("names", names).rename_columns({"label": "name"})
    full = full.select(["id", "name", "lang", "names", "definition", "source", "deprecated", "type"])
    for type_name in domain.types:
        loader.nodes(type_name, full.filter(pc.field("type") == type_name).drop_columns("type"))
    loader.nodes("Assertion", tables["assertion"].select(list(ASSERTION_COLUMNS)))
    loader.nodes("Evidence", tables["evidence"].select(list(EVIDENCE_COLUMNS)))
    loader.nodes("Document", tables["document"].select(list(DOCUMENT_COLUMNS)))
    loader.nodes("Chunk", tables["chunk"].select(list(CHUNK_COLUMNS)))


def _load_relations(loader: _Loader, tables: Mapping[str, pa.Table], domain: Domain, types: Mapping[str, str]) -> None:
    summary = _summaries(tables["evidence"], domain)
    edges: dict[tuple[str, str, str], list[tuple[Any, ...]]] = defaultdict(list)
    columns = ("id", "subject", "predicate", "object", "negated")
    for identifier, subject, predicate, object_, negated in rows(tables["assertion"], *columns):
        key = (relation_name(predicate, negated=negated), types[subject], types[object_])
        edges[key].append((subject, object_, identifier, *summary[identifier]))
    for (relation, start, end), found in sorted(edges.items()):
        arrays = [
            pa.array(column, type=f.type) for column, f in zip(zip(*found, strict=True), _EDGE_SCHEMA, strict=True)
        ]
        loader.edges(relation, start, end, pa.Table.from_arrays(arrays, schema=_EDGE_SCHEMA))


def _summaries(evidence: pa.Table, domain: Domain) -> dict[str, tuple[Any, ...]]:
    """Per assertion: sources, trust, references, codes and pooled frequency of its evidence."""
    sources: dict[str, set[str]] = defaultdict(set)
    references: dict[str, set[str]] = defaultdict(set)
    codes: dict[str, set[str]] = defaultdict(set)
    counts: dict[str, list[tuple[float, float]]] = defaultdict(list)
    columns = ("assertion", "source", "references", "code", "frequency")
    for assertion, source, cited, code, frequency in rows(evidence, *columns):
        sources[assertion].add(source)
        references[assertion].update(cited)
        if code:
            codes[assertion].add(code)
        if frequency and (parsed := parse_frequency(frequency)):
            counts[assertion].append((parsed.share * parsed.weight, parsed.weight))
    trust = {source: domain.trust(source) for source in {s for group in sources.values() for s in group}}
    return {
        key: (
            sorted(group),
            max(trust[s] for s in group),
            sorted(references[key]),
            sorted(codes[key]),
            _pooled(counts.get(key)),
        )
        for key, group in sources.items()
    }


def _pooled(counts: list[tuple[float, float]] | None) -> float | None:
    if not counts:
        return None
    return round(sum(weighted for weighted, _ in counts) / sum(weight for _, weight in counts), 4)


def _load_links(loader: _Loader, tables: Mapping[str, pa.Table], types: Mapping[str, str]) -> None:
    """The relations between entities, assertions, evidence, documents, chunks and mentions."""
    assertion, evidence, chunk, mention = (tables[n] for n in ("assertion", "evidence", "chunk", "mention"))
    for type_name, part in _by_type(assertion, "subject", types):
        loader.edges("SUBJECT_OF", type_name, "Assertion", part)
    for type_name, part in _by_type(assertion, "object", types):
        loader.edges("HAS_OBJECT", "Assertion", type_name, part.select(["to", "from"]).rename_columns(["from", "to"]))
    loader.edges("HAS_EVIDENCE", "Assertion", "Evidence", _pairs(evidence["assertion"], evidence["id"]))
    known = pc.is_in(evidence["document"], tables["document"]["id"])
    quoted = evidence.filter(known)
    loader.edges("FROM_DOCUMENT", "Evidence", "Document", _pairs(quoted["id"], quoted["document"]))
    loader.edges("HAS_CHUNK", "Document", "Chunk", _pairs(chunk["document"], chunk["id"]))
    ends = np.array([types[i] for i in values(mention, "entity")], dtype=np.object_)
    for type_name in sorted(set(ends)):
        part = mention.filter(pa.array(ends == type_name, pa.bool_()))
        part = part.select(["chunk", "entity", "start", "end", "method", "confidence"])
        part = part.set_column(5, "confidence", part["confidence"].cast(pa.float64()))
        part = part.rename_columns(["from", "to", "start", "stop", "method", "confidence"])  # `end` is a keyword
        loader.edges("MENTIONS", "Chunk", type_name, part)


def _by_type(assertion: pa.Table, end: str, types: Mapping[str, str]) -> list[tuple[str, pa.Table]]:
    """The (entity, assertion) pairs of one end of all assertions, by the entity's type."""
    labels = np.array([types[i] for i in values(assertion, end)], dtype=np.object_)
    table = _pairs(assertion[end], assertion["id"])
    return [(name, table.filter(pa.array(labels == name, pa.bool_()))) for name in sorted(set(labels))]


def _pairs(start: Any, end: Any) -> pa.Table:
    """A two-column table for `COPY`."""
    return pa.table({"from": start, "to": end})
