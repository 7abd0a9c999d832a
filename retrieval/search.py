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

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ontology.reading.terminology import Terminology
from ontology.schema import Domain
from retrieval.alpha import FIXED, alpha_of, shared_out
from retrieval.channels.asked import Asked
from retrieval.channels.dense import AskedMeaning, DenseChannel
from retrieval.channels.lexical import LexicalChannel
from retrieval.channels.topics import TopicPassages
from retrieval.complexity import channels_of
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
from retrieval.rerank import Reranker, open_reranker, reranked
from retrieval.wordings import other_names, wordings

FEEDBACK: Final = 2
"""Passages that move the dense query (of 1, 2, 3, 5 and 10, two are best on the BioASQ development questions)."""


EXTRA: Final = 20
"""Passages read beyond those asked for, which take the place of duplicates (our choice)."""

POOL: Final = 4
"""So many times as many passages as an answer is made from are ranked for it (our choice)."""


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
        reranker: opens a cross-encoder by its name.
    """

    lexical: LexicalChannel
    dense: DenseChannel | None
    graph: TopicPassages
    reader: PassageReader
    terminology: Terminology
    domain: Domain
    reranker: Callable[[str], Reranker] = open_reranker

    def ask(self, question: Question, preset: Preset) -> dict[Channel, Asked]:
        """The channels that a preset sends a question to, each asked; one that is not there yet is left out."""
        asked = {one: self.alone(question, one, preset) for one in channels_of(question, preset.values.router)}
        return {channel: one for channel, one in asked.items() if one is not None}

    def alone(self, question: Question, channel: Channel, preset: Preset) -> Asked | None:
        """One channel, asked; None where the release has none of its kind yet."""
        if channel == "graph":
            return self.graph.ask(question.topics)
        said = wordings(question, preset.values, self.domain)
        if channel == "dense":
            return self.dense.ask(said) if self.dense else None
        names = other_names(question, self.terminology) if preset.values.queries.other_names else {}
        return self.lexical.ask(said, names)

    def fused(self, question: Question, preset: Preset, journal: Journal | None = None) -> list[FusedHit]:
        """What the channels find together, best first."""
        journal, fusion = journal or Journal(), preset.values.fusion
        asked = self.ask(question, preset)
        lists = {channel: one.best(fusion.depth) for channel, one in asked.items()}
        weights = self.weights(question, lists, preset)
        hits = fuse(lists, asked, weights, fusion.strategy)
        dense = asked.get("dense")
        if fusion.feedback and isinstance(dense, AskedMeaning) and hits:
            asked["dense"] = dense.towards([hit.chunk for hit in hits[:FEEDBACK]], fusion.feedback)
            lists["dense"] = asked["dense"].best(fusion.depth)
            hits = fuse(lists, asked, weights, fusion.strategy)
        for channel, found in lists.items():
            journal.note(channel, ((hit.chunk, hit.score) for hit in found))
        journal.note("fusion", ((hit.chunk, hit.score) for hit in hits))
        journal.asked.update(asked)
        journal.parts.update({hit.chunk: hit.by_channel for hit in hits})
        return hits

    def weights(
        self, question: Question, lists: Mapping[Channel, Sequence[Hit]], preset: Preset
    ) -> dict[Channel, float]:
        """The weights of the channels for a question; alpha shares them out where the graph has found something."""
        fusion = preset.values.fusion
        if not lists.get("graph"):
            return fusion.weights
        best = {channel: hits[0].score if hits else 0.0 for channel, hits in lists.items()}
        alpha = alpha_of(self.coverage(question), best) if fusion.adaptive else FIXED
        floor = fusion.floor_asked if question.asks_relation else fusion.floor
        return shared_out(fusion.weights, alpha, floor)

    def coverage(self, question: Question) -> float:
        """Share of a question that the names of its entities make up, in what its words are worth (idf)."""
        whole = self.lexical.index.ideal(question.text)
        names = self.lexical.index.ideal(" ".join(topic.text for topic in question.topics))
        return min(names / whole, 1.0) if whole else 0.0

    def ranked(self, question: Question, preset: Preset, limit: int, journal: Journal | None = None) -> list[Passage]:
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
        texts = self.reader.read([hit.chunk for hit in read])
        found = [
            replace(texts[hit.chunk], score=hit.score, by_channel=hit.by_channel) for hit in read if hit.chunk in texts
        ]
        journal.note("read", _passage_scores(found), _unread(hits, read, texts))
        found, repeated = collapse(found, values.duplicates)
        journal.note("duplicates", _passage_scores(found), repeated)
        if values.discount:
            mentioning = self.graph.ask(question.topics).mentioning([passage.chunk for passage in found])
            found = discounted(found, mentioning, values.discount)
            journal.note("discount", _passage_scores(found))
        if values.documents:
            found = by_document(found)
            journal.note("documents", _passage_scores(found))
        if values.reranker:
            pairs = [(passage, passage.text) for passage in found]
            found = reranked(question.text, pairs, self.reranker(values.reranker), values.reranked)
            journal.note("reranker", _passage_scores(found))
        kept = found[:limit]
        journal.note("ranking", _passage_scores(kept), (_left(passage, kept) for passage in found[limit:]))
        return kept

    def selected(self, question: Question, preset: Preset, journal: Journal | None = None) -> list[Passage]:
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


def _passage_scores(passages: Iterable[Passage]) -> list[tuple[str, float]]:
    return [(passage.chunk, passage.score) for passage in passages]


def _unread(hits: Sequence[FusedHit], read: Sequence[FusedHit], texts: Collection[str]) -> Iterator[Fallen]:
    for hit in read:
        if hit.chunk not in texts:
            yield Fallen(hit.chunk, hit.score, None, "its text is not there")
    for hit in hits[len(read) :]:
        yield Fallen(hit.chunk, hit.score, read[-1].score if read else None, f"the first {len(read)} are read")


def _left(passage: Passage, kept: Sequence[Passage]) -> Fallen:
    return Fallen(passage.chunk, passage.score, kept[-1].score if kept else None, f"the first {len(kept)} are kept")
