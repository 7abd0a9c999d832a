"""Updating an embedded store in place: what changed since it was made, instead of a whole load.

The caller copies the database file and hands over the copy, which nobody reads: readers keep what they opened.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

import ladybug
import pyarrow as pa

from kg_build.store.delta import Delta, find_delta
from kg_build.store.ladybug import Writer, run, writing
from kg_build.store.protocol import Change
from kg_build.store.rows import Relation
from ontology.errors import ClewError, Code
from ontology.schema import Domain

BATCH: Final = 10_000
"""Ids or keys that one statement takes (our choice: parameters are values in Python's memory)."""


def update_store(path: Path, change: Change, tables: Mapping[str, pa.Table], domain: Domain) -> None:
    """Make a store what it would be, had it been loaded from the changed tables.

    All of the change is one transaction. After an error, or when the process was killed, take a fresh copy.

    Args:
        path: a copy of the store before the change, made under the same ontology file.
        change: what changed.
        tables: the canonical tables after the change. Names, assertions and evidence are read only where the change
            concerns them.
        domain: the ontology file.

    Raises:
        ClewError: NO_RELEASE or CORRUPT_RELEASE when there is no store, when the tables do not hang together, or when
            the store is not the one that changed.
    """
    if not path.exists():
        raise ClewError(Code.NO_RELEASE, f"{path} is missing", remedy="run: clew build")
    try:
        with writing(path) as writer:
            delta = find_delta(change, tables, domain, partial(run, writer.connection))
            run(writer.connection, "BEGIN TRANSACTION")
            _apply(writer, delta)
            run(writer.connection, "COMMIT")
    except ClewError as error:
        if error.code is not Code.FAILED_CYPHER:
            raise
        raise ClewError(
            Code.CORRUPT_RELEASE, f"{path} does not fit the change: {error.cause}", remedy="run: clew build"
        ) from error


def _apply(writer: Writer, delta: Delta) -> None:
    for relation, keys in delta.unlinked.items():
        _unlink(writer.connection, relation, keys)
    for label, ids in delta.gone.items():
        for batch in _batches(ids):
            run(writer.connection, f"UNWIND $ids AS id MATCH (n:{label} {{id: id}}) DETACH DELETE n", {"ids": batch})
    for label, table in delta.changed.items():
        _set(writer, label, table)
    for label, table in delta.new.items():
        writer.add(label, table)
    for relation, table in delta.linked.items():
        writer.add(relation, table)


def _unlink(connection: ladybug.Connection, relation: Relation, keys: pa.Table) -> None:
    """Delete the relations of one kind that fit the keys."""
    ends = f"(:{relation.start} {{id: key.one}})-[r:{relation.type}]->(:{relation.end} {{id: key.other}})"
    only = " WHERE r.assertion_id = key.assertion_id" if "assertion_id" in keys.column_names else ""
    named = keys.rename_columns(["one", "other", *keys.column_names[2:]])  # `from` is a keyword
    for batch in _batches(named.to_pylist()):
        run(connection, f"UNWIND $keys AS key MATCH {ends}{only} DELETE r", {"keys": batch})


def _set(writer: Writer, label: str, table: pa.Table) -> None:
    """Give nodes that are there other properties."""
    first, *others = table.column_names
    read = ", ".join(f"`{name}` AS new_{name}" for name in table.column_names)
    changes = ", ".join(f"n.`{name}` = new_{name}" for name in others)
    file = writer.file_of(table)
    run(
        writer.connection,
        f"LOAD FROM {file} WITH {read} MATCH (n:{label}) WHERE n.`{first}` = new_{first} SET {changes}",
    )


def _batches(items: list[Any]) -> Iterator[list[Any]]:
    for start in range(0, len(items), BATCH):
        yield items[start : start + BATCH]
