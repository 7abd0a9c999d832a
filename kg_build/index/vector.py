"""The dense index: vectors of eight bits a dimension (faiss, scalar quantiser).

All rows are compared (flat): 98 to 99 of 100 of the true neighbours among a million, by how alike vectors are, in a
quarter of the memory (`scripts/bench_vectors`). With more rows than `FLAT_UP_TO` they are sorted into cells, a few of
which are compared (inverted lists): a hundred times faster, but on some data blind. So that is tried when the index is
made, and kept only if it finds `LEAST_RECALL` of the true neighbours.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any, Final

import faiss
import numpy as np
from numpy.typing import NDArray

from kg_build.index.fresh import fresh_folder
from kg_build.index.recall import measured_recall
from ontology.errors import ClewError, Code

faiss.omp_set_num_threads(1)  # one query is too little work for threads, and a server has threads of its own

_FAISS: Final[Any] = faiss
"""The library where its stubs lack a name, or know the constructors of C++ only."""

_VECTORS: Final = "vectors.faiss"
_ROWS: Final = "rows.json"

FLAT_UP_TO: Final = 1_000_000
"""Rows: 23 ms a query (measured)."""

LEAST_RECALL: Final = 0.99
"""What the flat index reached on a million vectors."""

_PROBES: Final = (4, 8, 16, 32, 64)
"""Cells that are compared; the first number that reaches the recall is taken (our choice)."""

_TRAINED_ON: Final = 64
"""Vectors for each cell (faiss warns below 39)."""


def build_vector_index(ids: list[str], vectors: NDArray[np.float32], folder: Path, *, encoder: str) -> None:
    """Write the index to a folder, replacing what is there.

    Args:
        ids: n ids; their order is the order of the rows.
        vectors: (n, dim) of length 1.
        folder: where.
        encoder: name of the encoder the vectors come from; queries have to come from the same.
    """
    count = len(vectors)
    if count != len(ids):
        raise ClewError(Code.BAD_INPUT, f"{len(ids)} ids for {count} vectors", remedy="give one id for each row")
    rows = np.ascontiguousarray(vectors, dtype=np.float32)
    found = _with_cells(rows) if count > FLAT_UP_TO else None
    index, recall = found or _flat(rows)
    with fresh_folder(folder) as beside:
        faiss.write_index(index, str(beside / _VECTORS))
        about = {"encoder": encoder, "recall": round(recall, 4), "ids": ids}
        (beside / _ROWS).write_text(json.dumps(about), encoding="utf-8")


def _flat(rows: NDArray[np.float32]) -> tuple[Any, float]:
    """An index that compares all rows, and its recall."""
    index = faiss.IndexScalarQuantizer(rows.shape[1], faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT)
    if not len(rows):
        return index, 1.0
    index.train(rows)
    index.add(rows)
    return index, measured_recall(index, rows)


def _with_cells(rows: NDArray[np.float32]) -> tuple[Any, float] | None:
    """An index that compares some cells, and its recall; None if that stays below `LEAST_RECALL`."""
    count, dim = rows.shape
    cells = 1 << int(np.log2(4 * np.sqrt(count)))  # as the library's guide has it: 4 to 16 roots of n
    cells = min(cells, max(1, count // _TRAINED_ON))
    index = faiss.IndexIVFScalarQuantizer(
        faiss.IndexFlatIP(dim), dim, cells, faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT
    )
    index.train(np.ascontiguousarray(rows[:: max(1, count // (cells * _TRAINED_ON))]))
    index.add(rows)
    for probes in _PROBES:
        index.nprobe = probes
        recall = measured_recall(index, rows)
        if recall >= LEAST_RECALL:
            return index, recall
    return None


def update_vector_index(
    base: Path, folder: Path, gone: Collection[str], ids: list[str], vectors: NDArray[np.float32]
) -> None:
    """Write an index that is another one without some rows and with others, replacing what is there.

    The quantiser keeps the ranges it was trained with.

    Args:
        base: the folder of the other index; it stays as it is.
        folder: where.
        gone: ids of rows that leave.
        ids: n ids of rows that come.
        vectors: (n, dim) of length 1.

    Raises:
        ClewError: CORRUPT_RELEASE.
    """
    index, rows = _read(base, faiss.IO_FLAG_SKIP_PRECOMPUTE_TABLE)
    leave = set(gone)
    at = [row for row, identifier in enumerate(rows["ids"]) if identifier in leave]
    if not index.is_trained:  # the other index was empty
        build_vector_index(ids, vectors, folder, encoder=rows["encoder"])
        return
    index.remove_ids(np.array(at, dtype=np.int64))
    come = np.ascontiguousarray(vectors, dtype=np.float32)
    if _has_cells(index):  # its rows keep their numbers, and those of rows that left stay empty
        kept = ["" if identifier in leave else identifier for identifier in rows["ids"]]
        index.add_with_ids(come, np.arange(len(kept), len(kept) + len(ids), dtype=np.int64))
    else:
        kept = [identifier for identifier in rows["ids"] if identifier not in leave]
        index.add(come)
    with fresh_folder(folder) as beside:
        faiss.write_index(index, str(beside / _VECTORS))
        (beside / _ROWS).write_text(json.dumps({**rows, "ids": kept + ids}), encoding="utf-8")


def kept_recall(folder: Path) -> float | None:
    """Share of the true neighbours that an index found when it was made; None where it does not say.

    Args:
        folder: what `build_vector_index` wrote.
    """
    try:
        recall = json.loads((folder / _ROWS).read_text(encoding="utf-8"))["recall"]
        return float(recall)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _has_cells(index: Any) -> bool:
    return isinstance(index, faiss.IndexIVF)


def _read(folder: Path, flags: int) -> tuple[Any, dict[str, Any]]:
    try:
        rows = json.loads((folder / _ROWS).read_text(encoding="utf-8"))
        index = faiss.read_index(str(folder / _VECTORS), flags)
        named = sum(identifier != "" for identifier in rows["ids"])
        if index.ntotal == named and isinstance(rows["encoder"], str):
            return index, rows
        cause = f"{named} ids for {index.ntotal} vectors"
    except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
        cause = str(error)
    raise ClewError(Code.CORRUPT_RELEASE, f"{folder}: {cause}", remedy="run: clew build")


class VectorIndex:
    """A built index, memory-mapped for searching.

    Args:
        folder: what `build_vector_index` wrote.

    Attributes:
        encoder: name of the encoder that query vectors have to come from.
        recall: share of the true neighbours found when the index was made; None where nobody measured it.
        ids: id of each row; empty where a row has left.

    Raises:
        ClewError: CORRUPT_RELEASE.
    """

    def __init__(self, folder: Path) -> None:
        self._index, rows = _read(folder, faiss.IO_FLAG_MMAP_IFC)
        if _has_cells(self._index):
            self._index.set_direct_map_type(_FAISS.DirectMap.Hashtable)  # where each row lies, for `stored`
        self.encoder: str = rows["encoder"]
        self.recall: float | None = rows.get("recall")
        self.ids: list[str] = rows["ids"]

    def __len__(self) -> int:
        return int(self._index.ntotal)

    @property
    def dim(self) -> int:
        """Dimensions of a vector."""
        return int(self._index.d)

    def search(
        self, vector: NDArray[np.float32], limit: int, among: NDArray[np.int64] | None = None
    ) -> list[tuple[str, float]]:
        """The nearest rows to a vector (dim,): (id, inner product), best first, equal products by row.

        Args:
            vector: the query.
            limit: rows at most.
            among: numbers of the rows that are compared; all of them when None.

        Raises:
            ClewError: BAD_INPUT when the vector has another dimension than the rows.
        """
        if vector.shape != (self._index.d,):
            raise ClewError(Code.BAD_INPUT, f"query vector of shape {vector.shape}, rows have {self._index.d}")
        limit = min(limit, len(self) if among is None else len(among))
        if limit < 1:
            return []
        how = {} if among is None else {"params": self._narrowed(among)}
        products, rows = self._index.search(vector.reshape(1, -1).astype(np.float32), limit, **how)
        found = sorted((-product, row) for product, row in zip(products[0], rows[0], strict=True) if row >= 0)
        return [(self.ids[row], -float(negative)) for negative, row in found]

    def _narrowed(self, among: NDArray[np.int64]) -> Any:
        """Search parameters for some rows."""
        chosen = np.zeros(len(self.ids), dtype=bool)
        chosen[among] = True
        selector = _FAISS.IDSelectorBitmap(np.packbits(chosen, bitorder="little"))
        if _has_cells(self._index):
            return _FAISS.SearchParametersIVF(sel=selector, nprobe=self._index.nprobe)
        return _FAISS.SearchParameters(sel=selector)

    def nearest_rows(self, vectors: NDArray[np.float32], limit: int) -> NDArray[np.int64]:
        """Numbers of the nearest rows to each of n vectors: int64 (n, at most limit)."""
        limit = min(limit, len(self))
        if limit < 1 or not len(vectors):
            return np.empty((len(vectors), 0), dtype=np.int64)
        return np.asarray(self._index.search(np.ascontiguousarray(vectors, dtype=np.float32), limit)[1])

    def stored(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """The vectors of some rows, as exact as eight bits are: float32 (n, dim)."""
        return np.asarray(self._index.reconstruct_batch(rows))
