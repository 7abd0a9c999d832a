"""The dictionary of a release: all names of entities that are not withdrawn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from kg_build.index.fresh import fresh_folder
from ontology.model import Entity, Name
from ontology.reading.linker import Linker
from ontology.reading.sense import Sense
from ontology.reading.terminology import Terminology
from ontology.reading.terminology_build import build_terminology

VOCABULARY_ORDER: Final = {
    name: rank for rank, name in enumerate(("HP", "OMIM", "ORPHA", "cmekg", "openmed", "NCBIGene", "ICD10", "DECIPHER"))
}
"""Which vocabulary wins when one name of one type is in several (our choice: the one with most evidence)."""


def build_terms(entities: Mapping[str, Entity], names: Iterable[Name], folder: Path) -> Terminology:
    """Make the dictionary and save it into a folder, which is replaced as a whole.

    Args:
        entities: by id.
        names: of all entities; those of withdrawn or unknown ones are left out.
        folder: where.
    """
    senses = (
        Sense(name.entity, entity.type, name.lang, name.text, name.kind)
        for name in names
        if (entity := entities.get(name.entity)) is not None and not entity.deprecated
    )
    terminology = build_terminology(senses)
    with fresh_folder(folder) as beside:
        terminology.save(beside)
    return terminology


def make_linker(terminology: Terminology) -> Linker:
    """A linker over a dictionary, with clew's order of vocabularies."""
    return Linker(terminology, priority=VOCABULARY_ORDER)
