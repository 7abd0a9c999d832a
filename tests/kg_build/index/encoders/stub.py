"""What clew calls of sentence-transformers, without torch: vectors of letters, and a note of what was asked of whom."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np


class Model:
    """A SentenceTransformer whose vector counts letters; the query side adds one dimension's worth of a mark."""

    def __init__(self, name: str = "", device: str = "", modules: Sequence[Any] = ()) -> None:
        if name == "nowhere":
            raise OSError("no such model")
        self.name = name or modules[0].name
        self.modules = list(modules)
        self.calls: list[tuple[str, bool]] = []

    def get_sentence_embedding_dimension(self) -> int:
        return 27

    def encode(self, texts: list[str], *, normalize_embeddings: bool, **_: Any) -> Any:
        return self._vectors("encode", texts, normalize_embeddings, 0)

    def encode_document(self, texts: list[str], *, normalize_embeddings: bool, **_: Any) -> Any:
        return self._vectors("encode_document", texts, normalize_embeddings, 0)

    def encode_query(self, texts: list[str], *, normalize_embeddings: bool, **_: Any) -> Any:
        return self._vectors("encode_query", texts, normalize_embeddings, 1)

    def _vectors(self, method: str, texts: list[str], normalised: bool, mark: int) -> Any:
        self.calls.append((method, normalised))
        rows = np.array([[t.lower().count(chr(97 + i)) for i in range(26)] + [1 + mark] for t in texts], dtype=float)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True) if normalised else rows


class CrossEncoder:
    """Scores the words that question and passage share."""

    def __init__(self, name: str, device: str = "") -> None:
        if name == "nowhere":
            raise OSError("no such model")

    def predict(self, pairs: list[tuple[str, str]], **_: Any) -> Any:
        return np.array([float(len({*one.split()} & {*other.split()})) for one, other in pairs])


def library() -> Any:
    """The module."""
    transformer = lambda name, max_seq_length: SimpleNamespace(  # noqa: E731
        name=name, max_seq_length=max_seq_length, get_word_embedding_dimension=lambda: 27
    )
    pooling = lambda dim, pooling_mode: SimpleNamespace(dim=dim, mode=pooling_mode)  # noqa: E731
    return SimpleNamespace(
        SentenceTransformer=Model,
        CrossEncoder=CrossEncoder,
        models=SimpleNamespace(Transformer=transformer, Pooling=pooling),
    )
