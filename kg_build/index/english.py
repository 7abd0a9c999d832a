"""The vectors of English passages by an encoder of their own, and the model with them.

    derived/vectors-en/vectors/     the index
    derived/vectors-en/model/       what the encoder reads, linked from the cache
    derived/vectors-en/model.json   which model it is

A release is whole by itself: its questions are encoded by the model that lies with its vectors.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kg_build.index.encoder import Encoder, Vectors
from kg_build.index.encoders.models import Prepared, find_model
from kg_build.index.fresh import fresh_folder, linked_copy
from kg_build.index.vector import VectorIndex, build_vector_index, update_vector_index
from ontology.errors import ClewError, Code

VECTORS: Final = "vectors"
"""The index within the part."""

_MODEL: Final = "model"
_ABOUT: Final = "model.json"


@dataclass(frozen=True)
class English:
    """The part of a release, opened.

    Attributes:
        index: vectors of the English passages.
        prepared: the model they come from.
    """

    index: VectorIndex
    prepared: Prepared

    @property
    def encoder(self) -> Encoder:
        """What questions are encoded with."""
        return self.prepared.encoder


def build_english(ids: list[str], vectors: Vectors, prepared: Prepared, folder: Path) -> None:
    """Write the part, replacing what is there.

    Args:
        ids: of n English passages.
        vectors: (n, dim) by the encoder of `prepared`.
        prepared: the model.
        folder: where.
    """
    with fresh_folder(folder) as beside:
        build_vector_index(ids, vectors, beside / VECTORS, encoder=prepared.encoder.name)
        _add_model(prepared, beside)


def update_english(
    base: Path, folder: Path, gone: Collection[str], ids: list[str], vectors: Vectors, prepared: Prepared
) -> None:
    """Write a part that is another one without some passages and with others; see `update_vector_index`."""
    with fresh_folder(folder) as beside:
        update_vector_index(base / VECTORS, beside / VECTORS, gone, ids, vectors)
        _add_model(prepared, beside)


def open_english(folder: Path) -> English | None:
    """The part of a release; None where it has none.

    Raises:
        ClewError: CORRUPT_RELEASE.
    """
    if not folder.is_dir():
        return None
    try:
        key = json.loads((folder / _ABOUT).read_text(encoding="utf-8"))["model"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ClewError(Code.CORRUPT_RELEASE, f"{folder}: {error}", remedy="run: clew build") from error
    model = find_model(str(key))
    if model is None:
        raise ClewError(Code.CORRUPT_RELEASE, f"{folder}: no model {key!r}", remedy="run: clew build")
    prepared = Prepared(model.key, folder / _MODEL, model.open(folder / _MODEL))
    return English(VectorIndex(folder / VECTORS), prepared)


def _add_model(prepared: Prepared, folder: Path) -> None:
    linked_copy(prepared.folder, folder / _MODEL)
    (folder / _ABOUT).write_text(json.dumps({"model": prepared.key}) + "\n", encoding="utf-8")
