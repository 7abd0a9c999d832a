"""National Guideline Clearinghouse: summaries of clinical practice guidelines, open subset.

A summary has named fields. Those with clinical text become the sections of a document that we render in Markdown;
those about the record (copyright, status, intended users) are left out and counted, and the developer and the year
become the document's own. Inside a field, a line in title case without a full stop is a heading, as it was on the
web page. What is left of the page's tables is one cell a line with a bar at its end; the cells go back on a line,
and a line begins where a grade or a level stands alone in its cell, so that a grade stays with its definition.
Nothing else of the wording is touched: the strength of a recommendation stands where its developer put it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from pydantic import BaseModel, Field, ValidationError

from kg_build.chunk import chunk_markdown
from kg_build.reconcile import Tally
from kg_build.sources.contract import CONTRACT, Artefact, Original, Record
from kg_build.sources.files import json_lines
from ontology.document import Document

_KEY: Final = "ngc"
_SUMMARY: Final = "guideline"
_FIELD: Final = "field"

_ABOUT_THE_RECORD: Final = frozenset(
    [
        "Guideline Category",
        "Clinical Specialty",
        "Intended Users",
        "Date Released",
        "Guideline Developer(s)",
        "Guideline Status",
        "Copyright Statement",
    ]
)
_EMPTY: Final = frozenset(["not stated", "not applicable", "none stated", "none available"])
_KIND_OF_DEVELOPER: Final = re.compile(r" - [^-]*(?:Agency|Panel|Association|Society|Organization|Program|Plan)\b.*\Z")
_TAG: Final = re.compile(r"</?[A-Za-z][A-Za-z0-9]*(?:\s[^<>]*)?/?>")
_PUBMED_LINK: Final = re.compile(r"\s*(?:External Web Site Policy|PubMed)\s*\|?\s*\Z")
_ROW_START: Final = re.compile(
    r"(?:Grade )?(?:[A-FI]|[IVX]{1,3}|[1-5][A-D+-]{0,2})|I Statement|High|Moderate|(?:Very )?Low"
    r"|(?:Strong|Weak)(?: (?:For|Against))?|(?:Some|Good)(?: evidence)?",
    re.IGNORECASE,
)
_MARKDOWN: Final = re.compile(r"\A(?=#{1,6}[ \t]|```|~~~|\|)")
"""What would be mark-up at the start of a line, and gets a backslash."""
_SMALL: Final = frozenset("a an and as at by for from in into nor of on or per than the to versus via vs with".split())
_LONGEST_HEADING: Final = 80
_WORD: Final = re.compile(r"[^\W\d_]+")


class _Summary(BaseModel):
    id: str = Field(pattern=r"^ngc-\d{1,9}$")
    title: str = Field(min_length=1)
    year: int = Field(default=0, ge=0, le=9999)
    lang: str = Field(default="en", pattern="^[a-z]{2}$")
    fields: dict[str, str]


class Ngc:
    """The source; see the module's text."""

    contract = CONTRACT
    key = _KEY
    title = "National Guideline Clearinghouse, open subset"
    release = "2018-07"
    licence = "public domain (US federal) and USPSTF terms of use"
    attribution = "National Guideline Clearinghouse, Agency for Healthcare Research and Quality (AHRQ)"
    redistributable = True
    artefacts: tuple[Artefact, ...] = ()
    originals: tuple[Original, ...] = (
        Original("ngc", ("guidelines/ngc_open.jsonl",), "https://www.ahrq.gov/gam/index.html"),
    )

    def read(self, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        """Yield documents and passages; see `contract.Source.read`."""
        seen: set[str] = set()
        for _, row in json_lines(files["ngc"], tally, _SUMMARY):
            try:
                summary = _Summary.model_validate(row)
            except ValidationError:
                tally.dropped(_SUMMARY, "malformed")
                continue
            if summary.id in seen:
                tally.dropped(_SUMMARY, "same id again")
                continue
            seen.add(summary.id)
            yield from _guideline(summary, tally)


def _guideline(summary: _Summary, tally: Tally) -> Iterator[Record]:
    sections = _sections(summary, tally)
    if not sections:
        tally.dropped(_SUMMARY, "without clinical text")
        return
    tally.kept(_SUMMARY)
    number = summary.id.removeprefix("ngc-")
    title = " ".join(_plain(summary.title).split())
    document = Document(
        f"{_KEY}:{number}", title, summary.lang, _KEY, "guideline", f"NGC:{number}", summary.year,
        _organisation(summary.fields.get("Guideline Developer(s)", "")),
    )  # fmt: skip
    yield document
    text = f"# {title}\n\n" + "\n".join(sections)
    yield from chunk_markdown(document.id, text, summary.lang)


def _sections(summary: _Summary, tally: Tally) -> list[str]:
    """The clinical fields in the order of the record, each under its name."""
    sections = []
    for name, value in summary.fields.items():
        tally.read(_FIELD)
        lines = _lines(value)
        if name in _ABOUT_THE_RECORD:
            tally.dropped(_FIELD, "about the record, not clinical text")
        elif not lines or " ".join(lines).rstrip(".").lower() in _EMPTY:
            tally.dropped(_FIELD, "empty or not stated")
        else:
            tally.kept(_FIELD)
            sections.append(f"## {' '.join(name.split())}\n\n" + "\n".join(_with_headings(lines)) + "\n")
    return sections


def _organisation(developers: str) -> str:
    names = [_KIND_OF_DEVELOPER.sub("", line) for line in _lines(developers)]
    return "; ".join(name for name in names if name)


def _plain(text: str) -> str:
    """Text without mark-up: `a < b` is not a tag and stays."""
    return html.unescape(_TAG.sub("", text))


def _lines(value: str) -> list[str]:
    """The lines of a field without remnants of the page, tables as lines of cells."""
    lines: list[str] = []
    cells: list[str] = []
    cell: list[str] = []
    for raw in _plain(value).split("\n"):
        line = " ".join(raw.split())
        if line.endswith("|") and not _PUBMED_LINK.search(line):
            # A cell may have several lines; only its last one has the bar.
            cells.append(" ".join([*cell, line.removesuffix("|").rstrip()]))
            cell = []
        elif cells and line and raw.startswith(" "):  # the blank is what is left of the cell's indentation
            cell.append(line)
        else:
            lines += [*_rows(cells), *cell]
            cells, cell = [], []
            lines += [_PUBMED_LINK.sub("", line)] if line else []
    return [_MARKDOWN.sub("\\\\", line) for line in [*lines, *_rows(cells), *cell] if line]


def _rows(cells: list[str]) -> list[str]:
    """Cells as lines; a new line begins at a cell that holds only a grade or a level."""
    rows: list[list[str]] = []
    for cell in cells:
        if not rows or _ROW_START.fullmatch(cell):
            rows.append([])
        rows[-1].append(cell)
    return [" | ".join(row).strip() for row in rows]


def _with_headings(lines: list[str]) -> Iterator[str]:
    """The lines, with headings marked as such.

    A heading needs text below it; two in a row are a heading and its subheading, more are a list of names.
    """
    run: list[str] = []
    for line in lines:
        if _is_heading(line):
            run.append(line)
            continue
        if 0 < len(run) <= 2:
            yield from (f"\n{'#' * (3 + depth)} {heading}\n" for depth, heading in enumerate(run))
        else:
            yield from run
        run = []
        yield line
    yield from run


def _is_heading(line: str) -> bool:
    """Whether a line is short, in title case and not a sentence, a list item or a row."""
    if len(line) > _LONGEST_HEADING or line[-1] in ".,;:)]" or line.startswith("- ") or "|" in line:
        return False
    words = [word for word in _WORD.findall(line) if word.lower() not in _SMALL]
    return bool(words) and line[:1].isupper() and all(word[0].isupper() for word in words)


SOURCE: Final = Ngc()
