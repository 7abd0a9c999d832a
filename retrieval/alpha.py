"""How far the graph is to be trusted beside the text, for one question: the alpha that IHRAG leaves open.

    alpha = σ(INTERCEPT + COVERAGE · coverage + LEXICAL · best lexical score + DENSE · best dense score)

    coverage            share of the question that its entities' names make up, in what its words are worth (idf)
    best lexical score  how much of the question the best passage has in words
    best dense score    how far the best passage is nearer than any

    weight'(lexical, dense) = weight · (1 - (1 - floor) · alpha)             weight'(graph) = weight · alpha

    floor   what the text keeps at an alpha of 1; another one where a relation is asked for, because then a passage on
            the question's own entities is not yet an answer

Alpha lies in (0, 1), grows with the coverage and falls with what the text can do by itself: a question that is little
more than the names of its entities is for the graph, one that has much else in it, and a passage that has it too, is
for the text. A logistic regression to which of the two ranks the better for a question (nDCG@10), weighted by how much
better, on development questions: those of BioASQ and those made from a release, which the graph is best for; then made
twice as steep, and moved until the graph takes nothing away from the text on BioASQ, among hard distractors too. That
costs made questions some of what the graph does for them alone (nDCG@10 .80 of .84; the text alone has .53). IHRAG asks
for an alpha that adapts to query, graph and vectors and does not publish how.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp
from typing import Final

from retrieval.hit import Channel

INTERCEPT: Final = 3.3
COVERAGE: Final = 11.8
LEXICAL: Final = -14.5
DENSE: Final = -11.3

USUAL: Final[Mapping[Channel, float]] = {"lexical": 0.39, "dense": 0.44}
"""Best scores of a channel that is not asked: the medians of the questions that alpha is fitted on."""

FIXED: Final = 0.5
"""Alpha without anything to adapt to."""


def alpha_of(coverage: float, best: Mapping[Channel, float]) -> float:
    """Alpha of a question.

    Args:
        coverage: in [0, 1].
        best: the best score of each channel that was asked.
    """
    lexical, dense = (best.get(channel, USUAL[channel]) for channel in ("lexical", "dense"))
    return 1 / (1 + exp(-(INTERCEPT + COVERAGE * coverage + LEXICAL * lexical + DENSE * dense)))


def shared_out(weights: Mapping[Channel, float], alpha: float, floor: float) -> dict[Channel, float]:
    """The weights of the channels under an alpha.

    Args:
        weights: of each channel.
        alpha: in [0, 1].
        floor: share of its weight that a text channel keeps at an alpha of 1.
    """
    text = 1 - (1 - floor) * alpha
    return {channel: weight * (alpha if channel == "graph" else text) for channel, weight in weights.items()}
