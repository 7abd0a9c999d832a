"""Evidence for one question: facts from the graph, passages from text.

    question ──route──▶ sub-questions ──▶ facts (Cypher)
             └────────▶ passages (`retrieval.search`)

Facts and passages stay apart: a fact answers a sub-question, a passage is quoted beside it. What a preset fuses are
the channels that find passages, the graph among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from kg_build.store.protocol import GraphStore
from ontology.schema import Domain
from ontology.trace import Trace
from retrieval.channels.graph import Fact, GraphChannel
from retrieval.complexity import complexity, route
from retrieval.decompose import decompose
from retrieval.journal import Fallen, Journal
from retrieval.passage import Passage
from retrieval.preset import Preset, load_preset
from retrieval.question import Question, SubQuestion
from retrieval.search import PassageSearch

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
    """

    facts: list[tuple[SubQuestion, list[Fact]]]
    passages: list[Passage]


@dataclass(frozen=True)
class StoredPassages:
    """Reads passages from a graph store, in one round trip."""

    store: GraphStore

    def read(self, chunks: Sequence[str]) -> dict[str, Passage]:
        """See `PassageReader.read`."""
        return {row["chunk"]: Passage(**row) for row in self.store.each(_PASSAGE, chunks)}


@dataclass(frozen=True)
class Retriever:
    """The facts and the passages of a release."""

    passages: PassageSearch
    graph: GraphChannel
    store: GraphStore
    domain: Domain

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
        with trace.stage("passages") as details:
            passages = self.passages.selected(question, preset, journal)
            details["passages"] = [passage.chunk for passage in passages]
            if self.passages.dense is None:
                details["without"] = "dense: the vectors of this release are still being made"
        return Evidence(facts, passages)

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
