"""Passages, hits and questions made by hand, for the stages of the search."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from ontology.schema import Lang
from retrieval.hit import Channel, Hit
from retrieval.passage import Passage
from retrieval.question import Property, Question, Topic


def passage(
    chunk: str,
    score: float = 0.0,
    *,
    text: str = "",
    document: str = "d",
    kind: str = "article",
    source: str = "s",
) -> Passage:
    """A passage of which only what is given matters."""
    return Passage(chunk, document, "", "", text, "en", source, kind, "", 0, score)


def hits(channel: Channel, scores: Mapping[str, float]) -> list[Hit]:
    """What a channel found, best first."""
    return [Hit(c, s, channel) for c, s in sorted(scores.items(), key=lambda item: (-item[1], item[0]))]


@dataclass
class MadeAsked:
    """A channel that thinks of passages what it is told to; it notes which ones it was asked about."""

    channel: Channel
    values: Mapping[str, float]
    asked: list[str] = field(default_factory=list)

    def best(self, limit: int) -> list[Hit]:
        """See `Asked.best`."""
        return hits(self.channel, self.values)[: max(limit, 0)]

    def scores(self, chunks: Collection[str]) -> dict[str, float]:
        """See `Asked.scores`."""
        self.asked += chunks
        return {chunk: self.values[chunk] for chunk in chunks if chunk in self.values}


def topic(name: str, *asked: Property, type_name: str = "Disease") -> Topic:
    """An entity that stands for itself."""
    return Topic(f"x:{name}", type_name, name, name, ((f"x:{name}", type_name),), asked)


def question(*topics: Topic, text: str = "?", lang: Lang = "en") -> Question:
    """A question about some entities."""
    return Question(text, lang, topics, compared=False, negated=False, constraints=())
