"""What an arm finds for the hypotheses of a question, and how two findings are merged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Piece:
    """A piece of evidence.

    Attributes:
        ids: assertion ids or chunk id.
        text: in words, as a model reads it.
    """

    ids: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Found:
    """What was found.

    Attributes:
        scores: of each hypothesis; 0 is no support, below 0 it is denied. Comparable within one finding only.
        cited: for each hypothesis, the ids of what decided.
        pieces: all that was retrieved, best first.
        queries: questions sent to an index or to the graph.
        rounds: of retrieval.
    """

    scores: Mapping[str, float] = field(default_factory=dict)
    cited: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    pieces: tuple[Piece, ...] = ()
    queries: int = 0
    rounds: int = 0

    def best(self) -> list[str]:
        """The hypotheses with the most support, more than one when they tie; none without support."""
        most = max(self.scores.values(), default=0.0)
        return [name for name, score in self.scores.items() if score == most] if most > 0 else []


def merge(vector: Found, graph: Found, alpha: float) -> Found:
    """The sum alpha · vector + (1 - alpha) · graph, each as shares of its largest score (IHRAG, algorithm A2)."""
    one, other = _shares(vector.scores), _shares(graph.scores)
    names = list(dict.fromkeys([*one, *other]))
    return Found(
        # Rounded: sums of the same parts in another order still tie.
        scores={n: round(alpha * one.get(n, 0.0) + (1 - alpha) * other.get(n, 0.0), 9) for n in names},
        cited={n: (*graph.cited.get(n, ()), *vector.cited.get(n, ())) for n in names},
        pieces=(*graph.pieces, *vector.pieces),
        queries=vector.queries + graph.queries,
        rounds=max(vector.rounds, graph.rounds),
    )


def confidence(found: Found) -> float:
    """How clearly one hypothesis leads: (best - second) / best of what has support; 1 for a single one that has any.

    Our choice: the margin between the leading options, in [0, 1].
    """
    ranked = sorted((abs(score) if len(found.scores) == 1 else score for score in found.scores.values()), reverse=True)
    if not ranked or ranked[0] <= 0:
        return 0.0
    return (ranked[0] - max(ranked[1], 0.0)) / ranked[0] if len(ranked) > 1 else 1.0


def adaptive_alpha(vector: Found, graph: Found) -> float:
    """Weight of the passages: their share of both confidences; one half when neither is confident.

    The paper has alpha adapt to query, graph and vector results and does not publish how; this is our choice.
    """
    one, other = confidence(vector), confidence(graph)
    return one / (one + other) if one + other > 0 else 0.5


def _shares(scores: Mapping[str, float]) -> dict[str, float]:
    largest = max((abs(score) for score in scores.values()), default=0.0)
    return {name: score / largest if largest else 0.0 for name, score in scores.items()}
