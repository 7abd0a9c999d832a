"""Hybrid retrieval for one question: facts from the graph, passages from text.

    question ──route──▶ sub-questions ──▶ facts (Cypher)
             └────────▶ lexical + dense + mentions ──fuse──▶ passages

Facts and passages stay apart: a fact answers a sub-question, a passage is quoted beside it. IHRAG's merging weight
alpha has no counterpart here yet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from kg_build.store.protocol import GraphStore
from ontology.reading.terminology import Terminology
from ontology.schema import Domain
from ontology.trace import Trace
from retrieval.channels.dense import DenseChannel
from retrieval.channels.graph import Fact, GraphChannel
from retrieval.channels.lexical import LexicalChannel
from retrieval.complexity import complexity, route
from retrieval.decompose import decompose
from retrieval.fusion import WEIGHTS, FusedHit, fuse
from retrieval.hit import Channel, Hit
from retrieval.question import Question, SubQuestion, Topic

CHANNELS: Final[tuple[Channel, ...]] = ("lexical", "dense", "graph")
"""In the order in which their contributions are shown."""

DEPTH: Final = 50
"""Passages taken from every channel before fusing (our choice)."""

FACTS: Final = 12
"""Facts kept per sub-question (our choice)."""


@dataclass(frozen=True)
class Passage:
    """A passage with its document, ready to be quoted."""

    chunk: str
    document: str
    title: str
    section: str
    text: str
    lang: str
    source: str
    kind: str
    reference: str
    year: int
    score: float
    by_channel: dict[str, float]


@dataclass(frozen=True)
class Evidence:
    """What was found for a question.

    Attributes:
        facts: for each sub-question, its best facts.
        passages: best first.
    """

    facts: list[tuple[SubQuestion, list[Fact]]]
    passages: list[Passage]


def balanced(passages: Sequence[Passage], limit: int) -> list[Passage]:
    """The best passages, at most half of them from one kind of document while others are left.

    Short definitions are many and match any question that uses their words; without a quota they crowd out the
    guidelines (targeted RAG's reason for equal numbers from every source class; the half is our choice).
    """
    taken: list[Passage] = []
    counts: dict[str, int] = {}
    for passage in passages:
        if len(taken) < limit and counts.get(passage.kind, 0) < (limit + 1) // 2:
            counts[passage.kind] = counts.get(passage.kind, 0) + 1
            taken.append(passage)
    rest = [passage for passage in passages if passage not in taken][: limit - len(taken)]
    return sorted([*taken, *rest], key=lambda passage: (-passage.score, passage.chunk))


class TopicSearch(Protocol):
    """Finds passages by the entities they mention."""

    def passages(self, topics: Sequence[Topic], limit: int) -> list[Hit]:
        """At most `limit` passages, best first."""
        ...


@dataclass(frozen=True)
class Channels:
    """What passages are searched with, over a release or over any other body of text.

    Attributes:
        lexical: searches words.
        dense: searches meaning; None while vectors are still being made.
        graph: searches mentions of the question's topics.
        terminology: says what the topics are called in the other language.
    """

    lexical: LexicalChannel
    dense: DenseChannel | None
    graph: TopicSearch
    terminology: Terminology

    def hits(self, channel: Channel, question: Question, depth: int) -> list[Hit]:
        """What one channel finds, best first; the words also with the names of the topics in the other language."""
        match channel:
            case "lexical":
                return self.lexical.search(" ".join([question.text, *self._other_names(question)]), depth)
            case "dense":
                return self.dense.search(question.text, depth) if self.dense else []
            case "graph":
                return self.graph.passages(question.topics, depth)

    def fused(self, question: Question, depth: int, limit: int) -> list[FusedHit]:
        """What all channels find together, each asked for `depth` passages; best first."""
        lists = {channel: self.hits(channel, question, depth) for channel in CHANNELS}
        return fuse({name: hits for name, hits in lists.items() if hits}, WEIGHTS, limit)

    def _other_names(self, question: Question) -> list[str]:
        """Labels of the topics in the other language: words for the lexical channel to find it by."""
        names = []
        for topic in question.topics:
            senses = [sense for curie, _ in topic.group for sense in self.terminology.by_id(curie)]
            foreign = [s.text for s in senses if s.lang != question.lang and s.kind in ("label", "exact")]
            names += foreign[:1]
        return names


@dataclass(frozen=True)
class Retriever:
    """The channels of a release, composed; `dense` is None while a release's vectors are still being made."""

    lexical: LexicalChannel
    dense: DenseChannel | None
    graph: GraphChannel
    store: GraphStore
    terminology: Terminology
    domain: Domain

    def retrieve(self, question: Question, trace: Trace, *, passages: int = 8) -> Evidence:
        """Find the evidence for a question.

        Args:
            question: interpreted.
            trace: where the stages are noted.
            passages: passages kept.
        """
        facts: list[tuple[SubQuestion, list[Fact]]] = []
        with trace.stage("route") as details:
            chosen = route(question)
            details.update(route=chosen, complexity=complexity(question).total)
        if chosen != "passages":
            with trace.stage("decompose") as details:
                sub_questions = decompose(question, self.domain)
                details["sub_questions"] = [sub.text for sub in sub_questions]
            with trace.stage("graph") as details:
                facts = [(sub, self.graph.facts(sub, FACTS)) for sub in sub_questions]
                details["facts"] = [len(found) for _, found in facts]
        with trace.stage("passages") as details:
            found_passages = balanced(self.search(question, DEPTH), passages)
            details["passages"] = [passage.chunk for passage in found_passages]
            if self.dense is None:
                details["without"] = "dense: the vectors of this release are still being made"
        return Evidence(facts, found_passages)

    def search(self, question: Question, limit: int) -> list[Passage]:
        """Passages for a question, all channels fused."""
        channels = Channels(self.lexical, self.dense, self.graph, self.terminology)
        return self._read(channels.fused(question, DEPTH, limit))

    def _read(self, hits: Sequence[FusedHit]) -> list[Passage]:
        if not hits:
            return []
        rows = self.store.rows(
            "MATCH (d:Document)-[:HAS_CHUNK]->(c:Chunk) WHERE c.id IN $ids "
            "RETURN c.id AS chunk, d.id AS document, d.title AS title, c.section AS section, c.text AS text, "
            "c.lang AS lang, d.source AS source, d.kind AS kind, d.reference AS reference, d.year AS year",
            {"ids": [hit.chunk for hit in hits]},
        )
        by_chunk: Mapping[str, dict[str, object]] = {row["chunk"]: row for row in rows}
        return [
            Passage(**by_chunk[hit.chunk], score=hit.score, by_channel=hit.by_channel)  # type: ignore[arg-type]
            for hit in hits
            if hit.chunk in by_chunk
        ]
