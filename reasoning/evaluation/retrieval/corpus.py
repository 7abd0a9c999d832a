"""A body of text that is not part of a release, searched as a release is.

    corpus file ──▶ documents ──chunk_plain──▶ passages ──▶ text index · vectors · mentions

What is built is built by the functions of the build and kept for the release (`kg_build.garbage.release_cache`), so
that another evaluation of the same file finds it. A document's title takes the place of the headings that a passage of
a release carries. What a document is about is not known, so a passage mentions what it and its title name and nothing
else; the graph is that of the release.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
from filelock import FileLock
from pydantic import AfterValidator, BaseModel, ConfigDict, model_validator

from kg_build.chunk import chunk_plain
from kg_build.derive import ENGLISH, encode_passages, encoder_names, english_chunks, passages_of
from kg_build.garbage import release_cache
from kg_build.index.adjacency import load_adjacency
from kg_build.index.encoders.models import Prepared
from kg_build.index.encoders.multilingual import MultilingualEncoder
from kg_build.index.english import build_english, open_english
from kg_build.index.fresh import fresh_folder
from kg_build.index.mentions import build_mentions, load_mentions
from kg_build.index.text import TextIndex, build_text_index
from kg_build.index.vector import VectorIndex, build_vector_index
from kg_build.inputs import code_digest, engines
from kg_build.linking import link_passages, linking_workers, read_heading
from kg_build.release import TABLES, Release
from ontology.document import Chunk, Document
from ontology.errors import ClewError, Code
from ontology.reading.terminology import Terminology
from ontology.reading.text import language
from ontology.schema import load_domain
from reasoning.evaluation.lines import read_cases
from reasoning.evaluation.record import Problem
from retrieval.channels.dense import DenseChannel
from retrieval.channels.lexical import LexicalChannel
from retrieval.channels.space import Space
from retrieval.channels.topics import TopicPassages
from retrieval.passage import Passage
from retrieval.search import PassageSearch

Say = Callable[[str], None]

_LAYOUT: Final = 3
"""Raised when what is kept of a corpus changes though the code of the build does not."""

_SOURCE: Final = "corpus"


def unicode_text(text: str) -> str:
    """The text, if it can be written as UTF-8.

    Raises:
        ValueError: with a lone surrogate in it.
    """
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("not Unicode text (a lone surrogate)")
    return text


def inked_text(text: str) -> str:
    """The text, if it is Unicode and has something in it.

    Raises:
        ValueError: otherwise.
    """
    if not text.strip():
        raise ValueError("is empty")
    return unicode_text(text)


Inked = Annotated[str, AfterValidator(inked_text)]
Written = Annotated[str, AfterValidator(unicode_text)]


class CorpusDocument(BaseModel):
    """A line of a corpus file; further fields are ignored. Of a document without text the title is the text."""

    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True)

    id: Inked
    title: Written = ""
    text: Written

    @model_validator(mode="after")
    def _says_something(self) -> CorpusDocument:
        if not (self.title.strip() or self.text.strip()):
            raise ValueError(f"{self.id}: neither title nor text")
        return self

    @property
    def whole(self) -> str:
        """Title and text, as one passage of the build would be encoded."""
        return f"{self.title}\n{self.text}"


@dataclass(frozen=True)
class Corpus:
    """What a corpus file holds; the subject that peers are opened on.

    Attributes:
        documents: in the order of the file, ids unique.
        problems: lines that gave no document.
        cache: the home's cache, where vectors are found and kept.
    """

    documents: list[CorpusDocument]
    problems: list[Problem]
    cache: Path

    @cached_property
    def ids(self) -> frozenset[str]:
        """The ids of the documents."""
        return frozenset(document.id for document in self.documents)

    @cached_property
    def digest(self) -> str:
        """What the documents are, in their order."""
        hashed = sha256()
        for document in self.documents:
            hashed.update(json.dumps([document.id, document.title, document.text]).encode() + b"\n")
        return hashed.hexdigest()


def read_corpus(path: Path, cache: Path) -> Corpus:
    """Read a corpus file; of documents with the same id the first is kept, the others are problems.

    Args:
        path: JSON Lines of `{"id", "title", "text"}`, plain or .gz.
        cache: the home's cache.

    Raises:
        ClewError: BAD_INPUT when the file cannot be read, EMPTY_INPUT when there is no document in it.
    """
    documents: dict[str, CorpusDocument] = {}
    problems = []
    for number, found in read_cases(path, CorpusDocument.model_validate):
        if isinstance(found, Problem):
            problems.append(found.model_copy(update={"cause": f"corpus: {found.cause}"}))
        elif found.id in documents:
            problems.append(Problem(line=number, reason="duplicate id", cause=f"corpus: {found.id}: the id again"))
        else:
            documents[found.id] = found
    if not documents:
        raise ClewError(
            Code.EMPTY_INPUT,
            f"{path}: no document in it ({len(problems)} lines with problems)",
            remedy='give a document a line: {"id", "title", "text"}',
        )
    return Corpus(list(documents.values()), problems, cache)


@dataclass(frozen=True)
class CorpusIndex:
    """A corpus, indexed.

    Attributes:
        search: finds its passages.
        document: id of the document of each passage.
    """

    search: PassageSearch
    document: dict[str, str]


@dataclass(frozen=True)
class CorpusPassages:
    """Reads the passages of a corpus from memory.

    Args:
        rows: of each passage: document, title, text, language.
    """

    rows: dict[str, tuple[str, str, str, str]]

    def read(self, chunks: Sequence[str]) -> dict[str, Passage]:
        """See `PassageReader.read`."""
        return {chunk: self._passage(chunk) for chunk in chunks if chunk in self.rows}

    def _passage(self, chunk: str) -> Passage:
        document, title, text, lang = self.rows[chunk]
        return Passage(chunk, document, title, "", text, lang, _SOURCE, "article", "", 0)


def open_index(corpus: Corpus, release: Release, terminology: Terminology, say: Say) -> CorpusIndex:
    """A corpus, indexed; built when they are not there yet, once for each corpus, release and code.

    English passages have the encoder that those of the release have.

    Args:
        corpus: what to search.
        release: whose dictionary reads the passages.
        terminology: that dictionary.
        say: called with a line per step.
    """
    own = open_english(release.derived(ENGLISH))
    prepared = own.prepared if own else None
    identity = [_LAYOUT, corpus.digest, release.id, code_digest(), engines(), encoder_names(prepared)]
    name = sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:16]
    folder = release_cache(corpus.cache, release.id) / "corpora" / name
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_name(f"{name}.lock")):
        if not folder.exists():
            with fresh_folder(folder) as beside:
                _build(corpus, release, beside, say, prepared)
    english = open_english(folder / "english")
    dense = DenseChannel(
        Space(VectorIndex(folder / "vectors"), MultilingualEncoder()),
        Space(english.index, english.encoder) if english else None,
    )
    dense.load()
    domain, kept = load_domain(), pq.read_table(folder / "passages.parquet").to_pydict()
    columns = (kept[name] for name in ("document", "section", "text", "lang"))
    passages = CorpusPassages(dict(zip(kept["id"], zip(*columns, strict=True), strict=True)))
    graph = TopicPassages(load_adjacency(release.derived("adjacency")), load_mentions(folder / "mentions"), domain)
    search = PassageSearch(LexicalChannel(TextIndex(folder / "text")), dense, graph, passages, terminology, domain)
    return CorpusIndex(search, dict(zip(kept["id"], kept["document"], strict=True)))


def _build(corpus: Corpus, release: Release, folder: Path, say: Say, prepared: Prepared | None) -> None:
    say(f"corpus: {len(corpus.documents):,} documents")
    document = _table("document", [_described(one) for one in corpus.documents])
    chunk = _table("chunk", [piece for one in corpus.documents for piece in _passages(one)])
    pq.write_table(chunk.select(["id", "document", "section", "text", "lang"]), folder / "passages.parquet")
    build_text_index(passages_of(document, chunk), folder / "text")
    say("corpus: linking")
    entities, terms = release.table("entity", ["id"])["id"], release.derived("terms")
    with linking_workers(0, chunk) as workers:
        mention = link_passages(chunk, document, set(entities.to_pylist()), terms, workers)
    texts = {"document": document, "chunk": chunk, "mention": mention}
    build_mentions(entities, texts, partial(read_heading, terms), folder / "mentions")
    encoded = encode_passages(passages_of(document, chunk), MultilingualEncoder(), corpus.cache, say)
    build_vector_index(encoded.ids, encoded.vectors, folder / "vectors", encoder=encoded.encoder)
    if prepared is not None:
        english = passages_of(document, english_chunks(chunk))
        encoded = encode_passages(english, prepared.encoder, corpus.cache, say)
        build_english(encoded.ids, encoded.vectors, prepared, folder / "english")


def _described(document: CorpusDocument) -> Document:
    return Document(document.id, document.title, language(document.text), _SOURCE, "article", "")


def _passages(document: CorpusDocument) -> list[Chunk]:
    """The passages of a document, under its title."""
    text = document.text if document.text.strip() else document.title
    found = chunk_plain(document.id, text, language(text))
    return [replace(chunk, section=document.title) for chunk in found]


def _table(name: str, records: list[Any]) -> pa.Table:
    return pa.Table.from_pylist([asdict(record) for record in records], schema=TABLES[name])
