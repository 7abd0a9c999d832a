"""PageRank of a neighbourhood: what NetworkX computes, with bounded work."""

from pathlib import Path
from time import perf_counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from api.compose import Clew
from kg_build.index.adjacency import Adjacency
from kg_build.index.mentions import MentionIndex
from retrieval.channels.pagerank import MOST_ENTITIES, personalised_pagerank, rank_neighbourhood
from tests.retrieval.test_paths import MARFAN


@pytest.fixture(scope="module")
def graph(miniature_home: Path) -> Clew:
    return Clew.open(miniature_home)


weights = st.sampled_from([0.0, 0.1, 1.0, 7.0])


@settings(max_examples=150, deadline=None)
@given(st.data(), st.integers(1, 8), st.sampled_from([0.3, 0.5, 0.85]))
def test_it_is_the_pagerank_of_networkx(data: st.DataObject, n: int, damping: float) -> None:
    matrix = np.array(data.draw(st.lists(weights, min_size=n * n, max_size=n * n))).reshape(n, n)
    restart = np.array(data.draw(st.lists(weights, min_size=n, max_size=n).filter(any)))
    graph = nx.from_numpy_array(matrix, create_using=nx.DiGraph)
    expected = nx.pagerank(graph, damping, personalization=dict(enumerate(restart)), tol=1e-12, max_iter=2000)
    found = personalised_pagerank(csr_array(matrix), restart, damping, tolerance=1e-12)
    assert found == pytest.approx([expected[i] for i in range(n)], abs=1e-8)
    assert found.sum() == pytest.approx(1)


def test_what_is_near_a_seed_outranks_what_is_far(graph: Clew) -> None:
    mentions = graph.topics.mentions
    seed = graph.adjacency.index(MARFAN)
    assert seed is not None
    ranked = rank_neighbourhood(graph.adjacency, mentions, {seed: 1.0})
    assert ranked.entities[np.argmax(ranked.entity_scores)] == seed
    total = ranked.entity_scores.sum() + ranked.chunk_scores.sum()
    assert total == pytest.approx(1)
    assert set(mentions.of(np.array([seed]), 100)[1]) <= set(ranked.chunks)


def test_the_same_seeds_give_the_same_ranks(graph: Clew) -> None:
    rows = [graph.adjacency.index(curie) for curie in (MARFAN, "NCBIGene:2200")]
    seeds = {row: 1.0 for row in rows if row is not None}
    one, two = (
        rank_neighbourhood(graph.adjacency, graph.topics.mentions, dict(items))
        for items in (seeds.items(), reversed(seeds.items()))
    )
    assert np.array_equal(one.entities, two.entities)
    assert np.array_equal(one.chunk_scores, two.chunk_scores)


def test_without_seeds_there_is_nothing(graph: Clew) -> None:
    ranked = rank_neighbourhood(graph.adjacency, graph.topics.mentions, {})
    assert len(ranked.entities) == len(ranked.chunks) == 0


def star(n: int) -> tuple[Adjacency, MentionIndex]:
    """An entity with n edges, all others with one; every one is mentioned in a passage of its own, the hub in all."""
    starts = np.concatenate([[0, n], n + 1 + np.arange(n)]).astype(np.int64)
    targets = np.concatenate([1 + np.arange(n), np.zeros(n)]).astype(np.int32)
    adjacency = Adjacency(
        ids=np.array([f"X:{i:07}".encode() for i in range(n + 1)]),
        types=np.zeros(n + 1, np.int16),
        starts=starts,
        targets=targets,
        predicates=np.zeros(2 * n, np.int16),
        forward=np.repeat([True, False], n),
        statements=np.tile(np.arange(n, dtype=np.int32), 2),
        assertions=np.array([b"a"] * n),
        trusts=np.full(2 * n, 0.9, np.float32),
        type_names=["Disease"],
        predicate_names=["has_phenotype", "same_as"],
    )
    places = np.arange(n, dtype=np.int32)
    mentions = MentionIndex(
        ids=np.array([f"d{i}".encode() for i in range(n)]),
        starts=starts,
        chunks=np.concatenate([places, places]),
        weights=np.full(2 * n, 0.5, np.float32),
    )
    return adjacency, mentions


def test_a_hub_with_100000_edges_is_bounded_work() -> None:
    adjacency, mentions = star(100_000)
    rank_neighbourhood(adjacency, mentions, {0: 1.0})
    started = perf_counter()
    ranked = rank_neighbourhood(adjacency, mentions, {0: 1.0})
    assert perf_counter() - started < 1
    assert len(ranked.entities) == MOST_ENTITIES
    assert len(ranked.chunks) <= 2 * MOST_ENTITIES
