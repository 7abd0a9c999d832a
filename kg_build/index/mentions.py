"""Who is mentioned where, as arrays: for each entity the passages that speak of it, best first.

    ids      (c,)   ids of the chunks, bytes, in the order of the table
    starts   (n+1,) row pointers, one row per entity of the release, as in the adjacency
    chunks   (m,)   place in `ids`; within an entity the heaviest first, equal ones in the order of the table
    weights  (m,)   how far the passage is about the entity, in [0, 1)

The weight saturates in the number of mentions and falls with the length of the passage, as a term's in BM25
(Robertson and Zaragoza 2009, equation 3.15); a mention counts as much as its confidence:

    tf     = Σ confidence of the mentions in the text
           + 2 · confidence of a mention in the headings, + 2 more in the first of them, the document's title
           + 4 if the document is about the entity
    weight = tf / (tf + 1.2 · (1 - 0.4 + 0.4 · characters / 500))

The two constants of BM25 are as usual for short passages; the others are our choice, found on development questions
(headings) or reasoned (a document about an entity is the place to read of it: more than any mention in passing).
Headings are read with the dictionary here, because the table of mentions has only those that stand in the text; the
title of a document that says what it is about is not read.

A reader takes the first so many passages of an entity: a cut by quality. Equal tables give equal bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from kg_build.extract.topics import SEPARATOR
from kg_build.index.columns import Column, Doubles, Ints, Longs, fixed_bytes, positions, spans
from kg_build.index.fresh import fresh_folder
from ontology.errors import ClewError, Code

IN_HEADING: Final = 2.0
IN_TITLE: Final = 2.0
ABOUT: Final = 4.0
SATURATION: Final = 1.2
LENGTH_SHARE: Final = 0.4
USUAL_LENGTH: Final = 500.0
"""See the module's text. The usual length is fixed, so that a passage's weight does not depend on the others."""

Read = Callable[[str], Iterable[tuple[str, float]]]
"""From a heading to the entities it names, with confidences."""

Weighed = tuple[Ints, Ints, NDArray[np.float32]]
"""Row of the entity, place of the chunk, weight; three columns."""

_ARRAYS: Final = ("ids", "starts", "chunks", "weights")


@dataclass(frozen=True)
class MentionIndex:
    """The arrays of the module's text, memory-mapped."""

    ids: NDArray[np.bytes_]
    starts: NDArray[np.int64]
    chunks: NDArray[np.int32]
    weights: NDArray[np.float32]

    @cached_property
    def idf(self) -> NDArray[np.float32]:
        """Inverse document frequency of every entity: ln(1 + (c - df + ½) / (df + ½)), as in BM25."""
        counts = np.diff(self.starts)
        idf: NDArray[np.float32] = np.log1p((len(self.ids) - counts + 0.5) / (counts + 0.5)).astype(np.float32)
        return idf

    @cached_property
    def places(self) -> dict[str, int]:
        """The place of every chunk, by its id."""
        return {str(chunk, "utf-8"): place for place, chunk in enumerate(self.ids.tolist())}

    def chunk(self, place: int) -> str:
        """Id of a chunk."""
        return str(self.ids[place], "utf-8")

    def of(self, entities: NDArray[np.int64], most: int) -> tuple[Longs, Ints, NDArray[np.float32]]:
        """The chunks that speak most of each of some entities, at most `most` of each.

        Returns:
            The position of the entity among those asked for, the place of the chunk, and the weight.
        """
        first, at = spans(self.starts, entities, most)
        return first, self.chunks[at], self.weights[at]


def build_mentions(entities: Column, texts: Mapping[str, pa.Table], read: Read, folder: Path) -> None:
    """Write the arrays of a release or of another body of text.

    Args:
        entities: ids of the release's entities, in the order of the adjacency.
        texts: the tables `document`, `chunk` and `mention`; passages are numbered in the order of `chunk`.
        read: reads headings.
        folder: where.
    """
    ids = texts["chunk"]["id"]
    _write(len(entities), ids, _weighed(entities, ids, texts, read), folder)


def update_mentions(
    source: Path,
    folder: Path,
    *,
    entities: Column,
    ids: Column,
    gone: Sequence[str],
    added: Mapping[str, pa.Table],
    read: Read,
) -> None:
    """Write what `build_mentions` would write after passages left and came, from what is there.

    Args:
        source: folder of the arrays before.
        folder: where.
        entities: as there.
        ids: of all passages, now, in their order.
        gone: passages that left.
        added: the rows of `document`, `chunk` and `mention` that came.
        read: reads headings.
    """
    before = load_mentions(source)
    names = pa.array(before.ids.tolist(), pa.binary()).cast(pa.string())
    left = positions(names, pa.array(gone, pa.string())) >= 0
    moved = np.where(left, np.int32(-1), positions(names, ids))
    rows = np.repeat(np.arange(len(entities), dtype=np.int32), np.diff(before.starts))
    places = moved[before.chunks]
    stays = places >= 0
    kept = rows[stays], places[stays], before.weights[stays]
    new = _weighed(entities, ids, added, read)
    rows, places, weights = (np.concatenate(columns) for columns in zip(kept, new, strict=True))
    _write(len(entities), ids, (rows, places, weights), folder)


def load_mentions(folder: Path) -> MentionIndex:
    """Open the arrays.

    Raises:
        ClewError: CORRUPT_RELEASE.
    """
    try:
        arrays: dict[str, Any] = {
            name: np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False).view(np.ndarray)
            for name in _ARRAYS
        }
        return MentionIndex(**arrays)
    except (OSError, ValueError) as error:
        raise ClewError(Code.CORRUPT_RELEASE, f"{folder}: {error}", remedy="run: clew build") from error


def _weighed(entities: Column, ids: Column, texts: Mapping[str, pa.Table], read: Read) -> Weighed:
    """Entity, place and weight of every pair of them, in no order."""
    chunk = texts["chunk"]
    said = texts["mention"].filter(pc.not_equal(texts["mention"]["method"], "subject"))
    confidence = np.asarray(said["confidence"].to_numpy(zero_copy_only=False), np.float64)
    parts = [
        (positions(said["entity"], entities), positions(said["chunk"], chunk["id"]), confidence),
        _in_headings(entities, texts["document"], chunk, read),
        _about(entities, texts["document"], chunk["document"]),
    ]
    rows, own, counts = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    known = (rows >= 0) & (own >= 0)
    pairs, at = np.unique(rows[known].astype(np.int64) * len(chunk) + own[known], return_inverse=True)
    tf = np.bincount(at, counts[known], minlength=len(pairs))
    rows, own = np.divmod(pairs, max(len(chunk), 1))
    length = pc.utf8_length(chunk["text"]).to_numpy(zero_copy_only=False)[own] / USUAL_LENGTH
    weights = tf / (tf + SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length))
    return rows.astype(np.int32), positions(chunk["id"], ids)[own], weights.astype(np.float32)


def _in_headings(entities: Column, document: pa.Table, chunk: pa.Table, read: Read) -> tuple[Ints, Ints, Doubles]:
    """What headings name, in times a mention in the text; each different heading is read once.

    The title of a document that says what it is about is not read.
    """
    owners = positions(chunk["document"], document["id"])
    says = pc.list_value_length(document["about"]).to_numpy(zero_copy_only=False)[owners] > 0
    known: dict[str, dict[str, float]] = {}
    found: list[tuple[str, int, float]] = []
    for place, path in enumerate(chunk["section"].to_pylist()):
        for depth, heading in enumerate(path.split(SEPARATOR)):
            if depth == 0 and says[place]:
                continue
            if heading not in known:
                known[heading] = dict(read(heading))
            times = IN_HEADING + (IN_TITLE if depth == 0 else 0.0)
            found += [(entity, place, times * confidence) for entity, confidence in known[heading].items()]
    names, places, times_ = zip(*found, strict=True) if found else ((), (), ())
    rows = positions(pa.array(names, pa.string()), entities)
    return rows, np.array(places, np.int32), np.array(times_, np.float64)


def _about(entities: Column, document: pa.Table, owners: Column) -> tuple[Ints, Ints, Doubles]:
    """What the documents of the passages are about, likewise."""
    subjects = positions(pc.list_flatten(document["about"]), entities)
    lengths = pc.list_value_length(document["about"]).to_numpy(zero_copy_only=False)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    documents = positions(owners, document["id"])
    first, at = spans(starts, documents.astype(np.int64))
    return subjects[at], first.astype(np.int32), np.full(len(first), ABOUT)


def _write(entities: int, ids: Column, weighed: Weighed, folder: Path) -> None:
    rows, places, weights = weighed
    order = np.lexsort((places, -weights, rows))
    arrays = {
        "ids": fixed_bytes(ids),
        "starts": np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=entities))]).astype(np.int64),
        "chunks": places[order],
        "weights": weights[order],
    }
    with fresh_folder(folder) as beside:
        for name, array in arrays.items():
            np.save(beside / f"{name}.npy", array, allow_pickle=False)
