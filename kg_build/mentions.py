"""Mentions: the entities that a release's passages speak of."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Final

from ontology.document import Chunk, Document, Mention
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


def find_mentions(
    chunks: Iterable[Chunk], documents: Mapping[str, Document], entities: Container[str], linker: Linker
) -> Iterator[Mention]:
    """Yield the mentions of every chunk.

    A document whose reference is an entity (a definition, a drug's sheet) is about it: each of its chunks mentions
    it, named or not.

    Args:
        chunks: passages.
        documents: by id.
        entities: ids of the graph.
        linker: finds names.
    """
    for chunk in chunks:
        for link in linker.link(chunk.text, types=LINKED_TYPES):
            yield Mention(chunk.id, link.entity, link.start, link.end, link.text, link.method, link.confidence)
        about = documents[chunk.document].reference
        if about in entities:
            yield Mention(chunk.id, about, 0, 0, "", "subject", 1.0)
