"""Parts: what one source said, unmerged and kept, so that it is read once.

    source ──read()──▶ records ──▶ HOME/cache/parts/<digest>/part.json · entity.parquet · statement.parquet · …

A part depends on nothing but the files, the code that reads them and the ontology file, and its name is the digest of
these. A release is a function of its parts: leaving a part out is all there is to retracting a source, a document that
changed is another part, and a build that was killed goes on from the parts that are there.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from kg_build.acquire import sha256_of
from kg_build.index.fresh import fresh_folder
from kg_build.reconcile import Tally
from kg_build.records import RECORD_TABLES, Recorder
from kg_build.sources.contract import Divided, Record, Source
from ontology.schema import Domain

_ABOUT: Final = "part.json"


@dataclass(frozen=True)
class Part:
    """A part in the cache.

    Attributes:
        path: its folder; the name is the digest of what it depends on.
    """

    path: Path

    @property
    def digest(self) -> str:
        """What names it."""
        return self.path.name

    @property
    def exists(self) -> bool:
        """Whether it is there; a part is there as a whole or not at all."""
        return (self.path / _ABOUT).is_file()

    def table(self, name: str) -> pa.Table:
        """One of `RECORD_TABLES`; empty when the source said nothing of the kind."""
        path = self.path / f"{name}.parquet"
        return pq.read_table(path) if path.is_file() else RECORD_TABLES[name].empty_table()

    @property
    def only_texts(self) -> bool:
        """Whether there is nothing in it but documents and passages."""
        return not set(self._about["tables"]) - {"document", "chunk"}

    @property
    def rows_of_source(self) -> list[dict[str, Any]]:
        """The balance of the reader, as plain values."""
        found: list[dict[str, Any]] = self._about["source"]
        return found

    @property
    def rows_of_records(self) -> list[dict[str, Any]]:
        """What became of the records themselves, as plain values; `kept` is known after collecting."""
        found: list[dict[str, Any]] = self._about["records"]
        return found

    @cached_property
    def _about(self) -> dict[str, Any]:
        about: dict[str, Any] = json.loads((self.path / _ABOUT).read_text(encoding="utf-8"))
        return about


@dataclass(frozen=True)
class Unit:
    """What becomes one part: a source, or one file of a source that is divided.

    Attributes:
        source: it reads.
        files: for each key, the file, see `Source.read`.
        hashes: digest of each file by its name; of the unit's own file alone where the source is divided.
        file: the unit's own file, where the source is divided.
    """

    source: Source
    files: Mapping[str, Path]
    hashes: Mapping[str, str]
    file: Path | None = None

    def digest(self, code: str) -> str:
        """The name of the part; `code` is the digest of the rooms that build."""
        parts = [code, self.source.key, self.source.release, self.source.licence, sorted(self.hashes.items())]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]

    def read(self, tally: Tally) -> Iterable[Record]:
        """Yield the records."""
        if self.file is not None and isinstance(self.source, Divided):
            return self.source.read_unit(self.file, self.files, tally)
        return self.source.read(self.files, tally)


class PartCache:
    """The parts of a home.

    Args:
        folder: where they are; made when it is not there.
        code: digest of the rooms that build.
        domain: the ontology file.
    """

    def __init__(self, folder: Path, code: str, domain: Domain) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._code, self._domain = folder, code, domain

    def part(self, digest: str) -> Part:
        """The part of this name, whether it is there or not."""
        return Part(self._folder / digest)

    def get(self, unit: Unit) -> Part | None:
        """The part of a unit, if it was read before."""
        part = self.part(unit.digest(self._code))
        return part if part.exists else None

    def read(self, unit: Unit) -> Part:
        """Read a unit and keep its part; half a part is never seen.

        Raises:
            ClewError: UNREADABLE_SOURCE, UNRECONCILED.
        """
        tally, recorder = Tally(unit.source.key), Recorder(self._domain, unit.source)
        recorder.add(unit.read(tally))
        tally.check()
        found = recorder.finish()
        tables = {name: table for name, table in found.tables.items() if table.num_rows}
        about = {"tables": sorted(tables), "source": tally.as_list(), "records": found.rows_of_records}
        path = self._folder / unit.digest(self._code)
        with fresh_folder(path) as beside:
            for name, table in tables.items():
                pq.write_table(table, beside / f"{name}.parquet", compression="zstd", compression_level=1)
            (beside / _ABOUT).write_text(json.dumps(about, ensure_ascii=False), encoding="utf-8")
        return Part(path)


def units(source: Source, files: Mapping[str, Path]) -> list[Unit]:
    """What a source is read in: the whole of it, or each file of one that is divided.

    Args:
        source: the source.
        files: its files by key.
    """
    if isinstance(source, Divided):
        return [Unit(source, files, {name: _content(path)}, path) for name, path in source.units(files)]
    return [Unit(source, files, {path.name: sha256_of(path) for path in files.values()})]


def _content(path: Path) -> str:
    """Digest of a user's file; what cannot be opened is dropped by the reader, with the reason."""
    try:
        return sha256_of(path) if path.is_file() else "no regular file"
    except OSError as error:
        return str(error.errno)
