"""Evidence for one question: facts from the graph, passages from text.

    question ──route──▶ sub-questions ──▶ facts (Cypher)
             │                      └─none─▶ chains of two steps
             └────────▶ passages (`retrieval.search`)

Facts and passages stay apart: a fact answers a sub-question, a passage is quoted beside it. What a preset fuses are
the channels that find passages, the graph among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from kg_build.store.protocol import GraphStore, each
from ontology.schema import Domain
from ontology.trace import Trace
from retrieval.answers import TypedAnswer, find_indirect
from retrieval.channels.graph import Fact, GraphChannel
from retrieval.communities import CommunitySearch, Summariser, Summary
from retrieval.complexity import complexity, route
from retrieval.decompose import decompose
from retrieval.journal import Fallen, Journal
from retrieval.passage import Passage
from retrieval.preset import Preset, load_preset
from retrieval.question import Question, SubQuestion
from retrieval.search import PassageSearch
from retrieval.templates import Templates

INDIRECT: Final = 3
"""Answers over chains of a sub-question at most (our choice: they are less certain than facts)."""

_PASSAGE: Final = (
    "MATCH (d:Document)-[:HAS_CHUNK]->(c:Chunk {id: $id}) "
    "RETURN c.id AS chunk, d.id AS document, d.title AS title, c.section AS section, c.text AS text, "
    "c.lang AS lang, d.source AS source, d.kind AS kind, d.reference AS reference, d.year AS year"
)


@dataclass(frozen=True)
class Evidence:
    """What was found for a question.

    Attributes:
        facts: for each sub-question, its best facts.
        passages: best first.
        chains: for sub-questions without a fact, what answers them indirectly; those with an answer only.
        communities: of the question's entities, where these are asked for instead of facts and passages.
    """

    facts: list[tuple[SubQuestion, list[Fact]]]
    passages: list[Passage]
    chains: list[tuple[SubQuestion, list[TypedAnswer]]] = field(default_factory=list)
    communities: list[Summary] = field(default_factory=list)


@dataclass(frozen=True)
class StoredPassages:
    """Reads passages from a graph store, in one round trip."""

    store: GraphStore

    def read(self, chunks: Sequence[str]) -> dict[str, Passage]:
        """See `PassageReader.read`."""
        return {row["chunk"]: Passage(**row) for row in each(self.store, _PASSAGE, chunks)}


@dataclass(frozen=True)
class Retriever:
    """The facts and the passages of a release.

    Attributes:
        passages: searches text.
        graph: reads facts.
        store: the graph.
        domain: the ontology file.
        summariser: writes summaries of communities, or None: then they are made of statements only.
    """

    passages: PassageSearch
    graph: GraphChannel
    store: GraphStore
    domain: Domain
    summariser: Summariser | None = None

    def retrieve(
        self, question: Question, trace: Trace, preset: Preset | None = None, journal: Journal | None = None
    ) -> Evidence:
        """Find the evidence for a question.

        Args:
            question: interpreted.
            trace: where the stages are noted.
            preset: the parameters; by default those of the preset `default`.
            journal: where it is written down what each stage kept and dropped.
        """
        preset, journal = preset or load_preset(), journal or Journal()
        facts: list[tuple[SubQuestion, list[Fact]]] = []
        chains: list[tuple[SubQuestion, list[TypedAnswer]]] = []
        with trace.stage("route") as details:
            chosen = route(question, preset.values.router)
            details.update(route=chosen, complexity=complexity(question).total, preset=preset.name)
        if chosen != "passages":
            with trace.stage("decompose") as details:
                sub_questions = decompose(question, self.domain, preset.values.decomposition)
                details["sub_questions"] = [sub.text for sub in sub_questions]
            with trace.stage("graph") as details:
                facts = self.facts(sub_questions, preset.values.facts.most, journal)
                details["facts"] = [len(found) for _, found in facts]
            if silent := [sub for sub, found in facts if not found]:
                with trace.stage("chains") as details:
                    chains = self.chains(silent, journal)
                    details["answers"] = [len(found) for _, found in chains]
        with trace.stage("passages") as details:
            passages = self.passages.selected(question, preset, journal)
            details["passages"] = [passage.chunk for passage in passages]
            if self.passages.dense is None:
                details["without"] = "dense: the vectors of this release are still being made"
        return Evidence(facts, passages, chains)

    def communities(self, question: Question, trace: Trace) -> Evidence:
        """The communities of the question's entities, as the only evidence."""
        with trace.stage("communities") as details:
            found = CommunitySearch(self.graph.adjacency, self.store, self.summariser).find(question)
            details["communities"] = [
                {"topic": one.topic.id, "size": one.size, "members": [member.node.id for member in one.members]}
                for one in found
            ]
        return Evidence([], [], communities=found)

    def facts(
        self, sub_questions: Sequence[SubQuestion], most: int, journal: Journal
    ) -> list[tuple[SubQuestion, list[Fact]]]:
        """The best facts of each sub-question."""
        found = self.graph.facts(sub_questions)
        kept = []
        for sub, facts in found:
            best = facts[:most]
            cut = best[-1].score if best else None
            reason = f"{len(best)} facts answer this better: {sub.text}"
            fallen = [Fallen(fact.assertion, fact.score, cut, reason) for fact in facts[most:]]
            journal.note(f"facts: {sub.text}", ((fact.assertion, fact.score) for fact in best), fallen)
            kept.append((sub, best))
        return kept

    def chains(
        self, sub_questions: Sequence[SubQuestion], journal: Journal
    ) -> list[tuple[SubQuestion, list[TypedAnswer]]]:
        """What answers sub-questions without a fact indirectly, over two steps; those with an answer only."""
        found = find_indirect(self.graph.adjacency, self.store, self._templates, sub_questions, INDIRECT)
        for sub, answers in found:
            said: dict[str, float] = {}
            for answer in answers:
                for edge in (edge for chain in answer.chains for edge in chain.edges):
                    said.setdefault(edge.assertion, answer.score)
            journal.note(f"chains: {sub.text}", said.items())
        return found

    @cached_property
    def _templates(self) -> Templates:
        return Templates(self.domain)
