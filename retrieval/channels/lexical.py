"""The lexical channel: passages that share words with the question.

    score = BM25(question, passage) / ideal(question)
            or, where it is more,
            ideal(names as written) / ideal(question) · BM25(names in the other language, passage) / ideal(these)

The ideal is what no passage reaches: every word of a text, without end. So a score lies in [0, 1): a question in a
language that the passages are not in, or in words they do not use, has low scores throughout, and gives way to other
channels by itself. A passage in the other language can have the names of the question's entities only; they count as
much as the words of the question that they stand for. Of several wordings the one that fits a passage best counts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from kg_build.index.text import TextIndex
from retrieval.hit import Hit


@dataclass(frozen=True)
class LexicalChannel:
    """BM25 over a text index."""

    index: TextIndex

    def ask(self, wordings: Sequence[str], names: Mapping[str, str] | None = None) -> AskedWords:
        """Ask in one wording or several.

        Args:
            wordings: of the question.
            names: parts of the question, each with what it is in the other language.
        """
        factors = {wording: 1 / ideal for wording in wordings if (ideal := self.index.ideal(wording)) > 0}
        if names and factors:
            written, other = " ".join(names), " ".join(names.values())
            ideal = self.index.ideal(other)
            if ideal > 0:
                factors[other] = min(self.index.ideal(written) * max(factors.values()), 1.0) / ideal
        return AskedWords(self.index, factors)


@dataclass(frozen=True)
class AskedWords:
    """Wordings of a question.

    Attributes:
        index: what is searched.
        factors: the wordings, each with the factor that makes its BM25 a score.
        known: what was scored before, because nearly the same passages are asked for again after feedback.
    """

    index: TextIndex
    factors: dict[str, float]
    known: dict[str, float] = field(default_factory=dict, repr=False, compare=False)

    def best(self, limit: int) -> list[Hit]:
        """See `Asked.best`; none when no word is indexed."""
        found = self._best_wording(dict(self.index.search(wording, limit)) for wording in self.factors)
        ranked = sorted(found.items(), key=lambda item: (-item[1], item[0]))[:limit]
        return [Hit(chunk, score, "lexical") for chunk, score in ranked]

    def scores(self, chunks: Collection[str]) -> dict[str, float]:
        """See `Asked.scores`."""
        new = [chunk for chunk in chunks if chunk not in self.known]
        if new:
            found = self._best_wording(self.index.scores(wording, new) for wording in self.factors)
            self.known.update((chunk, found.get(chunk, 0.0)) for chunk in new)
        return {chunk: score for chunk in chunks if (score := self.known[chunk]) > 0}

    def _best_wording(self, found: Iterable[dict[str, float]]) -> dict[str, float]:
        best: dict[str, float] = {}
        for factor, scores in zip(self.factors.values(), found, strict=True):
            for chunk, score in scores.items():
                best[chunk] = max(best.get(chunk, 0.0), score * factor)
        return best
