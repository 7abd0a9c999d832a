"""Hierarchies without circles: which edges from the special to the general close one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Final

import networkx as nx

LARGEST_CIRCLE: Final = 1000
"""Things that circles may hang together over (our choice: in the known sources it is a dozen). Where there are more of
them, all edges between them are taken to close a circle: to look at each for itself would take forever."""


def closing_circles(edges: Sequence[tuple[str, str]]) -> set[int]:
    """Positions of the edges that close a circle with those before them; an edge from a thing to itself does.

    Args:
        edges: pairs (special, general).
    """
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_edges_from(edges)
    group = {node: i for i, nodes in enumerate(nx.strongly_connected_components(graph)) for node in nodes}
    sizes = Counter(group.values())
    parents: defaultdict[str, set[str]] = defaultdict(set)
    closing = set()
    for position, (child, parent) in enumerate(edges):
        if group[child] != group[parent]:
            continue
        if sizes[group[child]] > LARGEST_CIRCLE or child in _with_ancestors(parent, parents):
            closing.add(position)
        else:
            parents[child].add(parent)
    return closing


def _with_ancestors(start: str, parents: defaultdict[str, set[str]]) -> set[str]:
    found, stack = {start}, [start]
    while stack:
        fresh = parents[stack.pop()] - found
        found |= fresh
        stack.extend(fresh)
    return found
