"""The dense channel: passages whose meaning is near the question's, whatever the language.

    English question ──▶ English passages, by their own encoder ──┐
               └───────▶ all other passages, by the multilingual ─┴─▶ one list, see `Space`
    Chinese question ──▶ all passages, by the multilingual encoder

The encoder of the English passages knows no other language; the multilingual one is weaker on them (nDCG@10 of the
BioASQ development questions: .36 against .75).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from ontology.reading.text import language
from retrieval.channels.space import AskedSpace, Space
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

    def ask(self, wordings: Sequence[str]) -> AskedMeaning:
        """Ask in one wording or several, all in the language of the first; a blank one asks nothing."""
        said = [wording for wording in wordings if wording.strip()]
        return AskedMeaning(tuple(space.ask(said) for space in self._spaces(said[0])) if said else ())

    def load(self) -> None:
        """Load the models, which the first question of a language waits for otherwise."""
        for space in filter(None, (self.everything, self.english)):
            space.encoder.encode_queries(["clew"])

    def _spaces(self, query: str) -> tuple[Space, ...]:
        if self.english is None or language(query) != "en":
            return (self.everything,)
        return tuple(space for space in (self.english, self._others) if len(space))  # no model is asked for nothing

    @cached_property
    def _others(self) -> Space:
        """The passages that are not English."""
        return self.everything.without(set(self.english.index.ids) if self.english else set())


@dataclass(frozen=True)
class AskedMeaning:
    """A question in every space that is searched for it; a passage lies in one of them."""

    spaces: tuple[AskedSpace, ...]

    def best(self, limit: int) -> list[Hit]:
        """See `Asked.best`; equal scores by id."""
        found = [item for space in self.spaces for item in space.best(limit).items()]
        best = sorted(found, key=lambda item: (-item[1], item[0]))[: max(limit, 0)]
        return [Hit(chunk, score, "dense") for chunk, score in best]

    def scores(self, chunks: Collection[str]) -> dict[str, float]:
        """See `Asked.scores`."""
        return {chunk: score for space in self.spaces for chunk, score in space.scores(chunks).items()}

    def towards(self, chunks: Sequence[str], share: float) -> AskedMeaning:
        """The question moved towards some passages; see `AskedSpace.towards`."""
        return AskedMeaning(tuple(space.towards(chunks, share) for space in self.spaces))
