"""Any sentence-transformers model, by its name or a folder; and MedCPT, which has an encoder for each side.

sentence-transformers (with torch) is in the extra `transformers` and is imported when the first text is encoded. A
name is looked up on the hub unless the model was downloaded before; a folder needs no network.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np

from kg_build.acquire import sha256_of
from kg_build.index.encoder import Encoder, Vectors, well_formed
from kg_build.sources.contract import Artefact
from ontology.errors import ClewError, Code

_BATCH: Final = 32


class TransformersEncoder:
    """A model that sentence-transformers opens, with the query side that the model itself declares.

    Args:
        model: name on the hub, or folder.

    Raises:
        ClewError: MISSING_EXTRA when the extra is not installed; BAD_SETTINGS when the model cannot be opened.
    """

    def __init__(self, model: str) -> None:
        self._name = model

    @property
    def dim(self) -> int:
        """Dimensions of a vector."""
        model = self._model
        renamed = getattr(model, "get_embedding_dimension", None)  # since version 6
        return int((renamed or model.get_sentence_embedding_dimension)())

    @cached_property
    def name(self) -> str:
        """The library and its version, the model, and of a folder what is in it."""
        folder = Path(self._name)
        content = f" {sha256_of(folder)[:16]}" if folder.is_dir() else ""
        return f"sentence-transformers {installed_version()} {self._name}{content}"

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Vectors of length 1."""
        return self._encoded("encode_document", texts)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of length 1, by the model's prompt or encoder for queries where it has one."""
        return self._encoded("encode_query", texts)

    def _encoded(self, method: str, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.empty((0, self.dim), dtype=np.float32)
        return np.asarray(encoded(self._model, method, texts, normalize_embeddings=True), dtype=np.float32)

    @cached_property
    def _model(self) -> Any:
        return opened(lambda library: library.SentenceTransformer(self._name, device="cpu"), self._name)

    def __reduce__(self) -> tuple[type[TransformersEncoder], tuple[str]]:
        return TransformersEncoder, (self._name,)


class MedCPT:
    """MedCPT (Jin et al. 2023): an encoder of articles and one of queries, trained on PubMed's search logs.

    Their vectors are those of the first token and are compared by inner product, not cosine: they keep their length.

    Raises:
        ClewError: as `TransformersEncoder`.
    """

    dim: Final = 768
    _ARTICLE: ClassVar = ("ncbi/MedCPT-Article-Encoder", 512)
    _QUERY: ClassVar = ("ncbi/MedCPT-Query-Encoder", 64)

    @property
    def name(self) -> str:
        """The library and its version, and the model."""
        return f"sentence-transformers {installed_version()} MedCPT"

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Vectors of articles, by the article encoder."""
        return self._first_tokens(lambda: self._articles, texts)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of questions, by the query encoder."""
        return self._first_tokens(lambda: self._queries, texts)

    def _first_tokens(self, model: Callable[[], Any], texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.empty((0, self.dim), dtype=np.float32)
        tokens = encoded(model(), "encode", texts, output_value="token_embeddings")
        return np.stack([np.asarray(of_text[0], dtype=np.float32) for of_text in tokens])

    @cached_property
    def _articles(self) -> Any:
        return _cut_at(*self._ARTICLE)

    @cached_property
    def _queries(self) -> Any:
        return _cut_at(*self._QUERY)

    def __reduce__(self) -> tuple[type[MedCPT], tuple[()]]:
        return MedCPT, ()


@dataclass(frozen=True)
class TransformersModel:
    """What the build has to have for one of them: nothing, the library keeps its models itself.

    Attributes:
        key: `medcpt`, the name of a model or a folder; see `kg_build.index.encoders.models.Model`.
    """

    key: str
    artefacts: ClassVar[tuple[Artefact, ...]] = ()

    def unpack(self, files: Mapping[str, Path], folder: Path) -> None:
        """Nothing to write."""

    def open(self, folder: Path) -> Encoder:
        """The encoder."""
        del folder
        return MedCPT() if self.key == MEDCPT else TransformersEncoder(self.key)


MEDCPT: Final = "medcpt"


def installed_version() -> str:
    """The version of sentence-transformers.

    Raises:
        ClewError: MISSING_EXTRA.
    """
    try:
        return version("sentence-transformers")
    except PackageNotFoundError as error:
        raise _missing(str(error)) from error


def opened(make: Any, name: str) -> Any:
    """What a function makes of the library.

    Raises:
        ClewError: MISSING_EXTRA; BAD_SETTINGS when it raises, with the name of the model.
    """
    try:
        library = import_module("sentence_transformers")
    except ImportError as error:
        raise _missing(str(error)) from error
    try:
        return make(library)
    except (OSError, ValueError) as error:
        raise ClewError(
            Code.BAD_SETTINGS,
            f"model {name!r}: {error}",
            remedy="give the name of a sentence-transformers model, or the folder it was downloaded to",
        ) from error


def encoded(model: Any, method: str, texts: Sequence[str], **how: Any) -> Any:
    """What a method of a model makes of texts."""
    given = [well_formed(text) for text in texts]
    return getattr(model, method)(given, batch_size=_BATCH, show_progress_bar=False, **how)


def _cut_at(name: str, tokens: int) -> Any:
    """A model that reads so many tokens of a text."""
    model = opened(lambda library: library.SentenceTransformer(name, device="cpu"), name)
    model.max_seq_length = tokens
    return model


def _missing(cause: str) -> ClewError:
    return ClewError(Code.MISSING_EXTRA, f"sentence-transformers: {cause}", remedy='pip install "clew[transformers]"')
