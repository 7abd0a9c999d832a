"""DrugBank open vocabulary: published and spreadsheet copies give the same drugs; nothing is lost silently."""

import gzip
from pathlib import Path

import pytest

from kg_build.reconcile import Tally
from kg_build.sources.contract import Record, Source
from kg_build.sources.drugbank import SOURCE
from ontology.errors import ClewError, Code
from ontology.model import Entity, Mapping, Name

HEADER = ["DrugBank ID", "Accession Numbers", "Common name", "CAS", "UNII", "Synonyms", "Standard InChI Key"]
DONEPEZIL = ["DB00843", "APRD00039 | DB99901", "Donepezil", "120014-06-4", "8SSC91326P", "Donepezilo | Donepezil", ""]
PHENYTOIN = ["DB00252", "", "Phenytoin", "57-41-0", "6158TKW0C5", "5,5-Diphenylhydantoin | Fenitoína", ""]
REAL = Path(__file__).parents[3].parent / "shared/data/drugs/drugbank_vocabulary.csv.gz"


def csv_text(rows: list[list[str]], delimiter: str = ",") -> str:
    quote = [[f'"{field}"' if delimiter in field else field for field in row] for row in [HEADER, *rows]]
    return "".join(delimiter.join(row) + "\r\n" for row in quote)


def read_text(tmp_path: Path, text: str) -> tuple[list[Record], Tally]:
    path = tmp_path / "drugbank vocabulary.csv.gz"
    path.write_bytes(gzip.compress(text.encode()))
    tally = Tally(SOURCE.key)
    records = list(SOURCE.read({"drugbank_vocabulary": path}, tally))
    tally.check()
    return records, tally


def read(tmp_path: Path, *rows: list[str]) -> tuple[list[Record], Tally]:
    return read_text(tmp_path, csv_text(list(rows)))


def test_it_is_a_source_of_a_file_the_user_provides() -> None:
    assert isinstance(SOURCE, Source)
    assert SOURCE.originals[0].names[0] == "drugbank vocabulary.csv"
    assert SOURCE.licence == "CC0 1.0"


def test_a_drug_has_its_common_name_as_label_and_synonyms_as_exact_names(tmp_path: Path) -> None:
    records, tally = read(tmp_path, PHENYTOIN)
    assert Entity("DRUGBANK:DB00252", "Drug", "Phenytoin", "en", "drugbank") in records
    names = {(name.text, name.kind) for name in records if isinstance(name, Name)}
    assert names == {("Phenytoin", "label"), ("5,5-Diphenylhydantoin", "exact"), ("Fenitoína", "exact")}
    assert tally.kept_rows["drug"] == 1


def test_former_accession_numbers_point_at_the_drug(tmp_path: Path) -> None:
    records, _ = read(tmp_path, DONEPEZIL)
    retired = {r.id: r.replaced_by for r in records if isinstance(r, Entity) and r.deprecated}
    assert retired == dict.fromkeys(("DRUGBANK:APRD00039", "DRUGBANK:DB99901"), "DRUGBANK:DB00843")


def test_a_number_that_is_another_drug_today_is_not_retired(tmp_path: Path) -> None:
    records, tally = read(tmp_path, DONEPEZIL, ["DB99901", "", "Examplin", "", "", "", ""])
    assert not any(r.deprecated for r in records if isinstance(r, Entity) and r.id == "DRUGBANK:DB99901")
    assert tally.dropped_rows["accession number", "belongs to another drug"] == 1


def test_unii_and_cas_are_mappings(tmp_path: Path) -> None:
    records, _ = read(tmp_path, DONEPEZIL)
    codes = {(m.predicate, m.object) for m in records if isinstance(m, Mapping)}
    assert codes == {("skos:exactMatch", "UNII:8SSC91326P"), ("oboInOwl:hasDbXref", "CAS:120014-06-4")}


@pytest.mark.parametrize("cas", ["1.12.9001", "57-41-1", "57410"])
def test_a_cas_number_that_a_spreadsheet_damaged_is_dropped(tmp_path: Path, cas: str) -> None:
    row = [*PHENYTOIN[:3], cas, *PHENYTOIN[4:]]
    records, tally = read(tmp_path, row)
    assert not any(m.object.startswith("CAS:") for m in records if isinstance(m, Mapping))
    assert tally.dropped_rows["CAS number", "not a CAS number: wrong form or check digit"] == 1


def test_a_spreadsheet_copy_gives_the_same_records_as_the_published_file(tmp_path: Path) -> None:
    rows = [DONEPEZIL, PHENYTOIN]
    published, _ = read(tmp_path, *rows)
    copy, _ = read_text(tmp_path, "Column1;Column2;Column3;Column4\r\n" + csv_text(rows, ";"))

    def facts(records: list[Record]) -> list[object]:
        return [(r.entity, r.text, r.kind) if isinstance(r, Name) else r for r in records]

    assert facts(published) == facts(copy)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (["843", "", "Donepezil", "", "", "", ""], "not a DrugBank id"),
        (["DB00252", "", "Phenytoin", "", "", "", ""], "id again"),
        (["DB00001", "", " ", "", "", "", ""], "without a name"),
        (["DB00001", "Lepirudin"], "wrong number of columns"),
        (["DB00001", "x" * 140_000, "Lepirudin", "", "", "", ""], "wrong number of columns"),
    ],
)
def test_a_bad_row_is_dropped_with_a_reason_and_the_others_are_read(
    tmp_path: Path, row: list[str], reason: str
) -> None:
    records, tally = read(tmp_path, PHENYTOIN, row, DONEPEZIL)
    assert tally.dropped_rows["drug", reason] == 1
    assert [r.label for r in records if isinstance(r, Entity) and not r.deprecated] == ["Phenytoin", "Donepezil"]


@pytest.mark.parametrize("text", ["", "id,name\r\nDB00001,Lepirudin\r\n"])
def test_a_file_without_the_columns_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ClewError) as error:
        read_text(tmp_path, text)
    assert error.value.code is Code.UNREADABLE_SOURCE


@pytest.mark.skipif(not REAL.exists(), reason="needs ../shared/data/drugs/drugbank_vocabulary.csv.gz")
def test_the_real_file_has_its_14315_drugs() -> None:
    tally = Tally(SOURCE.key)
    records = list(SOURCE.read({"drugbank_vocabulary": REAL}, tally))
    tally.check()
    assert tally.kept_rows["drug"] == tally.read_rows["drug"] == 14_315
    assert any(isinstance(r, Entity) and r.id == "DRUGBANK:DB00843" and r.label == "Donepezil" for r in records)
