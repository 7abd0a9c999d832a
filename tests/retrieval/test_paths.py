"""Evidence chains: what connects two entities, each chain with the Cypher that returns it."""

import time
from pathlib import Path

import numpy as np
import pytest

from api.compose import Clew
from kg_build.index.adjacency import Adjacency
from kg_build.store.child import run_cypher
from kg_build.store.guard import check
from ontology.errors import ClewError, Code
from retrieval.paths import Chain, Node, _through_one, _through_two, chain_cypher, find_chains

MARFAN, LOEYS, FBN1, LENS, FINGERS = "OMIM:154700", "OMIM:609192", "NCBIGene:2200", "HP:0001083", "HP:0001166"
HOMOCYSTINURIA = "OMIM:236200"


@pytest.fixture(scope="module")
def graph(miniature_home: Path) -> Clew:
    return Clew.open(miniature_home)


def chains(graph: Clew, start: str, end: str, depth: int = 3, limit: int = 100) -> list[Chain]:
    return find_chains(graph.adjacency, graph.store, start, end, depth=depth, limit=limit)


def refusal(graph: Clew, start: str, end: str, depth: int = 3) -> ClewError:
    with pytest.raises(ClewError) as caught:
        chains(graph, start, end, depth)
    return caught.value


def shape(chain: Chain) -> tuple[str, ...]:
    return tuple(node.id for node in chain.nodes)


def test_a_statement_is_a_chain_of_length_one(graph: Clew) -> None:
    (chain,) = chains(graph, FBN1, MARFAN, depth=1)
    assert [node.name for node in chain.nodes] == ["FBN1", "Marfan syndrome"]
    assert [(edge.predicate, edge.forward) for edge in chain.edges] == [("gene_associated_with_condition", True)]
    assert chain.score == pytest.approx(0.9)  # the trust of its source


def test_a_common_neighbour_makes_a_chain_of_length_two(graph: Clew) -> None:
    found = [chain for chain in chains(graph, MARFAN, LOEYS) if len(chain.edges) == 2]
    assert {shape(chain)[1] for chain in found} == {"HP:0002616", "HP:0002650"}
    assert [(edge.predicate, edge.forward) for edge in found[0].edges] == [
        ("has_phenotype", True),
        ("has_phenotype", False),
    ]


def test_an_edge_between_neighbours_makes_a_chain_of_length_three(graph: Clew) -> None:
    found = [chain for chain in chains(graph, FBN1, HOMOCYSTINURIA) if len(chain.edges) == 3]
    assert (FBN1, MARFAN, LENS, HOMOCYSTINURIA) in {shape(chain) for chain in found}
    assert (FBN1, MARFAN, FINGERS, HOMOCYSTINURIA) in {shape(chain) for chain in found}


def test_the_same_chains_are_found_from_either_end(graph: Clew) -> None:
    for start, end in [(MARFAN, LOEYS), (FBN1, HOMOCYSTINURIA)]:
        there = {shape(chain) for chain in chains(graph, start, end)}
        back = {tuple(reversed(shape(chain))) for chain in chains(graph, end, start)}
        assert there == back


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (FBN1, MARFAN),
        (MARFAN, LOEYS),
        (FBN1, HOMOCYSTINURIA),
        (FBN1, LENS),
        ("高血压", "头痛"),
        ("感冒", "肺炎"),
        ("布洛芬", "阿司匹林"),
        ("Marfan syndrome", "马凡综合征"),
    ],
)
def test_the_cypher_of_every_chain_returns_exactly_its_statements(graph: Clew, start: str, end: str) -> None:
    ends = [graph.linker.resolve(name).entity for name in (start, end)]
    for chain in chains(graph, *ends):
        assert check(chain.cypher).strip() == chain.cypher
        returned = [
            [value for name, value in row.items() if name.endswith("assertion_id")]
            for row in graph.store.rows(chain.cypher)
        ]
        assert [edge.assertion for edge in chain.edges] in returned


def test_the_cypher_runs_where_free_cypher_runs(graph: Clew) -> None:
    chain = next(chain for chain in chains(graph, FBN1, HOMOCYSTINURIA) if len(chain.edges) == 3)
    result = run_cypher(graph.release.derived("graph.lbug"), chain.cypher, {}, seconds=10, rows=10)
    (row,) = result.rows
    assert [row[1], row[4], row[7]] == [edge.assertion for edge in chain.edges]


def test_every_edge_leads_to_its_evidence(graph: Clew) -> None:
    for chain in chains(graph, FBN1, HOMOCYSTINURIA):
        for edge in chain.edges:
            assert edge.evidence
            assert all(row.assertion == edge.assertion and row.source and row.licence for row in edge.evidence)


def test_no_chain_passes_through_its_ends_or_twice_through_an_entity(graph: Clew) -> None:
    for chain in chains(graph, MARFAN, LOEYS):
        assert len(set(shape(chain))) == len(chain.nodes)


def test_shorter_chains_come_first_and_better_ones_among_equals(graph: Clew) -> None:
    found = chains(graph, MARFAN, LENS)
    keys = [(len(chain.edges), -chain.score) for chain in found]
    assert keys == sorted(keys)
    assert chains(graph, MARFAN, LENS, limit=2) == found[:2]


def test_the_depth_is_kept(graph: Clew) -> None:
    assert max(len(chain.edges) for chain in chains(graph, MARFAN, LOEYS, depth=2)) == 2
    assert refusal(graph, FBN1, HOMOCYSTINURIA, depth=2).code is Code.NO_PATH


@pytest.mark.parametrize("depth", [-1, 0, 4])
def test_a_depth_out_of_range_is_answered_with_the_valid_ones(graph: Clew, depth: int) -> None:
    error = refusal(graph, MARFAN, LENS, depth)
    assert (error.code, error.choices) == (Code.BAD_INPUT, ("1", "2", "3"))


def test_an_entity_is_not_led_to_itself(graph: Clew) -> None:
    assert refusal(graph, MARFAN, MARFAN).code is Code.BAD_INPUT


@pytest.mark.parametrize("ends", [("OMIM:0", MARFAN), (MARFAN, "cmekg:没有"), (MARFAN, "")])
def test_an_end_that_is_not_in_the_graph_is_named(graph: Clew, ends: tuple[str, str]) -> None:
    error = refusal(graph, *ends)
    assert error.code is Code.UNKNOWN_ENTITY
    assert next(end for end in ends if end != MARFAN) in error.cause


def test_no_chain_is_an_answer_that_says_what_to_try(graph: Clew) -> None:
    error = refusal(graph, FBN1, HOMOCYSTINURIA, depth=1)
    assert error.code is Code.NO_PATH
    assert "--depth" in error.remedy
    assert refusal(graph, FBN1, "NCBIGene:1080").remedy == ""  # deeper than three is not searched


def test_ids_stay_inside_their_quotes() -> None:
    nodes = [Node("x:'", "Disease", ""), Node("x:\\", "Drug", "")]
    assert check(chain_cypher(nodes, [("treats", False)])) == (
        "MATCH (n0:Disease {id: 'x:\\''})<-[r1:treats]-(n1:Drug {id: 'x:\\\\'}) "
        "RETURN n0.name, r1.assertion_id, r1.references, n1.name"
    )


def arrays(pairs: list[tuple[np.ndarray, np.ndarray]], entities: int) -> Adjacency:
    """A graph of one predicate from arrays of subjects and objects."""
    subjects, objects = (np.concatenate(side) for side in zip(*pairs, strict=True))
    rows = np.concatenate([subjects, objects])
    order = np.argsort(rows, kind="stable")
    count = len(subjects)
    return Adjacency(
        ids=np.array([f"x:{i:07}".encode() for i in range(entities)]),
        types=np.zeros(entities, np.int16),
        starts=np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=entities))]).astype(np.int64),
        targets=np.concatenate([objects, subjects])[order].astype(np.int32),
        predicates=np.zeros(2 * count, np.int16),
        forward=np.repeat([True, False], count)[order],
        statements=np.tile(np.arange(count, dtype=np.int32), 2)[order],
        assertions=np.array([f"a.{i:07}".encode() for i in range(count)]),
        trusts=np.full(2 * count, 0.9, np.float32),
        type_names=["Disease"],
        predicate_names=["has_phenotype"],
    )


HUB = 100_000


def test_two_hubs_without_a_chain_are_told_apart_within_a_second(graph: Clew) -> None:
    leaves = np.arange(2, 2 + HUB)
    adjacency = arrays([(np.full(HUB, 0), leaves), (np.full(HUB, 1), leaves + HUB)], 2 + 2 * HUB)
    started = time.perf_counter()
    with pytest.raises(ClewError) as caught:
        find_chains(adjacency, graph.store, "x:0000000", "x:0000001")
    assert caught.value.code is Code.NO_PATH
    assert time.perf_counter() - started < 1


def test_two_hubs_that_share_every_neighbour_cost_no_more() -> None:
    leaves = np.arange(2, 2 + HUB)
    adjacency = arrays([(np.full(HUB, 0), leaves), (np.full(HUB, 1), leaves)], 2 + HUB)
    started = time.perf_counter()
    assert len(list(_through_one(adjacency, 0, 1))) == 200
    assert time.perf_counter() - started < 1


def test_hubs_on_the_way_are_not_walked_to_the_end() -> None:
    hubs, leaves = np.arange(2, 22), np.arange(22, 22 + HUB)
    through = [(np.full(HUB, hub), leaves) for hub in hubs]
    adjacency = arrays([(np.full(20, 0), hubs), (np.full(50, 1), leaves[:50]), *through], 22 + HUB)
    started = time.perf_counter()
    found = list(_through_two(adjacency, 0, 1))
    assert time.perf_counter() - started < 1
    assert found
