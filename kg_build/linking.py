"""Linking the passages of a release: the dictionary of all names, and every chunk read once with it.

Where there is much to do, other processes do it: the dictionary is made beside what this process does meanwhile, and
two processes read the chunks.

A chunk's mentions depend on its text, its document and the dictionary alone, so chunks can be dealt out in any way;
the table is the same.
"""

from __future__ import annotations

import gc
import multiprocessing
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from kg_build.collect import chunks_of, documents_of, entities_of, mention_table, names_of
from kg_build.index.terms import build_terms, make_linker
from kg_build.mentions import find_mentions
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


@contextmanager
def making_terms(entity: pa.Table, name: pa.Table, folder: Path) -> Iterator[None]:
    """Make the dictionary of a release while the body runs; at its end the dictionary is there.

    Args:
        entity: the entities.
        name: their names.
        folder: of the dictionary.
    """
    if name.num_rows < BESIDE_FROM:
        _make_terms(entity, name, folder)
        yield
        return
    with multiprocessing.get_context("spawn").Pool(1, initializer=gc.disable) as pool:
        made = pool.apply_async(_make_terms, (entity, name, folder))
        yield
        made.get()


def _make_terms(entity: pa.Table, name: pa.Table, folder: Path) -> None:
    build_terms(entities_of(entity), names_of(name), folder)


def link_passages(chunk: pa.Table, document: pa.Table, known: Collection[str], terms: Path) -> pa.Table:
    """The mentions of all passages, as a table that is not sorted yet.

    Args:
        chunk: the passages.
        document: their documents.
        known: ids of the entities that there are.
        terms: folder of the dictionary.
    """
    about = {subject for listed in document["about"].to_pylist() for subject in listed if subject in known}
    batches = [(chunk.slice(i, BATCH), document, about) for i in range(0, chunk.num_rows, BATCH)]
    if (pc.sum(pc.utf8_length(chunk["text"])).as_py() or 0) < WORKERS_FROM:
        linker = _linker(terms) if batches else None
        found = [_linked(batch, linker) for batch in batches if linker]
    else:
        context = multiprocessing.get_context("spawn")
        with context.Pool(WORKERS, initializer=_adopt, initargs=(terms,)) as pool:
            found = pool.map(_linked_by_worker, map(_narrowed, batches), chunksize=1)
    return pa.concat_tables([TABLES["mention"].empty_table(), *found])


_Batch = tuple[pa.Table, pa.Table, set[str]]


def _narrowed(batch: _Batch) -> _Batch:
    """A batch with its own documents only: what is sent to a worker is copied."""
    chunk, document, about = batch
    own = document.filter(pc.is_in(document["id"], value_set=pc.unique(chunk["document"])))
    return chunk.combine_chunks(), own, about


def _linked(batch: _Batch, linker: Linker) -> pa.Table:
    chunk, document, about = batch
    return mention_table(find_mentions(chunks_of(chunk), documents_of(document), about, linker))


_adopted: Final[list[Linker]] = []
"""The linker of a worker process."""


def _adopt(terms: Path) -> None:
    gc.disable()  # a tenth of the time, spent looking for cycles that there are not; a worker soon ends
    _adopted[:] = [_linker(terms)]


def _linked_by_worker(batch: _Batch) -> pa.Table:
    return _linked(batch, _adopted[0])


def _linker(terms: Path) -> Linker:
    return make_linker(Terminology.load(terms))
