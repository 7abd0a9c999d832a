"""What typed chains answer, each chain with the Cypher that returns it."""

from pathlib import Path

import pytest

from api.compose import Clew
from kg_build.store.guard import check
from retrieval.answers import TypedAnswer, find_answers
from retrieval.templates import Templates
from tests.kg_build.store.counting import CountingStore
from tests.retrieval.test_templates import FBN1, SKELETON, topic


@pytest.fixture(scope="module")
def graph(miniature_home: Path) -> Clew:
    return Clew.open(miniature_home)


def answers(graph: Clew, curie: str, type_name: str, *asked: tuple[str, str]) -> list[TypedAnswer]:
    store = CountingStore(graph.store)
    templates = Templates(graph.domain)
    found = find_answers(graph.adjacency, store, templates, topic(curie, type_name, *asked), 20)  # type: ignore[arg-type]
    assert len(store.statements) <= 2
    return found


@pytest.mark.parametrize(
    ("curie", "type_name", "asked"),
    [
        (FBN1, "Gene", ("gene_associated_with_condition", "subject")),
        (SKELETON, "PhenotypicFeature", ("has_phenotype", "object")),
    ],
)
def test_the_cypher_of_every_chain_returns_its_statements(
    graph: Clew, curie: str, type_name: str, asked: tuple[str, str]
) -> None:
    found = answers(graph, curie, type_name, asked)
    assert found
    for answer in found:
        for chain in answer.chains:
            assert check(chain.cypher).strip() == chain.cypher
            rows = graph.store.rows(chain.cypher)
            returned = [[v for k, v in row.items() if k.endswith("assertion_id")] for row in rows]
            assert [edge.assertion for edge in chain.edges] in returned
            assert (chain.nodes[0].id, chain.nodes[-1]) == (curie, answer.node)
            assert all(edge.evidence for edge in chain.edges)


def test_a_chinese_question_is_answered_over_typed_chains(graph: Clew) -> None:
    link = graph.linker.resolve("高血压")
    found = answers(graph, link.entity, link.type, ("treats", "object"))
    assert any(len(answer.chains[0].edges) == 1 for answer in found)
    assert all("-[" in answer.chains[0].cypher and "*" not in answer.chains[0].cypher for answer in found)


def test_answers_come_best_first_each_once_with_its_support(graph: Clew) -> None:
    found = answers(graph, FBN1, "Gene", ("gene_associated_with_condition", "subject"))
    assert [a.score for a in found] == sorted((a.score for a in found), reverse=True)
    assert len({a.node.id for a in found}) == len(found)
    for answer in found:
        assert 1 <= answer.support.nodes <= answer.support.edges <= len(answer.chains)


def test_nothing_asked_of_nothing_has_no_answer(graph: Clew) -> None:
    assert answers(graph, "OMIM:not there", "Disease") == []
