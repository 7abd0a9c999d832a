"""The dictionary of a release as if it did not know some names of some entities.

Made once for a set of names and kept in the cache of the home, under a digest of release and names. It is as large
as the dictionary of the release.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Final

from kg_build.collect import entities_of, names_of
from kg_build.garbage import release_cache
from kg_build.index.terms import build_terms
from kg_build.release import Release
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
    hidden = {(curie, normal_form(name)) for curie, name in pairs}
    key = digest(release.id, str(FORMAT), *("\x1f".join(pair) for pair in sorted(hidden)))
    folder = release_cache(cache, release.id) / FOLDER / key
    if folder.is_dir():
        return Terminology.load(folder)
    touched = {curie for curie, _ in hidden}
    left = (
        name
        for name in names_of(release.table("name"))
        if name.entity not in touched or (name.entity, normal_form(name.text)) not in hidden
    )
    return build_terms(entities_of(release.table("entity")), left, folder)
