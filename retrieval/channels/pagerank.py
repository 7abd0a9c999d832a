"""Personalised PageRank over entities and passages, inside a neighbourhood.

    seeds ──1 hop, the most specific first──▶ ≤ 1,000 entities ──≤ 100 heaviest mentions each──▶ passages

An edge between two entities weighs trust · 1 / log2(2 + degree of the one it leads to), an edge between an entity and
a passage weighs the mention's weight · idf of the entity / 10, in both directions. The walk leaves a node along its
edges in proportion to their weights and returns to the seeds with probability 1 - damping (Haveliwala 2002, equation
5; the restart over entities and passages alike is that of HippoRAG, Gutiérrez et al. 2024). The graph as a whole is
never touched: edges and nodes are bounded, also at a hub.

Damping is ½ and not the usual .85, because who asks about an entity wants to stay near it (our choice). On the
development questions of `retrieval.channels.topics`, PageRank as the only ranking has nDCG@10 .704 with two hops around
the topics and .691 with one, and .717 with damping ½. One hop is enough here, because restarts are also at what the
templates of the topics reach, which are two hops away.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.sparse import csr_array

from kg_build.index.adjacency import Adjacency
from kg_build.index.columns import Doubles, Longs
from kg_build.index.mentions import MentionIndex
from retrieval.templates import bounded_edges, specificity

DAMPING: Final = 0.5
MOST_ENTITIES: Final = 1000
MOST_MENTIONS: Final = 100
MOST_EDGES: Final = 50_000
_SORTED: Final = 4 * MOST_ENTITIES
"""Edges, the heaviest ones, that usually lead to `MOST_ENTITIES` different entities."""

_USUAL_IDF: Final = 10.0
_TOLERANCE: Final = 1e-6
_MOST_ROUNDS: Final = 200


@dataclass(frozen=True)
class Ranked:
    """Entities and passages of a neighbourhood with their PageRank; all sums to 1.

    Attributes:
        entities: rows of the adjacency, seeds first.
        entity_scores: of each.
        chunks: places in the mention index.
        chunk_scores: of each.
    """

    entities: Longs
    entity_scores: Doubles
    chunks: Longs
    chunk_scores: Doubles


def rank_neighbourhood(adjacency: Adjacency, mentions: MentionIndex, seeds: Mapping[int, float]) -> Ranked:
    """PageRank of what is around some entities; nothing without seeds.

    Args:
        adjacency: the arrays of the release.
        mentions: who is mentioned where.
        seeds: rows of entities with what they weigh, in any unit.
    """
    entities = neighbourhood(adjacency, np.array(sorted(seeds, key=lambda row: (-seeds[row], row)), np.int64))
    if not len(entities):
        return Ranked(entities, np.zeros(0), entities, np.zeros(0))
    sources, targets, weights = _edges_among(adjacency, entities)
    first, places, mentioned = mentions.of(entities, MOST_MENTIONS)
    chunks, column = np.unique(places, return_inverse=True)
    column = column + len(entities)
    by_mention = mentioned * mentions.idf[entities[first]] / _USUAL_IDF
    matrix = csr_array(
        (
            np.concatenate([weights, by_mention, by_mention]),
            (np.concatenate([sources, first, column]), np.concatenate([targets, column, first])),
        ),
        shape=(len(entities) + len(chunks),) * 2,
    )
    restart = np.zeros(matrix.shape[0])
    restart[: len(entities)] = [seeds.get(row, 0.0) for row in entities.tolist()]
    scores = personalised_pagerank(matrix, restart)
    return Ranked(entities, scores[: len(entities)], chunks.astype(np.int64), scores[len(entities) :])


def neighbourhood(adjacency: Adjacency, seeds: Longs) -> Longs:
    """The seeds, and their neighbours by trust and specificity; at most `MOST_ENTITIES`."""
    _, edges = bounded_edges(adjacency, seeds, MOST_EDGES)
    targets = adjacency.targets[edges].astype(np.int64)
    weights = adjacency.trusts[edges] * specificity(adjacency, targets)
    if len(weights) > _SORTED:  # sorting all edges of a hub takes longer than all the rest
        heavy = weights >= np.partition(weights, -_SORTED)[-_SORTED]
        found = _first_once(seeds, targets[heavy], weights[heavy])
        if len(found) == MOST_ENTITIES:
            return found
    return _first_once(seeds, targets, weights)


def _first_once(seeds: Longs, targets: Longs, weights: Doubles) -> Longs:
    """The seeds and then the targets, heaviest first, each once; at most `MOST_ENTITIES`."""
    ordered = np.concatenate([seeds, targets[np.lexsort((targets, -weights))]])
    once = np.sort(np.unique(ordered, return_index=True)[1])
    return ordered[once[:MOST_ENTITIES]]


def personalised_pagerank(
    matrix: csr_array, restart: Doubles, damping: float = DAMPING, tolerance: float = _TOLERANCE
) -> Doubles:
    """PageRank with restarts, by power iteration.

    Args:
        matrix: n by n, weights of edges from row to column, none negative.
        restart: n weights, none negative, not all 0; also where a walk goes on that finds no edge.
        damping: probability to follow an edge.
        tolerance: sum of the changes, at which it ends.

    Returns:
        n scores that sum to 1.
    """
    restart = restart / restart.sum()
    sums = np.asarray(matrix.sum(axis=1)).ravel()
    leaving = np.divide(damping, sums, out=np.zeros_like(sums, dtype=np.float64), where=sums > 0)
    backwards = matrix.T.tocsr()
    scores = restart
    for _ in range(_MOST_ROUNDS):
        moved = backwards @ (scores * leaving)
        now = moved + (1 - moved.sum()) * restart
        change = np.abs(now - scores).sum()
        scores = now
        if change < tolerance:
            break
    return scores


def _edges_among(adjacency: Adjacency, entities: Longs) -> tuple[Longs, Longs, Doubles]:
    """The edges between some entities, as positions among them."""
    place = np.full(len(adjacency.ids), -1, np.int32)
    place[entities] = np.arange(len(entities), dtype=np.int32)
    first, edges = bounded_edges(adjacency, entities, MOST_EDGES)
    targets = adjacency.targets[edges].astype(np.int64)
    at = place[targets].astype(np.int64)
    inside = at >= 0
    weights = adjacency.trusts[edges[inside]] * specificity(adjacency, targets[inside])
    return first[inside], at[inside], weights
