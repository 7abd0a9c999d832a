"""A source whose records are given, and builds of such sources."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from kg_build.pipeline import BuildReport, build_from
from kg_build.reconcile import Tally
from kg_build.sources.contract import Artefact, Original, Record, Source
from tests.miniature import NO_INDEX


@dataclass
class Tiny:
    """A source in memory; its release is the digest of what it says."""

    key: str
    records: tuple[Record, ...]
    contract: int = 1
    title: str = "tiny"
    licence: str = "CC0"
    attribution: str = "nobody"
    redistributable: bool = True
    artefacts: tuple[Artefact, ...] = ()
    originals: tuple[Original, ...] = ()
    release: str = field(init=False)

    def __post_init__(self) -> None:
        self.release = sha256(repr(self.records).encode()).hexdigest()[:8]

    def read(self, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        tally.read("record", len(self.records))
        tally.kept("record", len(self.records))
        yield from self.records


def build_tiny(home: Path, *sources: Source, data: Sequence[Path] = ()) -> BuildReport:
    """Build a home from these sources, in the order of their keys."""
    ordered = sorted(sources, key=lambda source: source.key)
    return build_from(home, {source.key: source for source in ordered}, NO_INDEX, data=data)
