"""Files and folders beside others: a derived folder that nobody ever opens half of, and the same one twice."""

from __future__ import annotations

import glob
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def fresh_folder(folder: Path) -> Iterator[Path]:
    """An empty folder beside `folder` that takes its place when the body ends without an error.

    What an interrupted run left behind is removed by the next one. Every process writes to a folder of its own, so that
    one that outlives its build never takes the place of another's half.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    for left in folder.parent.glob(f"{glob.escape(folder.name)}.unfinished-*"):
        shutil.rmtree(left, ignore_errors=True)
    beside = folder.with_name(f"{folder.name}.unfinished-{os.getpid()}")
    beside.mkdir()
    yield beside
    shutil.rmtree(folder, ignore_errors=True)
    beside.rename(folder)


def linked_copy(source: Path, target: Path) -> None:
    """The same file or folder under another name; a copy where the disk has no links."""
    if source.is_dir():
        with fresh_folder(target) as beside:
            shutil.copytree(source, beside, copy_function=_link_file, dirs_exist_ok=True)
    else:
        _link_file(str(source), str(target))


def _link_file(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
