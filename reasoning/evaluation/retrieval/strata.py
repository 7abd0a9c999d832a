"""Strata: what sort of question a question is, for figures over questions of one sort.

    en, zh              its language
    low, middle, high   degree of its best entity, in thirds of the questions that have one
    none linked         no entity
    ambiguous           a name in it has several entities that the graph does not hold for one and the same
    verbose             15 words or more; in Chinese 25 characters                                  (our choice)
    lay                 asked with a lay term: the kind `lay`
    cross-lingual       all that answers it is in another language
    multi-hop           the kind `hop2`, or a relation that none of its entities has by itself

The best entity of a question is that with most edges. A question may be of several sorts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final

import numpy as np

from kg_build.index.adjacency import Adjacency
from ontology.reading.codes import CJK
from retrieval.question import Question

THIRDS: Final = ("degree: low", "degree: middle", "degree: high")
STRATA: Final = ("en", "zh", *THIRDS, "none linked", "ambiguous", "verbose", "lay", "cross-lingual", "multi-hop")

VERBOSE: Final[Mapping[str, int]] = {"en": 15, "zh": 25}
"""Words; in Chinese, characters."""

_LAY: Final = "lay"
_MULTI_HOP: Final = "hop2"
_WORD: Final = re.compile(rf"[{CJK}]|[^\W_{CJK}]+")


def strata_of(question: Question, kind: str, langs: Collection[str]) -> list[str]:
    """The strata of a question without the thirds, which take all questions together.

    Args:
        question: interpreted.
        kind: as its file has it, or empty.
        langs: languages of what answers it.
    """
    words = sum(1 for _ in _WORD.finditer(question.text))
    belongs = {
        question.lang: True,
        "none linked": not question.topics,
        "ambiguous": any(len({topic.one(curie) for curie, _ in topic.group}) > 1 for topic in question.topics),
        "verbose": words >= VERBOSE[question.lang],
        "lay": kind == _LAY,
        "cross-lingual": bool(langs) and question.lang not in langs,
        "multi-hop": kind == _MULTI_HOP or question.hops > 0,
    }
    return [name for name, true in belongs.items() if true]


def best_degree(question: Question, adjacency: Adjacency) -> int | None:
    """Edges of the entity of a question that has most; None without an entity."""
    return max((adjacency.degree(topic.id) for topic in question.topics), default=None)


def thirds(degrees: Mapping[str, int | None]) -> dict[str, str]:
    """The third of every question that has an entity; questions of one degree are in one third.

    Args:
        degrees: by id of the question.
    """
    known = {case: degree for case, degree in degrees.items() if degree is not None}
    if not known:
        return {}
    low, high = np.quantile(list(known.values()), [1 / 3, 2 / 3])
    return {case: THIRDS[int(degree > low) + int(degree > high)] for case, degree in known.items()}
