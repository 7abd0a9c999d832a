"""The sources clew ships with, by key."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Final

from kg_build.sources.contract import Source
from ontology.errors import ClewError, Code, nearest

_MODULES: Final = ("hpo", "icd10", "cmekg", "open_medicine")


def find_sources(keys: Iterable[str]) -> dict[str, Source]:
    """The named sources, in clew's own order.

    Raises:
        ClewError: BAD_INPUT for a name that no source has.
    """
    wanted = list(keys)
    for key in wanted:
        if key not in _MODULES:
            raise ClewError(
                Code.BAD_INPUT,
                f"there is no source {key!r}",
                choices=nearest(key, _MODULES) or sorted(_MODULES),
            )
    return {key: import_module(f"kg_build.sources.{key}").SOURCE for key in _MODULES if key in wanted}
