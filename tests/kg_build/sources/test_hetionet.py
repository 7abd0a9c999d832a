import gzip
from pathlib import Path
from typing import TypeVar

import pytest

from kg_build.reconcile import Tally
from kg_build.sources.contract import Record, Source
from kg_build.sources.hetionet import SOURCE
from ontology.errors import ClewError, Code
from ontology.model import Entity, Evidence, Name
from ontology.schema import load_domain

SHARED = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "hetionet"

NODES = [
    "id\tname\tkind",
    "Disease::DOID:13189\tgout\tDisease",
    "Disease::DOID:1024\tleprosy\tDisease",
    "Symptom::D018771\tArthralgia\tSymptom",
    "Anatomy::UBERON:0000982\tskeletal joint\tAnatomy",
    "Compound::DB00437\tAllopurinol\tCompound",
    "Compound::DB01394\tColchicine\tCompound",
    "Gene::7498\tXDH\tGene",
    "Gene::9429\tABCG2\tGene",
    "Pharmacologic Class::N0000175698\tXanthine Oxidase Inhibitors\tPharmacologic Class",
    "Side Effect::C0015230\tRash\tSide Effect",
    "Pathway::PC7_1\tpurine salvage\tPathway",
]
EDGES = [
    "source\tmetaedge\ttarget",
    "Disease::DOID:13189\tDpS\tSymptom::D018771",
    "Disease::DOID:13189\tDlA\tAnatomy::UBERON:0000982",
    "Compound::DB00437\tCtD\tDisease::DOID:13189",
    "Compound::DB01394\tCpD\tDisease::DOID:13189",
    "Pharmacologic Class::N0000175698\tPCiC\tCompound::DB00437",
    "Compound::DB00437\tCcSE\tSide Effect::C0015230",
]
BINDING_COLUMNS = "drugbank_id\tentrez_gene_id\tsources\tpubmed_ids\tactions\taffinity_nM\tlicense\turls"
BINDING = "DB00437\t7498\tDrugBank (target)\t111|222\tinhibitor\t\tCC BY-NC 4.0\thttps://example.org/a"
ASSOCIATION_COLUMNS = "doid_id\tdoid_name\tentrez_gene_id\tgene_symbol\tsources\tlicense"
ASSOCIATION = "DOID:13189\tGout\t9429\tABCG2\tDISEASES|DOAF\t"


def read(tmp_path: Path, **changes: list[str] | None) -> tuple[list[Record], Tally]:
    tables = {
        "nodes": NODES,
        "edges": EDGES,
        "bindings": [BINDING_COLUMNS, BINDING],
        "associations": [ASSOCIATION_COLUMNS, ASSOCIATION],
    } | changes
    files = {}
    for key, lines in tables.items():
        if lines is not None:
            files[f"hetionet_{key}"] = path = tmp_path / f"{key}.tsv.gz"
            path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))
    tally = Tally(SOURCE.key)
    records = list(SOURCE.read(files, tally))
    tally.check()
    return records, tally


T = TypeVar("T")


def kind(records: list[Record], wanted: type[T]) -> list[T]:
    return [record for record in records if isinstance(record, wanted)]


def statements(records: list[Record]) -> dict[tuple[str, str, str], Evidence]:
    found = kind(records, Evidence)
    return {(e.assertion.subject, e.assertion.predicate, e.assertion.object): e for e in found}


def test_it_is_a_source_of_files_the_user_provides() -> None:
    assert isinstance(SOURCE, Source)
    assert SOURCE.artefacts == ()
    assert [original.names[0] for original in SOURCE.originals if not original.optional] == [
        "hetionet-v1.0-nodes.tsv",
        "hetionet-v1.0-edges.sif",
    ]


def test_parts_whose_licence_forbids_it_keep_the_source_from_being_passed_on() -> None:
    assert not SOURCE.redistributable
    assert "CC BY-NC 4.0" in SOURCE.licence


def test_metaedges_become_statements_with_vocabulary_ids(tmp_path: Path) -> None:
    records, _ = read(tmp_path)
    assert set(statements(records)) == {
        ("DOID:13189", "has_phenotype", "MESH:D018771"),
        ("DOID:13189", "located_in", "UBERON:0000982"),
        ("DRUGBANK:DB00437", "treats", "DOID:13189"),
        ("DRUGBANK:DB01394", "ameliorates_condition", "DOID:13189"),
        ("DRUGBANK:DB00437", "in_drug_class", "NDFRT:N0000175698"),
        ("DRUGBANK:DB00437", "has_adverse_event", "UMLS:C0015230"),
        ("DRUGBANK:DB00437", "has_target", "NCBIGene:7498"),
        ("NCBIGene:9429", "gene_associated_with_condition", "DOID:13189"),
    }


def test_every_statement_is_within_the_ontology_and_about_named_entities(tmp_path: Path) -> None:
    records, _ = read(tmp_path)
    types = {entity.id: entity.type for entity in kind(records, Entity)}
    for subject, predicate, object_ in statements(records):
        load_domain().check_statement(types[subject], predicate, types[object_])
    assert {name.entity for name in kind(records, Name) if name.kind == "label"} == set(types)


def test_a_co_occurrence_is_not_called_knowledge(tmp_path: Path) -> None:
    evidence = statements(read(tmp_path)[0])["DOID:13189", "has_phenotype", "MESH:D018771"]
    assert (evidence.knowledge_level, evidence.agent_type) == ("statistical_association", "text_mining_agent")
    assert (evidence.code, evidence.record) == ("DpS", "edges.tsv.gz:2")


def test_a_binding_carries_its_articles_sources_and_licence(tmp_path: Path) -> None:
    evidence = statements(read(tmp_path)[0])["DRUGBANK:DB00437", "has_target", "NCBIGene:7498"]
    assert evidence.references == ("PMID:111", "PMID:222", "https://example.org/a")
    assert (evidence.code, evidence.quote) == ("DrugBank (target)", BINDING)


def test_what_merely_handles_a_drug_is_no_target(tmp_path: Path) -> None:
    rows = [
        "DB00437\t7498\tDrugBank (enzyme)\t111\tsubstrate\t\tCC BY-NC 4.0\t",
        "DB00437\t9429\tDrugBank (carrier)\t\t\t\tCC BY-NC 4.0\t",
        "DB01394\t9429\tDrugBank (transporter)\t\tinhibitor|substrate\t\tCC BY-NC 4.0\t",
        "DB01394\t7498\tChEMBL|DrugBank (enzyme)\t\t\t9.5\tCC BY-SA 3.0\t",
    ]
    records, tally = read(tmp_path, bindings=[BINDING_COLUMNS, *rows])
    allopurinol, colchicine, xdh, abcg2 = "DRUGBANK:DB00437", "DRUGBANK:DB01394", "NCBIGene:7498", "NCBIGene:9429"
    assert [s for s in statements(records) if s[2] in (xdh, abcg2) and s[0] in (allopurinol, colchicine)] == [
        (allopurinol, "metabolised_by", xdh),
        (allopurinol, "transported_by", abcg2),
        (colchicine, "has_target", abcg2),
        (colchicine, "transported_by", abcg2),
        (colchicine, "has_target", xdh),
    ]
    assert tally.kept_rows["binding"] == 4


@pytest.mark.parametrize("kind_of", ["enzyme", "transporter"])
def test_an_enzyme_or_transporter_whose_action_is_not_stated_may_as_well_be_inhibited(
    tmp_path: Path, kind_of: str
) -> None:
    row = f"DB00437\t7498\tDrugBank ({kind_of})\t111\t\t\tCC BY-NC 4.0\t"
    records, tally = read(tmp_path, bindings=[BINDING_COLUMNS, row])
    assert not {"has_target", "metabolised_by", "transported_by"} & {p for _, p, _ in statements(records)}
    assert tally.dropped_rows["binding", "an enzyme or transporter whose action is not stated"] == 1


def test_a_label_that_a_row_repeats_differently_is_another_exact_name(tmp_path: Path) -> None:
    row = "DOID:13189\tPodagra\t9429\tABCG2\tDOAF\t"
    records, _ = read(tmp_path, associations=[ASSOCIATION_COLUMNS, ASSOCIATION, row])
    names = [(n.text, n.kind) for n in kind(records, Name) if n.entity == "DOID:13189"]
    assert names == [("gout", "label"), ("Podagra", "exact")]


def test_nodes_that_nothing_speaks_of_or_that_have_no_type_are_dropped(tmp_path: Path) -> None:
    records, tally = read(tmp_path)
    assert "DOID:1024" not in {entity.id for entity in kind(records, Entity)}
    assert tally.dropped_rows["node", "Disease: in no statement that is kept"] == 1
    assert tally.dropped_rows["node", "Pathway: no such type in the ontology"] == 1
    assert tally.kept_rows["node"] == len(kind(records, Entity)) == 9


def test_the_tables_of_bindings_and_associations_may_be_absent(tmp_path: Path) -> None:
    records, tally = read(tmp_path, bindings=None, associations=None)
    assert len(statements(records)) == 6
    assert "binding" not in tally.read_rows


def test_bad_rows_are_counted_and_the_others_read(tmp_path: Path) -> None:
    edges = [
        *EDGES,
        EDGES[1],
        "Disease::DOID:13189\tDrD\tDisease::DOID:1024",
        "Compound::DB00437\tCbG\tGene::7498",
        "Disease::DOID:13189\tDpS\tSymptom::D000000",
        "Disease::DOID:13189\tDpS\tAnatomy::UBERON:0000982",
        "Disease::DOID:13189\tDpS",
    ]
    nodes = [*NODES, "Gene::7498\tXDH\tGene", "Gene::1\t\tGene", "Gene::2\tX\tDisease", "Gene::a b\tX\tGene"]
    bindings = [BINDING_COLUMNS, "DB99999" + BINDING[7:], BINDING.replace("7498", "5")]
    associations = [ASSOCIATION_COLUMNS, ASSOCIATION, "DOID:5" + ASSOCIATION[10:], ASSOCIATION.replace("9429", "5")]
    _, tally = read(tmp_path, nodes=nodes, edges=edges, bindings=bindings, associations=associations)
    assert {reason: n for (row, reason), n in tally.dropped_rows.items() if row == "edge"} == {
        "repeats a row": 1,
        "DrD: no such predicate in the ontology": 1,
        "CbG: its own table says more": 1,
        "DpS: an end is not among the nodes of its kind": 2,
        "wrong number of columns": 1,
    }
    assert tally.dropped_rows["node", "id again"] == 1
    assert tally.dropped_rows["node", "id is not of its kind, or without a name"] == 2
    assert tally.dropped_rows["node", "id is not a CURIE"] == 1
    assert tally.dropped_rows["binding", "compound is not among the nodes"] == 1
    assert tally.dropped_rows["binding", "gene is not among the nodes"] == 1
    assert tally.dropped_rows["association", "disease is not among the nodes"] == 1
    assert tally.dropped_rows["association", "gene is not among the nodes"] == 1


def test_a_file_without_its_columns_is_unreadable(tmp_path: Path) -> None:
    with pytest.raises(ClewError) as error:
        read(tmp_path, edges=["source\ttarget"])
    assert error.value.code == Code.UNREADABLE_SOURCE


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/data/hetionet")
def test_the_development_copy_gives_the_published_counts() -> None:
    files = {
        original.key: next(path for name in original.names if (path := SHARED / f"{name}.gz").is_file())
        for original in SOURCE.originals
    }
    tally = Tally(SOURCE.key)
    found = [record.assertion.predicate for record in SOURCE.read(files, tally) if isinstance(record, Evidence)]
    tally.check()
    assert dict(tally.read_rows) == {"node": 47_031, "edge": 9_676, "binding": 24_687, "association": 12_623}
    published = {"has_phenotype": 3_357, "located_in": 3_602, "treats": 755, "ameliorates_condition": 390}
    assert {predicate: found.count(predicate) for predicate in published} == published
    assert tally.kept_rows["association"] == 12_623
    bindings = {"has_target": 9_196, "metabolised_by": 2_237, "transported_by": 876}
    assert {predicate: found.count(predicate) for predicate in bindings} == bindings
