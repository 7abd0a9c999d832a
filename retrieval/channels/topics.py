"""Passages by the entities of a question: what mentions them, what mentions where they lead to, what lies around.

    score(passage) =       Σ over topics   best of its group:  idf(entity) · weight(entity, passage)
                   + 0.3 · Σ over reached  √score(entity)    · idf(entity) · weight(entity, passage)
                   + 0.3 · PageRank(passage) / that of the best passage

`weight` and `idf` are those of `kg_build.index.mentions`. Reached is what the typed templates of a topic lead to (at
most 100 entities a topic); PageRank restarts half at the topics, half at what they reach. So a passage on the thing
asked about comes before one on what it leads to, and both before what is merely near.

The weights are our choice, on the development questions made from a release of all sources (six kinds of 150, in a
corpus of 48,109 passages). This channel alone, in the mean over the kinds, nDCG@10 (recall@10) in hundredths; the
questions for tests were asked once, at the end:

                                                                development      test
    best confidence, no headings, no weights (as it was)        22.9 (19.9)   22.3 (19.1)
    the first line, without headings                            23.1 (20.1)
    the first line                                              61.5 (61.9)   60.9 (61.4)
    the first, and PageRank restarting at the topics only       72.2 (73.8)
    the first and the third                                                   75.2 (77.4)
    the first two                                               79.5 (80.6)   77.4 (78.9)
    all three                                                   79.6 (80.9)   77.7 (79.5)

PageRank beside the templates is worth little, and that where the way is long: on development questions of two hops
+0.9 [-0.4, 2.4] nDCG@10, +1.7 [-0.4, 4.2] recall@10, +4.2 [1.8, 7.1] recall@100 (95 %, paired bootstrap). Where a lay
term is asked for, the templates cost .4. In these corpora nobody says what a document is about, and right is what the
same graph states: they show that the graph is made use of, not how far it is right.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kg_build.index.adjacency import Adjacency
from kg_build.index.columns import Doubles, Longs
from kg_build.index.mentions import MentionIndex
from ontology.schema import Domain
from retrieval.channels.pagerank import rank_neighbourhood
from retrieval.hit import Hit
from retrieval.question import Topic
from retrieval.templates import Reached, Templates, reached, walk

OF_REACHED: Final = 0.3
OF_PAGERANK: Final = 0.3

MOST_REACHED: Final = 100
"""Entities that a topic leads to, best first."""

_LEAST: Final = 1e-12

_MOST_PASSAGES: Final = 5000
"""Passages looked at of an entity of a topic, heaviest first."""

_MOST_OF_REACHED: Final = 200
"""Passages looked at of an entity that a topic leads to."""


@dataclass(frozen=True)
class TopicPassages:
    """Searches passages by topics, in a release or in any other body of text.

    Attributes:
        adjacency: the graph of the release.
        mentions: who is mentioned where, over the entities of that graph.
        domain: the ontology file.
    """

    adjacency: Adjacency
    mentions: MentionIndex
    domain: Domain

    def ask(self, topics: Sequence[Topic]) -> AskedTopics:
        """Ask for the entities of a question; without any, nothing is found."""
        scores = np.zeros(len(self.mentions.ids))
        named = np.zeros(len(self.mentions.ids), np.bool_)
        seeds: dict[int, float] = {}
        for topic in topics:
            mentioning = self._mentioning(topic)
            named |= mentioning > 0
            scores += mentioning
            found = reached(self.adjacency, topic, walk(self.adjacency, topic, self._templates), MOST_REACHED)
            self._add_reached(scores, found)
            _add_seeds(seeds, self._rows(topic), found)
        around = rank_neighbourhood(self.adjacency, self.mentions, seeds)
        if len(around.chunks):
            scores[around.chunks] += OF_PAGERANK * around.chunk_scores / around.chunk_scores.max()
        return AskedTopics(self.mentions, np.sqrt(scores / max(scores.max(initial=0.0), _LEAST)), named)

    def _mentioning(self, topic: Topic) -> Doubles:
        """What mentions a topic: of the members of its group the best, for each passage."""
        rows = self._rows(topic)
        first, places, weights = self.mentions.of(rows, _MOST_PASSAGES)
        scores = np.zeros(len(self.mentions.ids))
        np.maximum.at(scores, places, weights * self.mentions.idf[rows[first]])
        return scores

    def _add_reached(self, scores: Doubles, found: Reached) -> None:
        first, places, weights = self.mentions.of(found.rows, _MOST_OF_REACHED)
        parts = OF_REACHED * np.sqrt(found.scores[first]) * weights * self.mentions.idf[found.rows[first]]
        np.add.at(scores, places, parts)

    def _rows(self, topic: Topic) -> Longs:
        known = (self.adjacency.index(curie) for curie, _ in topic.group)
        return np.array(sorted({row for row in known if row is not None}), np.int64)

    @cached_property
    def _templates(self) -> Templates:
        return Templates(self.domain)


@dataclass(frozen=True)
class AskedTopics:
    """The entities of a question, asked for.

    Attributes:
        mentions: who is mentioned where.
        values: the score of every passage: the root of its share of the best one's. A share, because what a walk
            reaches has small sums and may be all that was asked for; the root, because which of many passages on a
            thing mentions it most often says little beside what they say of it.
        named: whether a passage mentions a topic by itself.
    """

    mentions: MentionIndex
    values: Doubles
    named: NDArray[np.bool_]

    def best(self, limit: int) -> list[Hit]:
        """See `Asked.best`; equal scores in the order of the mention index."""
        return [Hit(self.mentions.chunk(at), float(self.values[at]), "graph") for at in _best(self.values, limit)]

    def scores(self, chunks: Collection[str]) -> dict[str, float]:
        """See `Asked.scores`."""
        known = ((chunk, self.mentions.places.get(chunk)) for chunk in chunks)
        return {chunk: float(self.values[at]) for chunk, at in known if at is not None and self.values[at]}

    def mentioning(self, chunks: Collection[str]) -> set[str]:
        """Those of some passages that mention a topic."""
        known = ((chunk, self.mentions.places.get(chunk)) for chunk in chunks)
        return {chunk for chunk, at in known if at is not None and self.named[at]}


def _add_seeds(seeds: dict[int, float], own: Longs, found: Reached) -> None:
    """Half the restarts at a topic's group, half at what it reaches, by score."""
    total = found.scores.sum()
    shared = [(row, 1 / len(own)) for row in own.tolist()]
    shared += [(row, score / total) for row, score in zip(found.rows.tolist(), found.scores.tolist(), strict=True)]
    for row, share in shared:
        seeds[row] = seeds.get(row, 0.0) + share


def _best(scores: Doubles, limit: int) -> list[int]:
    found = np.flatnonzero(scores)
    if len(found) > limit > 0:
        found = found[scores[found] >= np.partition(scores[found], -limit)[-limit]]
    best: list[int] = found[np.lexsort((found, -scores[found]))][:limit].tolist()
    return best
