"""Publishing: tables are written beside the releases and appear by one rename.

    releases/.building-…/   written here: tables, manifest, then what is derived from them
    releases/<id>/          renamed when it can be read
    current                 replaced last

A kill at any moment leaves the previous release in place and, at worst, a folder with a point before its name
that the next build goes on with, removes or puts back.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from kg_build.acquire import sha256_of
from kg_build.release import FORMAT, Release, release_ids

_THREADS: Final = 2

MANIFEST: Final = "manifest.json"
"""A folder that has it has all its tables."""

_PREFIX: Final = ".building-"
_RETIRED: Final = ".retired-"
_DROPPED: Final = ".dropped-"


def building_folder(home: Path, inputs: str) -> Path:
    """The folder to build in: one that was begun for the same inputs, where its tables are complete, else a fresh one.

    Leftovers of builds from other inputs are removed.

    Args:
        home: where releases live.
        inputs: digest of what the release is made from.
    """
    releases = home / "releases"
    releases.mkdir(parents=True, exist_ok=True)
    restore_retired(home)
    folder = releases / f"{_PREFIX}{inputs[:16]}"
    for leftover in leftovers(home):
        if leftover != folder or not (folder / MANIFEST).is_file():
            remove(leftover)
    for part in (folder, folder / "tables", folder / "derived"):
        part.mkdir(exist_ok=True)
    return folder


def write_tables(folder: Path, tables: Mapping[str, pa.Table]) -> dict[str, dict[str, Any]]:
    """Write the canonical tables; returns rows and hash of each."""

    def write(name: str) -> dict[str, Any]:
        path = folder / "tables" / f"{name}.parquet"
        pq.write_table(tables[name], path, compression="zstd", compression_level=3)
        return {"rows": tables[name].num_rows, "sha256": sha256_of(path)}

    names = sorted(tables)
    with ThreadPoolExecutor(_THREADS) as threads:  # compressing and hashing let other threads run
        return dict(zip(names, threads.map(write, names), strict=True))


def release_id(tables: Mapping[str, Mapping[str, Any]], inputs: str) -> str:
    """The digest that names a release: of its tables and of what they were made from."""
    text = json.dumps([FORMAT, inputs, {n: t["sha256"] for n, t in sorted(tables.items())}])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write the manifest, sorted, so that equal releases have equal manifests; it is there whole or not at all."""
    text = json.dumps({"format": FORMAT, **manifest}, indent=1, sort_keys=True, ensure_ascii=False)
    beside = folder / f"{MANIFEST}.unfinished"
    beside.write_text(text + "\n", encoding="utf-8")
    beside.rename(folder / MANIFEST)


def publish(home: Path, folder: Path, identifier: str, keep: int = 2) -> Release:
    """Make a finished folder the current release and drop all but the newest `keep` others."""
    target = home / "releases" / identifier
    retired = target.with_name(_RETIRED + identifier)
    if target.exists():  # same tables again: the fresh derived parts replace the old ones
        target.rename(retired)
    folder.rename(target)
    shutil.rmtree(retired, ignore_errors=True)
    pointer = home / f"current.{os.getpid()}"
    pointer.write_text(identifier + "\n", encoding="utf-8")
    os.replace(pointer, home / "current")  # noqa: PTH105  (atomic)
    for old in surplus(home, identifier, keep):
        drop(old)
    return Release(target)


def surplus(home: Path, current: str, keep: int) -> list[Path]:
    """The releases beyond the current one and the newest `keep` others, newest first."""
    others = sorted(
        (home / "releases" / name for name in release_ids(home) if name != current),
        key=lambda path: path.stat().st_mtime,
        reverse=True,
    )
    return others[keep:]


def drop(release: Path) -> None:
    """Remove a release; a kill on the way never leaves half of it under its id."""
    dropped = release.with_name(_DROPPED + release.name)
    release.rename(dropped)
    shutil.rmtree(dropped)


def restore_retired(home: Path) -> None:
    """Put back a release that a killed build had moved aside."""
    for path in leftovers(home):
        if is_retired(path):
            path.rename(_before_retired(path))


def is_retired(path: Path) -> bool:
    """Whether this is a release that a killed build had moved aside and not replaced."""
    return path.name.startswith(_RETIRED) and not _before_retired(path).exists()


def _before_retired(path: Path) -> Path:
    return path.with_name(path.name.removeprefix(_RETIRED))


def leftovers(home: Path) -> list[Path]:
    """What killed builds left: half-built, replaced and half-dropped folders, and pointers that point nowhere."""
    releases = home / "releases"
    folders = (path for prefix in (_PREFIX, _RETIRED, _DROPPED) for path in releases.glob(f"{prefix}*"))
    return sorted([*folders, *home.glob("current.*")])


def remove(path: Path) -> None:
    """Remove a file, or a folder with all that is in it."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()
