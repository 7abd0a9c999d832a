"""DrugBank open vocabulary: drugs with their names, former accession numbers, UNII and CAS codes.

    DrugBank ID, Accession Numbers, Common name, CAS, UNII, Synonyms, Standard InChI Key
         │              │               │         │     │       │
       drug      deprecated ids       label     codes (mappings)  exact names

One row is one drug; several values of a field are separated by `|`. The published file separates fields with commas.
Copies made with a spreadsheet separate them with semicolons, begin with a line `Column1;Column2;…`, and turn some
CAS numbers into dates: so the delimiter is taken from the header, that line is passed over, and a CAS number counts
only if its check digit is right.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from kg_build.reconcile import Tally
from kg_build.sources.contract import CONTRACT, Artefact, Original, Record
from kg_build.sources.files import text_lines, unreadable
from kg_build.sources.texts import LONGEST_NAME, is_name
from ontology.model import Entity, Name
from ontology.model import Mapping as TermMapping

_KEY: Final = "drugbank"
_COLUMNS: Final = ("DrugBank ID", "Accession Numbers", "Common name", "CAS", "UNII", "Synonyms")
_ID: Final = re.compile(r"DB[0-9]{5,8}")
_ACCESSION: Final = re.compile(r"[A-Z]{2,8}[0-9]{4,8}")
_UNII: Final = re.compile(r"[0-9A-Z]{10}")
_CAS: Final = re.compile(r"([0-9]{2,7})-([0-9]{2})-([0-9])")


class DrugBank:
    """The source; see the module's text."""

    contract = CONTRACT
    key = _KEY
    title = "DrugBank open vocabulary"
    release = "as downloaded"
    licence = "CC0 1.0"
    attribution = "DrugBank Open Data: DrugBank Vocabulary, https://go.drugbank.com/releases/latest#open-data"
    redistributable = True
    artefacts: tuple[Artefact, ...] = ()
    originals: tuple[Original, ...] = (
        Original(
            "drugbank_vocabulary",
            ("drugbank vocabulary.csv", "drugbank_vocabulary.csv"),
            "https://go.drugbank.com/releases/latest#open-data",
        ),
    )

    def read(self, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        """Yield drugs, names and codes; see `contract.Source.read`."""
        path = files["drugbank_vocabulary"]
        rows: list[tuple[str, dict[str, str]]] = []
        drugs: set[str] = set()
        for number, row in _rows(path, tally):
            if reason := _fault(row, drugs):
                tally.dropped("drug", reason, example=f"{path.name}:{number}")
                continue
            tally.kept("drug")
            drugs.add(row["DrugBank ID"])
            rows.append((f"{path.name}:{number}", row))
        retired: set[str] = set()
        for place, row in rows:
            curie, label = f"DRUGBANK:{row['DrugBank ID']}", row["Common name"]
            yield Entity(curie, "Drug", label, "en", _KEY)
            yield Name(curie, "en", label, "label", _KEY, place)
            yield from _synonyms(curie, row, place, tally)
            yield from _accessions(curie, row, drugs, retired, tally)
            yield from _codes(curie, row, tally)


def _rows(path: Path, tally: Tally) -> Iterator[tuple[int, dict[str, str]]]:
    """Rows as mappings with blanks around values removed; every row is counted as read."""
    header: list[str] = []
    delimiter = ","
    for number, line in text_lines(path, tally, "drug"):
        if not line.strip() or (not header and line.startswith("Column1")):
            continue
        if not header:
            delimiter = ";" if line.count(";") > line.count(",") else ","
            header = [field.strip() for field in _fields(line, delimiter) or ()]
            if absent := [column for column in _COLUMNS if column not in header]:
                raise unreadable(path.name, f"no column {', '.join(absent)}; it has {', '.join(header)[:200]}")
            continue
        tally.read("drug")
        fields = _fields(line, delimiter)
        if fields is not None and len(fields) == len(header):
            yield number, dict(zip(header, map(str.strip, fields), strict=True))
        else:
            tally.dropped("drug", "wrong number of columns", example=f"{path.name}:{number}")
    if not header:
        raise unreadable(path.name, "no header line")


def _fields(line: str, delimiter: str) -> list[str] | None:
    """The fields of a line; None when one is longer than the reader takes."""
    try:
        return next(csv.reader([line], delimiter=delimiter))
    except csv.Error:
        return None


def _fault(row: Mapping[str, str], drugs: set[str]) -> str:
    if not _ID.fullmatch(row["DrugBank ID"]):
        return "not a DrugBank id"
    if row["DrugBank ID"] in drugs:
        return "id again"
    return "" if is_name(row["Common name"]) else "without a name"


def _values(text: str) -> list[str]:
    return [value for part in text.split("|") if (value := part.strip())]


def _synonyms(curie: str, row: Mapping[str, str], place: str, tally: Tally) -> Iterator[Record]:
    seen = {row["Common name"]}
    for text in _values(row["Synonyms"]):
        tally.read("synonym")
        if text in seen:
            tally.dropped("synonym", "repeats a name of the drug")
        elif not is_name(text):
            tally.dropped("synonym", "not a name")
        else:
            tally.kept("synonym")
            seen.add(text)
            yield Name(curie, "en", text, "exact", _KEY, place)


def _accessions(
    curie: str, row: Mapping[str, str], drugs: set[str], retired: set[str], tally: Tally
) -> Iterator[Record]:
    """Former numbers of the drug: deprecated entities that point at it, so that older data still resolves."""
    for number in _values(row["Accession Numbers"]):
        tally.read("accession number")
        if not _ACCESSION.fullmatch(number):
            tally.dropped("accession number", "not an accession number", example=number[:LONGEST_NAME])
        elif number == row["DrugBank ID"]:
            tally.dropped("accession number", "the drug's own id")
        elif number in drugs or number in retired:
            tally.dropped("accession number", "belongs to another drug", example=number)
        else:
            tally.kept("accession number")
            retired.add(number)
            yield Entity(
                f"DRUGBANK:{number}", "Drug", row["Common name"], "en", _KEY, deprecated=True, replaced_by=curie
            )


def _codes(curie: str, row: Mapping[str, str], tally: Tally) -> Iterator[Record]:
    """UNII names exactly one substance; a CAS number is shared by some (all heparins have one)."""
    if unii := row["UNII"]:
        tally.read("UNII")
        if _UNII.fullmatch(unii):
            tally.kept("UNII")
            yield TermMapping(curie, "skos:exactMatch", f"UNII:{unii}", _KEY, "semapv:UnspecifiedMatching")
        else:
            tally.dropped("UNII", "not a UNII", example=unii[:LONGEST_NAME])
    if cas := row["CAS"]:
        tally.read("CAS number")
        if _is_cas(cas):
            tally.kept("CAS number")
            yield TermMapping(curie, "oboInOwl:hasDbXref", f"CAS:{cas}", _KEY, "semapv:UnspecifiedMatching")
        else:
            tally.dropped("CAS number", "not a CAS number: wrong form or check digit", example=cas[:LONGEST_NAME])


def _is_cas(text: str) -> bool:
    """Whether the last digit is the sum of the others, each times its place from the right, modulo 10."""
    match = _CAS.fullmatch(text)
    if not match:
        return False
    digits = (match[1] + match[2])[::-1]
    return sum(place * int(digit) for place, digit in enumerate(digits, 1)) % 10 == int(match[3])


SOURCE: Final = DrugBank()
