"""PharmacotherapyDB: drug–disease pairs that three physicians classified by hand.

    DM   disease-modifying    treats
    SYM  symptomatic          ameliorates_condition
    NOT  not an indication    treats, negated

Diseases are Disease Ontology terms, drugs are DrugBank ids. `n_curators` says how many of the three first gave the
category that they agreed on, `n_resources` how many of four resources listed the pair; both stay in the quote,
which is the row. `pairs` also reads other tables that carry these categories.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from kg_build.reconcile import Tally
from kg_build.sources.contract import CONTRACT, Artefact, Original, Record
from kg_build.sources.files import table_rows
from kg_build.sources.texts import LONGEST_NAME, is_name
from ontology.model import Assertion, Entity, Evidence, Name

COLUMNS: Final = ("doid_id", "drugbank_id", "disease", "drug", "category")
"""Columns that a table of pairs has."""

REFERENCE: Final = "DOI:10.6084/m9.figshare.3103054"
"""PharmacotherapyDB v1.0, which the categories are from."""

_KEY: Final = "pharmacotherapydb"
_CATEGORIES: Final = {
    "DM": ("treats", False),
    "SYM": ("ameliorates_condition", False),
    "NOT": ("treats", True),
}
_DISEASE: Final = re.compile(r"DOID:[0-9]{1,10}")
_DRUG: Final = re.compile(r"DB[0-9]{5,8}")


class PharmacotherapyDb:
    """The source; see the module's text."""

    contract = CONTRACT
    key = _KEY
    title = "PharmacotherapyDB"
    release = "1.0"
    licence = "CC0 1.0"
    attribution = (
        "PharmacotherapyDB 1.0: the open catalog of drug therapies for disease, by Daniel Himmelstein and others. "
        "https://doi.org/10.6084/m9.figshare.3103054"
    )
    redistributable = True
    artefacts: tuple[Artefact, ...] = ()
    originals: tuple[Original, ...] = (
        Original(
            "pharmacotherapydb_indications",
            ("indications.tsv", "pharmacotherapydb_catalog.tsv"),
            "https://doi.org/10.6084/m9.figshare.3103054",
        ),
    )

    def read(self, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        """Yield drugs, diseases and classified pairs; see `contract.Source.read`."""
        columns = (*COLUMNS, "n_curators", "n_resources")
        yield from pairs(_KEY, files["pharmacotherapydb_indications"], tally, columns, (REFERENCE,))


def pairs(
    key: str, path: Path, tally: Tally, columns: tuple[str, ...], references: tuple[str, ...], *, agent: str = ""
) -> Iterator[Record]:
    """Yield the entities, names and evidence of a table of classified pairs.

    Args:
        key: of the source.
        path: the table.
        tally: where its rows are counted, as `pair`.
        columns: columns that have to be there, `COLUMNS` among them.
        references: what each pair rests on.
        agent: who classified, where it is not the source itself.

    Raises:
        ClewError: UNREADABLE_SOURCE.
    """
    labels: dict[str, set[str]] = {}
    seen: dict[tuple[str, str], str] = {}
    for line, row in table_rows(path, tally, "pair", columns):
        quote = "\t".join(row.values())
        place = f"{path.name}:{line}"
        row = {column: value.strip() for column, value in row.items()}  # noqa: PLW2901 - the quote is taken
        if reason := _fault(row, seen):
            tally.dropped("pair", reason, example=f"{place}: {row['drug']}, {row['disease']}"[:LONGEST_NAME])
            continue
        tally.kept("pair")
        category, disease, drug = row["category"], row["doid_id"], f"DRUGBANK:{row['drugbank_id']}"
        seen[row["doid_id"], row["drugbank_id"]] = category
        yield from _named(key, drug, "Drug", row["drug"], place, labels)
        yield from _named(key, disease, "Disease", row["disease"], place, labels)
        predicate, negated = _CATEGORIES[category]
        yield Evidence(
            Assertion(drug, predicate, disease, negated),
            key,
            references,
            place,
            "knowledge_assertion",
            "manual_agent",
            code=category,
            quote=quote,
            agent=agent,
        )


def _fault(row: Mapping[str, str], seen: Mapping[tuple[str, str], str]) -> str:
    """Why a row is left out; empty when it is kept."""
    if not _DISEASE.fullmatch(row["doid_id"]) or not _DRUG.fullmatch(row["drugbank_id"]):
        return "not a DOID or not a DrugBank id"
    if not is_name(row["disease"]) or not is_name(row["drug"]):
        return "without the name of the disease or the drug"
    if not row["category"]:
        return "not classified"
    if row["category"] not in _CATEGORIES:
        return "unknown category"
    known = seen.get((row["doid_id"], row["drugbank_id"]))
    if known is None:
        return ""
    return "pair again" if known == row["category"] else "pair again in another category"


def _named(
    key: str, curie: str, type_name: str, label: str, place: str, labels: dict[str, set[str]]
) -> Iterator[Record]:
    """The entity when it is new; its first name is the label, each other one an exact name."""
    known = labels.setdefault(curie, set())
    if not known:
        yield Entity(curie, type_name, label, "en", key)
    if label not in known:
        yield Name(curie, "en", label, "exact" if known else "label", key, place)
        known.add(label)


SOURCE: Final = PharmacotherapyDb()
