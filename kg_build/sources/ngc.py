"""National Guideline Clearinghouse: summaries of clinical practice guidelines, open subset.

A summary has named fields. Those with clinical text become the sections of a document that we render in Markdown;
those about the record (copyright, status, intended users) are left out and counted, and the developer and the year
become the document's own. Inside a field, a line in title case without a full stop is a heading, as it was on the
web page. What is left of the page's tables is one cell a line with a bar at its end; the cells go back on a line,
and a line begins where a grade or a level stands alone in its cell, so that a grade stays with its definition.
Nothing else of the wording is touched: the strength of a recommendation stands where its developer put it.

    guideline (id: the clearinghouse's number) ──covers──▶ disease, test or procedure (minted by name)

* Diseases are the lines of `Disease/Condition(s)`, as far as they are terms; lists inside a line are taken apart only
  where each part is a term. Tests and procedures are the items of `Interventions and Practices Considered` whose last
  word says so. Drugs are not told from other items there: passages mention them.
* A recommendation whose strength is stated behind it, `(B recommendation)`, `[EO]`, `(Weak For; Reviewed, Amended)`,
  is a passage of its own, under a heading that is its strength. It is also evidence of what the guideline covers,
  with the strength as code and the recommendation as quote: of the one condition that the guideline is for (the only
  one, or the head of a list: `Skin cancer:`), and of those that the recommendation names.
* Strengths said in prose (`is recommended on the basis of strong evidence`), or inside a sentence that goes on (where
  developers repeat what they say in other guidelines), stay text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import BaseModel, Field, ValidationError

from kg_build.chunk import chunk_markdown, escape_markup
from kg_build.reconcile import Tally
from kg_build.sources.contract import CONTRACT, Artefact, Original, Record
from kg_build.sources.files import json_lines
from kg_build.sources.texts import LONGEST_NAME, is_name
from ontology.curie import mint
from ontology.document import Document
from ontology.model import Assertion, Entity, Evidence, Name
from ontology.reading.text import normal_form

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
_SMALL: Final = frozenset("a an and as at by for from in into nor of on or per than the to versus via vs with".split())
_LONGEST_HEADING: Final = 80
_WORD: Final = re.compile(r"[^\W\d_]+")

_CONDITIONS: Final = "Disease/Condition(s)"
_OTHER_CONDITIONS: Final = "Other Disease/Condition(s) Addressed"
_INTERVENTIONS: Final = "Interventions and Practices Considered"
_RECOMMENDATIONS: Final = "Major Recommendations"
_MOST_TERMS: Final = 100
"""Terms that a field of a guideline may name (our choice: five times the known); each is looked for in each advice."""
_MOST_WORDS: Final = 6
"""Words a term may have; more are a phrase (our choice)."""
_BRACKETED: Final = re.compile(r"\s*(?:\([^()]*\)|\[[^\[\]]*\])")
_ABBREVIATION: Final = re.compile(r"\s*[(\[]([A-Za-z]?[A-Z][A-Z0-9]+s?)[)\]]")
_ENUMERATES: Final = re.compile(r",? (?:including|such as|due to|formerly known as|which includes)\b.*|:\Z")
"""What follows a term that a line goes on to take apart or explain."""
_TWO_WORDS: Final = re.compile(r"([\w-]+) and ([\w-]+)")
_NO_CONDITION: Final = re.compile(
    r"\bhealth\b|^(?:abnormalities|chronic conditions|other types of .*)\Z", re.IGNORECASE
)
_NOTE: Final = re.compile(r"\*?Notes?:")
_PROCEDURE: Final = re.compile(
    r"\b(?:\w*(?:graphy|scopy|metry|plasty|ectomy|otomy|tomies|desis|puncture|therapy|therapies|thermy|dialysis|"
    r"surgery|assay|pression)|amputation|anesthesia|biofeedback|bracing|conditioning|counsell?ing|denervation|"
    r"desensitization|exams?|examinations?|exercises?|fusion|hospitalization|imaging|immobilization|immunizations?|"
    r"infusions?|injections?|iontophoresis|manipulation|massage|mobilization|monitoring|needling|rehabilitation|"
    r"replacement|resection|screening|splinting|sterilization|stimulation|supplementation|tests?|testing|"
    r"tomosynthesis|traction|training|transfusion|ultrasound|vaccinations?|ventilation)\Z",
    re.IGNORECASE,
)
"""Last words of tests and procedures."""
_UNSPECIFIC: Final = frozenset(
    "active adjunctive appropriate augmentation combination diagnostic functional general injection "
    "nonpharmacologic passive pharmacologic pharmacotherapy psychotherapy testing therapeutic therapy treatment".split()
)
"""Words that alone name no particular test or procedure."""

_GRADE: Final = (
    r"[A-DI] recommendation|I [Ss]tatement"  # US Preventive Services Task Force
    r"|(?:(?:Strong|Weak) (?:[Ff]or|[Aa]gainst)|N/A)(?:; [\w -]+, [\w -]+)?|[A-DI]|EO"  # Departments of VA and Defense
    r"|(?:Strong|Moderate|Weak) (?:Recommendation|Strength)[,;] [^()]+|Consensus[–—-][\w ]+"  # NHLBI
    r"|I{1,3}[A-C]|Category I{1,2}[A-D]|recommendation category: [AB], evidence type: [1-4]"  # CDC
)
_STRENGTH: Final = re.compile(
    rf"\s*[(\[](?P<strength>{_GRADE})[)\]]"
    r"(?:[.;,\s]*(?:and|or)?|\.? ?\(?(?:See|Note|This recommendation applies)\b.*)\Z"
)
"""The strength behind a recommendation, and what a line may say after it."""
_ANY_STRENGTH: Final = re.compile(rf"[(\[](?:{_GRADE})[)\]]")
_LEADS_IN: Final = re.compile(r"(?:- )?(?:In|For|If|To|When|Among)\b.*[^.!?;)]\Z|.*:\Z")
_ADVISES: Final = re.compile(r"\brecommend|\bsuggest|\bshould\b|\binsufficient evidence\b", re.IGNORECASE)


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
        named: set[str] = set()
        for line, row in json_lines(files["ngc"], tally, _SUMMARY):
            try:
                summary = _Summary.model_validate(row)
            except ValidationError:
                tally.dropped(_SUMMARY, "malformed")
                continue
            if not is_name(_plain(summary.title)):
                tally.dropped(_SUMMARY, "title is not a name")
                continue
            if summary.id in seen:
                tally.dropped(_SUMMARY, "same id again")
                continue
            seen.add(summary.id)
            yield from _Guideline(summary, f"{files['ngc'].name}:{line}", named, tally).records()


@dataclass(frozen=True)
class _Term:
    """What a line of a field names.

    Attributes:
        label: without abbreviations and remarks.
        names: abbreviations, and the label with an abbreviation in place of its words, each with its kind.
        field: name of the field.
        line: the line.
    """

    label: str
    names: tuple[tuple[str, str], ...]
    field: str
    line: str

    def named_in(self, text: str) -> bool:
        """Whether a text names it, or has its abbreviation as it is written."""
        names = [(self.label, "label"), *self.names]
        return any(
            re.search(rf"\b{re.escape(name)}\b", text, 0 if kind == "abbreviation" else re.IGNORECASE)
            for name, kind in names
        )


@dataclass(frozen=True)
class _Recommendation:
    """A recommendation with the strength that its developer states behind it."""

    strength: str
    lines: tuple[str, ...]


_Unit = str | _Recommendation


class _Guideline:
    """One summary; `named` are the ids of diseases and procedures that were described before."""

    def __init__(self, summary: _Summary, place: str, named: set[str], tally: Tally) -> None:
        number = summary.id.removeprefix("ngc-")
        self.summary = summary
        self.place = place
        self.named = named
        self.tally = tally
        self.id, self.document = f"NGC:{number}", f"{_KEY}:{number}"

    def records(self) -> Iterator[Record]:
        summary = self.summary
        sections, recommended = _sections(summary, self.tally)
        if not sections:
            self.tally.dropped(_SUMMARY, "without clinical text")
            return
        self.tally.kept(_SUMMARY)
        title = " ".join(_plain(summary.title).split()).removesuffix(".")
        main = list(_terms(summary, _CONDITIONS, self.tally))
        others = list(_terms(summary, _OTHER_CONDITIONS, self.tally))
        subject = _subject(main)
        yield Entity(self.id, "Guideline", title, summary.lang, _KEY)
        yield Name(self.id, summary.lang, title, "label", _KEY, summary.id)
        yield Document(
            self.document, title, summary.lang, _KEY, "guideline", self.id, summary.year,
            _organisation(summary.fields.get("Guideline Developer(s)", "")),
            (self.id, *(_disease(term) for term in subject)),
        )  # fmt: skip
        yield from chunk_markdown(self.document, f"# {title}\n\n" + "\n".join(sections), summary.lang)
        for term in (*main, *others):
            yield from self._covers(_disease(term), "Disease", term)
        for term in _terms(summary, _INTERVENTIONS, self.tally):
            yield from self._covers(mint(_KEY, "Procedure", normal_form(term.label)), "Procedure", term)
        yield from self._recommends(recommended, subject, [*main, *others])

    def _covers(self, curie: str, type_name: str, term: _Term) -> Iterator[Record]:
        if curie not in self.named:
            yield Entity(curie, type_name, term.label, self.summary.lang, _KEY)
            yield Name(curie, self.summary.lang, term.label, "label", _KEY, self.summary.id)
        self.named.add(curie)
        for text, kind in term.names:
            yield Name(curie, self.summary.lang, text, kind, _KEY, self.summary.id)
        yield self._evidence(curie, term.field, term.line.removeprefix("- "))

    def _recommends(self, found: list[_Recommendation], subject: list[_Term], terms: list[_Term]) -> Iterator[Record]:
        for recommendation in found:
            quote = "\n".join(recommendation.lines)
            spoken_of = {_disease(term) for term in terms if [term] == subject or term.named_in(quote)}
            self.tally.read("graded recommendation")
            if spoken_of:
                self.tally.kept("graded recommendation")
            else:
                self.tally.dropped("graded recommendation", "names none of several conditions: only in the text")
            for disease in sorted(spoken_of):
                yield self._evidence(disease, recommendation.strength, quote)

    def _evidence(self, covered: str, code: str, quote: str) -> Evidence:
        return Evidence(
            Assertion(self.id, "covers", covered), _KEY, (self.id,), self.place,
            "knowledge_assertion", "manual_agent", code=code, quote=quote, document=self.document,
        )  # fmt: skip


def _subject(terms: list[_Term]) -> list[_Term]:
    """What a guideline is for: the terms of the only line, or of the line that heads the list of the others."""
    first = [term for term in terms if term.line == terms[0].line]
    return first if len(first) == len(terms) or first[0].line.endswith(":") else []


def _disease(term: _Term) -> str:
    return mint(_KEY, "Disease", normal_form(term.label))


def _terms(summary: _Summary, field: str, tally: Tally) -> Iterator[_Term]:
    """What the lines of a field name, each thing once."""
    seen: set[str] = set()
    for line in _lines(summary.fields.get(field, "")):
        tally.read(field)
        fault, parts = _parts(line, field)
        fresh = [part for part in parts if normal_form(_BRACKETED.sub("", part)) not in seen]
        if fault or not fresh or len(seen) >= _MOST_TERMS:
            fault = fault or (f"more than {_MOST_TERMS} of a guideline" if fresh else "")
            tally.dropped(field, fault or "said before", example=f"{summary.id}: {line}"[:LONGEST_NAME])
            continue
        tally.kept(field)
        for part in fresh:
            label = _BRACKETED.sub("", part).strip()
            seen.add(normal_form(label))
            yield _Term(label, tuple(_other_names(part)), field, line)


def _parts(line: str, field: str) -> tuple[str, list[str]]:
    """Why a line names nothing, or what it names with its abbreviations."""
    text = line.removeprefix("- ").rstrip("*† ")
    if _NOTE.match(line):
        return "a note", []
    if len(line) > LONGEST_NAME:
        return "a phrase, not a term", []
    if field == _INTERVENTIONS:
        return _intervention(line, text)
    head = _ENUMERATES.sub("", text)
    parts = _taken_apart(head)
    labels = [_BRACKETED.sub("", part).strip() for part in parts]
    if not parts or any(len(label.split()) > _MOST_WORDS for label in labels):
        return "a phrase, not a term", []
    named = [
        part for part, label in zip(parts, labels, strict=True) if is_name(label) and not _NO_CONDITION.search(label)
    ]
    return "" if named else "not a disease or condition", named


def _taken_apart(text: str) -> list[str]:
    """`A and B` of two words, or a list whose parts are terms of several words; empty for a list of other parts."""
    if pair := _TWO_WORDS.fullmatch(text):
        return [*pair.groups()]
    masked = _BRACKETED.sub(lambda remark: remark[0].replace(",", "\0"), text)
    pieces = [re.sub(r"\A(?:and|or) ", "", piece).replace("\0", ",") for piece in masked.split(", ")]
    lengths = [len(_BRACKETED.sub("", piece).split()) for piece in pieces]
    terms = len(pieces) == 1 or all(1 < length < _MOST_WORDS for length in lengths)
    return pieces if terms else []


def _intervention(line: str, text: str) -> tuple[str, list[str]]:
    label = _BRACKETED.sub("", text).strip()
    if not line.startswith("- "):
        return "a heading or sentence, not an item", []
    if len(label.split()) > _MOST_WORDS or re.search(r"[,;:]", label):
        return "a phrase, not a term", []
    if not _PROCEDURE.search(label):
        return "its last word is not that of a test or procedure", []
    unspecific = set(normal_form(label).split()) <= _UNSPECIFIC
    return ("names nothing in particular", []) if unspecific else ("", [text])


def _other_names(part: str) -> Iterator[tuple[str, str]]:
    """What an abbreviation in brackets gives: `virus (HIV) infection` is the HIV infection."""
    for match in _ABBREVIATION.finditer(part):
        rest = _BRACKETED.sub("", part[match.end() :]).strip()
        yield (f"{match[1]} {rest}", "exact") if rest else (match[1], "abbreviation")


def _units(lines: Iterable[str]) -> list[_Unit]:
    """The lines of the recommendations, those of one whose strength is stated together."""
    units: list[_Unit] = []
    for line in lines:
        match = _STRENGTH.search(line)
        if match is None or len(_ANY_STRENGTH.findall(line)) > 1:
            units.append(line)
            continue
        start = _start(units, alone=not _BRACKETED.sub("", line[: match.start()]).strip(" -"))
        before = [unit for unit in units[start:] if isinstance(unit, str)]
        units[start:] = [_Recommendation(match["strength"], (*before, line))]
    return units


def _start(units: list[_Unit], *, alone: bool) -> int:
    """Where a recommendation begins: with the line that leads in to it, or advises it if the strength stands alone."""
    at = len(units)
    while at and isinstance(unit := units[at - 1], str) and not _is_heading(unit):
        if alone and _ADVISES.search(unit):
            return at - 1
        if not alone:
            return at - 1 if _LEADS_IN.fullmatch(unit) else at
        at -= 1
    return max(len(units) - 1, at) if alone else len(units)


def _sections(summary: _Summary, tally: Tally) -> tuple[list[str], list[_Recommendation]]:
    """The clinical fields in the order of the record, each under its name, and the recommendations in them."""
    sections: list[str] = []
    found: list[_Recommendation] = []
    for name, value in summary.fields.items():
        tally.read(_FIELD)
        lines = _lines(value)
        if name in _ABOUT_THE_RECORD:
            tally.dropped(_FIELD, "about the record, not clinical text")
        elif not lines or " ".join(lines).rstrip(".").lower() in _EMPTY:
            tally.dropped(_FIELD, "empty or not stated")
        else:
            tally.kept(_FIELD)
            title = f"## {' '.join(name.split())}"
            units = _units(lines) if name == _RECOMMENDATIONS else [*lines]
            found += [unit for unit in units if isinstance(unit, _Recommendation)]
            sections.append(f"{title}\n\n" + "\n".join(_with_headings(units, title)) + "\n")
    return sections, found


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
        elif cells and line and raw.startswith(" ") and (cell or _in_cell(line, cells[-1])):
            cell.append(line)
        else:
            lines += [*_rows(cells), *cell]
            cells, cell = [], []
            lines += [_PUBMED_LINK.sub("", line)] if line else []
    return [escape_markup(line) for line in [*lines, *_rows(cells), *cell] if line]


def _in_cell(line: str, before: str) -> bool:
    """Whether an indented line begins a cell: the blank is what is left of the indentation of cells and of list items.

    A list stands in a cell beside the grade or level that it defines; otherwise it follows the table.
    """
    return not line.startswith("- ") or _ROW_START.fullmatch(before) is not None


def _rows(cells: list[str]) -> list[str]:
    """Cells as lines; a new line begins at a cell that holds only a grade or a level."""
    rows: list[list[str]] = []
    for cell in cells:
        if not rows or _ROW_START.fullmatch(cell):
            rows.append([])
        rows[-1].append(cell)
    return [" | ".join(row).strip() for row in rows]


def _with_headings(units: Iterable[_Unit], title: str) -> Iterator[str]:
    """The lines, with headings marked as such.

    A heading needs text below it; two in a row are a heading and its subheading, more are a list of names. The strength
    of a recommendation is the heading of that recommendation only: what follows goes on under the heading before.
    """
    run: list[str] = []
    above = current = title
    for unit in units:
        if isinstance(unit, str) and _is_heading(unit):
            run.append(unit)
            continue
        if 0 < len(run) <= 2:
            for depth, heading in enumerate(run):
                above = current = f"{'#' * (3 + depth)} {heading}"
                yield f"\n{above}\n"
            run = []
        heading = f"###### {unit.strength}" if isinstance(unit, _Recommendation) else above
        if heading != current or isinstance(unit, _Recommendation):
            yield f"\n{heading}\n"
        current = heading
        yield from run
        yield from (unit.lines if isinstance(unit, _Recommendation) else [unit])
        run = []
    yield from run


def _is_heading(line: str) -> bool:
    """Whether a line is short, in title case and not a sentence, a list item or a row."""
    if len(line) > _LONGEST_HEADING or line[-1] in ".,;:)]" or line.startswith("- ") or "|" in line:
        return False
    words = [word for word in _WORD.findall(line) if word.lower() not in _SMALL]
    return bool(words) and line[:1].isupper() and all(word[0].isupper() for word in words)


SOURCE: Final = Ngc()
