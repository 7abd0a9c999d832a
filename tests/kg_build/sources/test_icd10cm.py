from pathlib import Path
from zipfile import ZipFile

import pytest

from kg_build.reconcile import Tally
from kg_build.sources.contract import Record, Source
from kg_build.sources.icd10cm import SOURCE
from ontology.errors import ClewError, Code
from ontology.model import Entity, Evidence, Name

FOLDER = "simple_icd_10_cm/data/"
TABULAR = FOLDER + "icd10c-tabular-April-1-2026.xml"
LIST = FOLDER + "code-list-April-2026.txt"
WHEEL = SOURCE.artefacts[0].filename

XML = """<?xml version="1.0" encoding="utf-8"?>
<ICD10CM.tabular><version>2026</version><introduction/>
<chapter><name>19</name><desc>Injury and poisoning (S00-T88)</desc>
  <section id="S00-S09"><desc>Injuries to the head (S00-S09)</desc>
    <diag><name>S06</name><desc>Intracranial injury</desc>
      <sevenChrDef><extension char="A">initial encounter</extension>
        <extension char="S">sequela</extension></sevenChrDef>
      <diag><name>S06.0</name><desc>Concussion</desc>
        <inclusionTerm><note>Commotio cerebri</note><note>Commotio cerebri</note></inclusionTerm>
        <excludes1><note>something else (S06.8)</note></excludes1>
      </diag>
      <diag><name>S06.8</name><desc>Other specified intracranial injuries</desc>
        <inclusionTerm><note>Injury of a cranial sinus</note></inclusionTerm>
      </diag>
    </diag>
  </section>
  <section id="T36"><desc>Poisoning by antibiotics (T36)</desc><inclusionTerm><note>Overdose</note></inclusionTerm>
    <diag><name>T36</name><desc>Poisoning by antibiotics</desc></diag>
    <diag><name></name><desc>No code</desc></diag>
  </section>
</chapter></ICD10CM.tabular>"""
CODES = "19\nS00-S09\nS06\nS060\nS060XXA\nS060XXS\nS068\nS068XXA\nT36\nT36\nT99\n"


def read(tmp_path: Path, xml: str | bytes = XML, codes: str | bytes = CODES) -> tuple[list[Record], Tally]:
    with ZipFile(tmp_path / WHEEL, "w") as archive:
        archive.writestr(TABULAR, xml)
        archive.writestr(LIST, codes)
    tally = Tally(SOURCE.key)
    records = list(SOURCE.read({"simple-icd-10-cm": tmp_path / WHEEL}, tally))
    tally.check()
    return records, tally


def labels(records: list[Record]) -> dict[str, str]:
    return {r.id.removeprefix("ICD10CM:"): r.label for r in records if isinstance(r, Entity)}


def parents(records: list[Record]) -> dict[str, str]:
    strip = "ICD10CM:"
    return {
        r.assertion.subject.removeprefix(strip): r.assertion.object.removeprefix(strip)
        for r in records
        if isinstance(r, Evidence)
    }


def test_chapters_blocks_and_codes_are_nested_categories(tmp_path: Path) -> None:
    assert isinstance(SOURCE, Source)
    records, _ = read(tmp_path)
    assert labels(records)["S06.0"] == "Concussion"
    above = parents(records)
    assert (above["S06.0"], above["S06"], above["S00-S09"]) == ("S06", "S00-S09", "19")
    assert "19" not in above
    assert {r.type for r in records if isinstance(r, Entity)} == {"CodedCategory"}


def test_a_seventh_character_extends_short_codes_after_placeholders_where_the_list_has_it(tmp_path: Path) -> None:
    records, tally = read(tmp_path)
    assert labels(records)["S06.0XXA"] == "Concussion, initial encounter"
    assert parents(records)["S06.0XXS"] == "S06.0"
    assert "S06.8XXS" not in labels(records)
    assert tally.dropped_rows["seventh character", "no such code"] == 1


def test_a_block_of_one_category_is_that_category(tmp_path: Path) -> None:
    records, tally = read(tmp_path)
    assert labels(records)["T36"] == "Poisoning by antibiotics"
    assert parents(records)["T36"] == "19"
    assert tally.dropped_rows["item", "block of one category, which stands for it"] == 1
    assert tally.dropped_rows["inclusion term", "of an item that is left out"] == 1


def test_inclusion_terms_are_exact_names_but_related_ones_where_a_code_collects(tmp_path: Path) -> None:
    records, tally = read(tmp_path)
    kinds = {r.text: r.kind for r in records if isinstance(r, Name) and r.kind != "label"}
    assert kinds == {"Commotio cerebri": "exact", "Injury of a cranial sinus": "related"}
    assert tally.dropped_rows["inclusion term", "said twice"] == 1


def test_the_list_of_codes_balances_with_the_tree(tmp_path: Path) -> None:
    _, tally = read(tmp_path)
    assert tally.read_rows["listed code"] == 11
    assert tally.dropped_rows["listed code", "listed again"] == 1
    assert tally.dropped_rows["listed code", "not in the tabular list"] == 1
    assert tally.dropped_rows["item", "without a code or a description"] == 1


@pytest.mark.parametrize(
    "xml",
    ["<a>", b"\xff\xfe\x00", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
    ids=["not closed", "not text", "declares entities"],
)
def test_a_file_that_is_not_plain_xml_is_unreadable(tmp_path: Path, xml: str | bytes) -> None:
    with pytest.raises(ClewError) as caught:
        read(tmp_path, xml)
    assert caught.value.code is Code.UNREADABLE_SOURCE


def test_a_list_of_codes_that_is_not_text_is_unreadable(tmp_path: Path) -> None:
    with pytest.raises(ClewError) as caught:
        read(tmp_path, codes=b"\xff\xfe\x00")
    assert caught.value.code is Code.UNREADABLE_SOURCE
