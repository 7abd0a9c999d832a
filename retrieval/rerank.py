"""Re-ranking: the best passages once more, each read together with the question.

    the first `depth` passages ──Reranker──▶ in the order of its scores, the others after them

A cross-encoder reads question and passage as one text, so it sees what two vectors cannot, at a hundred times the
cost: it re-orders what was found, it finds nothing. Nothing re-ranks unless a re-ranker is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from typing import Any, Final, Protocol, TypeVar

from kg_build.index.encoder import well_formed
from kg_build.index.encoders.transformers import opened

_BATCH: Final = 16

T = TypeVar("T")


class Reranker(Protocol):
    """Says how well passages answer a question."""

    def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        """A score for each passage, in their order; more is better, and comparable within the call only."""
        ...


class CrossEncoderReranker:
    """A cross-encoder of sentence-transformers, such as `ncbi/MedCPT-Cross-Encoder`.

    Args:
        model: name on the hub, or folder.

    Raises:
        ClewError: MISSING_EXTRA when the extra `transformers` is not installed; BAD_SETTINGS when the model cannot be
            opened. Both when the first passages are scored.
    """

    def __init__(self, model: str) -> None:
        self._name = model

    def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        """See `Reranker.scores`."""
        if not passages:
            return []
        pairs = [(well_formed(question), well_formed(passage)) for passage in passages]
        return [float(score) for score in self._model.predict(pairs, batch_size=_BATCH, show_progress_bar=False)]

    @cached_property
    def _model(self) -> Any:
        return opened(lambda library: library.CrossEncoder(self._name, device="cpu"), self._name)


@cache
def open_reranker(model: str) -> Reranker:
    """The cross-encoder of a name, opened once; see `CrossEncoderReranker`."""
    return CrossEncoderReranker(model)


def reranked(question: str, found: Sequence[tuple[T, str]], reranker: Reranker, depth: int) -> list[T]:
    """Passages in the order of a re-ranker; equal scores keep theirs.

    Args:
        question: as asked.
        found: each passage with its text, best first.
        reranker: scores the first `depth` of them.
        depth: how many are read again.
    """
    first, rest = found[:depth], found[depth:]
    scores = reranker.scores(question, [text for _, text in first])
    order = sorted(range(len(first)), key=lambda at: -scores[at])
    return [*(first[at][0] for at in order), *(passage for passage, _ in rest)]
