"""Linking the passages of a release: the dictionary of all names, and every chunk read once with it.

Where there is much to do, other processes do it: the dictionary is made beside what this process does meanwhile, and
two processes read the chunks.

A chunk's mentions depend on its text, its document and the dictionary alone, so chunks can be dealt out in any way;
the table is the same.
"""

from __future__ import annotations

import gc
import multiprocessing.pool
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from kg_build.collect import chunks_of, documents_of, entities_of, mention_table, names_of
from kg_build.index.terms import build_terms, make_linker
from kg_build.mentions import LINKED_TYPES, find_mentions
from kg_build.release import TABLES
from ontology.reading.linker import Linker
from ontology.reading.terminology import Terminology

WORKERS: Final = 2
WORKERS_FROM: Final = 4_000_000
"""Characters from which workers pay: some seconds of linking against two to start a process."""

BATCH: Final = 2000
"""Chunks that a worker gets at a time."""

BESIDE_FROM: Final = 100_000
"""Names from which making the dictionary takes longer than starting a process for it."""

Workers = multiprocessing.pool.Pool


@contextmanager
def linking_workers(names: int, chunk: pa.Table) -> Iterator[Workers | None]:
    """The processes that help; None where there is little to do.

    Args:
        names: how many the dictionary has.
        chunk: the passages.
    """
    if names < BESIDE_FROM and _characters(chunk) < WORKERS_FROM:
        yield None
        return
    with multiprocessing.get_context("spawn").Pool(WORKERS, initializer=gc.disable) as pool:
        yield pool  # a worker soon ends: looking for cycles, of which there are none, is a tenth of its time


@contextmanager
def making_terms(entity: pa.Table, name: pa.Table, folder: Path, workers: Workers | None) -> Iterator[None]:
    """Make the dictionary of a release while the body runs; at its end the dictionary is there.

    Args:
        entity: the entities.
        name: their names.
        folder: of the dictionary.
        workers: see `linking_workers`.
    """
    if workers is None:
        _make_terms(entity, name, folder)
        yield
    else:
        made = workers.apply_async(_make_terms, (entity, name, folder))
        yield
        made.get()


def _make_terms(entity: pa.Table, name: pa.Table, folder: Path) -> None:
    build_terms(entities_of(entity), names_of(name), folder)


def link_passages(
    chunk: pa.Table, document: pa.Table, known: Collection[str], terms: Path, workers: Workers | None = None
) -> pa.Table:
    """The mentions of all passages, as a table that is not sorted yet.

    Args:
        chunk: the passages.
        document: their documents.
        known: ids of the entities that there are.
        terms: folder of the dictionary.
        workers: see `linking_workers`.
    """
    about = {subject for listed in document["about"].to_pylist() for subject in listed if subject in known}
    batches = ((chunk.slice(i, BATCH), document, about) for i in range(0, chunk.num_rows, BATCH))
    if workers is None:
        found = [_linked(batch, terms) for batch in batches]
    else:
        found = workers.map(partial(_linked, terms=terms), map(_narrowed, batches), chunksize=1)
    return pa.concat_tables([TABLES["mention"].empty_table(), *found])


def read_heading(terms: Path, heading: str) -> list[tuple[str, float]]:
    """The entities that a heading names, with confidences.

    Args:
        terms: folder of the dictionary.
        heading: any text.
    """
    return [(link.entity, link.confidence) for link in _linker(terms).link(heading, types=LINKED_TYPES)]


def _characters(chunk: pa.Table) -> int:
    return pc.sum(pc.utf8_length(chunk["text"])).as_py() or 0


_Batch = tuple[pa.Table, pa.Table, set[str]]


def _narrowed(batch: _Batch) -> _Batch:
    """A batch with its own documents only: what is sent to a worker is copied."""
    chunk, document, about = batch
    own = document.filter(pc.is_in(document["id"], value_set=pc.unique(chunk["document"])))
    return chunk.combine_chunks(), own, about


def _linked(batch: _Batch, terms: Path) -> pa.Table:
    chunk, document, about = batch
    return mention_table(find_mentions(chunks_of(chunk), documents_of(document), about, _linker(terms)))


@lru_cache(maxsize=1)
def _linker(terms: Path) -> Linker:
    """The linker of this process."""
    return make_linker(Terminology.load(terms))
