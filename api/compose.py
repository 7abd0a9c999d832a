"""Wiring: the parts of one release, opened when first needed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from kg_build.derive import ENGLISH, MEANING, VECTORS
from kg_build.index.adjacency import Adjacency, load_adjacency
from kg_build.index.encoders.multilingual import MultilingualEncoder
from kg_build.index.english import open_english
from kg_build.index.matrix import load_matrix
from kg_build.index.meaning import Meaning
from kg_build.index.mentions import load_mentions
from kg_build.index.terms import make_linker
from kg_build.index.text import TextIndex
from kg_build.index.vector import VectorIndex
from kg_build.release import Release, open_release
from kg_build.store.ladybug import LadybugStore
from kg_build.store.protocol import GraphStore
from ontology.reading.linker import Linker
from ontology.reading.reader import Reader
from ontology.reading.terminology import Terminology
from ontology.schema import Domain, load_domain
from reasoning.answer import Answerer
from reasoning.cite import Verifier
from reasoning.diagnosis.likelihood import DiagnosisEngine
from reasoning.interpret import Interpreter
from retrieval.channels.dense import DenseChannel
from retrieval.channels.graph import GraphChannel
from retrieval.channels.lexical import LexicalChannel
from retrieval.channels.space import Space
from retrieval.channels.topics import TopicPassages
from retrieval.retrieve import Retriever, StoredPassages
from retrieval.search import PassageSearch


@dataclass(frozen=True)
class Clew:
    """A release, ready to be asked.

    Args:
        release: pinned for as long as this object lives.
    """

    release: Release

    @classmethod
    def open(cls, home: Path, release_id: str | None = None) -> Clew:
        """Open the current release of a home, or a named one.

        Raises:
            ClewError: NO_RELEASE, CORRUPT_RELEASE.
        """
        return cls(open_release(home, release_id))

    @cached_property
    def domain(self) -> Domain:
        """The ontology file."""
        return load_domain()

    @cached_property
    def store(self) -> GraphStore:
        """The embedded graph."""
        return LadybugStore(self.release.derived("graph.lbug"))

    @cached_property
    def adjacency(self) -> Adjacency:
        """The graph as arrays."""
        return load_adjacency(self.release.derived("adjacency"))

    @cached_property
    def topics(self) -> TopicPassages:
        """Finds passages by entities."""
        return TopicPassages(self.adjacency, load_mentions(self.release.derived("mentions")), self.domain)

    @cached_property
    def terminology(self) -> Terminology:
        """The names."""
        return Terminology.load(self.release.derived("terms"))

    @cached_property
    def linker(self) -> Linker:
        """From names to entities."""
        return make_linker(self.terminology)

    @cached_property
    def meaning(self) -> Meaning | None:
        """Entities by what names mean; None while it is being made, as the vectors."""
        folder = self.release.derived(MEANING)
        return Meaning(folder, MultilingualEncoder()) if folder.exists() else None

    @cached_property
    def reader(self) -> Reader:
        """Reads notes."""
        return Reader(self.linker, self.meaning, self.adjacency.neighbours)

    @cached_property
    def interpreter(self) -> Interpreter:
        """Reads questions."""
        return Interpreter(self.linker, self.terminology, self.adjacency, self.domain)

    @property
    def dense(self) -> DenseChannel | None:
        """The vectors; None while they are being made, which a build does after it has published the rest."""
        folder = self.release.derived(VECTORS)
        if not folder.exists():
            return None
        english = open_english(self.release.derived(ENGLISH))
        return DenseChannel(
            Space(VectorIndex(folder), MultilingualEncoder()),
            Space(english.index, english.encoder) if english else None,
        )

    @cached_property
    def retriever(self) -> Retriever:
        """Finds evidence."""
        search = PassageSearch(
            LexicalChannel(TextIndex(self.release.derived("text"))),
            self.dense,
            self.topics,
            StoredPassages(self.store),
            self.terminology,
            self.domain,
        )
        return Retriever(search, GraphChannel(self.store, self.adjacency, self.domain), self.store, self.domain)

    @cached_property
    def answerer(self) -> Answerer:
        """Answers questions."""
        verifier = Verifier(self.adjacency, self.store)
        return Answerer(self.interpreter, self.retriever, verifier, self.terminology, self.domain)

    @cached_property
    def diagnosis(self) -> DiagnosisEngine:
        """Ranks diseases."""
        return DiagnosisEngine(load_matrix(self.release.derived("matrix")))
