"""The sources there are: those clew ships with, and those other distributions announce."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Final

from kg_build.sources.contract import CONTRACT, Source
from ontology.errors import ClewError, Code, nearest

GROUP: Final = "clew.sources"
"""Entry point group under which a distribution announces sources."""

_SHIPPED: Final = (
    "hpo",
    "icd10",
    "cmekg",
    "open_medicine",
    "cedict",
    "hp_zh",
    "mesh",
    "icd10cm",
    "icd10_zh",
    "gnuhealth",
    "biomappings",
    "drugbank",
    "drug_names",
    "pharmacotherapydb",
    "drugcentral",
    "ema",
    "ansm",
    "interactions",
    "hetionet",
    "medquad",
    "ngc",
    "encyclopaedia_zh",
    "documents",
    "accepted",
)


def source_keys() -> list[str]:
    """Keys of all sources that can be built from: shipped ones first, then announced ones by name."""
    return [*_SHIPPED, *sorted({entry.name for entry in entry_points(group=GROUP)} - set(_SHIPPED))]


def find_sources(keys: Iterable[str]) -> dict[str, Source]:
    """The named sources, in the order of `source_keys`: the first one to describe an entity names it.

    Raises:
        ClewError: BAD_INPUT for a name that no source has; BAD_SOURCE for one that does not keep the contract.
    """
    wanted, known = set(keys), source_keys()
    for key in wanted:
        if key not in known:
            raise ClewError(Code.BAD_INPUT, f"there is no source {key!r}", choices=nearest(key, known) or known)
    announced = {entry.name: entry for entry in entry_points(group=GROUP)}
    return {key: _load(key, announced) for key in known if key in wanted}


def _load(key: str, announced: dict[str, EntryPoint]) -> Source:
    if key in _SHIPPED:
        found = import_module(f"kg_build.sources.{key}").SOURCE
    else:
        try:
            found = announced[key].load()
        except Exception as error:  # whatever somebody else's module raises while it is imported
            raise ClewError(Code.BAD_SOURCE, f"{key}: {type(error).__name__}: {error}") from error
    if not isinstance(found, Source):
        raise ClewError(Code.BAD_SOURCE, f"{key}: lacks parts of the contract", choices=Source.__annotations__)
    if found.contract != CONTRACT:
        raise ClewError(Code.BAD_SOURCE, f"{key}: written for contract {found.contract}, this is {CONTRACT}")
    return found
