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

OF_A_WHOLE: Final = 0.5
"""Confidence that a passage speaks of what its document is about, when it does not name it (our choice)."""


def find_mentions(
    chunks: Iterable[Chunk], documents: Mapping[str, Document], entities: Container[str], linker: Linker
) -> Iterator[Mention]:
    """Yield the mentions of every chunk.

    What a document is about (a drug's sheet, a guideline) each of its chunks mentions, named or not: a definition for
    certain, a passage of a longer text with less confidence than one that names it.

    Args:
        chunks: passages.
        documents: by id.
        entities: ids of the graph.
        linker: finds names.
    """
    for chunk in chunks:
        for link in linker.link(chunk.text, types=LINKED_TYPES):
            yield Mention(chunk.id, link.entity, link.start, link.end, link.text, link.method, link.confidence)
        document = documents[chunk.document]
        for subject in document.about:
            if subject in entities:
                confidence = 1.0 if document.kind == "definition" else OF_A_WHOLE
                yield Mention(chunk.id, subject, 0, 0, "", "subject", confidence)
