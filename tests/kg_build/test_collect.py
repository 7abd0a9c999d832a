import pytest

from kg_build.collect import collect as build_collection
from kg_build.records import Recorder
from kg_build.release import TABLES, values
from kg_build.sources.contract import Record
from ontology.document import Chunk, Document
from ontology.model import Mapping, Name
from ontology.schema import load_domain
from tests.kg_build.graphs import SOURCES, collect, entity, gathered, stated

FLU, FEVER, MARFAN, GENE = (
    entity("cmekg:flu", label="流行性感冒", source="cmekg"),
    entity("HP:0001945", "PhenotypicFeature", "Fever"),
    entity("OMIM:154700", label="Marfan syndrome"),
    entity("NCBIGene:2200", "Gene", "FBN1"),
)


def test_tables_have_the_columns_of_the_release_and_one_order() -> None:
    records: list[Record] = [
        FLU, FEVER, MARFAN, GENE,
        Name("cmekg:flu", "zh", "流感", "exact", "cmekg", "流行性感冒"),
        Name("cmekg:flu", "en", "influenza", "exact", "cmekg", "流行性感冒"),
        stated("cmekg:flu", "has_phenotype", "HP:0001945", source="cmekg"),
        stated("NCBIGene:2200", "gene_associated_with_condition", "OMIM:154700", "PMID:1"),
        Mapping("OMIM:154700", "skos:closeMatch", "ICD10:Q87.4", "cmekg", "semapv:UnspecifiedMatching"),
        Document("clew.doc:1", "甲", "zh", "cmekg", "article", "DOI:10.1/1"),
        Chunk("clew.doc:1#1", "clew.doc:1", 1, "", "后", "zh", 1, 2),
        Chunk("clew.doc:1#0", "clew.doc:1", 0, "", "前", "zh", 0, 1),
    ]  # fmt: skip
    tables = collect(records)
    assert {name: table.schema for name, table in tables.items()} == TABLES
    assert collect(records[::-1]) == tables
    assert collect(records[5:] + records[:5]) == tables
    assert values(tables["chunk"], "text") == ["前", "后"]
    assert values(tables["entity"], "id") == sorted(values(tables["entity"], "id"))


def test_every_evidence_carries_release_and_licence_of_its_source() -> None:
    tables = collect([FLU, FEVER, stated("cmekg:flu", "has_phenotype", "HP:0001945", source="cmekg")])
    assert values(tables["evidence"], "source_release") == ["2019-01-29"]
    assert values(tables["evidence"], "licence") == ["MIT"]


def test_an_assertion_owns_the_set_of_its_evidence() -> None:
    rows = [stated("OMIM:154700", "has_phenotype", "HP:0001945", f"PMID:{n}", frequency=f"{n}/9") for n in range(1, 4)]
    tables = collect([MARFAN, FEVER, *rows])
    assert tables["assertion"].num_rows == 1
    assert set(values(tables["evidence"], "assertion")) == set(values(tables["assertion"], "id"))
    assert tables["evidence"].num_rows == 3


def test_where_a_row_stands_does_not_make_it_another_evidence() -> None:
    twice = [stated("OMIM:154700", "has_phenotype", "HP:0001945", "PMID:1", record=r) for r in ("row 1", "row 2")]
    collection = gathered([MARFAN, FEVER, *twice])
    assert values(collection.finish()["evidence"], "record") == ["row 1"]
    assert collection.tally.dropped_rows["evidence", "same id again"] == 1


def test_not_is_another_assertion() -> None:
    both = [stated("OMIM:154700", "has_phenotype", "HP:0001945", "PMID:1", negated=n) for n in (False, True)]
    assert sorted(values(collect([MARFAN, FEVER, *both])["assertion"], "negated")) == [False, True]


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (stated("OMIM:154700", "has_phenotype", "HP:7"), "has_phenotype: object is not in the graph"),
        (stated("OMIM:7", "has_phenotype", "HP:0001945"), "has_phenotype: subject is not in the graph"),
        (stated("OMIM:154700", "has_phenotype", "NCBIGene:2200"), "has_phenotype does not lead from Disease to Gene"),
        (stated("OMIM:154700", "looks_like", "cmekg:flu"), "unknown predicate 'looks_like'"),
    ],
)
def test_a_statement_outside_the_graph_or_the_ontology_leaves_with_all_its_evidence(wrong: Record, reason: str) -> None:
    collection = gathered([MARFAN, FEVER, GENE, FLU, wrong])
    tables = collection.finish()
    assert collection.tally.dropped_rows["evidence", reason] == 1
    assert tables["assertion"].num_rows == tables["evidence"].num_rows == 0


def test_names_and_mappings_of_no_entity_and_passages_of_no_document_leave() -> None:
    tables = collect([
        Name("OMIM:7", "en", "nobody", "label", "hpo", "OMIM:7"),
        Mapping("OMIM:7", "skos:closeMatch", "ICD10:A00", "hpo", "semapv:UnspecifiedMatching"),
        Chunk("clew.doc:7#0", "clew.doc:7", 0, "", "no document", "en", 0, 11),
    ])  # fmt: skip
    assert [tables[name].num_rows for name in ("name", "mapping", "chunk")] == [0, 0, 0]


def test_the_first_record_of_an_id_stands_and_a_second_type_is_named_as_the_reason() -> None:
    again = [entity("OMIM:154700", label="again"), entity("OMIM:154700", "Gene"), entity("no curie")]
    collection = gathered([MARFAN, *again])
    assert values(collection.finish()["entity"], "label") == ["Marfan syndrome"]
    assert {reason for _, reason in collection.tally.dropped_rows} == {
        "same id again", "id already stands for another type", "id is not a CURIE",
    }  # fmt: skip


def test_a_record_outside_the_ontology_is_dropped_and_its_row_is_named() -> None:
    wrong: list[Record] = [entity("HP:1", "Illness", "Ill"), stated("OMIM:1", "resembles", "OMIM:2")]
    collection = gathered([entity("OMIM:1"), entity("OMIM:2"), *wrong])
    assert collection.finish()["assertion"].num_rows == 0
    assert collection.tally.examples == {
        ("entity", "unknown entity type 'Illness'"): "hpo: HP:1 Ill",
        ("evidence", "unknown predicate 'resembles'"): "hpo: row 1",
    }


def test_evidence_that_names_another_source_is_dropped() -> None:
    recorder = Recorder(load_domain(), SOURCES["cmekg"])
    recorder.add([FLU, FEVER, stated("cmekg:flu", "has_phenotype", "HP:0001945", source="hpo")])
    collection = build_collection([recorder.finish()], load_domain())
    assert collection.finish()["evidence"].num_rows == 0
    assert collection.tally.dropped_rows["evidence", "does not name cmekg as its source"] == 1


@pytest.mark.parametrize("broken", ["\ud800", "发热\udfff"])
def test_half_a_character_costs_its_own_row_only(broken: str) -> None:
    collection = gathered([
        FLU, FEVER, entity("OMIM:1", label=broken),
        Name("cmekg:flu", "zh", broken, "exact", "cmekg", "r"), Name("cmekg:flu", "zh", "流感", "exact", "cmekg", "r"),
        stated("cmekg:flu", "has_phenotype", "HP:0001945", source="cmekg", quote=broken),
        stated("cmekg:flu", "has_phenotype", "HP:0001945", source="cmekg", quote="发热"),
    ])  # fmt: skip
    tables = collection.finish()
    assert values(tables["name"], "text") == ["流感"]
    assert values(tables["evidence"], "quote") == ["发热"]
    assert tables["entity"].num_rows == 2
    assert sum(n for (_, reason), n in collection.tally.dropped_rows.items() if "surrogate" in reason) == 3
