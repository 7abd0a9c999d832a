"""KGX: what was written is what the tables hold."""

import csv
from pathlib import Path

import pytest

from kg_build.exchange.kgx import infores, write_kgx
from kg_build.licence import attributions
from kg_build.release import Release, open_release
from ontology.model import Assertion, Entity, Evidence, Mapping, Name
from ontology.schema import load_domain
from tests.kg_build.graphs import collect

Row = dict[str, str]


def read(path: Path) -> list[Row]:
    """A table as readers of the format take it: tabs between values, no quoting."""
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.fixture(scope="module")
def release(miniature_home: Path) -> Release:
    return open_release(miniature_home)


@pytest.fixture(scope="module")
def written(release: Release, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Row]]:
    folder = tmp_path_factory.mktemp("kgx")
    counts = write_kgx(release.tables, attributions(release), folder, load_domain())
    found = {path.name: read(path) for path in folder.iterdir()}
    assert {name: len(rows) for name, rows in found.items()} == counts
    return found


def test_every_entity_is_a_node_with_its_biolink_class(release: Release, written: dict[str, list[Row]]) -> None:
    entities = {row["id"]: row for row in release.table("entity").to_pylist()}
    nodes = {row["id"]: row for row in written["nodes.tsv"]}
    assert nodes.keys() == entities.keys()
    for curie, node in nodes.items():
        entity = entities[curie]
        assert node["category"] == load_domain().types[entity["type"]].biolink
        assert (node["type"], bool(node["deprecated"])) == (entity["type"], entity["deprecated"])
        assert node["name"] == " ".join(entity["label"].split("\n"))


def test_every_row_of_evidence_is_an_edge_and_says_whether_it_denies(
    release: Release, written: dict[str, list[Row]]
) -> None:
    assertions = {row["id"]: row for row in release.table("assertion").to_pylist()}
    evidence = {row["id"]: row for row in release.table("evidence").to_pylist()}
    edges = {row["id"]: row for row in written["edges.tsv"]}
    assert edges.keys() == evidence.keys()
    assert {row["negated"] for row in edges.values()} == {"true", ""}  # any text would be read as true
    for identifier, edge in edges.items():
        row = evidence[identifier]
        stated = assertions[row["assertion"]]
        assert (edge["subject"], edge["object"]) == (stated["subject"], stated["object"])
        assert edge["original_predicate"] == f"clew:{'not_' if stated['negated'] else ''}{stated['predicate']}"
        assert edge["predicate"] == load_domain().predicates[stated["predicate"]].biolink
        assert bool(edge["negated"]) == stated["negated"]
        assert edge["primary_knowledge_source"] == infores(row["source"])
        assert (edge["knowledge_level"], edge["agent_type"]) == (row["knowledge_level"], row["agent_type"])
        assert [cited for cited in edge["publications"].split("|") if cited] == row["references"]
        assert edge["frequency_qualifier"] == row["frequency"]


def test_ends_of_edges_are_nodes(written: dict[str, list[Row]]) -> None:
    nodes = {row["id"] for row in written["nodes.tsv"]}
    assert all({edge["subject"], edge["object"]} <= nodes for edge in written["edges.tsv"])


def test_chinese_names_come_through_as_they_are(release: Release, written: dict[str, list[Row]]) -> None:
    (marfan,) = (row for row in written["nodes.tsv"] if row["name"] == "马凡综合征")
    assert marfan["synonym"].split("|") == ["Marfan syndrome"]
    names = {row["text"] for row in release.table("name").to_pylist()}
    shown = {row["name"] for row in written["nodes.tsv"]}
    shown |= {
        name for row in written["nodes.tsv"] for kind in row if "synonym" in kind for name in row[kind].split("|")
    }
    assert names <= shown


def test_the_sources_stand_beside_with_licence_and_notice(release: Release, written: dict[str, list[Row]]) -> None:
    assert [(r["source"], r["licence"], r["attribution"]) for r in written["sources.tsv"]] == [
        (s.source, s.licence, s.attribution) for s in attributions(release)
    ]


def test_what_would_break_a_table_is_replaced_and_nothing_else(tmp_path: Path) -> None:
    records = [
        Entity("OMIM:1", "Disease", 'The "first"\tdisease', "en", "hpo", "Two\nlines."),
        Entity("HP:1", "PhenotypicFeature", "发热", "zh", "hpo"),
        Name("OMIM:1", "en", "a|b", "exact", "hpo", "r"),
        Name("OMIM:1", "en", "wide", "broad", "hpo", "r"),
        Mapping("OMIM:1", "skos:exactMatch", "UMLS:1", "hpo", "j"),
        Mapping("OMIM:1", "skos:closeMatch", "ICD10:Q87", "hpo", "j"),
        Evidence(
            Assertion("OMIM:1", "has_phenotype", "HP:1", negated=True), "hpo", ("PMID:1", "PMID:2"), "r",
            "knowledge_assertion", "manual_agent", "PCS", quote="| yes\t| 不\r\n|", sex="FEMALE", frequency="0/7",
        ),
    ]  # fmt: skip
    write_kgx(collect(records), [], tmp_path, load_domain())
    _, node = read(tmp_path / "nodes.tsv")
    assert (node["name"], node["description"]) == ('The "first" disease', "Two lines.")
    assert (node["synonym"], node["broad_synonym"]) == ("a¦b", "wide")
    assert (node["xref"], node["close_match"]) == ("UMLS:1", "ICD10:Q87")
    (edge,) = read(tmp_path / "edges.tsv")
    assert edge["supporting_text"] == "¦ yes ¦ 不 ¦"
    assert (edge["negated"], edge["publications"], edge["frequency_qualifier"]) == ("true", "PMID:1|PMID:2", "0/7")
    assert (edge["has_evidence"], edge["code"], edge["sex_qualifier"]) == ("ECO:0006017", "PCS", "PATO:0000383")


def test_a_graph_of_nothing_has_headers_only(tmp_path: Path) -> None:
    assert write_kgx(collect([]), [], tmp_path, load_domain()) == {"nodes.tsv": 0, "edges.tsv": 0, "sources.tsv": 0}
    assert (tmp_path / "edges.tsv").read_text().startswith("id\tsubject\tpredicate\tobject\t")
