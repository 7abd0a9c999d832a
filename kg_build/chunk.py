"""Cutting documents into passages.

    text ──▶ sections (headings) ──▶ blocks (paragraph, list item, table, code) ──▶ passages of about `size`

A passage is a verbatim slice of its document and never crosses a heading. Blocks stay whole where they fit;
a longer paragraph is cut between sentences, a longer table or code block between lines. Headings are not
part of any passage: they are its section path.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from ontology.document import Chunk
from ontology.errors import ClewError, Code
from ontology.reading.text import sentences

SIZE: Final = 700
"""Characters a passage may have: about 110 English words, a paragraph or two of a guideline (our choice)."""

_Kind = Literal["blank", "heading", "rule", "fence", "table", "item", "prose"]

_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")
_LONGEST_HEADING = 1000
"""Characters of a line that can be a heading (our choice): every passage below repeats it."""
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_RULE = re.compile(r"\s*([-*_])(?:[ \t]*\1){2,}\s*\Z")
_FENCE = re.compile(r"\s*(```|~~~)")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])[ \t]")
_EMPHASIS = re.compile(r"\*\*|__|`")
_PAUSE = re.compile(r"[\s,;，；、]")
_INK = re.compile(r"\S")
_MARKUP = re.compile(r"^([^\S\n]*)(?=#{1,6}(?:[ \t]|$)|```|~~~|\|)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Block:
    kind: _Kind
    start: int
    end: int


def chunk_markdown(document_id: str, text: str, lang: str, *, size: int = SIZE) -> list[Chunk]:
    """Cut Markdown into passages along its headings.

    Args:
        document_id: CURIE of the document.
        text: the document.
        lang: BCP-47.
        size: characters a passage may have.

    Raises:
        ClewError: BAD_INPUT when `size` is not positive.
    """
    sections = _sections(text)
    return _number(document_id, text, lang, [(s, p) for s, blocks in sections for p in _pack(text, blocks, size)])


def chunk_plain(document_id: str, text: str, lang: str, *, size: int = SIZE) -> list[Chunk]:
    """Cut text without markup into passages: only blank lines and sentences count.

    Raises:
        ClewError: BAD_INPUT when `size` is not positive.
    """
    bounds = [0, *(gap.end() for gap in re.finditer(r"\n\s*\n", text)), len(text)]
    paragraphs = [_Block("prose", start, end) for start, end in pairwise(bounds)]
    return _number(document_id, text, lang, [("", span) for span in _pack(text, paragraphs, size)])


def escape_markup(text: str) -> str:
    """Running text in which no line can be taken for a heading, a fence or the row of a table: it gets a backslash."""
    return _MARKUP.sub(r"\1\\", text)


def _number(document_id: str, text: str, lang: str, passages: list[tuple[str, tuple[int, int]]]) -> list[Chunk]:
    return [
        Chunk(f"{document_id}#{i}", document_id, i, section, text[start:end], lang, start, end)
        for i, (section, (start, end)) in enumerate(passages)
    ]


def _sections(text: str) -> Iterator[tuple[str, list[_Block]]]:
    path: list[tuple[int, str]] = []
    content: list[_Block] = []
    for block in _blocks(text):
        heading = _HEADING.match(text[block.start : block.end]) if block.kind == "heading" else None
        if heading is None:
            content.append(block)
            continue
        yield _path(path), content
        level = len(heading[1])
        title = heading[2].rstrip().rstrip("#")
        path = [*(p for p in path if p[0] < level), (level, _EMPHASIS.sub("", title).strip())]
        content = []
    yield _path(path), content


def _path(path: list[tuple[int, str]]) -> str:
    return " › ".join(title for _, title in path if title)


def _blocks(text: str) -> Iterator[_Block]:
    """Headings and content in order; blank lines and rules only separate."""
    block: _Block | None = None
    fence = ""
    for line in _LINE.finditer(text):
        kind = _kind(line[0]) if not fence else "fence"
        if block is not None and (fence or _continues(block.kind, kind)):
            block = _Block(block.kind, block.start, line.end())
        else:
            if block is not None:
                yield block
            block = None if kind in {"blank", "rule"} else _Block(kind, line.start(), line.end())
        if marker := _FENCE.match(line[0]):
            fence = marker[1] if not fence else ("" if marker[1] == fence else fence)
            if not fence and block is not None:
                yield block
                block = None
    if block is not None:
        yield block


def _kind(line: str) -> _Kind:
    if not line.strip():
        return "blank"
    if len(line) <= _LONGEST_HEADING and _HEADING.match(line):
        return "heading"
    if _RULE.match(line):
        return "rule"
    if _FENCE.match(line):
        return "fence"
    if line.lstrip().startswith("|"):
        return "table"
    return "item" if _ITEM.match(line) else "prose"


def _continues(before: _Kind, kind: _Kind) -> bool:
    """Whether a line of this kind belongs to the block before it."""
    return (kind == "prose" and before in {"prose", "item"}) or (kind == before == "table")


def _pack(text: str, blocks: Iterable[_Block], size: int) -> Iterator[tuple[int, int]]:
    """Join neighbouring pieces greedily while the slice from the first to the last fits."""
    if size < 1:
        raise ClewError(Code.BAD_INPUT, f"passage size {size}", remedy="give a positive number of characters")
    start = end = -1
    for piece_start, piece_end in (piece for block in blocks for piece in _pieces(text, block, size)):
        if start >= 0 and piece_end - start > size:
            yield start, end
            start = -1
        if start < 0:
            start = piece_start
        end = piece_end
    if start >= 0:
        yield start, end


def _pieces(text: str, block: _Block, size: int) -> Iterator[tuple[int, int]]:
    """The block whole where it fits, else its sentences or lines, else parts of these; no outer blanks."""
    start, end = _trim(text, block.start, block.end)
    if start == end:
        return
    if end - start <= size:
        yield start, end
        return
    parts = [(m.start(), m.end()) for m in _LINE.finditer(text[start:end])]
    if block.kind in {"prose", "item"}:
        parts = sentences(text[start:end])
    for part_start, part_end in parts:
        yield from _cut(text, start + part_start, start + part_end, size)


def _cut(text: str, start: int, end: int, size: int) -> Iterator[tuple[int, int]]:
    """Parts of at most `size` characters, cut after the last blank or comma if it is in the second half."""
    start, end = _trim(text, start, end)
    while end - start > size:
        pauses = [m.end() for m in _PAUSE.finditer(text, start, start + size)]
        cut = pauses[-1] if pauses and pauses[-1] - start > size // 2 else start + size
        yield _trim(text, start, cut)
        start, end = _trim(text, cut, end)
    if start < end:
        yield start, end


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without blanks at its ends; looks at no more of the text than these."""
    ink = _INK.search(text, start, end)
    if ink is None:
        return end, end
    while text[end - 1].isspace():
        end -= 1
    return ink.start(), end
