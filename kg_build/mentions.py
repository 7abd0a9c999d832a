"""Mentions: the entities that a release's passages speak of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from ontology.document import Chunk, Mention
from ontology.reading.linker import Linker

LINKED_TYPES: Final = (
    "Disease",
    "PhenotypicFeature",
    "Drug",
    "DrugClass",
    "Gene",
    "Procedure",
    "AnatomicalEntity",
)
"""Types looked for in running text; the others are phrases rather than terms (our choice)."""


def find_mentions(chunks: Iterable[Chunk], linker: Linker) -> Iterator[Mention]:
    """Yield the mentions of every chunk; a definition also mentions the term it defines."""
    for chunk in chunks:
        for link in linker.link(chunk.text, types=LINKED_TYPES):
            yield Mention(chunk.id, link.entity, link.start, link.end, link.text, link.method, link.confidence)
        defined = chunk.document.removeprefix("clew.doc:hpo/")
        if defined != chunk.document:
            yield Mention(chunk.id, defined, 0, 0, "", "subject", 1.0)
