"""Independent support: chains that have nothing in common."""

from itertools import pairwise

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from retrieval.paths import Chain, Edge, Node
from retrieval.support import Support, support


def chain(*ids: str, said: str = "") -> Chain:
    """A chain through entities; statements are named by their ends, and by `said` where there are several."""
    edges = [Edge("p", True, f"{a}-{b}{said}", []) for a, b in pairwise(ids)]
    return Chain([Node(i, "Disease", i) for i in ids], edges, 1.0, "")


def test_nothing_supports_nothing() -> None:
    assert support([]) == Support(0, 0)


def test_chains_over_different_entities_are_independent() -> None:
    assert support([chain("a", "x", "z"), chain("a", "y", "z"), chain("a", "z")]) == Support(3, 3)


def test_chains_over_one_entity_are_one_though_their_statements_differ() -> None:
    assert support([chain("发热", "感冒", "药"), chain("发热", "感冒", "药", said="'")]) == Support(2, 1)


def test_a_shared_statement_is_counted_once() -> None:
    assert support([chain("a", "x", "y", "z"), chain("a", "x", "w", "z")]) == Support(1, 1)


def test_all_first_entities_count_as_one_end() -> None:
    assert support([chain("a", "x", "z"), chain("a'", "y", "z'")]) == Support(2, 2)


def test_chains_that_cross_can_be_taken_apart_again() -> None:
    crossed = [chain("a", "x", "v", "z"), chain("a", "x", "w", "z"), chain("a", "y", "v", "z")]
    assert support(crossed) == Support(2, 2)


middles = st.lists(st.sampled_from("uvwxy"), max_size=2, unique=True)


@given(st.lists(middles, max_size=8))
def test_it_is_what_menger_says(ways: list[list[str]]) -> None:
    chains = [chain("a", *way, "z") for way in ways]
    found = support(chains)
    assert found.nodes <= found.edges <= len(chains)
    assert (found.nodes >= 1) == bool(chains)
    graph = nx.DiGraph((e.assertion.split("-")[0], e.assertion.split("-")[1]) for c in chains for e in c.edges)
    if chains:
        assert found.edges == nx.edge_connectivity(graph, "a", "z")
        direct = graph.has_edge("a", "z")
        rest = nx.restricted_view(graph, [], [("a", "z")] if direct else [])
        assert found.nodes == nx.node_connectivity(rest, "a", "z") + direct


@given(st.lists(middles, min_size=1, max_size=6), st.permutations(range(6)))
def test_the_order_of_chains_does_not_matter(ways: list[list[str]], order: list[int]) -> None:
    chains = [chain("a", *way, "z") for way in ways]
    assert support(chains) == support([chains[i] for i in order if i < len(chains)])
