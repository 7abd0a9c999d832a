"""Independent support: how many ways lead from one end to the other that have nothing in common.

Three chains over one and the same disease say the same thing three times. Counted are those that could be walked at
once if every statement, or every entity on the way, might be used once: a maximum flow (Menger 1927), by NetworkX, on
the small graph that the chains make up.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import networkx as nx

from retrieval.paths import Chain

_SOURCE: Final = ("", "from")
_SINK: Final = ("", "to")


@dataclass(frozen=True)
class Support:
    """How many chains have no statement, and how many no entity on the way, in common; at least 1 each."""

    edges: int
    nodes: int


def support(chains: Iterable[Chain]) -> Support:
    """Independent chains among some that lead from the same thing to the same thing.

    A thing may be several entities, as a name is: all first entities count as one, and so do all last ones.

    Args:
        chains: read from left to right; none gives 0 and 0.
    """
    listed = list(chains)
    return Support(_flow(listed, through=None), _flow(listed, through=1))


def _flow(chains: list[Chain], through: int | None) -> int:
    """The maximum flow, with so much through an entity on the way; any without it."""
    graph: nx.DiGraph[tuple[str, str]] = nx.DiGraph()
    graph.add_nodes_from([_SOURCE, _SINK])
    for chain in chains:
        last = len(chain.nodes) - 1
        for at, edge in enumerate(chain.edges):
            left, right = chain.nodes[at].id, chain.nodes[at + 1].id
            leaving = _SOURCE if at == 0 else (left, "out")
            coming = _SINK if at + 1 == last else (right, "in")
            said = (edge.assertion, "in"), (edge.assertion, "out")
            graph.add_edge(leaving, said[0])
            graph.add_edge(*said, capacity=1)
            graph.add_edge(said[1], coming)
            if coming is not _SINK:
                _limit(graph, right, through)
    return int(nx.maximum_flow_value(graph, _SOURCE, _SINK)) if chains else 0


def _limit(graph: nx.DiGraph[tuple[str, str]], entity: str, through: int | None) -> None:
    graph.add_edge((entity, "in"), (entity, "out"), **({} if through is None else {"capacity": through}))
