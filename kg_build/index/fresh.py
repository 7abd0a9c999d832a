"""Writing a derived folder so that nobody ever opens half of it."""

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
