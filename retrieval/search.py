"""Passages for a question: every channel asked once, what they find fused, and what that leaves to be read.

    question ──wordings──▶ lexical ┐
                           dense   ├─best──▶ fused ──the best two──▶ dense, moved ──▶ fused again
             ──topics────▶ graph   ┘                                                      │
        ranked  ◀── reranked ◀── documents ◀── discount ◀── duplicates ◀── read ◀─────────┘
        selected = drug tier, within quotas, within the budget

What moves the dense query is what all channels together think best (feedback), so that a passage which shares neither
words nor meaning with the question, but both with its answer, is found too. The ranking is what `clew search` shows;
the selection is what an answer is made from. Every stage writes into the journal what it kept and what it dropped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ontology.reading.terminology import Terminology
from ontology.schema import Domain
from retrieval.channels.asked import Asked
from retrieval.channels.dense import AskedMeaning, DenseChannel
from retrieval.channels.lexical import LexicalChannel
from retrieval.channels.topics import AskedTopics, TopicPassages
from retrieval.complexity import channels_of
from retrieval.confidence import adapted
from retrieval.discount import discounted
from retrieval.documents import by_document
from retrieval.duplicates import collapse
from retrieval.fusion import FusedHit, fuse
from retrieval.hit import Channel, Hit
from retrieval.journal import Fallen, Journal
from retrieval.passage import Passage, PassageReader
from retrieval.preset import Preset
from retrieval.question import Question
from retrieval.quotas import asks_about_drugs, registers_first, within_budget, within_quotas
from retrieval.rerank import Reranker, reranked
from retrieval.wordings import other_names, wordings

FEEDBACK: Final = 2
"""Passages that move the dense query (of 1, 2, 3, 5 and 10, two are best on the BioASQ development questions)."""


@dataclass(frozen=True)
class PassageSearch:
    """Searches the passages of a release, or of any other body of text.

    Attributes:
        lexical: searches words.
        dense: searches meaning; None while vectors are still being made.
        graph: searches by the question's entities.
        reader: reads the passages that were found.
        terminology: says what the entities are called in the other language.
        domain: says what can be asked of them.
        reranker: opens a cross-encoder by its name; None where there is none.
    """

    lexical: LexicalChannel
    dense: DenseChannel | None
    graph: TopicPassages
    reader: PassageReader
    terminology: Terminology
    domain: Domain
    reranker: Reranker | None = None

    def ask(self, question: Question, preset: Preset) -> dict[Channel, Asked]:
        """The channels that a preset sends a question to, each asked."""
        said = wordings(question, preset.values, self.domain)
        asked: dict[Channel, Asked] = {}
        for channel in channels_of(question, preset.values.router):
            if channel == "lexical":
                names = other_names(question, self.terminology) if preset.values.queries.other_names else []
                asked[channel] = self.lexical.ask([*said, *names])
            elif channel == "graph":
                asked[channel] = self.graph.ask(question.topics)
            elif self.dense is not None:
                asked[channel] = self.dense.ask(said)
        return asked

    def fused(self, question: Question, preset: Preset, journal: Journal | None = None) -> list[FusedHit]:
        """What the channels find together, best first."""
        journal, fusion = journal or Journal(), preset.values.fusion
        asked = self.ask(question, preset)
        lists = {channel: one.best(fusion.depth) for channel, one in asked.items()}
        hits = self._fused_once(lists, asked, preset)
        dense = asked.get("dense")
        if fusion.feedback and isinstance(dense, AskedMeaning) and hits:
            asked["dense"] = dense.towards([hit.chunk for hit in hits[:FEEDBACK]], fusion.feedback)
            lists["dense"] = asked["dense"].best(fusion.depth)
            hits = self._fused_once(lists, asked, preset)
        for channel, found in lists.items():
            journal.note(channel, ((hit.chunk, hit.score) for hit in found))
        journal.note("fusion", ((hit.chunk, hit.score) for hit in hits))
        return hits

    def _fused_once(
        self, lists: Mapping[Channel, Sequence[Hit]], asked: Mapping[Channel, Asked], preset: Preset
    ) -> list[FusedHit]:
        fusion, weights = preset.values.fusion, preset.values.fusion.weights
        if fusion.adaptive:
            graph = asked.get("graph")
            best = {hit.chunk for hits in lists.values() for hit in hits}
            mentioning = graph.mentioning(best) if isinstance(graph, AskedTopics) else set()
            weights = adapted(lists, weights, mentioning, fusion.adaptive)
        return fuse(lists, asked, weights, fusion.strategy)

    def ranked(
        self, question: Question, preset: Preset, limit: int, journal: Journal | None = None
    ) -> list[Passage]:
        """At most `limit` passages, best first.

        Args:
            question: interpreted.
            preset: the parameters.
            limit: passages at most.
            journal: where the stages are written down.
        """
        journal, values = journal or Journal(), preset.values.passages
        hits = self.fused(question, preset, journal)
        read = hits[: limit + EXTRA]
        journal.note("read", _scores(read), (_cut(hit, read[-1].score, len(read)) for hit in hits[len(read) :]))
        texts = self.reader.read([hit.chunk for hit in read])
        found = [
            replace(texts[hit.chunk], score=hit.score, by_channel=dict(hit.by_channel))
            for hit in read
            if hit.chunk in texts
        ]
        found, repeated = collapse(found, values.duplicates)
        journal.note("duplicates", _passage_scores(found), repeated)
        if values.discount:
            mentioning = self.graph.ask(question.topics).mentioning([passage.chunk for passage in found])
            found = discounted(found, mentioning, values.discount)
            journal.note("discount", _passage_scores(found))
        if values.documents:
            found = by_document(found)
            journal.note("documents", _passage_scores(found))
        if self.reranker is not None and values.reranked:
            found = reranked(question.text, [(p, p.text) for p in found], self.reranker, values.reranked)
            journal.note("reranker", _passage_scores(found))
        kept = found[:limit]
        journal.note("ranking", _passage_scores(kept), (_left(passage, kept) for passage in found[limit:]))
        return kept

    def selected(
        self, question: Question, preset: Preset, journal: Journal | None = None
    ) -> list[Passage]:
        """The passages that an answer is made from, best first; see `ranked`."""
        journal, values = journal or Journal(), preset.values.passages
        found = self.ranked(question, preset, values.most * POOL, journal)
        if values.drugs_first and asks_about_drugs(question):
            found = registers_first(found)
            journal.note("drug tier", _passage_scores(found))
        found, over = within_quotas(found, values.quotas, values.most)
        journal.note("quotas", _passage_scores(found), over)
        found, over = within_budget(found, values.tokens)
        journal.note("budget", _passage_scores(found), over)
        return found
