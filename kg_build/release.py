"""The canonical release: an immutable folder of sorted tables and a manifest.

    HOME/current                     id of the published release (replaced atomically)
    HOME/releases/<id>/manifest.json format, versions, sources with hashes and licences, counts
    HOME/releases/<id>/tables/*.parquet
    HOME/releases/<id>/derived/      disposable: embedded graph, matrices, text and vector indexes

The tables are the truth: everything under `derived` can be made from them again. Equal inputs give equal
bytes, so the id of a release is a digest of its tables. Readers open one release and keep it; a build writes
beside it and renames at the end, so a reader never sees half a release.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from ontology.errors import ClewError, Code

FORMAT: Final = 1

_TEXT = pa.string()
_LIST = pa.list_(pa.string())

_COLUMNS: Final[dict[str, list[tuple[str, Any]]]] = {
    "entity": [("id", _TEXT), ("type", _TEXT), ("label", _TEXT), ("lang", _TEXT), ("source", _TEXT),
         ("definition", _TEXT), ("deprecated", pa.bool_()), ("replaced_by", _TEXT)],
    "name": [("entity", _TEXT), ("lang", _TEXT), ("text", _TEXT), ("kind", _TEXT), ("source", _TEXT),
         ("reference", _TEXT)],
    "gloss": [("lang", _TEXT), ("text", _TEXT), ("into", _TEXT), ("meaning", _TEXT), ("source", _TEXT),
         ("reference", _TEXT), ("rank", pa.int32())],
    "assertion": [("id", _TEXT), ("subject", _TEXT), ("predicate", _TEXT), ("object", _TEXT), ("negated", pa.bool_()),
         ("qualifiers", _TEXT)],
    "evidence": [("id", _TEXT), ("assertion", _TEXT), ("source", _TEXT), ("source_release", _TEXT), ("licence", _TEXT),
         ("references", _LIST), ("record", _TEXT), ("code", _TEXT), ("knowledge_level", _TEXT),
         ("agent_type", _TEXT), ("quote", _TEXT), ("document", _TEXT), ("frequency", _TEXT), ("onset", _TEXT),
         ("sex", _TEXT), ("modifiers", _LIST), ("agent", _TEXT)],
    "mapping": [("subject", _TEXT), ("predicate", _TEXT), ("object", _TEXT), ("source", _TEXT),
         ("justification", _TEXT)],
    "document": [("id", _TEXT), ("title", _TEXT), ("lang", _TEXT), ("source", _TEXT), ("kind", _TEXT),
         ("reference", _TEXT), ("year", pa.int32()), ("organisation", _TEXT), ("about", _LIST)],
    "chunk": [("id", _TEXT), ("document", _TEXT), ("ordinal", pa.int32()), ("section", _TEXT), ("text", _TEXT),
         ("lang", _TEXT), ("start", pa.int32()), ("end", pa.int32())],
    "mention": [("chunk", _TEXT), ("entity", _TEXT), ("start", pa.int32()), ("end", pa.int32()), ("text", _TEXT),
         ("method", _TEXT), ("confidence", pa.float32())],
}  # fmt: skip
TABLES: Final[dict[str, pa.Schema]] = {name: pa.schema(columns) for name, columns in _COLUMNS.items()}
"""Every table with its columns; rows are sorted by all columns in this order, so bytes are reproducible."""


@dataclass(frozen=True)
class Release:
    """A published release, opened for reading."""

    path: Path

    @property
    def id(self) -> str:
        """The digest that names it."""
        return self.path.name

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """The manifest.

        Raises:
            ClewError: CORRUPT_RELEASE.
        """
        try:
            manifest: dict[str, Any] = json.loads((self.path / "manifest.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise _corrupt(self.path, str(error)) from error
        found = manifest.get("format") if isinstance(manifest, dict) else None
        if found != FORMAT:
            raise _corrupt(self.path, f"format {found!r}, this clew reads format {FORMAT}")
        return manifest

    @cached_property
    def tables(self) -> Tables:
        """The canonical tables, each read when it is first asked for."""
        return Tables(self)

    def table(self, name: str, columns: list[str] | None = None) -> pa.Table:
        """A canonical table, memory-mapped; `columns` narrows it.

        Raises:
            ClewError: CORRUPT_RELEASE.
        """
        try:
            return pq.read_table(self.path / "tables" / f"{name}.parquet", columns=columns, memory_map=True)
        except (OSError, pa.ArrowException) as error:
            raise _corrupt(self.path, f"table {name}: {error}") from error

    def derived(self, name: str) -> Path:
        """Where a derived part lives."""
        return self.path / "derived" / name


class Tables(Mapping[str, pa.Table]):
    """The canonical tables of a release by name, read when asked for."""

    def __init__(self, release: Release) -> None:
        self._release = release
        self._read: dict[str, pa.Table] = {}

    def __getitem__(self, name: str) -> pa.Table:
        if name not in TABLES:
            raise KeyError(name)
        if name not in self._read:
            self._read[name] = self._release.table(name)
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(TABLES)

    def __len__(self) -> int:
        return len(TABLES)

    @property
    def complete(self) -> bool:
        """Whether the file of every table is there."""
        return all((self._release.path / "tables" / f"{name}.parquet").is_file() for name in TABLES)


def values(table: pa.Table, column: str) -> list[Any]:
    """The values of a column."""
    listed: list[Any] = table[column].to_pylist()
    return listed


def rows(table: pa.Table, *columns: str) -> Iterator[tuple[Any, ...]]:
    """The rows of a table, narrowed to some columns."""
    return zip(*(values(table, column) for column in columns), strict=True)


def open_release(home: Path, release_id: str | None = None) -> Release:
    """Open the current release of a home, or a named one.

    Raises:
        ClewError: NO_RELEASE or CORRUPT_RELEASE.
    """
    if release_id is None:
        pointer = home / "current"
        if not pointer.is_file():
            raise ClewError(Code.NO_RELEASE, f"nothing was built in {home}", remedy="run: clew build")
        release_id = pointer.read_text(encoding="utf-8").strip()
    path = home / "releases" / release_id
    if not path.is_dir():
        raise ClewError(
            Code.NO_RELEASE,
            f"release {release_id!r} is not in {home}",
            remedy="run: clew build",
            choices=release_ids(home),
        )
    release = Release(path)
    _ = release.manifest
    return release


def release_ids(home: Path) -> list[str]:
    """Ids of the published releases of a home."""
    folder = home / "releases"
    return sorted(p.name for p in folder.iterdir() if not p.name.startswith(".")) if folder.is_dir() else []


def _corrupt(path: Path, cause: str) -> ClewError:
    return ClewError(Code.CORRUPT_RELEASE, f"{path}: {cause}", remedy="run: clew build")
