"""The dense channel: passages whose meaning is near the question's, whatever the language.

    English question ──▶ English passages, by their own encoder ──┐
               └───────▶ all other passages, by the multilingual ─┴─▶ one list, see `Space`
    Chinese question ──▶ all passages, by the multilingual encoder

The encoder of the English passages knows no other language; the multilingual one is weaker on them (nDCG@10 of the
BioASQ development questions: .36 against .75).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ontology.reading.text import language
from retrieval.channels.space import Space
from retrieval.hit import Hit


@dataclass(frozen=True)
class DenseChannel:
    """Nearest passages in one or two vector spaces.

    Args:
        everything: all passages, by the multilingual encoder.
        english: the English ones by an encoder of their own; None where they have none.
    """

    everything: Space
    english: Space | None = None

    def search(self, query: str, limit: int) -> list[Hit]:
        """At most `limit` passages, best first, equal scores by id; none for a blank query."""
        if not query.strip():
            return []
        found = [hit for space in self._spaces(query) for hit in space.search(query, limit)]
        best = sorted(found, key=lambda hit: (-hit[1], hit[0]))[: max(limit, 0)]
        return [Hit(chunk, score, "dense") for chunk, score in best]

    def load(self) -> None:
        """Load the models, which the first question of a language waits for otherwise."""
        for space in filter(None, (self.everything, self.english)):
            space.encoder.encode_queries(["clew"])

    def _spaces(self, query: str) -> tuple[Space, ...]:
        if self.english is None or language(query) != "en":
            return (self.everything,)
        return self.english, self._others

    @cached_property
    def _others(self) -> Space:
        """The passages that are not English."""
        return self.everything.without(set(self.english.index.ids) if self.english else set())
