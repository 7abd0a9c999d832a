"""DrugCentral: indications of drugs, with the categories that PharmacotherapyDB's physicians gave to some of them.

DrugCentral lists each pair as an indication. The category is PharmacotherapyDB's, for pairs that are in both, and
says what the pair becomes (see `pharmacotherapydb`); the evidence names it as the agent, because a NOT is the
physicians' judgement, against DrugCentral's listing. Pairs without a category are left out: the table does not tell
treatment from relief, and some of them are uses beside the disease (norepinephrine in Parkinson's disease).

The published table (`rephetio/indications.tsv`) has no categories; the one read here has them beside the ids.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from kg_build.reconcile import Tally
from kg_build.sources.contract import CONTRACT, Artefact, Original, Record
from kg_build.sources.pharmacotherapydb import COLUMNS, REFERENCE, pairs

_KEY: Final = "drugcentral"
_PAGE: Final = "https://drugcentral.org"


class DrugCentral:
    """The source; see the module's text."""

    contract = CONTRACT
    key = _KEY
    title = "DrugCentral indications, as prepared for Hetionet"
    release = "2016"
    licence = "CC BY-SA 4.0"
    attribution = (
        "Ursu O et al. DrugCentral: online drug compendium. Nucleic Acids Res 2017;45:D932. https://drugcentral.org; "
        "prepared by Himmelstein DS, https://github.com/dhimmel/drugcentral; categories from PharmacotherapyDB 1.0"
    )
    redistributable = True
    artefacts: tuple[Artefact, ...] = ()
    originals: tuple[Original, ...] = (
        Original(
            "drugcentral_indications",
            ("drugcentral_indications.tsv",),
            "https://github.com/dhimmel/drugcentral",
        ),
    )

    def read(self, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        """Yield drugs, diseases and classified pairs; see `contract.Source.read`."""
        path = files["drugcentral_indications"]
        yield from pairs(_KEY, path, tally, COLUMNS, (_PAGE, REFERENCE), agent="PharmacotherapyDB 1.0")


SOURCE: Final = DrugCentral()
