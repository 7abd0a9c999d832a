"""The dictionary of a release, and its index of meanings, as if they did not know some names of some entities.

Made once for a set of names and kept in the cache of the home, under a digest of release and names. They are as large
as those of the release. What is learned from synonyms is learned without these names too.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Final

import pyarrow as pa

from kg_build.collect import entities_of, names_of
from kg_build.garbage import release_cache
from kg_build.index.encoders.multilingual import MultilingualEncoder
from kg_build.index.meaning import Meaning
from kg_build.index.meaning_build import FORMAT as MEANING_FORMAT
from kg_build.index.meaning_build import MEANT_BY, build_meaning, is_current
from kg_build.index.terms import build_terms
from kg_build.release import Release, rows
from ontology.curie import digest
from ontology.reading.terminology import FORMAT, Terminology
from ontology.reading.text import normal_form

FOLDER: Final = "held_out"
"""Below what is kept for a release."""

Pair = tuple[str, str]
"""CURIE and name."""


def terminology_without(release: Release, pairs: Collection[Pair], cache: Path) -> Terminology:
    """The dictionary of a release without exactly these names; a name is gone in every spelling of one normal form.

    Args:
        release: whose names.
        pairs: what is held out.
        cache: folder of what can be made again.

    Raises:
        ClewError: CORRUPT_RELEASE.
    """
    folder = _folder(release, pairs, cache, f"terms {FORMAT}")
    if folder.is_dir():
        return Terminology.load(folder)
    left = names_of(_names_without(release, pairs))
    return build_terms(entities_of(release.table("entity")), left, folder)


def meaning_without(release: Release, pairs: Collection[Pair], cache: Path) -> Meaning:
    """The index of meanings of a release without exactly these names; see `terminology_without`."""
    folder = _folder(release, pairs, cache, f"meaning {MEANING_FORMAT}")
    if not is_current(folder):
        tables = {name: release.table(name) for name in MEANT_BY}
        build_meaning({**tables, "name": _names_without(release, pairs)}, folder, cache)
    return Meaning(folder, MultilingualEncoder())


def _folder(release: Release, pairs: Collection[Pair], cache: Path, what: str) -> Path:
    key = digest(release.id, what, *("\x1f".join(pair) for pair in sorted(_hidden(pairs))))
    return release_cache(cache, release.id) / FOLDER / key


def _hidden(pairs: Collection[Pair]) -> set[Pair]:
    return {(curie, normal_form(name)) for curie, name in pairs}


def _names_without(release: Release, pairs: Collection[Pair]) -> pa.Table:
    table, hidden = release.table("name"), _hidden(pairs)
    touched = {curie for curie, _ in hidden}
    left = [
        curie not in touched or (curie, normal_form(text)) not in hidden
        for curie, text in rows(table, "entity", "text")
    ]
    return table.filter(pa.array(left, pa.bool_()))
