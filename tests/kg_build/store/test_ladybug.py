import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kg_build.sources.contract import Record
from kg_build.store.ladybug import LadybugStore, load_store
from ontology.document import Chunk, Document, Mention
from ontology.errors import ClewError, Code
from ontology.model import Entity, Name
from ontology.schema import load_domain
from tests.kg_build.graphs import collect, entity, stated

ROOT = Path(__file__).parents[3]
ODD = "OMIM:o'neil/病"
ODD_NAME = 'O\'Neil "quoted" \\ back`slash\n感冒 {$x} 🫀'
DOCUMENT = "clew.doc:指南"
RECORDS: list[Record | Mention] = [
    entity("OMIM:154700", label="Marfan syndrome"),
    entity("ORPHA:558", label="Marfan syndrome"),
    Entity(ODD, "Disease", ODD_NAME, "zh", "cmekg", "定义 'x'"),
    entity("HP:0001083", "PhenotypicFeature", "Ectopia lentis"),
    entity("HP:0001250", "PhenotypicFeature", "Seizure"),
    entity("NCBIGene:2200", "Gene", "FBN1"),
    Name("OMIM:154700", "en", "Marfan's disease", "exact", "hpo", "OMIM:154700"),
    Name("OMIM:154700", "zh", "马凡综合征", "exact", "cmekg", "x"),
    Name("OMIM:154700", "zh", "马凡综合征", "exact", "hpo", "y"),
    stated("OMIM:154700", "has_phenotype", "HP:0001083", "PMID:2", "PMID:1", frequency="6/10", code="PCS"),
    stated("OMIM:154700", "has_phenotype", "HP:0001083", "PMID:3", frequency="0/10", code="TAS"),
    stated("OMIM:154700", "has_phenotype", "HP:0001083", source="cmekg", quote="晶状体脱位 'x' \\"),
    stated("OMIM:154700", "has_phenotype", "HP:0001250", "PMID:1", negated=True, frequency="0/10"),
    stated("ORPHA:558", "has_phenotype", "HP:0001083", frequency="HP:0040281"),
    stated(ODD, "has_phenotype", "HP:0001250", source="cmekg", document=DOCUMENT, quote="抽搐"),
    stated("NCBIGene:2200", "gene_associated_with_condition", "OMIM:154700"),
    stated("OMIM:154700", "same_as", "ORPHA:558", source="clew"),
    Document(DOCUMENT, "指南 'one'", "zh", "cmekg", "guideline", "DOI:10.1/x", 2024, "组织"),
    Chunk(f"{DOCUMENT}#0", DOCUMENT, 0, "甲 › 乙", "马凡综合征可有晶状体脱位。", "zh", 0, 13),
    Mention(f"{DOCUMENT}#0", "OMIM:154700", 0, 5, "马凡综合征", "exact", 0.9),
    Mention(f"{DOCUMENT}#0", "HP:0001083", 7, 12, "晶状体脱位", "exact", 0.95),
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LadybugStore]:
    """A store in a folder whose name has a quote, a blank and Chinese characters."""
    folder = tmp_path_factory.mktemp("store") / "o'neil 病"
    folder.mkdir()
    load_store(collect(RECORDS), load_domain(), folder / "graph.lbug")
    assert [p.name for p in folder.iterdir()] == ["graph.lbug"]
    opened = LadybugStore(folder / "graph.lbug")
    yield opened
    opened.close()


def test_an_edge_carries_references_codes_sources_trust_and_pooled_frequency(store: LadybugStore) -> None:
    (edge,) = store.rows(
        "MATCH (:Disease {id: $d})-[r:has_phenotype]->(f:PhenotypicFeature) "
        "RETURN f.name AS name, r.references AS references, r.codes AS codes, r.sources AS sources, "
        "r.trust AS trust, r.frequency AS frequency, r.assertion_id AS assertion",
        {"d": "OMIM:154700"},
    )
    assert edge["name"] == "Ectopia lentis"
    assert edge["references"] == ["PMID:1", "PMID:2", "PMID:3"]
    assert edge["codes"] == ["PCS", "TAS"]
    assert edge["sources"] == ["cmekg", "hpo"]
    assert edge["trust"] == pytest.approx(0.9)
    assert edge["frequency"] == pytest.approx(6 / 20)
    assert edge["assertion"].startswith("a.")


def test_a_frequency_class_is_its_midpoint_and_no_frequency_is_null(store: LadybugStore) -> None:
    found = store.rows("MATCH (d:Disease)-[r:has_phenotype]->() RETURN d.id AS d, r.frequency AS f")
    assert {row["d"]: row["f"] for row in found} == {"OMIM:154700": 0.3, "ORPHA:558": 0.895, ODD: None}


def test_a_negative_statement_never_matches_as_a_fact(store: LadybugStore) -> None:
    facts = store.rows(
        "MATCH (:Disease {id: 'OMIM:154700'})-[r]->(f:PhenotypicFeature) RETURN label(r) AS r, f.id AS f"
    )
    assert {(row["r"], row["f"]) for row in facts} == {
        ("has_phenotype", "HP:0001083"),
        ("not_has_phenotype", "HP:0001250"),
    }


def test_the_evidence_of_a_statement_is_reached_over_relationships(store: LadybugStore) -> None:
    found = store.rows(
        "MATCH (d:Disease)-[:SUBJECT_OF]->(a:Assertion)-[:HAS_OBJECT]->(f:PhenotypicFeature), "
        "(a)-[:HAS_EVIDENCE]->(e:Evidence) WHERE d.id = $d AND f.id = $f AND NOT a.negated "
        "RETURN e.source AS source, e.licence AS licence, e.references AS cited, e.quote AS quote, "
        "e.frequency AS frequency ORDER BY source, frequency",
        {"d": "OMIM:154700", "f": "HP:0001083"},
    )
    assert [(row["source"], row["frequency"]) for row in found] == [("cmekg", ""), ("hpo", "0/10"), ("hpo", "6/10")]
    assert found[0]["quote"] == "晶状体脱位 'x' \\"
    assert found[2]["cited"] == ["PMID:2", "PMID:1"]
    assert all(row["licence"] for row in found)


def test_a_quoted_document_leads_to_its_passages_and_what_they_mention(store: LadybugStore) -> None:
    found = store.rows(
        "MATCH (a:Assertion)-[:HAS_EVIDENCE]->(e:Evidence)-[:FROM_DOCUMENT]->(d:Document)-[:HAS_CHUNK]->(c:Chunk)"
        "-[m:MENTIONS]->(n) RETURN d.id AS d, d.title AS title, d.year AS year, c.section AS section, "
        "c.text AS text, n.id AS n, m.start AS start, m.stop AS stop, m.confidence AS confidence ORDER BY start"
    )
    assert [(row["n"], row["text"][row["start"] : row["stop"]]) for row in found] == [
        ("OMIM:154700", "马凡综合征"),
        ("HP:0001083", "晶状体脱位"),
    ]
    assert (found[0]["title"], found[0]["year"], found[0]["section"]) == ("指南 'one'", 2024, "甲 › 乙")
    assert found[1]["confidence"] == pytest.approx(0.95)


def test_quotes_backslashes_and_chinese_survive_in_ids_names_and_texts(store: LadybugStore) -> None:
    (row,) = store.rows("MATCH (d:Disease) WHERE d.id = $id RETURN d.name AS name, d.definition AS text", {"id": ODD})
    assert row == {"name": ODD_NAME, "text": "定义 'x'"}
    assert store.rows("MATCH (d:Disease) WHERE d.name = $n RETURN d.id AS id", {"n": ODD_NAME}) == [{"id": ODD}]


def test_an_entity_lists_every_name_once(store: LadybugStore) -> None:
    (row,) = store.rows("MATCH (d:Disease {id: 'OMIM:154700'}) RETURN d.names AS names")
    assert row["names"] == ["Marfan's disease", "马凡综合征"]


def test_genes_and_bridges_are_relations_of_their_own(store: LadybugStore) -> None:
    found = store.rows("MATCH (g:Gene)-[:gene_associated_with_condition]->(d)-[:same_as]->(o) RETURN o.id AS o")
    assert found == [{"o": "ORPHA:558"}]


def test_the_store_is_opened_for_reading_only(store: LadybugStore) -> None:
    with pytest.raises(ClewError) as caught:
        store.rows("CREATE (:Gene {id: 'X:1'})")
    assert caught.value.code is Code.FAILED_CYPHER


@pytest.mark.parametrize("statement", ["MATCH (n:Illness) RETURN n", "MATCH ("])
def test_a_statement_that_fails_is_a_coded_error(store: LadybugStore, statement: str) -> None:
    with pytest.raises(ClewError) as caught:
        store.rows(statement)
    assert caught.value.code is Code.FAILED_CYPHER


def test_a_store_that_is_not_there_is_no_release(tmp_path: Path) -> None:
    with pytest.raises(ClewError) as caught:
        LadybugStore(tmp_path / "graph.lbug")
    assert caught.value.code is Code.NO_RELEASE


def test_a_file_that_is_no_store_is_a_corrupt_release(tmp_path: Path) -> None:
    (tmp_path / "graph.lbug").write_bytes(b"not a database" * 1000)
    with pytest.raises(ClewError) as caught:
        LadybugStore(tmp_path / "graph.lbug")
    assert caught.value.code is Code.CORRUPT_RELEASE


KILLED = """
import os, signal, sys
from pathlib import Path
from kg_build.store.ladybug import load_store
from ontology.schema import load_domain
from tests.kg_build.store.test_ladybug import RECORDS
from tests.kg_build.graphs import collect
load_store(collect(RECORDS), load_domain(), Path(sys.argv[1]), lambda _: os.kill(os.getpid(), signal.SIGKILL))
"""


def test_a_killed_load_leaves_nothing_under_the_name_and_the_next_one_succeeds(tmp_path: Path) -> None:
    path = tmp_path / "graph.lbug"
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], cwd=ROOT, check=False)  # noqa: S603
    assert done.returncode == -signal.SIGKILL
    assert not path.exists()
    assert any(tmp_path.iterdir())
    load_store(collect(RECORDS), load_domain(), path)
    assert [p.name for p in tmp_path.iterdir()] == ["graph.lbug"]


def test_a_load_that_fails_leaves_nothing_and_the_store_that_was_there(tmp_path: Path) -> None:
    tables, path = collect(RECORDS), tmp_path / "graph.lbug"
    load_store(tables, load_domain(), path)
    before = path.read_bytes()
    with pytest.raises(ClewError) as caught:
        load_store({**tables, "evidence": tables["evidence"].slice(0, 1)}, load_domain(), path)
    assert caught.value.code is Code.CORRUPT_RELEASE
    assert [p.name for p in tmp_path.iterdir()] == ["graph.lbug"]
    assert path.read_bytes() == before


def test_a_load_replaces_the_store_that_is_there_and_says_what_it_does(tmp_path: Path) -> None:
    path, said = tmp_path / "graph.lbug", list[str]()
    load_store(collect([]), load_domain(), path)
    relations = load_store(collect(RECORDS), load_domain(), path, said.append)
    opened = LadybugStore(path)
    assert opened.rows("MATCH ()-[r]->() RETURN count(r) AS n") == [{"n": relations}]
    opened.close()
    assert said == ["graph: nodes", "graph: relations", "graph: evidence"]


def test_an_empty_graph_makes_an_empty_store(tmp_path: Path) -> None:
    assert load_store(collect([]), load_domain(), tmp_path / "graph.lbug") == 0
    opened = LadybugStore(tmp_path / "graph.lbug")
    assert opened.rows("MATCH (n) RETURN count(*) AS n") == [{"n": 0}]
    opened.close()
