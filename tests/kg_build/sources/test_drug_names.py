"""Names of drugs from a pickled dictionary: read as data, never by the class of a heading."""

import bz2
import pickle
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from kg_build.reconcile import Tally
from kg_build.sources.contract import Record, Source
from kg_build.sources.drug_names import SOURCE
from ontology.curie import mint
from ontology.errors import ClewError, Code
from ontology.model import Entity, Mapping, Name

MEMBER = "drug_named_entity_recognition/drug_ner_dictionary.pkl.bz2"
ENTRIES = {
    "metformin": {"name": "Metformin", "drugbank_id": "DB00331", "mesh_id": "D007004"},
    "insulin": {"name": "Insulin", "mesh_id": "D007004", "nhs_url": "https://nhs.example/insulin"},
    "hypoglycemic agents": {"name": "Hypoglycemic Agents", "mesh_id": "D007004"},
}


def pack(tmp_path: Path, content: bytes) -> Path:
    wheel = tmp_path / "names.whl"
    with ZipFile(wheel, "w") as archive:
        archive.writestr(MEMBER, content)
    return wheel


def read_wheel(wheel: Path) -> tuple[list[Record], Tally]:
    tally = Tally(SOURCE.key)
    records = list(SOURCE.read({"drug-named-entity-recognition": wheel}, tally))
    tally.check()
    return records, tally


def read(
    tmp_path: Path, variants: dict[Any, Any], entries: dict[Any, Any] = ENTRIES, remarks: dict[Any, Any] | None = None
) -> tuple[list[Record], Tally]:
    data = {
        "drug_canonical_to_data": entries,
        "drug_variant_to_canonical": variants,
        "drug_variant_to_variant_data": remarks or {},
    }
    return read_wheel(pack(tmp_path, bz2.compress(pickle.dumps(data))))


def names(records: list[Record]) -> dict[str, str]:
    return {record.text: record.kind for record in records if isinstance(record, Name)}


def test_it_is_a_source_of_one_pinned_artefact() -> None:
    assert isinstance(SOURCE, Source)
    assert [artefact.project for artefact in SOURCE.artefacts] == ["drug-named-entity-recognition"]


def test_a_drug_has_its_drugbank_id_or_one_of_its_name(tmp_path: Path) -> None:
    records, _ = read(tmp_path, {})
    ids = {record.id for record in records if isinstance(record, Entity)}
    assert ids == {"DRUGBANK:DB00331", mint("drug_names", "Drug", "insulin")}


def test_the_mesh_id_of_a_class_identifies_nothing(tmp_path: Path) -> None:
    records, tally = read(tmp_path, {"oral hypoglycemics": ["hypoglycemic agents"]})
    assert not any(isinstance(record, Mapping) for record in records)
    assert not any("D007004" in repr(record) for record in records)
    assert tally.dropped_rows["drug", "a MeSH heading alone: not shown to be a drug"] == 1
    assert tally.dropped_rows["name", "of an entry that is left out"] == 1


def test_a_name_is_brand_or_exact_where_the_package_says_so(tmp_path: Path) -> None:
    remarks = {"glucient": {"is_brand": True}, "dimethylbiguanide": {"is_brand": False}}
    records, _ = read(tmp_path, {name: ["metformin"] for name in remarks}, remarks=remarks)
    assert names(records) == {
        "Metformin": "label", "Insulin": "label", "glucient": "brand", "dimethylbiguanide": "exact",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("metformina", "exact"),
        ("metforminum", "exact"),
        ("metformine", "exact"),
        ("glucophage", "related"),
        ("metformin hydrochloride", "related"),
        ("metforminate", "related"),
        ("metformin 2", "related"),
    ],
)
def test_another_spelling_of_the_label_is_exact_and_what_is_unknown_is_related(
    tmp_path: Path, name: str, kind: str
) -> None:
    records, _ = read(tmp_path, {name: ["metformin"]})
    assert names(records)[name] == kind


def test_headings_turned_round_and_spellings_in_punctuation_are_left_out(tmp_path: Path) -> None:
    variants = ["hydrochloride, metformin", "metformin hydrochloride", "metformin-hydrochloride", "metformin"]
    records, tally = read(tmp_path, {name: ["metformin"] for name in variants})
    assert set(names(records)) == {"Metformin", "Insulin", "metformin hydrochloride"}
    assert tally.dropped_rows["name", "another name turned round"] == 1
    assert tally.dropped_rows["name", "differs in punctuation or accents only"] == 1
    assert tally.dropped_rows["name", "repeats the label"] == 1


@pytest.mark.parametrize(
    ("name", "owners", "reason"),
    [
        (7, ["metformin"], "malformed"),
        ("glucophage", "metformin", "malformed"),
        ("glucophage", [], "malformed"),
        ("glucophage", ["metformin", "insulin"], "of several drugs"),
        ("phenformin", ["biguanide"], "of an entry that is not there"),
        ("metformin component of a tablet", ["metformin"], "component of a product"),
        ("otherglucophage", ["metformin"], "a heading ran into it"),
        ("Î±-metformin", ["metformin"], "without letters, or in a wrong encoding"),
        ("-", ["metformin"], "without letters, or in a wrong encoding"),
    ],
)
def test_a_bad_name_is_dropped_with_a_reason(tmp_path: Path, name: object, owners: object, reason: str) -> None:
    records, tally = read(tmp_path, {name: owners, "diabex": ["metformin"]})
    assert tally.dropped_rows["name", reason] == 1
    assert "diabex" in names(records)


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (None, "without a name"),
        ({"drugbank_id": "DB00001"}, "without a name"),
        ({"name": "Lepirudin", "drugbank_id": "1"}, "not a DrugBank id"),
        (
            {"name": "Template:Drugbox", "wikipedia_url": "https://example.org"},
            "a page of Wikipedia that is no article",
        ),
        ({"name": "4-Methyl-Î±-PPP", "wikipedia_url": "https://example.org"}, "name in a wrong encoding"),
    ],
)
def test_a_bad_entry_is_dropped_with_a_reason(tmp_path: Path, entry: object, reason: str) -> None:
    records, tally = read(tmp_path, {}, {"bad": entry, **ENTRIES})
    assert tally.dropped_rows["drug", reason] == 1
    assert names(records) == {"Metformin": "label", "Insulin": "label"}


class _Trap:
    def __reduce__(self) -> tuple[Any, ...]:
        return (print, ("run",))


@pytest.mark.parametrize(
    "content",
    [
        b"not bz2",
        bz2.compress(b"not a pickle"),
        bz2.compress(pickle.dumps([])),
        bz2.compress(pickle.dumps({"drug_canonical_to_data": {}})),
        bz2.compress(pickle.dumps(_Trap())),
        bz2.compress(pickle.dumps({}))[:-4],
        bz2.compress(bytes(80 * 2**20)),
    ],
)
def test_a_damaged_hostile_or_endless_pickle_is_refused(
    tmp_path: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ClewError) as error:
        read_wheel(pack(tmp_path, content))
    assert error.value.code is Code.UNREADABLE_SOURCE
    assert capsys.readouterr().out == ""
