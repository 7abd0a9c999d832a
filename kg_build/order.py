"""What a build was asked for, kept while it runs, so that one that was interrupted can be gone on with.

HOME/building.json holds the keys of the sources and what `--data` named. It is written before the first step and
removed after the last.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

_FILE: Final = "building.json"


@dataclass(frozen=True)
class Order:
    """What to build from.

    Attributes:
        sources: keys of the sources.
        data: folders, or URLs of files, as the user named them.
    """

    sources: tuple[str, ...]
    data: tuple[str, ...] = ()


def open_order(home: Path) -> Order | None:
    """The order of a build that did not end; None when there is none, or when its note is damaged."""
    try:
        kept = json.loads((home / _FILE).read_text(encoding="utf-8"))
        return Order(tuple(map(str, kept["sources"])), tuple(map(str, kept["data"])))
    except (OSError, ValueError, KeyError, TypeError):
        return None


@contextmanager
def kept_order(home: Path, order: Order) -> Iterator[None]:
    """Keep the order until the body has ended; when it fails, the order stays."""
    part = home / f"{_FILE}.part"
    part.write_text(json.dumps(asdict(order), ensure_ascii=False), encoding="utf-8")
    os.replace(part, home / _FILE)  # noqa: PTH105  (atomic)
    yield
    (home / _FILE).unlink(missing_ok=True)
