"""Why a passage or a statement was found for a question, or at which stage it fell out.

    passage    what each channel thinks of it, against what the channel lets through ──▶ the stages of the journal
    statement  the sub-questions that read it, with its score against theirs, or why none did

The search is run as for an answer, and its journal is read. A passage that no channel listed is put to the channels
again, as they were asked, and looked for further down in their lists. Reasons are keys, so that they can be said in
any language: see `Reason`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from ontology.schema import Side
from ontology.trace import Trace
from retrieval.channels.asked import Asked
from retrieval.channels.graph import MOST_ROWS
from retrieval.channels.lexical import AskedWords
from retrieval.channels.topics import AskedTopics
from retrieval.complexity import channels_of, complexity, route
from retrieval.decompose import decompose
from retrieval.hit import CHANNELS, Channel
from retrieval.journal import Journal, Stage
from retrieval.passage import Passage
from retrieval.preset import Preset
from retrieval.question import Property, Question, SubQuestion
from retrieval.retrieve import Evidence, Retriever, StoredPassages
from retrieval.target import Statement, find_target

DEEP: Final = 2000
"""Places of a channel's list among which a passage is looked for that the channel did not list (our choice)."""

SHOWN: Final = 3
"""Passages of a document that are explained, those that came furthest (our choice)."""

FACTS: Final = "facts: "
CHAINS: Final = "chains: "
"""What the stages of sub-questions are called, before their text."""

Outcome = Literal["kept", "fell", "not found"]


@dataclass(frozen=True)
class Reason:
    """A reason: its key, and the values that it is said with."""

    key: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class ChannelView:
    """A passage as one channel sees it.

    Attributes:
        channel: which.
        score: the channel's own score, or None where it has none.
        rank: place in the channel's list, from 1; None beyond the places that were looked at.
        cut: score of the last passage that the channel listed; None where its list holds all that it found.
        part: what the channel contributes to the fused score; None where the passage was not fused.
        reason: why it is not listed, or has no score; None where it is listed.
    """

    channel: Channel
    score: float | None
    rank: int | None
    cut: float | None
    part: float | None
    reason: Reason | None


@dataclass(frozen=True)
class StageView:
    """A stage that a passage or a statement reached: where it stood among what was kept, or why it was not.

    Attributes:
        stage: its name in the journal.
        rank: place among what the stage kept, from 1; None where it was not kept.
        of: how many the stage kept.
        score: at this stage.
        cut: the score that it would have needed, or None.
        note: the journal's reason, or empty.
    """

    stage: str
    rank: int | None
    of: int
    score: float | None
    cut: float | None
    note: str

    @property
    def kept(self) -> bool:
        """Whether the stage kept it."""
        return self.rank is not None


@dataclass(frozen=True)
class PassageWhy:
    """What became of a passage: `stages` in order, the last one that it reached last."""

    chunk: str
    document: str
    title: str
    section: str
    outcome: Outcome
    channels: list[ChannelView]
    stages: list[StageView]


@dataclass(frozen=True)
class StatementWhy:
    """What became of a statement: `stages` are the sub-questions that read it."""

    statement: Statement
    outcome: Outcome
    stages: list[StageView]
    reason: Reason | None


@dataclass(frozen=True)
class Why:
    """The answer to "why?": of passages, or of a statement.

    Attributes:
        preset: name of the preset.
        passages: those of the document that came furthest.
        others: how many more passages are meant.
        statement: what became of a statement, or None.
    """

    preset: str
    passages: list[PassageWhy]
    others: int
    statement: StatementWhy | None


def explain(retriever: Retriever, question: Question, preset: Preset, named: str) -> Why:
    """What became of a document, a passage or a statement on the way to the evidence for a question.

    Args:
        retriever: of a release.
        question: interpreted.
        preset: the parameters.
        named: an id, or part of a title: see `find_target`.

    Raises:
        ClewError: see `find_target`.
    """
    target = find_target(retriever.graph.adjacency, retriever.store, named)
    journal = Journal()
    evidence = retriever.retrieve(question, Trace(), preset, journal)
    if target.statement is not None:
        return Why(preset.name, [], 0, _Edges(retriever, question, preset, journal, evidence).why(target.statement))
    passages = _Passages(retriever, question, preset, journal)
    shown = passages.furthest(target.chunks)[:SHOWN]
    texts = StoredPassages(retriever.store).read(shown)
    found = [passages.why(texts[chunk]) for chunk in shown]
    return Why(preset.name, found, len(target.chunks) - len(shown), None)


class _Passages:
    """Explains passages by a journal."""

    def __init__(self, retriever: Retriever, question: Question, preset: Preset, journal: Journal) -> None:
        self._retriever, self._question, self._preset, self._journal = retriever, question, preset, journal
        self._lists = {stage.name: stage for stage in journal.stages if stage.name in CHANNELS}
        self._stages = [stage for stage in journal.stages if stage.name not in CHANNELS and ": " not in stage.name]

    def furthest(self, chunks: Sequence[str]) -> list[str]:
        """The passages that came furthest first; of those that no channel listed, the ones that all think best of."""
        scores = {channel: asked.scores(chunks) for channel, asked in self._journal.asked.items()}
        weights = self._preset.values.fusion.weights

        def order(chunk: str) -> tuple[float, ...]:
            reached = sum(chunk in stage.kept for stage in self._stages)
            last = next((list(stage.kept).index(chunk) for stage in self._stages[::-1] if chunk in stage.kept), 0)
            return -reached, last, -sum(weights[one] * found.get(chunk, 0.0) for one, found in scores.items())

        return sorted(chunks, key=lambda chunk: (order(chunk), chunk))

    def why(self, passage: Passage) -> PassageWhy:
        """What became of one."""
        stages = list(_views(self._stages, passage.chunk))
        outcome: Outcome = "not found" if not stages else "kept" if _survived(stages, self._stages) else "fell"
        channels = [self._channel(channel, passage) for channel in CHANNELS]
        where = passage.chunk, passage.document, passage.title, passage.section
        return PassageWhy(*where, outcome, channels, stages)

    def _channel(self, channel: Channel, passage: Passage) -> ChannelView:
        asked = self._journal.asked.get(channel)
        if asked is None:
            return ChannelView(channel, None, None, None, None, self._unasked(channel))
        kept = self._lists[channel].kept
        cut = min(kept.values()) if len(kept) >= self._preset.values.fusion.depth else None
        part = self._journal.parts.get(passage.chunk, {}).get(channel)
        if passage.chunk in kept:
            return ChannelView(channel, kept[passage.chunk], _rank(kept, passage.chunk), cut, part, None)
        score = asked.scores([passage.chunk]).get(passage.chunk)
        if score is None:
            return ChannelView(channel, None, None, cut, part, self._silent(asked, passage))
        deeper = {hit.chunk: hit.score for hit in asked.best(DEEP)}
        rank = _rank(deeper, passage.chunk) if passage.chunk in deeper else None
        return ChannelView(channel, score, rank, cut, part, Reason("not listed", (str(len(kept)),)))

    def _unasked(self, channel: Channel) -> Reason:
        """Why a channel was not asked at all."""
        router = self._preset.values.router
        if channel not in (*router.below, *router.above):
            return Reason("channel left out", (self._preset.name,))
        if channel in channels_of(self._question, router):
            return Reason("channel not built")
        if not self._question.topics:
            return Reason("channel without entity")
        return Reason("channel by threshold", (str(complexity(self._question).total), str(router.threshold)))

    def _silent(self, asked: Asked, passage: Passage) -> Reason:
        """Why a channel that was asked has nothing to say for a passage."""
        if isinstance(asked, AskedWords):
            if not asked.factors:
                return Reason("no indexed word")
            if passage.lang != self._question.lang:
                return Reason("other language", (passage.lang, self._question.lang))
            return Reason("no shared word")
        if isinstance(asked, AskedTopics):
            if not self._question.topics:
                return Reason("no entity in question")
            linked = passage.chunk in asked.mentions.places
            labels = ", ".join(topic.label for topic in self._question.topics)
            return Reason("no way to passage", (labels,)) if linked else Reason("no entity in passage")
        return Reason("no vector")


def _rank(kept: Mapping[str, float], identifier: str) -> int:
    return list(kept).index(identifier) + 1


def _survived(stages: Sequence[StageView], ran: Sequence[Stage]) -> bool:
    return stages[-1].kept and stages[-1].stage == ran[-1].name


def _views(stages: Iterable[Stage], identifier: str) -> Iterable[StageView]:
    """The stages that know of something, up to the one that drops it."""
    for stage in stages:
        if identifier in stage.fallen:
            one = stage.fallen[identifier]
            yield StageView(stage.name, None, len(stage.kept), one.score, one.cut, one.reason)
            return
        if identifier in stage.kept:
            rank = _rank(stage.kept, identifier)
            yield StageView(stage.name, rank, len(stage.kept), stage.kept[identifier], None, "")


@dataclass(frozen=True)
class _Edges:
    """Explains statements by a journal."""

    retriever: Retriever
    question: Question
    preset: Preset
    journal: Journal
    evidence: Evidence

    def why(self, statement: Statement) -> StatementWhy:
        """What became of one."""
        named = (stage for stage in self.journal.stages if stage.name.startswith((FACTS, CHAINS)))
        stages = [view for stage in named for view in _views([stage], statement.assertion)]
        if any(view.kept for view in stages):
            return StatementWhy(statement, "kept", stages, None)
        if stages:
            return StatementWhy(statement, "fell", stages, None)
        return StatementWhy(statement, "not found", stages, self._reason(statement))

    def _reason(self, statement: Statement) -> Reason:
        """Why no sub-question read it."""
        if statement.ends is None:
            return Reason("not an edge")
        if unread := self._no_facts():
            return unread
        seen = self._seen_from(statement)
        if not seen:
            return Reason("edge of others", (", ".join(topic.label for topic in self.question.topics),))
        asked = [sub for sub, _ in self.evidence.facts if (sub.topic.id, sub.property) in seen]
        return self._unread(statement, asked) if asked else self._unasked(seen)

    def _no_facts(self) -> Reason | None:
        """Why no facts are read for the question at all; None where they are."""
        values = self.preset.values
        if not self.question.topics:
            return Reason("edge without entity")
        if route(self.question, values.router) == "passages":
            return Reason("edge by threshold", (str(complexity(self.question).total), str(values.router.threshold)))
        return None if values.decomposition.on else Reason("edge without decomposition", (self.preset.name,))

    def _seen_from(self, statement: Statement) -> Mapping[tuple[str, Property], str]:
        """As which property of which topic it could be read, and the id of its other end then."""
        if statement.ends is None:
            return {}
        subject, object_ = (node.id for node in statement.ends)
        sides: list[tuple[str, Side, str]] = [(subject, "subject", object_), (object_, "object", subject)]
        if self.retriever.domain.predicates[statement.predicate].symmetric:
            sides += [(subject, "object", object_), (object_, "subject", subject)]
        return {
            (topic.id, Property(statement.predicate, side)): other
            for topic in self.question.topics
            for end, side, other in sides
            if end in dict(topic.group)
        }

    def _unasked(self, seen: Mapping[tuple[str, Property], str]) -> Reason:
        """Why its property is none of the sub-questions."""
        how = self.preset.values.decomposition
        most = sum(len(kind.properties) for kind in self.retriever.domain.types.values()) * len(self.question.topics)
        every = decompose(self.question, self.retriever.domain, how.model_copy(update={"most": most}))
        if any((sub.topic.id, sub.property) in seen for sub in every):
            return Reason("edge beyond sub-questions", (str(how.most),))
        return Reason("edge not asked", ("; ".join(sub.text for sub, _ in self.evidence.facts) or "-",))

    def _unread(self, statement: Statement, asked: Sequence[SubQuestion]) -> Reason:
        """Why a sub-question that asks for its property did not read it."""
        others = set(self._seen_from(statement).values())
        for sub, facts in self.retriever.graph.facts(asked):
            same = next((fact for fact in facts if fact.other in others), None)
            if same is not None:
                return Reason("edge said already", (same.assertion, sub.text))
        return Reason("edge beyond rows", (str(MOST_ROWS), asked[0].text))
