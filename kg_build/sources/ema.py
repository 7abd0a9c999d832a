"""EMA medicines register: every medicine assessed centrally in the European Union, with its status and indication.

    medicine   Drug (id: EMA product number), brand name, INN ──has_ingredient──▶ active substance (minted by name)
               └─ document: status first, then the indication, verbatim
    area       of a human, authorised medicine: medicine ──treats / prevents──▶ disease (minted by name)
                                                disease ──is_diagnosed_by──▶ medicine

* Human medicines that are authorised today may treat. Refused, withdrawn, lapsed, suspended, … and all veterinary
  medicines are kept with their documents, whose every passage carries category and status in its section path.
* A therapeutic area is a MeSH heading for what the medicine is about, so what it is to the medicine follows from
  code and indication: vaccines prevent it, diagnostic agents detect it, and a medicine whose indication speaks of
  prevention and not of treatment prevents it if it is what the indication says is prevented (migraine, graft
  rejection; but not the heart attack after which clopidogrel prevents others). The others treat it.
* Areas that are no disease (Radionuclide Imaging, Ovulation Induction) are left out, and so is the cancer beside
  which antiemetics, epoetins and the like are given.
* The INN is a `related` name: many products share it, and a product is not its substance.
* A substance is as the register writes it, often a salt (sorafenib tosilate); its common name, where the salt's name
  begins with it, is an ingredient too, because other vocabularies know the drug by that name.
* The register runs headings of an indication into its sentences (`PsoriasisYesintek is …`); the text stays so.

The publisher's report is a spreadsheet; it is read in its JSON Lines export, one row an object by column titles.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from kg_build.chunk import chunk_markdown, escape_markup
from kg_build.reconcile import Tally
from kg_build.sources.contract import CONTRACT, Artefact, Original, Record
from kg_build.sources.files import json_lines
from kg_build.sources.texts import LONGEST_NAME, is_name
from ontology.curie import mint
from ontology.document import Document
from ontology.errors import ClewError, Code
from ontology.model import Assertion, Entity, Evidence, Name
from ontology.reading.text import normal_form

_KEY: Final = "ema"
_PAGE: Final = "https://www.ema.europa.eu/en/medicines/download-medicine-data"
_INN: Final = "International non-proprietary name (INN) / common name"
_SUBSTANCE: Final = "Active substance"
_AREA: Final = "Therapeutic area (MeSH)"
_INDICATION: Final = "Therapeutic indication"
_URL: Final = "Medicine URL"
_LONGEST_TEXT: Final = 100_000
"""Characters of an indication (our choice: ten times the longest known), which every area repeats as its quote."""
_ATC: Final = "ATC code (human)"
_PRODUCT: Final = re.compile(r"EME?A/[A-Z]/[A-Z]{1,9}/[0-9]{1,9}(?:/[0-9]{1,9}){0,3}")
_DATE: Final = re.compile(r"\d\d/\d\d/(\d{4})")

_PREVENTS: Final = re.compile(r"prevent|prophyla|immuni[sz]|vaccin|contracepti", re.IGNORECASE)
_TREATS: Final = re.compile(
    r"treatment (?:of|for|and|or|in|to|with)\b|treatment[.,:;]|\bto treat|treating|therapy (?:of|for|in)\b|"
    r"(?:for|as|disease-modifying|maintenance|replacement|substitution|combination|hormone|adjunctive|add-on) "
    r"(?:therapy|treatment)|relief of|reliev|management of|improv|control of|reduction (?:of|in)|decrease (?:of|in)|"
    r"repair|conversion|healing",
    re.IGNORECASE,
)
_DETECTS: Final = re.compile(
    r"for diagnostic use only|not intended for direct use in patients|diagnostic test|"
    r"visualisation of malignant|\bprecursor\b.{0,80}\bradiolabelling",
    re.IGNORECASE,
)
_PREVENTED: Final = re.compile(
    r"(?:prevention of|prophylaxis of|prevent|protect against|prophylaxis \(\w+\) to reduce the risk of)\s+"
    r"(?P<what>[^.;:(]*?)(?=[.;:(]|\s(?:of|in|for|caused|associated|presenting|cisplatin)\b|\Z)",
    re.IGNORECASE,
)
"""What an indication says is prevented: `Prevention of [acute nausea and vomiting] associated with …`."""
_SAID_OF_MANY: Final = frozenset("disease diseases disorder disorders infection infections human virus".split())
"""Words of MeSH headings that do not tell one from another."""
_VACCINE: Final = "J07"
_DIAGNOSTIC: Final = frozenset({"V04", "V08", "V09"})
_SUPPORTIVE: Final = ("A04", "B03", "L03AA", "M05", "N02", "V03")
"""ATC codes of what people with cancer get beside its treatment: antiemetics, epoetins, G-CSF, for bones and pain."""
_STEM: Final = 10
"""Letters of a word that are compared: thromboembolism and thromboembolic are one."""
_CANCER: Final = re.compile(r"\b(?:cancer|neoplasms?|myeloma)\b", re.IGNORECASE)
_NO_DISEASE: Final = re.compile(
    r"\b(?:imaging|tomography|ultrasonography|echocardiography|colonoscopy|diagnosis|tests|techniques|procedures|"
    r"transplantation|transfusion|immunization|desensitization|vaccine|implantation|"
    r"arthroplasty|fixation|fusion|dialysis|debridement|injections|hemostasis|blockade|sedation|cessation|"
    r"ovulation|contraception|contraceptives|reproductive|growth|menopause|postmenopause|aging|"
    r"disease outbreaks|virus|neoplastic processes|labor)\b",
    re.IGNORECASE,
)
"""Words of MeSH headings for procedures, physiology and organisms."""
_STILL_A_DISEASE: Final = re.compile(
    r"infection|premature|neoplasm|syndrome|disease(?! outbreaks)|disorder", re.IGNORECASE
)
"""Headings that have such a word and are one: COVID-19 virus infection; Obstetric Labor, Premature."""


class Ema:
    """The source; see the module's text."""

    contract = CONTRACT
    key = _KEY
    title = "European Medicines Agency, register of medicines"
    release = "as downloaded"
    licence = "EMA legal notice (reuse with acknowledgement)"
    attribution = (
        "© European Medicines Agency, medicines data table. Reproduction is authorised provided the source is "
        "acknowledged. https://www.ema.europa.eu/en/medicines/download-medicine-data"
    )
    redistributable = True
    artefacts: tuple[Artefact, ...] = ()
    originals: tuple[Original, ...] = (
        Original(
            "ema_medicines",
            (
                "medicines-output-medicines-report_en.jsonl",
                "ema_medicines.jsonl",
                "medicines-output-medicines-report_en.xlsx",
            ),
            _PAGE,
        ),
    )

    def read(self, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        """Yield medicines, substances, documents and indications; see `contract.Source.read`."""
        path = files["ema_medicines"]
        if path.suffix == ".xlsx":
            raise ClewError(
                Code.UNREADABLE_SOURCE,
                f"{path.name} is a spreadsheet",
                remedy="export it as JSON Lines, one row an object by column titles, named "
                "medicines-output-medicines-report_en.jsonl",
            )
        yield from _Reader(path, tally).records()


class _Reader:
    """One pass over the register, with what was described so far."""

    def __init__(self, path: Path, tally: Tally) -> None:
        self.path = path
        self.tally = tally
        self.medicines: set[str] = set()
        self.named: set[tuple[str, str]] = set()

    def records(self) -> Iterator[Record]:
        for line, raw in json_lines(self.path, self.tally, "medicine"):
            row = {key: str(value).strip() for key, value in raw.items() if isinstance(value, str | int | float)}
            if reason := self._fault(row):
                self.tally.dropped("medicine", reason, example=f"{self.path.name}:{line}")
                continue
            self.tally.kept("medicine")
            self.medicines.add(row["EMA product number"])
            yield from self._medicine(row, f"{self.path.name}:{line}")

    def _fault(self, row: Mapping[str, str]) -> str:
        if not _PRODUCT.fullmatch(row.get("EMA product number", "")):
            return "not an EMA product number"
        if row["EMA product number"] in self.medicines:
            return "product number again"
        if not is_name(row.get("Name of medicine", "")):
            return "without a name"
        limits = {_INDICATION: _LONGEST_TEXT}
        if any(len(value) > limits.get(column, LONGEST_NAME) for column, value in row.items()):
            return "a field longer than any is"
        if row.get("Category") not in {"Human", "Veterinary"} or not row.get("Medicine status"):
            return "without category or status"
        return "" if row.get(_URL, "").startswith(("https://", "http://")) else "without its page"

    def _medicine(self, row: Mapping[str, str], place: str) -> Iterator[Record]:
        number, name, inn = row["EMA product number"], row["Name of medicine"], row.get(_INN, "")
        local = number.replace("/", ".")
        medicine, document = f"{_KEY}:{local}", f"clew.doc:{_KEY}/{local}"
        yield Entity(medicine, "Drug", name, "en", _KEY)
        yield Name(medicine, "en", name, "brand", _KEY, number)
        if is_name(inn) and normal_form(inn) != normal_form(name):
            yield Name(medicine, "en", inn, "related", _KEY, number)
        yield from self._ingredients(row, medicine, place)
        yield Document(
            document, name, "en", _KEY, "article", row[_URL], _year(row), "European Medicines Agency", (medicine,)
        )
        yield from chunk_markdown(document, _render(row), "en")
        yield from self._indications(row, medicine, document, place)

    def _ingredients(self, row: Mapping[str, str], medicine: str, place: str) -> Iterator[Record]:
        seen: set[str] = set()
        for substance in _values(row.get(_SUBSTANCE, "")):
            self.tally.read("active substance")
            form = normal_form(substance)
            if form in seen or not is_name(substance):
                self.tally.dropped("active substance", "repeats a substance" if form in seen else "not a name")
                continue
            seen.add(form)
            self.tally.kept("active substance")
            yield from self._ingredient(row, medicine, substance, _SUBSTANCE, place)
        for common in _values(row.get(_INN, "")):
            form = normal_form(common)
            if is_name(common) and form not in seen and any(known.startswith(f"{form} ") for known in seen):
                yield from self._ingredient(row, medicine, common, _INN, place)

    def _ingredient(
        self, row: Mapping[str, str], medicine: str, substance: str, column: str, place: str
    ) -> Iterator[Record]:
        ingredient = mint(_KEY, "Drug", normal_form(substance))
        yield from self._named(ingredient, "Drug", substance, place)
        yield Evidence(
            Assertion(medicine, "has_ingredient", ingredient), _KEY, (row[_URL],), place,
            "knowledge_assertion", "manual_agent", code=column, quote=row[column],
        )  # fmt: skip

    def _indications(self, row: Mapping[str, str], medicine: str, document: str, place: str) -> Iterator[Record]:
        obstacle, predicate = _obstacle(row), _purpose(row)
        seen: set[str] = set()
        for area in _values(row.get(_AREA, "")):
            self.tally.read("therapeutic area")
            form = normal_form(area)
            reason = obstacle or _no_object(area, predicate, row) or ("repeats an area" if form in seen else "")
            if reason:
                self.tally.dropped("therapeutic area", reason, example=f"{row['Name of medicine']}: {area}")
                continue
            seen.add(form)
            self.tally.kept("therapeutic area")
            disease = mint(_KEY, "Disease", form)
            yield from self._named(disease, "Disease", area, place)
            ends = (disease, medicine) if predicate == "is_diagnosed_by" else (medicine, disease)
            yield Evidence(
                Assertion(ends[0], predicate, ends[1]), _KEY, (row[_URL],), place,
                "knowledge_assertion", "manual_agent", code=_AREA, quote=row[_INDICATION],
                document=document,
            )  # fmt: skip

    def _named(self, curie: str, type_name: str, text: str, place: str) -> Iterator[Record]:
        """The entity when it is new (its first spelling is the label), and each spelling once."""
        first = (curie, "") not in self.named
        if first:
            yield Entity(curie, type_name, text, "en", _KEY)
        if (curie, text) not in self.named:
            yield Name(curie, "en", text, "label" if first else "exact", _KEY, place)
        self.named |= {(curie, ""), (curie, text)}


def _values(text: str) -> list[str]:
    return [value for part in text.split(";") if (value := part.strip())]


def _obstacle(row: Mapping[str, str]) -> str:
    """Why a medicine is for nothing; empty when its areas count."""
    if row["Category"] != "Human":
        return "of a veterinary medicine"
    if row["Medicine status"] != "Authorised":
        return f"of a medicine that is not authorised: {row['Medicine status']}"
    return "" if row.get(_INDICATION) else "without the text of the indication"


def _purpose(row: Mapping[str, str]) -> str:
    """What a medicine does to its areas, as a predicate."""
    group, indication = row.get(_ATC, "")[:3], row.get(_INDICATION, "")
    if group == _VACCINE:
        return "prevents"
    if group in _DIAGNOSTIC or _DETECTS.search(indication):
        return "is_diagnosed_by"
    return "prevents" if _PREVENTS.search(indication) and not _TREATS.search(indication) else "treats"


def _no_object(area: str, predicate: str, row: Mapping[str, str]) -> str:
    """Why an area is not a disease of which the predicate holds; empty when it is."""
    atc, vaccine = row.get(_ATC, ""), row.get(_ATC, "").startswith(_VACCINE)
    if not is_name(area):
        return "not a name"
    if _NO_DISEASE.search(area) and not _STILL_A_DISEASE.search(area):
        return "a procedure, physiology or organism, not a disease"
    if predicate == "prevents" and not vaccine and not _is_prevented(area, row[_INDICATION]):
        return "not what the indication says is prevented"
    supports = atc.startswith(_SUPPORTIVE) and _CANCER.search(area)
    return "the cancer beside which a supportive medicine is given" if supports else ""


def _is_prevented(area: str, indication: str) -> bool:
    """Whether a word of the area stands in what the indication says is prevented."""
    said = " ".join(normal_form(match["what"]) for match in _PREVENTED.finditer(indication))
    words = {word.removesuffix("s") for word in normal_form(area).split() if len(word) > 2} - _SAID_OF_MANY
    return any(re.search(rf"\b{re.escape(word[:_STEM])}", said) for word in words)


def _year(row: Mapping[str, str]) -> int:
    match = _DATE.fullmatch(row.get("Last updated date") or row.get("First published date") or "")
    return int(match[1]) if match else 0


def _render(row: Mapping[str, str]) -> str:
    """The document: category and status in its heading, so that every passage carries them."""
    name = " ".join(row["Name of medicine"].split())
    kind = f"{row['Category'].lower()} medicine, {' '.join(row['Medicine status'].lower().split())}"
    facts = [
        f"{label}: {row[column]}"
        for label, column in (
            ("Medicine", "Name of medicine"),
            ("Status", "Medicine status"),
            ("Category", "Category"),
            ("Common name", _INN),
            ("Active substance", _SUBSTANCE),
            ("Therapeutic area", _AREA),
            ("ATC code", _ATC),
        )
        if row.get(column)
    ]
    text = f"# {name} ({kind})\n\n" + escape_markup("\n".join(facts)) + "\n"
    indication = row.get(_INDICATION, "")
    return f"{text}\n## Therapeutic indication\n\n{escape_markup(indication)}\n" if indication else text


SOURCE: Final = Ema()
