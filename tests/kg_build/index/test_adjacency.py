from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kg_build.index.adjacency import Adjacency, build_adjacency, load_adjacency
from kg_build.release import rows
from ontology.errors import ClewError, Code
from ontology.model import Evidence
from tests.kg_build.graphs import collect, entity, stated

ENTITIES = [
    entity("OMIM:154700", label="Marfan syndrome"),
    entity("cmekg:马凡综合征", label="马凡综合征", source="cmekg"),
    entity("HP:0001083", "PhenotypicFeature", "Ectopia lentis"),
    entity("HP:0001250", "PhenotypicFeature", "Seizure"),
    entity("NCBIGene:2200", "Gene", "FBN1"),
    entity("ICD10:Q87.4", "CodedCategory", "Marfan syndrome", "icd10"),
]
FACTS = [
    stated("OMIM:154700", "has_phenotype", "HP:0001083", "PMID:1"),
    stated("cmekg:马凡综合征", "has_phenotype", "HP:0001083", source="cmekg"),
    stated("OMIM:154700", "has_phenotype", "HP:0001250", "PMID:1", negated=True),
    stated("NCBIGene:2200", "gene_associated_with_condition", "OMIM:154700"),
    stated("NCBIGene:2200", "gene_associated_with_condition", "OMIM:154700", "PMID:2", source="cmekg"),
]


def build(folder: Path, facts: list[Evidence]) -> Adjacency:
    tables = collect([*ENTITIES, *facts])
    build_adjacency(tables["entity"], tables["assertion"], tables["evidence"], folder)
    return load_adjacency(folder)


def edges(graph: Adjacency, curie: str) -> set[tuple[str, str, bool, str]]:
    """(predicate, other end, whether this is the subject, assertion) of every edge of an entity."""
    row = graph.index(curie)
    assert row is not None
    return {
        (
            graph.predicate_names[graph.predicates[i]],
            graph.curie(int(graph.targets[i])),
            bool(graph.forward[i]),
            bytes(graph.assertions[graph.statements[i]]).decode(),
        )
        for i in range(graph.starts[row], graph.starts[row + 1])
    }


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Adjacency:
    return build(tmp_path_factory.mktemp("adjacency"), FACTS)


def test_neighbours_are_what_an_entity_is_related_to_in_either_direction(graph: Adjacency) -> None:
    assert graph.neighbours("OMIM:154700") == {"HP:0001083", "NCBIGene:2200"}
    assert graph.neighbours("NCBIGene:2200") == {"OMIM:154700"}
    assert graph.neighbours("HP:0") == frozenset()


def test_a_hub_has_no_neighbours_that_tell_anything(graph: Adjacency, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kg_build.index.adjacency._HUB", 1)
    assert graph.neighbours("OMIM:154700") == frozenset()
    assert graph.neighbours("cmekg:马凡综合征") == {"HP:0001083"}


def test_a_statement_is_an_edge_at_both_ends(graph: Adjacency) -> None:
    lens, gene = FACTS[0].assertion.id, FACTS[3].assertion.id
    assert edges(graph, "OMIM:154700") == {
        ("has_phenotype", "HP:0001083", True, lens),
        ("gene_associated_with_condition", "NCBIGene:2200", False, gene),
    }
    assert ("has_phenotype", "OMIM:154700", False, lens) in edges(graph, "HP:0001083")


def test_negative_statements_are_no_edges(graph: Adjacency) -> None:
    assert edges(graph, "HP:0001250") == set()
    assert FACTS[2].assertion.id.encode() not in graph.assertions


def test_an_edge_is_as_trusted_as_its_best_source(graph: Adjacency) -> None:
    row = graph.index("OMIM:154700")
    assert row is not None
    assert graph.trusts[graph.starts[row] : graph.starts[row + 1]].tolist() == pytest.approx([0.9, 0.9])
    row = graph.index("cmekg:马凡综合征")
    assert row is not None
    assert graph.trusts[graph.starts[row]] == pytest.approx(0.4)


def test_ids_and_types_are_found_both_ways_chinese_ones_too(graph: Adjacency) -> None:
    for known in ENTITIES:
        row = graph.index(known.id)
        assert row is not None
        assert (graph.curie(row), graph.type(row)) == (known.id, known.type)
    assert graph.index("OMIM:15470") is graph.index("OMIM:1547000") is graph.index("") is graph.index("zz:9") is None


def test_degrees_count_edges_and_an_unknown_entity_has_none(graph: Adjacency) -> None:
    assert graph.degree("OMIM:154700") == 2
    assert graph.degree("ICD10:Q87.4") == graph.degree("OMIM:7") == 0
    assert graph.degrees.sum() == 2 * 3


@pytest.mark.parametrize("facts", [[], FACTS[2:3]], ids=["no statement", "negative statements only"])
def test_a_graph_without_edges_is_a_graph(tmp_path: Path, facts: list[Evidence]) -> None:
    graph = build(tmp_path, facts)
    assert graph.degrees.tolist() == [0] * len(ENTITIES)


DISEASES, FINDINGS = ["OMIM:154700", "cmekg:马凡综合征"], ["HP:0001083", "HP:0001250"]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sets(st.tuples(st.sampled_from(DISEASES), st.sampled_from(FINDINGS), st.booleans())))
def test_the_arrays_say_exactly_what_the_positive_assertions_say(
    tmp_path: Path, facts: set[tuple[str, str, bool]]
) -> None:
    evidence = [stated(s, "has_phenotype", o, negated=negated) for s, o, negated in facts]
    tables = collect([*ENTITIES, *evidence])
    graph = build(tmp_path, evidence)
    wanted = {
        (subject, object_)
        for subject, object_, negated in rows(tables["assertion"], "subject", "object", "negated")
        if not negated
    }
    forward = {(e.id, other) for e in ENTITIES for _, other, is_subject, _ in edges(graph, e.id) if is_subject}
    backward = {(other, e.id) for e in ENTITIES for _, other, is_subject, _ in edges(graph, e.id) if not is_subject}
    assert forward == backward == wanted
    assert np.all(np.diff(graph.starts) >= 0)


def test_damaged_arrays_are_a_corrupt_release(tmp_path: Path) -> None:
    build(tmp_path / "a", FACTS)
    (tmp_path / "a" / "targets.npy").write_bytes(b"no array")
    for folder in (tmp_path / "a", tmp_path / "nothing"):
        with pytest.raises(ClewError) as caught:
            load_adjacency(folder)
        assert caught.value.code is Code.CORRUPT_RELEASE


@pytest.mark.parametrize("denial", [("OMIM:154700", "cmekg:马凡综合征"), ("cmekg:马凡综合征", "OMIM:154700")])
def test_an_identity_leads_on_unless_some_source_denies_it(tmp_path: Path, denial: tuple[str, str]) -> None:
    identity = stated("OMIM:154700", "same_as", "cmekg:马凡综合征", source="clew")
    graph = build(tmp_path / "stated", [*FACTS, identity])
    assert graph.same("OMIM:154700") == ["cmekg:马凡综合征"]
    assert graph.same("cmekg:马凡综合征") == ["OMIM:154700"]
    assert graph.same("HP:0001083") == graph.same("OMIM:0") == []
    denied = build(tmp_path / "denied", [*FACTS, identity, stated(denial[0], "same_as", denial[1], negated=True)])
    assert denied.same("OMIM:154700") == []
    assert identity.assertion.id not in {assertion for *_, assertion in edges(denied, "OMIM:154700")}
