"""Exporting: a release written for others, where its licences allow it, whole or not at all."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kg_build.exchange.kgx import write_kgx
from kg_build.exchange.left import GRAPH_TABLES, left_without
from kg_build.licence import attributions, check_redistributable
from kg_build.release import Release
from ontology.errors import ClewError, Code, nearest
from ontology.schema import load_domain

FORMATS: Final[Mapping[str, Callable[..., dict[str, int]]]] = {"kgx": write_kgx}
"""Name of a format -> what writes tables of the graph, with their sources, into an empty folder."""


@dataclass(frozen=True)
class Exported:
    """What was written.

    Attributes:
        form: name of the format.
        folder: where.
        files: rows of each file.
        left_out: rows of each canonical table that went with the sources left out.
        sources: keys of the sources whose data was written.
    """

    form: str
    folder: Path
    files: dict[str, int]
    left_out: dict[str, int]
    sources: list[str]


def export(release: Release, form: str, folder: Path, *, without: Collection[str] = ()) -> Exported:
    """Write a release in a format of other tools; the folder appears when it is complete.

    Args:
        release: what is written.
        form: one of `FORMATS`.
        folder: a new one.
        without: keys of sources to leave out, with all that rests on them only.

    Raises:
        ClewError: BAD_INPUT (unknown format or source, a folder that is there already or cannot be written); LICENCE
            when a source that is not left out may not be passed on; CORRUPT_RELEASE.
    """
    if form not in FORMATS:
        raise ClewError(Code.BAD_INPUT, f"unknown format {form!r}", choices=list(FORMATS))
    held = [source.source for source in attributions(release)]
    for key in without:
        if key not in held:
            raise ClewError(Code.BAD_INPUT, f"{key!r} is no source of the release", choices=nearest(key, held) or held)
    check_redistributable(release, without)
    _check_new(folder)
    domain = load_domain()
    tables = left_without(release.tables, without, domain)
    sources = [source for source in attributions(release) if source.source not in without]
    with _new_folder(folder) as beside:
        files = FORMATS[form](tables, sources, beside, domain)
    left_out = {name: release.tables[name].num_rows - tables[name].num_rows for name in GRAPH_TABLES}
    return Exported(form, folder, files, left_out, [source.source for source in sources])


def _check_new(folder: Path) -> None:
    """Nothing that is there is ever written over."""
    if folder.exists():
        raise ClewError(Code.BAD_INPUT, f"{folder} is there already", remedy="name a new folder")
    if not folder.parent.is_dir():
        raise ClewError(
            Code.BAD_INPUT, f"{folder.parent} is no folder", remedy="name a new folder in one that is there"
        )


@contextmanager
def _new_folder(folder: Path) -> Iterator[Path]:
    """A folder to write in that appears under its name when the body ends without an error; else nothing is left."""
    try:
        beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        try:
            yield beside
            beside.chmod(0o755)
            beside.rename(folder)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
    except OSError as error:
        raise ClewError(Code.BAD_INPUT, f"{folder}: {error.strerror}", remedy="name a folder to write") from error
