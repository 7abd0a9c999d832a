"""Writing a derived folder so that nobody ever opens half of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def fresh_folder(folder: Path) -> Iterator[Path]:
    """An empty folder beside `folder` that takes its place when the body ends without an error.

    What an interrupted run left behind is removed by the next one.
    """
    beside = folder.with_name(folder.name + ".unfinished")
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    yield beside
    shutil.rmtree(folder, ignore_errors=True)
    beside.rename(folder)
