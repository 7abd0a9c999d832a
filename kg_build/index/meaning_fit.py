"""Learning from synonyms: a map from the words of a name into a space where the names of one thing lie together.

That `end part` is what others call `epiphysis`, and `low` in a blood test `hypo…emia`, no general encoder knows; the
synonyms of a vocabulary say it thousands of times. Let x be the features of a name (`features`), v its vector from the
sentence encoder, and y the entity: the mean of its names, as features and vectors side by side, reduced to `DIM`
dimensions (SVD). Two ridge regressions, one after the other, take a name to its entity:

    W_v = argmin ‖V W − Y‖² + λ_v ‖W‖²          (dense, in closed form)
    W_x = argmin ‖X W − (Y − V W_v)‖² + λ_x ‖W‖²  (sparse, conjugate gradients)

A name lies at x W_x + v W_v. Our own choice, in the line of supervised semantic indexing (Bai et al. 2009) and
reduced-rank regression; the parameters were chosen on the development half of HPO's lay names, each taken out of what
is learned from. More dimensions than these gained about two points of recall@1 in trials (400), at twice the time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from kg_build.index.encoder import Vectors

DIM: Final = 256
"""A multiple of 16: with 255 a search takes ten times as long."""

_DENSE_RIDGE: Final = 10.0
_SPARSE_RIDGE: Final = 0.5
_STEPS: Final = 20
"""Of conjugate gradients: after more of them recall does not change."""


@dataclass(frozen=True)
class Projection:
    """A learned map.

    Attributes:
        sparse: of features; float32 (features, DIM).
        dense: of vectors of the encoder; float32 (dim of the encoder, DIM).
    """

    sparse: Vectors
    dense: Vectors

    def place(self, features: csr_array, vectors: Vectors) -> Vectors:
        """Where names lie: float32 (n, DIM), each of length 1."""
        return unit(features @ self.sparse + vectors @ self.dense)


def fit_projection(features: csr_array, vectors: Vectors, entity: NDArray[np.int64], dim: int = DIM) -> Projection:
    """Learn the map from names that are grouped by entity.

    Args:
        features: of n names; float32 (n, m).
        vectors: of the encoder; float32 (n, d).
        entity: of each name, from 0 without gaps; int64[n].
        dim: dimensions of the space; fewer where there are fewer names.
    """
    most = min(features.shape) - 1
    targets = _targets(features, vectors, entity, min(dim, most))[entity]
    gram = vectors.T @ vectors + _DENSE_RIDGE * np.eye(vectors.shape[1], dtype=np.float32)
    dense = np.linalg.solve(gram, vectors.T @ targets).astype(np.float32)
    return Projection(_ridge(features, targets - vectors @ dense), dense)


def unit(rows: Vectors) -> Vectors:
    """Rows of length 1; a row of zeros stays."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def _targets(features: csr_array, vectors: Vectors, entity: NDArray[np.int64], dim: int) -> Vectors:
    """Where each entity lies; float32 (entities, dim)."""
    count = np.bincount(entity)
    share = (1 / count[entity]).astype(np.float32)
    mean: Any = csr_array((share, (entity, np.arange(len(entity)))), shape=(len(count), len(entity)))
    worded = _reduced(mean @ features, dim)
    return _reduced(np.hstack([worded, unit(mean @ vectors)]), dim)


def _reduced(rows: Any, dim: int) -> Vectors:
    from sklearn.utils.extmath import randomized_svd  # noqa: PLC0415 - a second that reading need not spend

    _, _, axes = randomized_svd(rows, max(dim, 1), n_iter=2, random_state=0)
    return unit(np.asarray(rows @ axes.T))


def _ridge(features: csr_array, targets: Vectors) -> Vectors:
    """Conjugate gradients on the normal equations, all columns at a time."""
    transposed = features.T.tocsr()
    solution = np.zeros((features.shape[1], targets.shape[1]), dtype=np.float32)
    residual = transposed @ targets
    direction, energy = residual.copy(), (residual**2).sum(axis=0)
    for _ in range(_STEPS):
        image = transposed @ (features @ direction) + _SPARSE_RIDGE * direction
        step = energy / np.maximum((direction * image).sum(axis=0), 1e-12)
        solution += step * direction
        residual -= step * image
        new = (residual**2).sum(axis=0)
        direction = residual + new / np.maximum(energy, 1e-12) * direction
        energy = new
    return solution
