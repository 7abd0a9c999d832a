"""DrugCentral: indications with the categories of PharmacotherapyDB, whose judgement they are."""

import gzip
from collections import Counter
from pathlib import Path

import pytest

from kg_build.reconcile import Tally
from kg_build.sources.contract import Record, Source
from kg_build.sources.drugcentral import SOURCE
from ontology.model import Evidence

HEADER = "doid_id\tdrugbank_id\tdisease\tdrug\tcategory"
TREATS = "DOID:5408\tDB00630\tPaget's disease of bone\tAlendronate\tDM"
RELIEVES = "DOID:14330\tDB00915\tParkinson's disease\tAmantadine\tSYM"
NOT = "DOID:9835\tDB01057\trefractive error\tEchothiophate\tNOT"
UNCLASSIFIED = "DOID:12361\tDB00389\tGraves' disease\tCarbimazole\t"
REAL = Path(__file__).parents[3].parent / "shared/data/drugs/drugcentral_indications.tsv.gz"


def read(tmp_path: Path, *lines: str) -> tuple[list[Record], Tally]:
    path = tmp_path / "drugcentral_indications.tsv.gz"
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in (HEADER, *lines)).encode()))
    return read_file(path)


def read_file(path: Path) -> tuple[list[Record], Tally]:
    tally = Tally(SOURCE.key)
    records = list(SOURCE.read({"drugcentral_indications": path}, tally))
    tally.check()
    return records, tally


def evidence(records: list[Record]) -> list[Evidence]:
    return [record for record in records if isinstance(record, Evidence)]


def test_it_is_a_source_under_a_licence_that_asks_for_attribution() -> None:
    assert isinstance(SOURCE, Source)
    assert SOURCE.licence == "CC BY-SA 4.0"
    assert "drugcentral.org" in SOURCE.attribution


def test_the_category_says_what_a_pair_becomes(tmp_path: Path) -> None:
    found = evidence(read(tmp_path, TREATS, RELIEVES, NOT)[0])
    assert [(e.assertion.predicate, e.assertion.negated) for e in found] == [
        ("treats", False),
        ("ameliorates_condition", False),
        ("treats", True),
    ]


def test_evidence_names_who_classified_the_pair(tmp_path: Path) -> None:
    (found,) = evidence(read(tmp_path, NOT)[0])
    assert found.agent == "PharmacotherapyDB 1.0"
    assert "DOI:10.6084/m9.figshare.3103054" in found.references
    assert found.quote == NOT
    assert found.source == "drugcentral"


def test_a_pair_that_nobody_classified_is_left_out_and_counted(tmp_path: Path) -> None:
    records, tally = read(tmp_path, UNCLASSIFIED, TREATS)
    assert len(evidence(records)) == 1
    assert tally.dropped_rows["pair", "not classified"] == 1


@pytest.mark.skipif(not REAL.exists(), reason="needs ../shared/data/drugs/drugcentral_indications.tsv.gz")
def test_the_real_file_has_671_indications_of_which_461_are_classified() -> None:
    records, tally = read_file(REAL)
    assert tally.read_rows["pair"] == 671
    assert Counter(record.code for record in evidence(records)) == {"DM": 359, "SYM": 77, "NOT": 25}
