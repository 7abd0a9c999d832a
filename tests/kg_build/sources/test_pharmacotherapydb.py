"""PharmacotherapyDB: the category of a pair says what it becomes; a NOT is a statement, not a gap."""

import gzip
from collections import Counter
from pathlib import Path

import pytest

from kg_build.reconcile import Tally
from kg_build.sources.contract import Record, Source
from kg_build.sources.pharmacotherapydb import SOURCE
from ontology.errors import ClewError, Code
from ontology.model import Entity, Evidence, Name

HEADER = "doid_id\tdrugbank_id\tdisease\tdrug\tcategory\tn_curators\tn_resources"
TREATS = "DOID:10652\tDB00843\tAlzheimer's disease\tDonepezil\tDM\t2\t1"
RELIEVES = "DOID:10652\tDB00502\tAlzheimer's disease\tHaloperidol\tSYM\t2\t1"
NOT = "DOID:10652\tDB00163\tAlzheimer's disease\tVitamin E\tNOT\t3\t1"
REAL = Path(__file__).parents[3].parent / "shared/data/drugs/pharmacotherapydb_catalog.tsv.gz"


def read(tmp_path: Path, *lines: str, header: str = HEADER) -> tuple[list[Record], Tally]:
    path = tmp_path / "indications.tsv.gz"
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in (header, *lines)).encode()))
    tally = Tally(SOURCE.key)
    records = list(SOURCE.read({"pharmacotherapydb_indications": path}, tally))
    tally.check()
    return records, tally


def evidence(records: list[Record]) -> list[Evidence]:
    return [record for record in records if isinstance(record, Evidence)]


def test_it_is_a_source_of_a_file_the_user_provides() -> None:
    assert isinstance(SOURCE, Source)
    assert SOURCE.originals[0].names[0] == "indications.tsv"


@pytest.mark.parametrize(
    ("line", "predicate", "negated"),
    [(TREATS, "treats", False), (RELIEVES, "ameliorates_condition", False), (NOT, "treats", True)],
)
def test_the_category_says_what_a_pair_becomes(tmp_path: Path, line: str, predicate: str, negated: bool) -> None:
    (found,) = evidence(read(tmp_path, line)[0])
    assert (found.assertion.predicate, found.assertion.negated) == (predicate, negated)
    assert found.assertion.subject.startswith("DRUGBANK:DB")
    assert found.assertion.object == "DOID:10652"


def test_evidence_carries_the_row_its_place_its_category_and_the_doi(tmp_path: Path) -> None:
    (found,) = evidence(read(tmp_path, TREATS)[0])
    assert found.quote == TREATS
    assert found.record == "indications.tsv.gz:2"
    assert found.code == "DM"
    assert found.references == ("DOI:10.6084/m9.figshare.3103054",)


def test_drugs_and_diseases_are_named_once_and_another_name_is_exact(tmp_path: Path) -> None:
    records, _ = read(tmp_path, TREATS, RELIEVES, NOT.replace("Alzheimer's disease", "Alzheimer disease"))
    diseases = [r.label for r in records if isinstance(r, Entity) and r.type == "Disease"]
    names = {r.text: r.kind for r in records if isinstance(r, Name) and r.entity == "DOID:10652"}
    assert diseases == ["Alzheimer's disease"]
    assert names == {"Alzheimer's disease": "label", "Alzheimer disease": "exact"}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("10652\tDB00843\tAlzheimer's disease\tDonepezil\tDM\t2\t1", "not a DOID or not a DrugBank id"),
        ("DOID:1\t843\tAlzheimer's disease\tDonepezil\tDM\t2\t1", "not a DOID or not a DrugBank id"),
        ("DOID:1\tDB00001\t \tLepirudin\tDM\t2\t1", "without the name of the disease or the drug"),
        ("DOID:1\tDB00001\tangiosarcoma\tLepirudin\t\t2\t1", "not classified"),
        ("DOID:1\tDB00001\tangiosarcoma\tLepirudin\tMAYBE\t2\t1", "unknown category"),
        (TREATS, "pair again"),
        (TREATS.replace("DM", "NOT"), "pair again in another category"),
        ("DOID:1\tDB00001", "wrong number of columns"),
    ],
)
def test_a_bad_row_is_dropped_with_a_reason_and_the_others_are_read(tmp_path: Path, line: str, reason: str) -> None:
    records, tally = read(tmp_path, TREATS, line, RELIEVES)
    assert tally.dropped_rows["pair", reason] == 1
    assert len(evidence(records)) == 2


def test_a_table_without_its_columns_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ClewError) as error:
        read(tmp_path, header="doid_id\tdrugbank_id\tdisease\tdrug\tcategory")
    assert error.value.code is Code.UNREADABLE_SOURCE


@pytest.mark.skipif(not REAL.exists(), reason="needs ../shared/data/drugs/pharmacotherapydb_catalog.tsv.gz")
def test_the_real_file_has_755_treats_390_relieves_and_243_not() -> None:
    tally = Tally(SOURCE.key)
    found = evidence(list(SOURCE.read({"pharmacotherapydb_indications": REAL}, tally)))
    tally.check()
    assert Counter(record.code for record in found) == {"DM": 755, "SYM": 390, "NOT": 243}
