"""Independent support: how many ways lead from one end to the other that have nothing in common.

Three chains over one and the same disease say the same thing three times. Counted are those that could be walked at
once if every statement, or every entity on the way, might be used once: a maximum flow (Menger 1927), by NetworkX, on
the small graph that the chains make up.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import networkx as nx

from retrieval.paths import Chain

Way = tuple[Sequence[Hashable], Sequence[Hashable]]
"""n entities, and the n - 1 statements between them."""

_SOURCE: Final = ("end", "from")
_SINK: Final = ("end", "to")


@dataclass(frozen=True)
class Support:
    """How many chains have no statement, and how many no entity on the way, in common."""

    edges: int
    nodes: int


def support(chains: Iterable[Chain]) -> Support:
    """Independent chains among some that lead from the same thing to the same thing; none gives 0 and 0.

    A thing may be several entities, as a name is: all first entities count as one, and so do all last ones.
    """
    return independent(([n.id for n in chain.nodes], [e.assertion for e in chain.edges]) for chain in chains)


def independent(ways: Iterable[Way]) -> Support:
    """The same of anything that is like a chain."""
    listed = list(ways)
    return Support(_flow(listed), _flow(listed, capacity=1)) if listed else Support(0, 0)


def _flow(ways: Sequence[Way], **through: int) -> int:
    """The maximum flow, every statement walked once; `through` bounds what an entity on the way lets pass."""
    graph: nx.DiGraph[tuple[Hashable, str]] = nx.DiGraph()
    for entities, statements in ways:
        for at, statement in enumerate(statements):
            said = ("statement", statement)
            leaving = _SOURCE if at == 0 else (("entity", entities[at]), "out")
            coming = _SINK if at + 1 == len(statements) else (("entity", entities[at + 1]), "in")
            graph.add_edge(leaving, (said, "in"))
            graph.add_edge((said, "in"), (said, "out"), capacity=1)
            graph.add_edge((said, "out"), coming)
            if coming is not _SINK:
                graph.add_edge(coming, (coming[0], "out"), **through)
    return int(nx.maximum_flow_value(graph, _SOURCE, _SINK))
