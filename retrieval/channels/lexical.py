"""The lexical channel: passages that share words with the question.

    score = BM25(question and names, passage) / ideal(question)

The ideal is what no passage reaches: every word of the question, without end. A question in a language that the
passages are not in, or in words they do not use, has low scores throughout, and so gives way to other channels by
itself. The names of its entities in the other language are words to find by and no part of the ideal: few passages
have both. As a wording of their own they lose: names of one language have words of the other in them (nDCG@10 of the
BioASQ development questions .800, with the question .815). Of several wordings the one that fits a passage best counts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from kg_build.index.text import TextIndex
from retrieval.hit import Hit


@dataclass(frozen=True)
class LexicalChannel:
    """BM25 over a text index."""

    index: TextIndex

    def ask(self, wordings: Sequence[str], names: Sequence[str] = ()) -> AskedWords:
        """Ask in one wording or several, each with some names beside it."""
        ideals = {" ".join([wording, *names]): self.index.ideal(wording) for wording in wordings}
        return AskedWords(self.index, {wording: ideal for wording, ideal in ideals.items() if ideal > 0})


@dataclass(frozen=True)
class AskedWords:
    """Wordings of a question, each with its ideal score.

    Attributes:
        index: what is searched.
        ideals: the wordings with their ideals.
        known: what was scored before, because nearly the same passages are asked for again after feedback.
    """

    index: TextIndex
    ideals: dict[str, float]
    known: dict[str, float] = field(default_factory=dict, repr=False, compare=False)

    def best(self, limit: int) -> list[Hit]:
        """See `Asked.best`; none when no word is indexed."""
        found = self._best_wording(dict(self.index.search(wording, limit)) for wording in self.ideals)
        ranked = sorted(found.items(), key=lambda item: (-item[1], item[0]))[:limit]
        return [Hit(chunk, score, "lexical") for chunk, score in ranked]

    def scores(self, chunks: Collection[str]) -> dict[str, float]:
        """See `Asked.scores`."""
        new = [chunk for chunk in chunks if chunk not in self.known]
        if new:
            found = self._best_wording(self.index.scores(wording, new) for wording in self.ideals)
            self.known.update((chunk, found.get(chunk, 0.0)) for chunk in new)
        return {chunk: score for chunk in chunks if (score := self.known[chunk]) > 0}

    def _best_wording(self, found: Iterable[dict[str, float]]) -> dict[str, float]:
        best: dict[str, float] = {}
        for ideal, scores in zip(self.ideals.values(), found, strict=True):
            for chunk, score in scores.items():
                best[chunk] = max(best.get(chunk, 0.0), score / ideal)
        return best
