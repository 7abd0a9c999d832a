"""What extraction reads: passages with the entities that are mentioned in them, of a release or of one file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from kg_build.collect import chunks_of, documents_of
from kg_build.mentions import LINKED_TYPES
from kg_build.release import Release, rows
from kg_build.sources.documents import read_document
from ontology.document import Chunk, Document
from ontology.errors import ClewError, Code, nearest
from ontology.reading.linker import Linker

_BATCH: Final = 4000
"""Passages whose mentions are looked up together."""


@dataclass(frozen=True, slots=True)
class Found:
    """An entity mentioned in a passage.

    Attributes:
        entity: CURIE.
        type: entity type.
        start: first code point in the passage.
        end: one past the last code point.
        text: the slice.
        confidence: of the link, in [0, 1].
    """

    entity: str
    type: str
    start: int
    end: int
    text: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk with its document and the entities mentioned in it, in order."""

    chunk: Chunk
    document: Document
    found: tuple[Found, ...]


def release_passages(
    release: Release, types: Mapping[str, str], *, document: str | None = None, source: str | None = None
) -> Iterator[Passage]:
    """Yield the passages of a release, with the mentions it holds.

    Args:
        release: what is read.
        types: entity -> type.
        document: only this one.
        source: only documents of this source.

    Raises:
        ClewError: BAD_INPUT for a document or source that has no passages in the release; CORRUPT_RELEASE.
    """
    documents = _chosen(release.table("document"), document, source)
    chunk, mention = release.table("chunk"), release.table("mention")
    chunk = chunk.filter(pc.is_in(chunk["document"], value_set=pa.array(list(documents))))
    for first in range(0, chunk.num_rows, _BATCH):
        batch = chunk.slice(first, _BATCH)
        own = mention.filter(pc.is_in(mention["chunk"], value_set=pc.unique(batch["id"])))
        found = _found(own, types)
        for passage in chunks_of(batch):
            yield Passage(passage, documents[passage.document], tuple(found.get(passage.id, ())))


def file_passages(path: Path, linker: Linker) -> Iterator[Passage]:
    """Yield the passages of a file in any format of `kg_build.sources.documents`.

    Raises:
        ClewError: BAD_INPUT when it is not there; UNREADABLE_SOURCE, MISSING_EXTRA.
    """
    if not path.is_file():
        raise ClewError(Code.BAD_INPUT, f"{path} is not a file", remedy="give a Markdown, text, HTML, PDF or DOCX file")
    document, chunks = read_document(path, path.parent)
    for chunk in chunks:
        links = linker.link(chunk.text, types=LINKED_TYPES)
        found = (Found(k.entity, k.type, k.start, k.end, k.text, k.confidence) for k in links)
        yield Passage(chunk, document, tuple(found))


def _chosen(table: pa.Table, document: str | None, source: str | None) -> dict[str, Document]:
    for column, wanted in (("id", document), ("source", source)):
        if wanted is None:
            continue
        chosen = table.filter(pc.field(column) == wanted)
        if not chosen.num_rows:
            known = sorted(set(table[column].to_pylist()))
            choices = nearest(wanted, known) or known[:5]
            what = "document" if column == "id" else "source"
            raise ClewError(Code.BAD_INPUT, f"the release has no documents of the {what} {wanted!r}", choices=choices)
        table = chosen
    return documents_of(table)


def _found(mention: pa.Table, types: Mapping[str, str]) -> dict[str, list[Found]]:
    """The mentions of some passages; one without a stretch of text, of the subject of a whole, is left out."""
    found: dict[str, list[Found]] = defaultdict(list)
    columns = ("chunk", "entity", "start", "end", "text", "confidence")
    for chunk, entity, start, end, text, confidence in rows(mention, *columns):
        if end > start:
            found[chunk].append(Found(entity, types[entity], start, end, text, round(confidence, 4)))
    return found
