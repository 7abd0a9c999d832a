"""PubTator, the format of annotated abstracts (Wei et al. 2013), as BC5CDR is published in it.

    26094|t|Title
    26094|a|Abstract
    26094<TAB>27<TAB>37<TAB>depression<TAB>Disease<TAB>D003866
    26094<TAB>CID<TAB>D008750<TAB>D003866

The text is title, one blank, abstract; offsets are its code points. A line whose second column is no number states a
relation: it is no mention, and is counted. Several ids (`D1|D2`) mean that any of them is right; `-1` means that
there is none. A MeSH id has no prefix in the file (`D…` a descriptor, `C…` a supplementary concept). A mention that is
not what the text says at its offsets is a problem; its document stays, without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ontology.curie import is_curie
from reasoning.evaluation.lines import malformed, read_lines
from reasoning.evaluation.record import Problem

_PART: Final = re.compile(r"([^|\t]+)\|([ta])\|(.*)", re.DOTALL)
_MESH: Final = re.compile(r"[DC][0-9]+\Z")
_NO_ID: Final = frozenset({"", "-", "-1"})


@dataclass(frozen=True, slots=True)
class AnnotatedMention:
    """A mention: code points, CURIEs of which any is right (empty: none was found), type as written."""

    start: int
    end: int
    ids: tuple[str, ...]
    type: str


@dataclass
class AnnotatedDocument:
    """A title and abstract with mentions.

    Attributes:
        id: PubMed id.
        text: title, blank, abstract.
        mentions: in the order of the file.
        relations: how many lines state a relation.
    """

    id: str
    text: str
    mentions: list[AnnotatedMention] = field(default_factory=list)
    relations: int = 0


def read_pubtator(path: Path) -> Iterator[tuple[int, AnnotatedDocument | Problem]]:
    """The documents of a file with the line of their title, and the lines that are none of the format's.

    Raises:
        ClewError: as `reasoning.evaluation.lines.read_lines`.
    """
    begun, document = 0, None
    for number, line in read_lines(path):
        try:
            text = line.decode("utf-8-sig").rstrip("\r\n")
        except UnicodeDecodeError as error:
            yield number, malformed(number, f"not UTF-8: {error.reason}")
            continue
        part = _PART.match(text)
        if part and part[2] == "t":
            if document is not None:
                yield begun, document
            begun, document = number, AnnotatedDocument(part[1], part[3])
        elif fault := _add(document, part, text):
            yield number, malformed(number, fault)
    if document is not None:
        yield begun, document


def _add(document: AnnotatedDocument | None, part: re.Match[str] | None, line: str) -> str:
    """Add what a line says to its document; what is wrong with it, or nothing."""
    columns = line.split("\t")
    identifier = part[1] if part else columns[0]
    if document is None or identifier != document.id:
        return f"{identifier[:20]}: no title above with this id"
    if part:
        document.text += f" {part[3]}"
        return ""
    if len(columns) < 4:
        return f"{len(columns)} columns; a mention has six, a relation four"
    if not columns[1].isdecimal():
        document.relations += 1
        return ""
    return _add_mention(document, columns)


def _add_mention(document: AnnotatedDocument, columns: list[str]) -> str:
    if len(columns) < 6 or not columns[2].isdecimal():
        return "a mention has the columns document, start, end, text, type, ids"
    start, end, written = int(columns[1]), int(columns[2]), columns[3]
    if start >= end or document.text[start:end] != written:
        return f"at {start}-{end} the text says {document.text[start:end]!r}, not {written!r}"
    names = [name.strip() for name in columns[5].split("|")]
    ids = tuple(_curie(name) for name in names if name not in _NO_ID)
    document.mentions.append(AnnotatedMention(start, end, ids, columns[4]))
    return ""


def _curie(name: str) -> str:
    if _MESH.match(name):
        return f"MESH:{name}"
    return name if is_curie(name) else f"unknown:{name}"
