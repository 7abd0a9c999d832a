"""The models that English passages may be encoded with, and having one ready.

    settings `passages` ──find_model──▶ Model ──prepare: acquire, unpack──▶ Prepared (encoder, folder)

A model is fetched as part of the build and goes with the index that is made with it, so that afterwards questions are
encoded without a network, and by the very model the passages were.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from kg_build.acquire import acquire
from kg_build.index.encoder import Encoder
from kg_build.index.encoders.minilm import MiniLMModel
from kg_build.index.encoders.transformers import TransformersModel
from kg_build.index.fresh import fresh_folder
from kg_build.sources.contract import Artefact

MULTILINGUAL: Final = "multilingual"
"""The setting with which English passages have no encoder of their own."""


class Model(Protocol):
    """A model as the build needs it.

    Attributes:
        key: what the settings call it.
        artefacts: files of package registries that it is made from.
    """

    @property
    def key(self) -> str: ...  # noqa: D102

    @property
    def artefacts(self) -> tuple[Artefact, ...]: ...  # noqa: D102

    def unpack(self, files: Mapping[str, Path], folder: Path) -> None:
        """Write to a folder what the encoder reads.

        Args:
            files: for each artefact's project, the file.
            folder: an empty one.

        Raises:
            ClewError: UNREADABLE_SOURCE.
        """
        ...

    def open(self, folder: Path) -> Encoder:
        """The encoder of a folder that `unpack` wrote."""
        ...


@dataclass(frozen=True)
class Prepared:
    """A model that is ready; can be sent to another process.

    Attributes:
        key: what the settings call it.
        folder: what the encoder reads.
        encoder: the encoder.
    """

    key: str
    folder: Path
    encoder: Encoder


MINILM: Final = MiniLMModel()


def find_model(key: str) -> Model | None:
    """The model of a setting, see `ontology.settings.BuildSettings`; None for `multilingual`."""
    if key == MULTILINGUAL:
        return None
    return MINILM if key == MINILM.key else TransformersModel(key)


def prepare(model: Model, cache: Path, index_url: str, data: Sequence[Path], say: Callable[[str], None]) -> Prepared:
    """Have a model ready.

    Args:
        model: which.
        cache: the home's cache.
        index_url: package index that artefacts are downloaded from.
        data: folders with files downloaded by hand.
        say: called with a line per download.

    Raises:
        ClewError: what acquiring and unpacking raise; what opening the encoder raises.
    """
    files = acquire(model.artefacts, cache / "artefacts", index_url=index_url, data=data, progress=say)
    pins = "".join(artefact.sha256 for artefact in model.artefacts)
    folder = cache / "models" / hashlib.sha256(f"{model.key} {pins}".encode()).hexdigest()[:16]
    if not folder.is_dir():
        with fresh_folder(folder) as beside:
            model.unpack(files, beside)
    return Prepared(model.key, folder, model.open(folder))
