"""Retention: what a home holds that nobody needs any more, and its removal.

Five kinds of things go: releases beyond the current one and the newest few others, leftovers of killed builds, cached
artefacts that no source pins any more, parts that no release is made of, and what was kept for a release that is gone
(`release_cache`). While a build waits to be gone on with,
its leftovers and the parts stay. Vectors stay: they are shared by all releases and cost the most time.

Readers need no lock. On POSIX a reader that has the files of a removed release open (tables and vectors mapped, the
graph's file) goes on reading them, and the space is free when the last one closes; on Windows the system refuses to
remove a file that is open, and the command ends with that error. The current release is never removed.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from kg_build import publish
from kg_build.order import open_order
from kg_build.release import open_release, release_ids
from ontology.errors import ClewError, Code


@dataclass(frozen=True)
class Garbage:
    """Something that was removed, or would be.

    Attributes:
        kind: `release`, `leftover`, `artefact`, `part` or `cache`.
        name: id of the release, or name of the file or folder.
        bytes: its size on disk, sparse files counted by what they occupy where the system says so.
    """

    kind: str
    name: str
    bytes: int


def release_cache(cache: Path, release_id: str) -> Path:
    """Where to keep what was made for one release and can be made again; it goes with the release."""
    return cache / "releases" / release_id


def collect_garbage(home: Path, keep: int, pinned: Collection[str], *, dry_run: bool = False) -> list[Garbage]:
    """Remove what nobody needs.

    Args:
        home: where releases and caches live.
        keep: releases to keep beside the current one, the newest first.
        pinned: file names of the artefacts that some source pins.
        dry_run: only say what would be removed.

    Returns:
        What was removed: releases, leftovers, artefacts, parts, caches.

    Raises:
        ClewError: NO_RELEASE where nothing was built; BUSY while a build runs.
    """
    if not (home / "releases").is_dir():
        raise ClewError(Code.NO_RELEASE, f"nothing was built in {home}", remedy="run: clew build")
    try:
        with FileLock(home / "build.lock", timeout=0):
            return _collect(home, keep, pinned, dry_run=dry_run)
    except Timeout as error:
        raise ClewError(Code.BUSY, f"{home / 'build.lock'} is held", remedy="wait until the build has ended") from error


def _collect(home: Path, keep: int, pinned: Collection[str], *, dry_run: bool) -> list[Garbage]:
    if not dry_run:
        publish.restore_retired(home)
    current = open_release(home).id
    releases = publish.surplus(home, current, keep)
    waiting = open_order(home) is not None
    leftovers = [] if waiting else [path for path in publish.leftovers(home) if not publish.is_retired(path)]
    cache = home / "cache" / "artefacts"
    artefacts = sorted(p for p in cache.glob("*") if p.is_file() and p.name not in pinned)
    going = {path.name for path in releases}
    parts = [] if waiting else _unused_parts(home, going)
    caches = sorted(
        p for p in release_cache(home / "cache", "").glob("*") if p.name in going or p.name not in release_ids(home)
    )
    found = [
        *(Garbage("release", path.name, _size(path)) for path in releases),
        *(Garbage("leftover", path.name, _size(path)) for path in leftovers),
        *(Garbage("artefact", path.name, _size(path)) for path in artefacts),
        *(Garbage("part", path.name, _size(path)) for path in parts),
        *(Garbage("cache", path.name, _size(path)) for path in caches),
    ]
    if not dry_run:
        for release in releases:
            publish.drop(release)
        for path in (*leftovers, *artefacts, *parts, *caches):
            publish.remove(path)
    return found


def _unused_parts(home: Path, going: Collection[str]) -> list[Path]:
    """The parts that no release is made of, but for the releases that go."""
    staying = [open_release(home, name) for name in release_ids(home) if name not in going]
    used = {digest for release in staying for _, digests in release.manifest.get("parts", ()) for digest in digests}
    return sorted(path for path in (home / "cache" / "parts").glob("*") if path.name not in used)


def _size(path: Path) -> int:
    """Bytes on disk of a file, or of everything in a folder."""
    files = [path] if path.is_file() else [p for p in path.rglob("*") if p.is_file()]
    return sum(_occupied(file.stat()) for file in files)


def _occupied(found: os.stat_result) -> int:
    blocks: int | None = getattr(found, "st_blocks", None)
    return found.st_size if blocks is None else blocks * 512
