"""Passages that say nearly the same as a better one, which stands for them.

    likeness(a, b) = |runs(a) ∩ runs(b)| / |runs(a) ∪ runs(b)|        (Jaccard; Broder 1997)

where the runs of a text are those of five neighbouring index terms. Registers repeat their paragraphs from product to
product, and encyclopaedias each other's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from kg_build.index.text import tokens
from retrieval.journal import Fallen
from retrieval.passage import Passage

RUN: Final = 5
"""Terms of a run (our choice: shorter ones are shared by any two texts on one thing)."""

_READ: Final = 2000
"""Characters of a passage that are compared."""


def collapse(passages: Sequence[Passage], likeness: float) -> tuple[list[Passage], list[Fallen]]:
    """The passages without those that repeat a better one.

    Args:
        passages: best first.
        likeness: from which one repeats another, in (0, 1]; 0 leaves all.

    Returns:
        The passages that stay, each with how many it stands for, and the others.
    """
    if likeness == 0:
        return list(passages), []
    kept: list[Passage] = []
    runs: list[frozenset[int]] = []
    fallen: list[Fallen] = []
    for passage in passages:
        own = _runs(passage.text)
        at = next((i for i, other in enumerate(runs) if own and _likeness(own, other) >= likeness), None)
        if at is None:
            kept.append(passage)
            runs.append(own)
        else:
            kept[at] = replace(kept[at], repeated=kept[at].repeated + 1)
            fallen.append(Fallen(passage.chunk, passage.score, None, f"repeats {kept[at].chunk}"))
    return kept, fallen


def _runs(text: str) -> frozenset[int]:
    terms = tokens(text[:_READ])
    return frozenset(hash(tuple(terms[at : at + RUN])) for at in range(max(len(terms) - RUN + 1, 1)) if terms)


def _likeness(one: frozenset[int], other: frozenset[int]) -> float:
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared) if other else 0.0
