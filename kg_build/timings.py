"""How long the stages of the last build took, for estimates.

Kept beside the releases, not in a manifest: equal inputs have equal manifests, but never equal times. A file that is
missing or damaged means that nothing is known; it is never an error.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

_FILE: Final = "timings.json"
_READ: Final = "read "


def write_timings(home: Path, seconds: Mapping[str, float]) -> None:
    """Keep the seconds per stage of a build; stages that it did not have keep what is known of them."""
    part = home / f"{_FILE}.part"
    part.write_text(json.dumps({**_known(home), **seconds}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    os.replace(part, home / _FILE)  # noqa: PTH105  (atomic)


def read_timings(home: Path, sources: Collection[str]) -> dict[str, float]:
    """Seconds per stage, as far as known; of the stages that read a source, those of these sources only."""
    known = _known(home)
    return {s: t for s, t in known.items() if not s.startswith(_READ) or s.removeprefix(_READ) in sources}


def _known(home: Path) -> dict[str, float]:
    try:
        found = json.loads((home / _FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {str(stage): float(seconds) for stage, seconds in found.items() if isinstance(seconds, int | float)}
