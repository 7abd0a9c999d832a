"""Everything that is made from the canonical tables and can be made again: dictionary, store, matrices, indexes.

Each part appears under its name only when it is complete, so a part that is there is whole, and a build that was
killed goes on with those that are missing.
"""

from __future__ import annotations

import gc
import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from kg_build.clock import Clock
from kg_build.collect import entities_of, names_of
from kg_build.index.adjacency import build_adjacency
from kg_build.index.encoder import Encoder, VectorCache, Vectors, encode_cached
from kg_build.index.encoders.models import Prepared
from kg_build.index.encoders.multilingual import MultilingualEncoder
from kg_build.index.english import build_english
from kg_build.index.matrix_build import build_matrix
from kg_build.index.meaning_build import build_meaning
from kg_build.index.mentions import build_mentions
from kg_build.index.terms import build_terms
from kg_build.index.text import Passage, build_text_index
from kg_build.index.vector import build_vector_index
from kg_build.linking import read_heading
from kg_build.release import Release, rows
from kg_build.store.ladybug import load_store
from ontology.schema import load_domain

Say = Callable[[str], None]
Tables = Mapping[str, pa.Table]

DERIVED: Final = ("terms", "graph.lbug", "adjacency", "mentions", "matrix", "text")
"""The parts that a release cannot be read without, in the order in which they are made."""

VECTORS: Final = "vectors"
ENGLISH: Final = "vectors-en"
MEANING: Final = "meaning"

_STORE: Final = "graph.lbug"
_BESIDE: Final = ("adjacency", "mentions", "matrix", "text")

BESIDE_FROM: Final = 200_000
"""Rows of evidence from which a second process pays: some seconds of work against two to start it."""

_STAGES: Final = {"terms": "terms", _STORE: "store", "text": "text index"}


@dataclass(frozen=True)
class EncodedPassages:
    """Passages as vectors.

    Attributes:
        ids: of n chunks.
        vectors: (n, dim), in that order.
        encoder: name of the encoder.
    """

    ids: list[str]
    vectors: Vectors
    encoder: str


def following(encoders: Mapping[str, str]) -> tuple[str, ...]:
    """The parts that may follow: encoding takes longest, and words and graph can be searched without them.

    Args:
        encoders: see `encoder_names`.
    """
    return (VECTORS, MEANING, ENGLISH) if "english" in encoders else (VECTORS, MEANING)


def encoder_names(english: Prepared | None) -> dict[str, str]:
    """Names of the encoders of a release, as its manifest has them: of all `passages`, and of `english` ones."""
    names = {"passages": MultilingualEncoder().name}
    return names if english is None else names | {"english": english.encoder.name}


def derive(
    names: Iterable[str],
    tables: Tables,
    folder: Path,
    cache: Path,
    say: Say,
    clock: Clock,
    *,
    english: Prepared | None = None,
) -> None:
    """Make derived parts of a release, those of the names that are not there.

    A large store is loaded in this process while another one makes what else there is to make.

    Args:
        names: of `DERIVED` and what `following` gives.
        tables: the canonical tables, which stand beside the folder.
        folder: the release's `derived` folder.
        cache: where vectors are kept by the hash of their text.
        say: called with a line per step.
        clock: times the stages.
        english: encodes English passages.
    """
    absent = [name for name in names if not (folder / name).exists()]
    beside = [name for name in absent if name in _BESIDE]
    if _STORE not in absent or not beside or tables["evidence"].num_rows < BESIDE_FROM:
        for name in absent:
            with clock.stage(_STAGES.get(name, name)):
                _make(name, tables, folder / name, cache, say, english)
        return
    if "terms" in absent:  # headings are read with it
        derive(["terms"], tables, folder, cache, say, clock)
        absent.remove("terms")
    with multiprocessing.get_context("spawn").Pool(1, initializer=gc.disable) as pool:
        say(f"{', '.join(_STAGES.get(name, name) for name in beside)}: in a process of their own")
        made = pool.apply_async(_make_beside, (beside, folder, cache, english))
        derive([name for name in absent if name not in beside], tables, folder, cache, say, clock, english=english)
        clock.add(made.get())


def _make_beside(names: Sequence[str], folder: Path, cache: Path, english: Prepared | None) -> dict[str, float]:
    """Make parts in a worker, the vectors too when none is left to encode; returns the seconds of each stage."""
    clock, tables = Clock(), Release(folder.parent).tables
    derive(names, tables, folder, cache, lambda _: None, clock)
    known = VectorCache(cache / "vectors")
    wanted = {VECTORS: (MultilingualEncoder().name, tables["chunk"])}
    if english is not None:
        wanted[ENGLISH] = (english.encoder.name, english_chunks(tables["chunk"]))
    for name, (encoder, chunk) in wanted.items():
        if known.holds(encoder, map(_encoded_text, passages_of(tables["document"], chunk))):
            derive([name], tables, folder, cache, lambda _: None, clock, english=english)
    return clock.seconds


def encode_passages(passages: Iterable[Passage], encoder: Encoder, cache: Path, say: Say) -> EncodedPassages:
    """Vectors of passages, from the cache where it has them."""
    listed = list(passages)
    texts = list(map(_encoded_text, listed))
    vectors = encode_cached(
        texts, encoder, VectorCache(cache / "vectors"), lambda done, total: say(f"vectors: {done:,} of {total:,}")
    )
    return EncodedPassages([p.chunk for p in listed], vectors, encoder.name)


def english_chunks(chunk: pa.Table) -> pa.Table:
    """The rows of `chunk` in English."""
    return chunk.filter(pc.equal(chunk["lang"], "en"))


def _encoded_text(passage: Passage) -> str:
    return f"{passage.section}\n{passage.text}"


def passages_of(document: pa.Table, chunk: pa.Table) -> Iterator[Passage]:
    """The passages of chunks as the indexes take them."""
    titles: dict[str, str] = dict(rows(document, "id", "title"))
    for identifier, owner, section, text in rows(chunk, "id", "document", "section", "text"):
        yield Passage(identifier, titles[owner], section, text)


def _make(name: str, tables: Tables, path: Path, cache: Path, say: Say, english: Prepared | None) -> None:
    match name:
        case "terms":
            say("dictionary of names")
            build_terms(entities_of(tables["entity"]), names_of(tables["name"]), path)
        case "graph.lbug":
            load_store(tables, load_domain(), path, say)
        case "adjacency":
            build_adjacency(tables["entity"], tables["assertion"], tables["evidence"], path)
        case "mentions":
            say("who is mentioned where")
            build_mentions(tables["entity"]["id"], tables, partial(read_heading, path.with_name("terms")), path)
        case "matrix":
            say("finding matrix")
            build_matrix(tables["entity"], tables["assertion"], tables["evidence"], path)
        case "text":
            say("text index")
            build_text_index(passages_of(tables["document"], tables["chunk"]), path)
        case "meaning":
            say("learning from synonyms what names mean")
            build_meaning(tables, path, cache)
        case "vectors-en" if english is not None:
            say("vectors of English passages")
            texts = passages_of(tables["document"], english_chunks(tables["chunk"]))
            encoded = encode_passages(texts, english.encoder, cache, say)
            build_english(encoded.ids, encoded.vectors, english, path)
        case _:
            say("vectors")
            texts = passages_of(tables["document"], tables["chunk"])
            encoded = encode_passages(texts, MultilingualEncoder(), cache, say)
            build_vector_index(encoded.ids, encoded.vectors, path, encoder=encoded.encoder)
