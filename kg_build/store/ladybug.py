"""The embedded graph store: a Ladybug database derived from the canonical tables.

Rows go in through Parquet files and `COPY`, one per (relation type, from, to): typed tables are twice as fast on
chains as one generic table. The schema comes from `ontology.render`, the rows from `kg_build.store.rows`.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import ladybug
import pyarrow as pa
import pyarrow.parquet as pq

from kg_build.store.child import CypherResult, run_cypher
from kg_build.store.rows import CONFLICTS_WITH, Relation, conflict_rows, node_rows, relation_rows
from ontology.errors import ClewError, Code
from ontology.render import literal, node_tables, relation_tables
from ontology.schema import Domain

BUFFER_BYTES: Final = 512 * 1024 * 1024

CHECKPOINT_BYTES: Final = BUFFER_BYTES // 2
"""Of the log, before what was written is put in its place (measured: by default an eighth more of a load's time)."""

ROW_GROUP: Final = 100_000
"""Rows of a Parquet file that one thread reads (measured on two: with one group for all, large tables take double)."""

_Part = tuple[str | Relation, pa.Table]

_BESIDE: Final = (".wal", ".shadow", ".checkpoint", ".tmp", ".rows")
"""What stands beside a database while it is written, by how the name goes on."""


class LadybugStore:
    """The store, opened read-only for the program's own queries.

    Free Cypher of people or models runs in a process of its own, see `kg_build.store.child`.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._database = _open(path, read_only=True)
        self._connection = ladybug.Connection(self._database)

    def rows(self, statement: str, parameters: Mapping[str, object] | None = None) -> list[dict[str, Any]]:
        """Run a statement of our own; one mapping per row.

        Raises:
            ClewError: FAILED_CYPHER.
        """
        return run(self._connection, statement, parameters)

    def many(self, asked: Sequence[tuple[str, str]]) -> list[list[dict[str, Any]]]:
        """See `GraphStore.many`: one after the other, each planned once for as long as the store is open."""
        return [run(self._connection, statement, {"id": identifier}) for statement, identifier in asked]

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

    The file appears under its name when it is complete: what a killed load leaves, the next one removes.

    Args:
        tables: the canonical tables.
        domain: the ontology file.
        path: the database file to create or replace.
        progress: called with a line per step.

    Raises:
        ClewError: CORRUPT_RELEASE when a statement has no evidence, or names an entity that is not there.
    """
    unfinished = path.with_name(path.name + ".unfinished")
    unfinished.unlink(missing_ok=True)
    relations, step = 0, ""
    try:
        with writing(unfinished) as writer:
            for statement in [t.ddl() for t in node_tables(domain)] + [t.ddl() for t in relation_tables(domain)]:
                run(writer.connection, statement)
            for kind, part in _made_ahead(_parts(tables, domain)):
                before, step = step, _step(kind, domain)
                if progress and step != before:
                    progress(step)
                writer.add(kind, part)
                relations += part.num_rows if isinstance(kind, Relation) else 0
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return relations


class Writer:
    """Adds rows to a database that is open for writing."""

    def __init__(self, connection: ladybug.Connection, folder: Path) -> None:
        self.connection = connection
        self._folder = folder

    def add(self, kind: str | Relation, table: pa.Table) -> None:
        """Add the nodes of a label, or relations of one kind; columns as in `kg_build.store.rows`."""
        if table.num_rows == 0:
            return
        source = self.file_of(table)
        if isinstance(kind, Relation):
            run(self.connection, f"COPY {kind.type} FROM {source} (from='{kind.start}', to='{kind.end}')")
        else:
            run(self.connection, f"COPY {kind} FROM {source}")

    def file_of(self, table: pa.Table) -> str:
        """Write rows to a file that a statement can read, with their types; its name as Cypher writes it."""
        path = self._folder / "part.parquet"
        pq.write_table(  # read once: what makes a file small, or quick to search in, is only work here
            table, path, compression="none", use_dictionary=False, write_statistics=False, row_group_size=ROW_GROUP
        )
        return literal(str(path))


def _parts(tables: Mapping[str, pa.Table], domain: Domain) -> Iterator[_Part]:
    """All rows of a store, nodes before what joins them."""
    yield from node_rows(tables, domain)
    yield from relation_rows(tables, domain)
    yield CONFLICTS_WITH, conflict_rows(tables, domain)


def _step(kind: str | Relation, domain: Domain) -> str:
    """What is loaded, in a line for people."""
    if isinstance(kind, str):
        return "graph: nodes"
    return "graph: relations" if {kind.start, kind.end} <= domain.types.keys() else "graph: evidence"


def _made_ahead(parts: Iterator[_Part]) -> Iterator[_Part]:
    """The same parts, each made while the engine, which often uses one processor only, takes in the one before."""
    with ThreadPoolExecutor(1) as thread:
        following = thread.submit(next, parts, None)
        while (part := following.result()) is not None:
            following = thread.submit(next, parts, None)
            yield part


@contextmanager
def writing(path: Path) -> Iterator[Writer]:
    """Open a database to write to; where the body ends without an error, all of it is in this one file.

    What a killed process left beside the file is removed first.

    Raises:
        ClewError: CORRUPT_RELEASE when the file is no database.
    """
    _clear_beside(path)
    folder = path.with_name(path.name + ".rows")
    folder.mkdir()
    try:
        with closing(_open(path)) as database, closing(ladybug.Connection(database)) as connection:
            yield Writer(connection, folder)
            run(connection, "CHECKPOINT")
    finally:
        _clear_beside(path)


def run(
    connection: ladybug.Connection, statement: str, parameters: Mapping[str, object] | None = None
) -> list[dict[str, Any]]:
    """Run a statement; one mapping per row.

    Raises:
        ClewError: FAILED_CYPHER.
    """
    try:
        result: Any = connection.execute(statement, dict(parameters or {}))
    except RuntimeError as error:
        raise ClewError(Code.FAILED_CYPHER, str(error)) from error
    columns = result.get_column_names()
    found = [dict(zip(columns, row, strict=True)) for row in result.get_all()]
    result.close()
    return found


def _open(path: Path, *, read_only: bool = False) -> ladybug.Database:
    """Open a database; without `read_only` it is created where there is none."""
    if read_only and not path.exists():
        raise ClewError(Code.NO_RELEASE, f"{path} is missing", remedy="run: clew build")
    # What is written is a fresh file or a copy, thrown away when writing fails: nobody recovers it from its log.
    writing_only: dict[str, Any] = {"enable_checksums": False, "checkpoint_threshold": CHECKPOINT_BYTES}
    try:
        return ladybug.Database(
            str(path), read_only=read_only, buffer_pool_size=BUFFER_BYTES, **({} if read_only else writing_only)
        )
    except RuntimeError as error:
        raise ClewError(Code.CORRUPT_RELEASE, f"{path}: {error}", remedy="run: clew build") from error


def _clear_beside(path: Path) -> None:
    """Remove what stands beside a database while it is written."""
    names = tuple(path.name + ending for ending in _BESIDE)
    for leftover in [p for p in path.parent.iterdir() if p.name.startswith(names)]:
        shutil.rmtree(leftover) if leftover.is_dir() else leftover.unlink()
