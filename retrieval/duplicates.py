"""Passages that say nearly the same as a better one, which stands for them.

    likeness(a, b) = |runs(a) ∩ runs(b)| / |runs(a) ∪ runs(b)|        (Jaccard; Broder 1997)

where the runs of a text are those of five neighbouring index terms. Registers repeat their paragraphs from product to
product, and encyclopaedias each other's.

Terms take long to find, because words are segmented and stemmed. So texts are first compared by runs of words as they
are written, a Chinese character being one, all pairs in one product of matrices; only of those that are half as much
alike as they would have to be the terms are found. Very short texts are always compared by their terms, because half of
their words may be none. On 322 development questions this leaves out the same passages as comparing all by their terms.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from kg_build.index.text import tokens
from ontology.reading.codes import CJK
from retrieval.journal import Fallen
from retrieval.passage import Passage

RUN: Final = 5
"""Terms of a run (our choice: shorter ones are shared by any two texts on one thing)."""

_READ: Final = 2000
"""Characters of a passage that are compared."""

_SHORT: Final = 40
"""Characters of a text that is always compared by its terms (our choice)."""

_SUSPECT: Final = 0.5
"""Share of the likeness, by words, from which terms are compared (our choice)."""

_WORD: Final = re.compile(rf"[{CJK}]|[^\W_{CJK}]+")


def collapse(passages: Sequence[Passage], likeness: float) -> tuple[list[Passage], list[Fallen]]:
    """The passages without those that repeat a better one.

    Args:
        passages: best first.
        likeness: from which one repeats another, in (0, 1]; 0 leaves all.

    Returns:
        The passages that stay, each with how many it stands for, and the others.
    """
    if likeness == 0 or not passages:
        return list(passages), []
    texts = [passage.text[:_READ] for passage in passages]
    suspects = _likeness_by_words(texts) >= likeness * _SUSPECT
    suspects |= np.logical_and.outer(*2 * [np.array([len(text) <= _SHORT for text in texts])])
    terms = cache(lambda at: _runs_of_terms(texts[at]))
    repeated: dict[int, int] = {}
    fallen: list[Fallen] = []
    for at, passage in enumerate(passages):
        before = (other for other in np.flatnonzero(suspects[at, :at]).tolist() if other in repeated)
        better = next((other for other in before if _likeness(terms(at), terms(other)) >= likeness), None)
        if better is None:
            repeated[at] = passage.repeated
        else:
            repeated[better] += 1
            fallen.append(Fallen(passage.chunk, passage.score, None, f"repeats {passages[better].chunk}"))
    return [replace(passages[at], repeated=count) for at, count in repeated.items()], fallen


def _runs_of_terms(text: str) -> frozenset[int]:
    terms = tokens(text)
    return frozenset(hash(tuple(terms[at : at + RUN])) for at in range(max(len(terms) - RUN + 1, 1)) if terms)


def _likeness(one: frozenset[int], other: frozenset[int]) -> float:
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared) if one and other else 0.0


def _likeness_by_words(texts: Sequence[str]) -> NDArray[np.float64]:
    """The likeness of n texts to each other, by words as they are written; (n, n), 0 for texts without any."""
    runs = [_runs_of_words(text) for text in texts]
    sizes = np.array([len(one) for one in runs])
    columns = np.unique(np.concatenate(runs), return_inverse=True)[1]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    has = csr_array((np.ones(len(columns)), columns, starts), shape=(len(texts), int(columns.max(initial=0)) + 1))
    shared = (has @ has.T).toarray()
    likeness: NDArray[np.float64] = shared / np.maximum(sizes[:, None] + sizes - shared, 1)
    return likeness


def _runs_of_words(text: str) -> NDArray[np.int64]:
    """The runs of a text, each once, as numbers; the words of a shorter text are one run."""
    words = [hash(word) for word in _WORD.findall(text.lower())]
    if len(words) <= RUN:
        return np.array([hash(tuple(words))] if words else [], np.int64)
    row = np.array(words, np.int64)
    mixed = np.zeros(len(row) - RUN + 1, np.int64)
    for at in range(RUN):
        mixed = mixed * np.int64(1_000_003) + row[at : at + len(mixed)]  # wraps around, as a hash may
    return np.unique(mixed)
