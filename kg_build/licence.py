"""Licences of a release: whom to name, and what may not be passed on.

Each source declares its licence; the manifest of a release keeps the declarations. Whatever writes a release for
others asks `check_redistributable` first.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from kg_build.release import Release
from ontology.errors import ClewError, Code


@dataclass(frozen=True)
class Attribution:
    """What a source of a release asks for.

    Attributes:
        source: its key.
        title: for people.
        release: version of the data.
        licence: name of the licence.
        attribution: the notice that the licence asks for.
        redistributable: whether data of it may be passed on.
        evidence: rows of evidence that come from it.
    """

    source: str
    title: str
    release: str
    licence: str
    attribution: str
    redistributable: bool
    evidence: int


def attributions(release: Release) -> list[Attribution]:
    """The sources of a release, by key.

    Raises:
        ClewError: CORRUPT_RELEASE.
    """
    manifest = release.manifest
    counts = manifest["counts"]["evidence"]
    return [
        Attribution(
            key,
            source["title"],
            source["release"],
            source["licence"],
            source["attribution"],
            source["redistributable"],
            counts.get(key, 0),
        )
        for key, source in sorted(manifest["sources"].items())
    ]


def check_redistributable(release: Release, without: Collection[str] = ()) -> None:
    """Refuse to pass on what a licence forbids.

    Args:
        release: what is about to be written for others.
        without: keys of sources that are left out of it.

    Raises:
        ClewError: LICENCE, naming the sources that forbid it and those that do not.
    """
    held = [source for source in attributions(release) if source.source not in without]
    if barred := [source for source in held if not source.redistributable]:
        named = "; ".join(f"{source.source} ({source.title}: {source.licence})" for source in barred)
        free = [source.source for source in held if source.redistributable]
        raise ClewError(
            Code.LICENCE,
            f"release {release.id} holds data that may not be passed on: {named}",
            remedy="leave them out: " + " ".join(f"--without {source.source}" for source in barred),
            choices=free,
        )
