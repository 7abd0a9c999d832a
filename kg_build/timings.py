"""How long a build may take: what the last build of a home took, and else what was measured once.

Times of a home are kept beside its releases, not in a manifest: equal inputs have equal manifests, but never equal
times. A file that is missing or damaged means that nothing is known; it is never an error. Where a home knows nothing
yet, `rates.json` serves: seconds of each source's reader, and of the other stages per row of evidence or per character
of text, recorded by scripts/record_rates from one build of all sources on two cores.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

_FILE: Final = "timings.json"
_READ: Final = "read "


def write_timings(home: Path, seconds: Mapping[str, float], sources: Collection[str]) -> None:
    """Keep the seconds per stage of a build; stages that it did not have keep what is known of them.

    Args:
        home: where the releases are.
        seconds: by stage.
        sources: what the build was made from; stages that are not of one source depend on all of them.
    """
    known = _known(home)
    shared = known["seconds"] if known["sources"] == sorted(sources) else _of_readers(known["seconds"])
    kept = {"sources": sorted(sources), "seconds": {**shared, **seconds}}
    part = home / f"{_FILE}.part"
    part.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    os.replace(part, home / _FILE)  # noqa: PTH105  (atomic)


def expected_seconds(home: Path, sources: Collection[str]) -> dict[str, float]:
    """Seconds per stage of a build from nothing, as far as they can be known.

    Args:
        home: where the releases are.
        sources: what the build would be made from.
    """
    known = _known(home)
    last = known["seconds"] if known["sources"] == sorted(sources) else _of_readers(known["seconds"])
    found = _by_rates(sources) | last
    return {s: t for s, t in found.items() if not s.startswith(_READ) or s.removeprefix(_READ) in sources}


def _by_rates(sources: Collection[str]) -> dict[str, float]:
    rates = _rates()
    measured = [key for key in sources if key in rates["sources"]]
    seconds = {f"{_READ}{key}": rates["sources"][key]["seconds"] for key in measured}
    for unit in ("evidence", "characters"):
        amount = sum(rates["sources"][key][unit] for key in measured)
        seconds |= {stage: round(rate * amount, 1) for stage, rate in rates[f"per_{unit}"].items()}
    return seconds


@cache
def _rates() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(files("kg_build").joinpath("rates.json").read_text(encoding="utf-8"))
    return found


def _of_readers(seconds: Mapping[str, float]) -> dict[str, float]:
    return {stage: taken for stage, taken in seconds.items() if stage.startswith(_READ)}


def _known(home: Path) -> dict[str, Any]:
    """Sources and seconds of the last build; of an unknown one, none."""
    try:
        found = json.loads((home / _FILE).read_text(encoding="utf-8"))
        sources = [str(source) for source in found["sources"]]
        seconds = {str(s): float(t) for s, t in found["seconds"].items() if isinstance(t, int | float)}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {"sources": [], "seconds": {}}
    return {"sources": sources, "seconds": seconds}
