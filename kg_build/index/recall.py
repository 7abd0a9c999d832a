"""How many of the true neighbours an index finds: measured when it is made, on vectors of its own."""

from __future__ import annotations

from typing import Any, Final

import faiss
import numpy as np
from numpy.typing import NDArray

NEIGHBOURS: Final = 16
QUERIES: Final = 100


def measured_recall(index: Any, vectors: NDArray[np.float32]) -> float:
    """Share of the `NEIGHBOURS` nearest rows, by exact inner products, that an index finds.

    Asked are up to `QUERIES` rows, evenly spaced, each moved towards another one by a third, because a question is
    near a passage and not equal to it.

    Args:
        index: of faiss; has the rows.
        vectors: (n, dim), n > 0; the rows.
    """
    rows = np.linspace(0, len(vectors) - 1, min(QUERIES, len(vectors))).astype(np.int64)
    asked = np.ascontiguousarray(vectors[rows] * 2 / 3 + vectors[np.roll(rows, 1)] / 3, dtype=np.float32)
    limit = min(NEIGHBOURS, len(vectors))
    exact = faiss.knn(asked, vectors, limit, metric=faiss.METRIC_INNER_PRODUCT)[1]
    found = index.search(asked, limit)[1]
    shared = sum(len({*one} & {*other}) for one, other in zip(exact.tolist(), found.tolist(), strict=True))
    return float(shared / exact.size)
