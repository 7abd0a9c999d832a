"""Texts: documents, the chunks they are cut into, and the mentions of entities found in them.

Offsets are code points. A chunk's offsets count on the untouched text of its document, a mention's on the
text of its chunk.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Document:
    """A text with its provenance.

    Attributes:
        id: CURIE.
        title: as published.
        lang: BCP-47.
        source: key of the source.
        kind: `guideline`, `differential`, `definition` or `article`.
        reference: `DOI:…`, `PMID:…` or URL of what it renders.
        year: year of publication, 0 when unknown.
        organisation: who published it, or empty.
        about: CURIEs of what the whole of it is about, so that each of its passages speaks of them, named or not.
    """

    id: str
    title: str
    lang: str
    source: str
    kind: str
    reference: str
    year: int = 0
    organisation: str = ""
    about: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage of a document.

    Attributes:
        id: CURIE: the document's id, `#` and the ordinal.
        document: id of the document.
        ordinal: position in the document, from 0.
        section: path of headings, joined with ` › `, or empty.
        text: verbatim slice of the document.
        lang: BCP-47.
        start: first code point in the document.
        end: one past the last code point.
    """

    id: str
    document: str
    ordinal: int
    section: str
    text: str
    lang: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity found in a chunk.

    Attributes:
        chunk: id of the chunk.
        entity: CURIE.
        start: first code point in the chunk's text.
        end: one past the last code point.
        text: the slice.
        method: how it was linked (`exact`, `normalised`, …).
        confidence: in [0, 1].
    """

    chunk: str
    entity: str
    start: int
    end: int
    text: str
    method: str
    confidence: float
