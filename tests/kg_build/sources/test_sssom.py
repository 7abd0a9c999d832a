from pathlib import Path

import pytest

from kg_build.reconcile import Tally
from kg_build.sources.files import text_lines
from kg_build.sources.sssom import Record, mapping_records, mapping_rows, vocabulary_curie
from ontology.errors import ClewError, Code
from ontology.model import Entity, Evidence, Mapping, Name

COLUMNS = (
    "subject_id subject_label predicate_id predicate_modifier object_id object_label mapping_justification author_id "
    "mapping_date"
).split()
CURATED = "semapv:ManualMappingCuration"
MARFAN = {"subject_id": "doid:14323", "subject_label": "Marfan syndrome", "object_id": "mesh:D008382"}


def line(**cells: str) -> str:
    defaults = {"predicate_id": "skos:exactMatch", "mapping_justification": CURATED, "author_id": "orcid:0000-0001"}
    return "\t".join(
        {**defaults, "object_label": "Other label", "subject_label": "Label", **cells}.get(c, "") for c in COLUMNS
    )


def read(folder: Path, *rows: str, header: str = "\t".join(COLUMNS)) -> tuple[list[Record], Tally]:
    path = folder / "set.sssom.tsv"
    path.write_text("\n".join(("#curie_map:", "#  hp: http://example.org/", header, *rows)) + "\n", encoding="utf-8")
    tally = Tally("set")
    rows_read = mapping_rows(text_lines(path, tally, "mapping"), path.name, tally, "mapping")
    records = list(mapping_records(rows_read, "set", path.name, tally, "mapping"))
    tally.check()
    return records, tally


def mappings(records: list[Record]) -> list[tuple[str, str, str]]:
    return [(r.subject, r.predicate, r.object) for r in records if isinstance(r, Mapping)]


@pytest.mark.parametrize(
    ("written", "curie"),
    [
        ("hp:0001250", "HP:0001250"),
        ("doid:14323", "DOID:14323"),
        ("MSH:D008382", "MESH:D008382"),
        ("mesh:C535306", "MESH:C535306"),
        ("orphanet.ordo:558", "ORPHA:558"),
        ("chebi:15365", "CHEBI:15365"),
        ("drugbank:DB00945", "DRUGBANK:DB00945"),
        ("ncbigene:2200", "NCBIGene:2200"),
        ("hp:1250", ""),
        ("mesh:Q000627", ""),
        ("wikipathways:WP956", ""),
        ("nothing", ""),
        ("umls:", ""),
    ],
)
def test_prefixes_are_written_as_the_graph_writes_them(written: str, curie: str) -> None:
    assert vocabulary_curie(written) == curie


def test_a_curated_exact_match_of_one_type_says_that_two_entities_are_the_same(tmp_path: Path) -> None:
    row = line(**MARFAN, object_label="Marfan Syndrome", mapping_date="2026-04-12")
    records, _ = read(tmp_path, row)
    (evidence,) = [r for r in records if isinstance(r, Evidence)]
    stated = evidence.assertion
    assert (stated.subject, stated.predicate, stated.object) == ("DOID:14323", "same_as", "MESH:D008382")
    assert not stated.negated
    assert (evidence.references, evidence.code, evidence.quote) == (("ORCID:0000-0001",), CURATED, row)
    assert (evidence.knowledge_level, evidence.agent_type) == ("knowledge_assertion", "manual_agent")
    assert (evidence.record, evidence.agent) == ("set.sssom.tsv:4", "2026-04-12")
    assert {(r.id, r.type, r.label) for r in records if isinstance(r, Entity)} == {
        ("DOID:14323", "Disease", "Marfan syndrome"),
        ("MESH:D008382", "Disease", "Marfan Syndrome"),
    }
    assert mappings(records) == [("DOID:14323", "skos:exactMatch", "MESH:D008382")]


def test_either_direction_is_the_same_statement(tmp_path: Path) -> None:
    there = line(subject_id="doid:14323", object_id="mesh:D008382")
    back = line(subject_id="mesh:D008382", object_id="doid:14323")
    records, tally = read(tmp_path, back, there)
    assert mappings(records) == [("DOID:14323", "skos:exactMatch", "MESH:D008382")]
    assert tally.dropped_rows["mapping", "said twice"] == 1


def test_a_rejected_match_says_that_they_are_not_the_same_and_is_no_mapping(tmp_path: Path) -> None:
    records, _ = read(tmp_path, line(**MARFAN, predicate_modifier="Not"))
    (evidence,) = records
    assert isinstance(evidence, Evidence)
    assert evidence.assertion.negated


def test_a_match_across_types_is_a_mapping_only(tmp_path: Path) -> None:
    records, tally = read(
        tmp_path,
        line(subject_id="mesh:D005334", object_id="hp:0001945"),
        line(subject_id="mesh:D005334", object_id="hp:0002315", predicate_modifier="NOT"),
    )
    assert mappings(records) == [("HP:0001945", "skos:exactMatch", "MESH:D005334")]
    assert len(records) == 1
    assert tally.dropped_rows["mapping", "denies what the graph would not say"] == 1


def test_drugs_of_two_vocabularies_can_be_the_same(tmp_path: Path) -> None:
    records, _ = read(tmp_path, line(subject_id="chebi:15365", object_id="drugbank:DB00945", subject_label="阿司匹林"))
    assert {r.type for r in records if isinstance(r, Entity)} == {"Drug"}


def test_a_match_that_a_program_made_is_a_mapping_only(tmp_path: Path) -> None:
    records, _ = read(tmp_path, line(**MARFAN, mapping_justification="semapv:LexicalMatching"))
    assert [type(r) for r in records] == [Mapping]


def test_a_narrow_match_is_a_broad_one_the_other_way(tmp_path: Path) -> None:
    records, _ = read(tmp_path, line(**MARFAN, predicate_id="skos:narrowMatch"))
    assert mappings(records) == [("MESH:D008382", "skos:broadMatch", "DOID:14323")]


def test_another_label_of_an_id_is_an_exact_name(tmp_path: Path) -> None:
    records, _ = read(
        tmp_path, line(**MARFAN), line(subject_id="doid:14323", subject_label="马凡综合征", object_id="omim:154700")
    )
    marfan = [(r.text, r.kind) for r in records if isinstance(r, Name) and r.entity == "DOID:14323"]
    assert marfan == [("Marfan syndrome", "label"), ("马凡综合征", "exact")]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (
            line(subject_id="wikipathways:WP1", object_id="mesh:D008382"),
            "a vocabulary outside the graph, or an id it does not have",
        ),
        (line(subject_id="msh:D008382", object_id="mesh:D008382"), "relates a thing to itself"),
        (line(**MARFAN, predicate_id="skos:relatedMatch"), "predicate is not that of a mapping"),
        (line(**MARFAN, predicate_modifier="Perhaps"), "unknown modifier"),
        (line(subject_id="doid:14323"), "without subject, predicate, object or justification"),
        (line(**MARFAN, mapping_justification=""), "without subject, predicate, object or justification"),
        ("doid:14323\tMarfan syndrome", "wrong number of columns"),
    ],
)
def test_a_row_that_cannot_be_used_is_dropped_with_its_reason(tmp_path: Path, row: str, reason: str) -> None:
    records, tally = read(tmp_path, row, line(subject_id="doid:12365", object_id="mesh:D008288"))
    assert mappings(records) == [("DOID:12365", "skos:exactMatch", "MESH:D008288")]
    assert tally.dropped_rows["mapping", reason] == 1


def test_columns_may_stand_in_any_order_and_be_fewer(tmp_path: Path) -> None:
    header = "object_id\tmapping_justification\tpredicate_id\tsubject_id"
    records, _ = read(tmp_path, f"umls:C0024796\t{CURATED}\tskos:exactMatch\tORDO:558", header=header)
    assert mappings(records) == [("ORPHA:558", "skos:exactMatch", "UMLS:C0024796")]


@pytest.mark.parametrize("header", ["subject_id\tobject_id", ""])
def test_a_file_without_the_columns_is_unreadable(tmp_path: Path, header: str) -> None:
    with pytest.raises(ClewError) as caught:
        read(tmp_path, header=header)
    assert caught.value.code is Code.UNREADABLE_SOURCE
