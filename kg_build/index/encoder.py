"""What an encoder is, and vectors that are computed once.

    texts ──▶ VectorCache ──misses──▶ Encoder (in this process, or in workers when there are many)

The encoders themselves are in `kg_build.index.encoders`.
"""

from __future__ import annotations

import multiprocessing
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]

BATCH: Final = 128
"""Texts encoded between two commits to the cache: about two seconds of work that a killed build repeats."""

WORKERS: Final = 2
WORKERS_FROM: Final = 400_000
"""Characters from which workers pay: about ten seconds of encoding against two to start a process."""


class Encoder(Protocol):
    """Texts as vectors; the inner product of a query's vector and a passage's says how near they are.

    Vectors have length 1, unless the model was trained for products of vectors that have not. An encoder loads its
    model when the first text is encoded, and can be sent to another process, where it loads its own.
    """

    @property
    def dim(self) -> int:
        """Dimensions of a vector."""
        ...

    @property
    def name(self) -> str:
        """What the vectors depend on: the model, its version, and how much of a text it reads."""
        ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Vectors of passages or names: (n, dim) float32."""
        ...

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of queries: (n, dim) float32; of a model without a side of its own for queries, those of `encode`."""
        ...


def well_formed(text: str) -> str:
    """The text with a question mark for each lone surrogate, which no tokenizer takes."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


class VectorCache:
    """Vectors on disk, found by the content they were computed from; rows are only ever added.

    Every call opens and closes the file, and commits what it adds, so a process may be killed at any time.
    A damaged file is begun anew: everything in it can be computed again.

    Args:
        folder: where the cache lives; made when it is not there.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / "vectors.sqlite"
        try:
            self._create()
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode not in {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT}:
                raise
            self._path.unlink()
            self._create()

    @staticmethod
    def key(encoder: str, text: str) -> bytes:
        """128 bits that stand for a text under an encoder."""
        return blake2b(f"{encoder}\x1f{text}".encode(), digest_size=16).digest()

    def holds(self, encoder: str, texts: Iterable[str]) -> bool:
        """Whether the vectors of all texts under an encoder are there."""
        with closing(sqlite3.connect(self._path)) as connection:
            known = "SELECT 1 FROM vectors WHERE key = ?"
            return all(connection.execute(known, (self.key(encoder, text),)).fetchone() for text in texts)

    def get(self, keys: Iterable[bytes]) -> dict[bytes, Vectors]:
        """The vectors that are there, by key."""
        found: dict[bytes, Vectors] = {}
        with closing(sqlite3.connect(self._path)) as connection:
            for key in keys:
                row = connection.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone()
                if row is not None:
                    found[key] = np.frombuffer(row[0], dtype="<f4")
        return found

    def put(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        """Add vectors (n, dim) under n keys; a key that is there keeps its vector."""
        rows = [(key, vector.astype("<f4").tobytes()) for key, vector in zip(keys, vectors, strict=True)]
        with closing(sqlite3.connect(self._path)) as connection, connection:
            connection.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)

    def _create(self) -> None:
        with closing(sqlite3.connect(self._path)) as connection, connection:
            connection.execute("PRAGMA page_size = 32768")  # a page of the usual 4096 bytes holds one vector and a gap
            connection.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL)")


def encode_cached(
    texts: Sequence[str],
    encoder: Encoder,
    cache: VectorCache,
    progress: Callable[[int, int], None] | None = None,
) -> Vectors:
    """Vectors of the texts, computing only what the cache does not have.

    Args:
        texts: n texts; equal texts are encoded once.
        encoder: computes what is missing.
        cache: where vectors are found and kept.
        progress: called after every batch with (texts encoded, texts to encode).

    Returns:
        (n, dim) float32, rows in the order of the texts.
    """
    name = encoder.name
    keys = [cache.key(name, text) for text in texts]
    wanted = dict(zip(keys, texts, strict=True))
    known = cache.get(wanted)
    missing = [key for key in wanted if key not in known]
    batches = [missing[i : i + BATCH] for i in range(0, len(missing), BATCH)]
    done = 0
    for batch, vectors in zip(batches, _encode([[wanted[k] for k in b] for b in batches], encoder), strict=True):
        cache.put(batch, vectors)
        known.update(zip(batch, vectors, strict=True))
        done += len(batch)
        if progress:
            progress(done, len(missing))
    return np.stack([known[key] for key in keys]) if keys else encoder.encode([])


def _encode(batches: list[list[str]], encoder: Encoder) -> Iterator[Vectors]:
    if sum(len(text) for batch in batches for text in batch) < WORKERS_FROM:
        yield from map(encoder.encode, batches)
        return
    # Spawned, not forked: a fork copies locks that other threads of a server may hold. The encoder goes to a worker
    # once: sent with every batch, its model would be loaded again for every batch.
    context = multiprocessing.get_context("spawn")
    with context.Pool(WORKERS, initializer=_adopt, initargs=(encoder,)) as pool:
        yield from pool.imap(_encode_batch, batches)


_adopted: Final[list[Encoder]] = []
"""The encoder of a worker process."""


def _adopt(encoder: Encoder) -> None:
    _adopted[:] = [encoder]


def _encode_batch(texts: list[str]) -> Vectors:
    return _adopted[0].encode(texts)
