"""MedQuAD: consumer-health pages of the US National Institutes of Health, cut into questions and answers.

    XML collection (zip) ──┐
                           ├──▶ page: focus, CUIs, synonyms, answers ──▶ Document, Chunk; Disease, Name, Mapping
    JSON Lines ────────────┘

A page becomes a document that we render in Markdown: its focus is the title, each question the heading of its
answer. Answers are run-in text: list items and the rows of tables go back to lines of their own. What the pages say
about themselves (where to look words up, how a table is to be read, what clinical trials are in general) is removed
where many pages repeat it, and so is a list of key points whose items stand as headings below it.

A focus that the source annotates as a disorder becomes a disease with an id minted from its name; the UMLS concepts
are mappings, not ids, because one focus may have several and a concept may be wider than the focus. A synonym that
other foci have too, or are called, does not tell them apart: it is kept as a related name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring
from pydantic import BaseModel, ValidationError

from kg_build.chunk import chunk_markdown, escape_markup
from kg_build.reconcile import Tally
from kg_build.sources.contract import CONTRACT, Artefact, Original, Record
from kg_build.sources.files import Member, archive_members, json_lines
from kg_build.sources.texts import is_id, is_name
from ontology.curie import mint
from ontology.document import Document
from ontology.errors import ClewError, Code
from ontology.model import Entity, Name
from ontology.model import Mapping as TermMapping
from ontology.reading.text import normal_form, sentences

_KEY: Final = "medquad"
_URL: Final = "https://github.com/abachaa/MedQuAD/archive/refs/heads/master.zip"
_PAGE: Final = "page"
_ANSWER: Final = "answer"
_SENTENCE: Final = "sentence"
_DISORDERS: Final = "Disorders"

MANY: Final = 25
"""Pages that have to share a sentence before it can count as boilerplate (our choice)."""

_LARGEST_PAGE: Final = 16 * 2**20
"""Bytes of one XML file after decompression (our choice: the longest of the collection has a hundredth of it)."""

_LONGEST_BOILERPLATE: Final = 2000
"""Characters of a sentence that is looked at (our choice: the longest boilerplate has a quarter of it)."""

_ABOUT_THE_PAGE: Final = re.compile(
    r"clinical trials?\b|\bweb ?sites?\b|MedlinePlus|Human Phenotype Ontology|Orphanet"
    r"|\bfrequenc(?:y|ies)\b.*\b(?:feature|fraction|study|people|available)\b|sign or symptom may be rare or common"
    r"|first number of the fraction|the table below|Approximate number of patients"
    r"|^key points$|^NIH: |^Centers for Disease Control and Prevention$|PDQ summar|^Check with your doctor"
    r"|^(?:- )?Some treatments are standard|new treatment may become the standard|every new treatment being studied"
    r"|^These resources (?:address|from)|^- Diagnostic Tests - Drug Therapy|^For more specific results, refine the"
    r"|^Other trials test treatments|^What are the signs and symptoms of .*\?$"
    r"|\bGTR\b|questions about a genetic test|^The mission of the National Institute|^- Follow-up tests may be needed",
    re.IGNORECASE,
)
"""What speaks of the page or of medical research in general; tells boilerplate from facts that many diseases share."""

_RUN_IN_ITEM: Final = re.compile(r"(?<=[.:;?!)])\s+-\s+")
_TABLE_EDGE: Final = re.compile(r"(?<=\(when available\))\s+|\s+(?=The Human Phenotype Ontology \(HPO\) has collected)")
_ROW_END: Final = re.compile(r" (?:-|[0-9]+(?:\.[0-9]+)?%|[0-9]+/[0-9]+)(?= |\Z)")
_TABLE_HEAD: Final = "(when available)"
_ABBREVIATION: Final = re.compile(r"[A-Z][A-Z0-9-]{1,7}")
_CUI: Final = re.compile(r"C\d{7}")
_FOLDER_NUMBER: Final = re.compile(r"(?:\A|/)(\d+)_[^/]*/[^/]+\Z")


class _Answer(BaseModel):
    question: str
    text: str


class _Page(BaseModel):
    """A page in either format; the field names are those of the JSON Lines."""

    id: str
    source: str
    url: str
    title: str
    umls_cuis: list[str | None] = []
    synonyms: list[str] = []
    semantic_group: str | None = None
    sections: list[_Answer]


@dataclass(frozen=True)
class _Line:
    """A line of an answer as sentences, each beside the form under which pages are compared."""

    sentences: tuple[tuple[str, str], ...]


class MedQuad:
    """The source; see the module's text."""

    contract = CONTRACT
    key = _KEY
    title = "MedQuAD, consumer-health answers of the NIH"
    release = "2019-01"
    licence = "CC-BY-4.0"
    attribution = "MedQuAD, Asma Ben Abacha and Dina Demner-Fushman, BMC Bioinformatics 20 (2019), CC BY 4.0"
    redistributable = True
    artefacts: tuple[Artefact, ...] = ()
    originals: tuple[Original, ...] = (
        Original("medquad_xml", ("MedQuAD-master.zip",), _URL, optional=True),
        Original("medquad_jsonl", ("medquad/docs.jsonl",), _URL, optional=True),
    )

    def read(self, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        """Yield documents, passages, diseases, names and mappings; see `contract.Source.read`.

        The XML collection is read when both forms are there.
        """
        if "medquad_xml" in files:
            pages = list(_xml_pages(files["medquad_xml"], tally))
        elif "medquad_jsonl" in files:
            pages = list(_json_pages(files["medquad_jsonl"], tally))
        else:
            raise ClewError(
                Code.UNREACHABLE_ARTEFACT,
                "MedQuAD-master.zip is not there",
                remedy=f"download it from {_URL} and name its folder with --data",
                choices=[name for original in self.originals for name in original.names],
            )
        yield from _Reader(pages, tally).records()


class _Reader:
    """One pass over the pages, with what can only be known from all of them."""

    def __init__(self, pages: list[_Page], tally: Tally) -> None:
        self.pages = pages
        self.tally = tally
        self.boilerplate = _boilerplate(pages)
        self.holders = _holders(pages)
        self.documents: Counter[str] = Counter()
        self.introduced: set[str] = set()

    def records(self) -> Iterator[Record]:
        """All records, page by page."""
        for page in self.pages:
            text = self._render(page)
            if not text:
                self.tally.dropped(_PAGE, "without an answer")
                continue
            self.tally.kept(_PAGE)
            self.documents[page.id] += 1
            again = self.documents[page.id]  # the collection gives one id to several foci of the same web page
            document = f"{_KEY}:{page.id}" + (f".{again}" if again > 1 else "")
            title = _one_line(page.title)
            about = (_disease(title),) if page.semantic_group == _DISORDERS else ()
            yield Document(document, title, "en", _KEY, "article", page.url, organisation=page.source, about=about)
            yield from chunk_markdown(document, text, "en")
            yield from self._focus(page, document)

    def _render(self, page: _Page) -> str:
        """The page as Markdown without what is redundant; empty when no answer is left."""
        parts = []
        for answer in page.sections:
            self.tally.read(_ANSWER)
            if not answer.text.strip():
                self.tally.dropped(_ANSWER, "empty")
            elif lines := self._cleaned(_lines(answer.text, page.title)):
                self.tally.kept(_ANSWER)
                parts.append(f"## {_one_line(answer.question)}\n\n" + "\n".join(lines) + "\n")
            else:
                self.tally.dropped(_ANSWER, "nothing but boilerplate")
        return f"# {_one_line(page.title)}\n\n" + "\n".join(parts) if parts else ""

    def _cleaned(self, lines: list[_Line]) -> list[str]:
        """The lines without boilerplate, and without key points that are headings further down."""
        whole = [" ".join(text for text, _ in line.sentences) for line in lines]
        last = {text: i for i, text in enumerate(whole)}
        cleaned = []
        for i, line in enumerate(lines):
            self.tally.read(_SENTENCE, len(line.sentences))
            if whole[i].startswith("- ") and last.get(whole[i][2:], -1) > i:
                self.tally.dropped(_SENTENCE, "key point that is a heading below", len(line.sentences))
                continue
            kept = [text for text, form in line.sentences if form not in self.boilerplate]
            self.tally.kept(_SENTENCE, len(kept))
            if surplus := len(line.sentences) - len(kept):
                self.tally.dropped(_SENTENCE, f"boilerplate of at least {MANY} pages", surplus)
            if any(normal_form(text) for text in kept):
                cleaned.append(escape_markup(" ".join(kept)))
            elif kept:
                self.tally.kept(_SENTENCE, -len(kept))
                self.tally.dropped(_SENTENCE, "without letters", len(kept))
        return cleaned

    def _focus(self, page: _Page, document: str) -> Iterator[Record]:
        """The disease a page is about, with its names and concepts; each names the document as its record."""
        self.tally.read("focus")
        label = _one_line(page.title)
        if page.semantic_group != _DISORDERS:
            self.tally.dropped("focus", "not annotated as a disorder")
            return
        self.tally.kept("focus")
        disease = _disease(label)
        if disease not in self.introduced:
            self.introduced.add(disease)
            yield Entity(disease, "Disease", label, "en", _KEY)
        yield Name(disease, "en", label, "label", _KEY, document)
        for synonym in page.synonyms:
            yield from self._synonym(disease, _one_line(synonym), document)
        for cui in page.umls_cuis:
            self.tally.read("concept")
            if cui and _CUI.fullmatch(cui):
                self.tally.kept("concept")
                yield TermMapping(disease, "skos:closeMatch", f"UMLS:{cui}", _KEY, "semapv:UnspecifiedMatching")
            else:
                self.tally.dropped("concept", "not a UMLS concept identifier")

    def _synonym(self, disease: str, text: str, document: str) -> Iterator[Record]:
        self.tally.read("synonym")
        form = normal_form(text)
        if not form or not is_name(text):
            self.tally.dropped("synonym", "longer than a name" if form else "without letters")
        elif _disease(text) == disease:
            self.tally.dropped("synonym", "the focus itself")
        else:
            self.tally.kept("synonym")
            exact = "abbreviation" if _ABBREVIATION.fullmatch(text) else "exact"
            yield Name(disease, "en", text, exact if self.holders[form] == {disease} else "related", _KEY, document)


def _disease(label: str) -> str:
    return mint(_KEY, "Disease", normal_form(label))


def _holders(pages: Iterable[_Page]) -> dict[str, set[str]]:
    """For each name, the foci that have it as title or synonym."""
    holders: dict[str, set[str]] = {}
    for page in pages:
        if page.semantic_group == _DISORDERS:
            for text in (page.title, *page.synonyms):
                holders.setdefault(normal_form(_one_line(text)), set()).add(_disease(_one_line(page.title)))
    return holders


def _boilerplate(pages: Iterable[_Page]) -> set[str]:
    """The forms of sentences that speak of the page and stand in many pages."""
    counts: Counter[str] = Counter()
    for page in pages:
        lines = (line for answer in page.sections for line in _lines(answer.text, page.title))
        counts.update({form for line in lines for text, form in line.sentences if _is_about_the_page(text)})
    return {form for form, n in counts.items() if n >= MANY}


def _is_about_the_page(text: str) -> bool:
    return len(text) <= _LONGEST_BOILERPLATE and _ABOUT_THE_PAGE.search(text) is not None


def _lines(text: str, focus: str) -> list[_Line]:
    """An answer as lines, with run-in items and table rows on lines of their own."""
    # A mark that cannot stand in the text takes the place of the focus, so that pages can be compared.
    focus = _one_line(focus)
    lines: list[_Line] = []
    for paragraph in text.splitlines():
        for line in _TABLE_EDGE.sub("\n", _RUN_IN_ITEM.sub("\n- ", _one_line(paragraph))).split("\n"):
            for part in _table_rows(line) if lines and _follows_head(lines[-1]) else [line]:
                pieces = tuple(part[start:end] for start, end in sentences(part))
                if pieces:
                    lines.append(_Line(tuple((piece, piece.replace(focus, "\0")) for piece in pieces)))
    return lines


def _follows_head(line: _Line) -> bool:
    return line.sentences[-1][0].endswith(_TABLE_HEAD)


def _table_rows(line: str) -> list[str]:
    """The rows of a table of findings, each with how often the finding is seen where the page says so."""
    rows, begin = [], 0
    for end in _ROW_END.finditer(line):
        if row := line[begin : end.start()].strip():
            rows.append(f"- {row}{end[0].removesuffix(' -')}")
            begin = end.end()
    rest = line[begin:].strip()
    return [*rows, rest] if rest else rows


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _json_pages(path: Path, tally: Tally) -> Iterator[_Page]:
    for _, row in json_lines(path, tally, _PAGE):
        try:
            page = _Page.model_validate(row)
        except ValidationError:
            tally.dropped(_PAGE, "malformed")
            continue
        if fault := _fault(page):
            tally.dropped(_PAGE, fault)
        else:
            yield page


def _xml_pages(path: Path, tally: Tally) -> Iterator[_Page]:
    """The pages of the XML collection; a file that cannot be read is one page dropped."""
    for member in archive_members(path, lambda name: name.endswith(".xml"), largest=_LARGEST_PAGE):
        tally.read(_PAGE)
        page, fault = _xml_page(member)
        if page is None or (fault := _fault(page)):
            tally.dropped(_PAGE, fault)
        else:
            yield page


def _xml_page(member: Member) -> tuple[_Page | None, str]:
    folder = _FOLDER_NUMBER.search(member.name)
    if folder is None:
        return None, "outside the numbered folders of the collection"
    if member.fault:
        return None, member.fault
    try:
        root: Any = fromstring(member.content)
    except (ParseError, DefusedXmlException, ValueError, LookupError):
        return None, "not well-formed XML"
    return _from_xml(root, folder[1]), ""


def _from_xml(root: Element, folder: str) -> _Page:
    pairs = root.iterfind("QAPairs/QAPair")
    return _Page(
        id=f"{folder}-{root.get('id', '')}",
        source=root.get("source", ""),
        url=root.get("url", ""),
        title=root.findtext("Focus") or "",
        umls_cuis=[cui.text for cui in root.iter("CUI")],
        synonyms=[synonym.text or "" for synonym in root.iter("Synonym")],
        semantic_group=(root.findtext(".//SemanticGroup") or "").strip() or None,
        sections=[
            _Answer(question=pair.findtext("Question") or "", text=pair.findtext("Answer") or "") for pair in pairs
        ],
    )


def _fault(page: _Page) -> str:
    """Why a page cannot become a document; empty when it can."""
    if not is_name(page.title):
        return "without a focus"
    if not is_id(f"{_KEY}:{page.id}") or page.id.endswith("-"):
        return "without an id"
    return "" if page.url.startswith(("http://", "https://")) else "without an address"


SOURCE: Final = MedQuad()
