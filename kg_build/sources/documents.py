"""A user's own documents: every Markdown, text, HTML, PDF and DOCX file of a folder.

    file ──▶ Markdown with the structure that the format has ──▶ Document, Chunk

    Markdown   as it is                        PDF    a heading 'p. N' for each page, its lines unwrapped
    text       paragraphs only                 DOCX   headings, list items, tables as lines
    HTML       headings, list items, tables as lines, without navigation

What repeats at the head and foot of PDF pages is removed and counted. A document's id comes from its path in the
folder, not from its content, so a changed file keeps its id. HTML is read with lxml, which python-docx needs anyway;
lxml, pypdf and python-docx are in the extra `documents` and are imported when a file needs them.

Files are not trusted: sizes are bounded before anything is unpacked, links that lead out of the folder are not
followed, and a file that cannot be read is dropped with the reason, whatever its parser trips over.
"""

from __future__ import annotations

import logging
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, Final
from zipfile import ZipFile

from kg_build.chunk import chunk_markdown, chunk_plain, escape_markup
from kg_build.reconcile import Tally
from kg_build.sources.contract import CONTRACT, Artefact, Original, Record
from ontology.document import Chunk, Document
from ontology.errors import ClewError, Code
from ontology.reading.codes import CJK
from ontology.reading.text import language

_KEY: Final = "documents"
_FILE: Final = "file"
_LINE: Final = "repeated line"

LARGEST_TEXT: Final = 20 * 2**20
"""Bytes a Markdown, text or HTML file may have, and characters any document (our choice: twenty thick books)."""

LARGEST_BINARY: Final = 200 * 2**20
"""Bytes a PDF or DOCX file may have, and a DOCX after decompression (our choice)."""

MOST_PAGES: Final = 5000
"""Pages a PDF may have (our choice)."""

_EDGE: Final = 2
"""Lines at the head and at the foot of a page that may be a running header or footer (our choice)."""

_REPEATED: Final = 3
"""Pages a line has to stand on to be one, if these are at least half of the pages (our choice)."""

_FORBIDDEN_IN_ID: Final = re.compile(r"[\s\x00-\x1f<>\"{}|\\^`%#]")
_FIRST_HEADING: Final = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_PAGE_NUMBER: Final = re.compile(r"^\d+\b|\b\d+$|(?<=page )\d+|(?<=第)\s*\d+|\d+(?=\s*(?:of|/)\s*\d+$)")
"""Numbers where page numbers stand; others, such as doses, tell lines apart."""
_SENTENCE_END: Final = re.compile(r"[.!?:;。！？：；…][\"')\]”’」』）】]*\Z")
_JOINS: Final = re.compile(rf"[{CJK}，、-]\Z")

_SKIPPED_HTML: Final = frozenset(
    "script style nav footer aside noscript template form head button select iframe svg math object".split()
)
_HTML_BLOCKS: Final = frozenset(
    "address article blockquote body br caption center dd details div dl dt figcaption figure header hr html legend "
    "li main ol p pre section summary table tbody tfoot thead title ul".split()
)
_HTML_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_WORD_HEADING: Final = re.compile(r"Heading ([1-9])\Z")


@dataclass(frozen=True)
class _Content:
    """What a file holds.

    Attributes:
        title: from the file, or empty.
        text: Markdown, or plain text.
        removed: lines taken out because pages repeat them.
        plain: whether the text has no markup.
    """

    title: str
    text: str
    removed: int = 0
    plain: bool = False


class Documents:
    """The source; see the module's text."""

    contract = CONTRACT
    key = _KEY
    title = "Your own documents"
    release = "local"
    licence = "as stated by their owners"
    attribution = "documents of the user"
    redistributable = False
    artefacts: tuple[Artefact, ...] = ()
    originals: tuple[Original, ...] = (Original(_KEY, ("documents",), "your own folder named documents", folder=True),)

    def read(self, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        """Yield documents and passages of the folder `files["documents"]`; see `contract.Source.read`.

        Raises:
            ClewError: UNREADABLE_SOURCE when it is not a folder; MISSING_EXTRA when a file needs a library that is
                not installed.
        """
        for _, path in self.units(files):
            yield from self.read_unit(path, files, tally)

    def units(self, files: Mapping[str, Path]) -> Iterator[tuple[str, Path]]:
        """Yield the files of the folder with their paths in it; see `contract.Divided.units`."""
        root = files[_KEY]
        if not root.is_dir():
            raise ClewError(Code.UNREADABLE_SOURCE, f"{root.name} is not a folder", remedy="put the documents in one")
        for path in _walk(root):
            yield path.relative_to(root).as_posix(), path

    def read_unit(self, path: Path, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        """Yield the document and the passages of one file; see `contract.Divided.read_unit`."""
        root = files[_KEY]
        tally.read(_FILE)
        try:
            document, chunks, removed = _read(path, root)
        except ClewError as error:
            if error.code is Code.MISSING_EXTRA:
                raise
            tally.dropped(_FILE, error.cause, example=path.relative_to(root).as_posix())
            return
        tally.kept(_FILE)
        if removed:
            tally.read(_LINE, removed)
            tally.dropped(_LINE, "header or footer of pages", removed)
        yield document
        yield from chunks


def read_document(path: Path, root: Path) -> tuple[Document, list[Chunk]]:
    """Read one file of the folder.

    Args:
        path: the file.
        root: the folder its id is relative to.

    Raises:
        ClewError: UNREADABLE_SOURCE with the reason as cause; MISSING_EXTRA when its library is not installed.
    """
    document, chunks, _ = _read(path, root)
    return document, chunks


def _read(path: Path, root: Path) -> tuple[Document, list[Chunk], int]:
    suffix = path.suffix.lower()
    if path.name.startswith((".", "~$")):
        raise _unusable("hidden or temporary file")
    if not path.resolve().is_relative_to(root.resolve()):
        raise _unusable("link that leads out of the folder")
    if suffix not in _READERS:
        raise _unusable("neither Markdown, text, HTML, PDF nor DOCX")
    if not path.is_file():
        raise _unusable("not a regular file")
    largest, reader = _READERS[suffix]
    try:
        if path.stat().st_size > largest:
            raise _unusable(f"larger than {largest:,} bytes")
        content = reader(path)
    except OSError as error:
        raise _unusable("cannot be opened") from error
    if len(content.text) > LARGEST_TEXT:
        raise _unusable(f"text longer than {LARGEST_TEXT:,} characters")
    cut = chunk_plain if content.plain else chunk_markdown
    identifier, lang = _identifier(path, root), language(content.text)
    chunks = cut(identifier, content.text, lang)
    if not chunks:
        raise _unusable("no text in it (pages that are pictures have to be recognised first)")
    title = " ".join(content.title.split()) or path.stem
    return Document(identifier, title, lang, _KEY, "article", identifier), chunks, content.removed


def _walk(root: Path) -> Iterator[Path]:
    """All files in order of their paths; folders that are links are not entered but named."""
    for folder, folders, names in os.walk(root, followlinks=False):
        folders.sort()
        links = [name for name in folders if (Path(folder) / name).is_symlink()]
        yield from (Path(folder) / name for name in sorted([*names, *links]))


def _identifier(path: Path, root: Path) -> str:
    """The id of a file: its path in the folder, with what a CURIE or the id of a passage cannot hold as %XX."""
    relative = unicodedata.normalize("NFC", path.relative_to(root).as_posix())
    escaped = _FORBIDDEN_IN_ID.sub(lambda m: "".join(f"%{byte:02X}" for byte in m[0].encode()), relative)
    return f"{_KEY}:{escaped}"


def _unusable(reason: str) -> ClewError:
    return ClewError(Code.UNREADABLE_SOURCE, reason)


def _library(module: str) -> Any:
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise ClewError(
            Code.MISSING_EXTRA, f"{module} is not installed", remedy='pip install "clew[documents]"'
        ) from error


def _decoded(path: Path) -> str:
    """The text of a file in UTF-8, UTF-16 with its mark, or GB 18030, with one kind of line end."""
    content = path.read_bytes()
    encodings = ["utf-16"] if content.startswith((b"\xff\xfe", b"\xfe\xff")) else ["utf-8-sig", "gb18030"]
    for encoding in encodings:
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    raise _unusable("neither UTF-8, UTF-16 nor GB 18030")


def _read_markdown(path: Path) -> _Content:
    text = _decoded(path)
    heading = _FIRST_HEADING.search(text)
    return _Content(heading[1] if heading else "", text)


def _read_text(path: Path) -> _Content:
    return _Content("", _decoded(path), plain=True)


def _read_html(path: Path) -> _Content:
    html, etree = _library("lxml.html"), _library("lxml.etree")
    try:
        parser = html.HTMLParser(remove_comments=True, remove_pis=True)
        root = html.document_fromstring(path.read_bytes() if _declares_encoding(path) else _decoded(path), parser)
        _check_depth(parser)
        title = root.findtext(".//title") or ""
        blocks = _HtmlBlocks()
        for event, element in etree.iterwalk(root, events=("start", "end")):
            blocks.take(event, element)
    except ClewError:
        raise
    except Exception as error:  # whatever the parser trips over in somebody's file
        raise _unusable("damaged HTML") from error
    return _titled(title, blocks.flushed())


def _check_depth(parser: Any) -> None:
    """Refuse a page that the parser has cut off: it leaves out what is nested too deeply."""
    if any("depth" in entry.message for entry in parser.error_log):
        raise _unusable("HTML nested too deeply")


def _declares_encoding(path: Path) -> bool:
    with path.open("rb") as stream:
        return re.search(rb"<\?xml[^>]*encoding|<meta[^>]*charset", stream.read(4096), re.IGNORECASE) is not None


class _HtmlBlocks:
    """Collects the blocks of a page as Markdown while its elements start and end."""

    def __init__(self) -> None:
        self.blocks: list[str] = []
        self.inline: list[str] = []
        self.cells: list[str] | None = None
        self.skipping = 0
        self.item = False

    def take(self, event: str, element: Any) -> None:
        """Take the start or the end of an element."""
        if element.tag in _SKIPPED_HTML:
            self.skipping += 1 if event == "start" else -1
        elif not self.skipping:
            self._boundary(event, element.tag)
        text = element.text if event == "start" else element.tail
        if text and not self.skipping:
            self.inline.append(text)

    def flushed(self) -> list[str]:
        """All blocks, the last one closed."""
        self._close("")
        return self.blocks

    def _boundary(self, event: str, tag: str) -> None:
        if tag == "tr":
            self._row(event)
        elif self.cells is not None:
            if tag in {"td", "th"} and event == "end":
                self.cells.append(self._words())
            elif tag in _HTML_BLOCKS or tag in _HTML_HEADINGS:
                self.inline.append(" ")
        elif level := _HTML_HEADINGS.get(tag):
            self._close("#" * level + " " if event == "end" else "")
        elif tag in _HTML_BLOCKS:
            self._close("")
            self.item = event == "start" if tag == "li" else self.item

    def _row(self, event: str) -> None:
        if event == "start":
            self._close("")
            self.cells = []
        elif self.cells is not None:
            if any(self.cells):
                self.blocks.append(f"| {' | '.join(cell.replace('|', '/') for cell in self.cells)} |")
            self.cells = None

    def _close(self, heading: str) -> None:
        if words := self._words():
            self.blocks.append(heading + words if heading else ("- " if self.item else "") + escape_markup(words))
            self.item = False

    def _words(self) -> str:
        words = " ".join("".join(self.inline).split())
        self.inline.clear()
        return words


def _read_pdf(path: Path) -> _Content:
    pypdf = _library("pypdf")
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it would tell every fault that it mends
    try:
        reader = pypdf.PdfReader(path)
        _check_pdf(reader)
        title = (reader.metadata.title if reader.metadata else "") or ""
        pages = list(_pdf_pages(reader))
    except pypdf.errors.DependencyError as error:
        raise _unusable("encrypted PDF") from error
    except (ClewError, OSError):
        raise
    except Exception as error:  # whatever the parser trips over in somebody's file
        raise _unusable("damaged PDF") from error
    pages, removed = _without_running_lines(pages)
    title = title or path.stem
    parts = [f"## p. {n}\n\n{text}\n" for n, page in enumerate(pages, 1) if (text := _unwrapped(page))]
    return _Content(title, f"# {' '.join(title.split())}\n\n" + "\n".join(parts), removed)


def _check_pdf(reader: Any) -> None:
    if reader.is_encrypted and not reader.decrypt(""):
        raise _unusable("encrypted PDF")
    if len(reader.pages) > MOST_PAGES:
        raise _unusable(f"more than {MOST_PAGES:,} pages")


def _pdf_pages(reader: Any) -> Iterator[list[str]]:
    """The lines of each page; stops a file whose pages hold more text than any document may have."""
    total = 0
    for page in reader.pages:
        text = page.extract_text().replace("\0", "")
        total += len(text)
        if total > LARGEST_TEXT:
            raise _unusable(f"text longer than {LARGEST_TEXT:,} characters")
        yield [" ".join(line.split()) for line in text.splitlines()]


def _without_running_lines(pages: list[list[str]]) -> tuple[list[list[str]], int]:
    """The pages without running headers and footers, page numbers apart, and how many lines that were."""
    edges = [_edge_lines(page) for page in pages]
    counts = Counter(form for page, edge in zip(pages, edges, strict=True) for form in {_form(page[i]) for i in edge})
    needed = max(_REPEATED, len(pages) / 2)
    kept = [
        [line for i, line in enumerate(page) if i not in edge or counts[_form(line)] < needed]
        for page, edge in zip(pages, edges, strict=True)
    ]
    return kept, sum(map(len, pages)) - sum(map(len, kept))


def _edge_lines(page: list[str]) -> set[int]:
    written = [i for i, line in enumerate(page) if line]
    return {*written[:_EDGE], *written[-_EDGE:]}


def _form(line: str) -> str:
    return _PAGE_NUMBER.sub("0", line.casefold())


def _unwrapped(lines: list[str]) -> str:
    """Lines joined to paragraphs: a line goes on in the next unless it ends a sentence or is much shorter.

    A hyphen at the end of a line stays: whether it belongs to the word cannot be told.
    """
    full = max(map(len, lines), default=0)
    parts: list[str] = []
    before, goes_on = "", False
    for line in lines:
        if not line:
            parts.append("\n\n")
        elif goes_on:
            parts += ["" if _JOINS.search(before) else " ", line]
        else:
            parts += ["\n", escape_markup(line)]
        goes_on = len(line) > 0.6 * full and not _SENTENCE_END.search(line)
        before = line
    return "".join(parts).strip("\n")


def _read_docx(path: Path) -> _Content:
    docx = _library("docx")
    _check_archive(path)
    try:
        document = docx.Document(path)
        title = document.core_properties.title or ""
        blocks = [block for item in document.iter_inner_content() for block in _docx_blocks(item)]
    except (ClewError, OSError):
        raise
    except Exception as error:  # whatever the parser trips over in somebody's file
        raise _unusable("damaged DOCX") from error
    return _titled(title, blocks)


def _check_archive(path: Path) -> None:
    """Refuse a bomb by the sizes that the archive declares: more than these is never unpacked."""
    try:
        with ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
    except OSError:
        raise
    except Exception as error:  # whatever a damaged directory makes of itself
        raise _unusable("damaged or encrypted DOCX") from error
    if size > LARGEST_BINARY:
        raise _unusable(f"unpacks to more than {LARGEST_BINARY:,} bytes")


def _docx_blocks(item: Any) -> Iterator[str]:
    """A paragraph as one block, a table as one for each row."""
    if hasattr(item, "rows"):
        for row in item.rows:
            cells = [" ".join(cell.text.split()).replace("|", "/") for cell in row.cells]
            if any(cells):
                yield f"| {' | '.join(cells)} |"
    elif words := " ".join(item.text.split()):
        style = (item.style.name if item.style is not None else "") or ""
        if style == "Title":
            yield f"# {words}"
        elif heading := _WORD_HEADING.match(style):
            yield f"{'#' * min(int(heading[1]) + 1, 6)} {words}"
        else:
            yield f"- {words}" if style.startswith("List") else escape_markup(words)


def _titled(title: str, blocks: list[str]) -> _Content:
    """The blocks as Markdown below a title: the file's own, or its first heading of the first level."""
    first = next((block.removeprefix("# ") for block in blocks if block.startswith("# ")), "")
    title = " ".join(title.split())
    parts = [] if first or not title else [f"# {title}\n\n"]
    for block, below in pairwise([*blocks, ""]):
        together = block[:2] == below[:2] and block[:2] in {"- ", "| "}
        parts.append(block + ("\n" if together else "\n\n"))
    return _Content(first or title, "".join(parts))


_READERS: Final[dict[str, tuple[int, Callable[[Path], _Content]]]] = {
    ".md": (LARGEST_TEXT, _read_markdown),
    ".txt": (LARGEST_TEXT, _read_text),
    ".html": (LARGEST_TEXT, _read_html),
    ".pdf": (LARGEST_BINARY, _read_pdf),
    ".docx": (LARGEST_BINARY, _read_docx),
}
"""For each ending, the bytes a file may have and what reads it."""

SOURCE: Final = Documents()
