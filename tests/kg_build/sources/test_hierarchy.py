"""Circles are cut at the edge that closes them; a hierarchy without circles stays whole."""

import time

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from kg_build.sources.hierarchy import LARGEST_CIRCLE, closing_circles

NODES = st.integers(0, 7).map(str)
EDGES = st.lists(st.tuples(NODES, NODES), max_size=30)


@given(EDGES)
def test_what_is_left_has_no_circle_and_no_edge_is_left_out_without_need(edges: list[tuple[str, str]]) -> None:
    closing = closing_circles(edges)
    kept: nx.DiGraph[str] = nx.DiGraph()
    kept.add_nodes_from(node for edge in edges for node in edge)
    for position, (child, parent) in enumerate(edges):
        closes = child == parent or nx.has_path(kept, parent, child)
        assert closes == (position in closing)
        if not closes:
            kept.add_edge(child, parent)
    assert nx.is_directed_acyclic_graph(kept)


def test_the_edge_that_closes_the_circle_goes_and_the_others_stay() -> None:
    edges = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "d")]
    assert closing_circles(edges) == {2, 4}


def test_a_long_chain_and_a_large_circle_take_no_time() -> None:
    chain = [(str(n), str(n + 1)) for n in range(50_000)]
    started = time.perf_counter()
    assert closing_circles(chain) == set()
    assert len(closing_circles([*chain, ("50000", "0")])) == 50_001 > LARGEST_CIRCLE
    assert time.perf_counter() - started < 10
