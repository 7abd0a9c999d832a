from pathlib import Path

import pytest

from kg_build.index.encoders.multilingual import MultilingualEncoder
from kg_build.index.text import Passage, TextIndex, build_text_index
from kg_build.index.vector import VectorIndex, build_vector_index
from ontology.errors import ClewError, Code
from retrieval.channels.dense import DenseChannel
from retrieval.channels.lexical import LexicalChannel
from retrieval.channels.space import Space

PASSAGES = {
    "x:1#0": "Persistently high blood pressure.",
    "x:2#0": "Inflammation of a joint by crystals of uric acid.",
    "x:3#0": "骨折后肢体疼痛、肿胀。",
}


@pytest.fixture(scope="module")
def encoder() -> MultilingualEncoder:
    return MultilingualEncoder()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, encoder: MultilingualEncoder) -> Path:
    folder = tmp_path_factory.mktemp("derived")
    build_text_index([Passage(chunk, "", "", text) for chunk, text in PASSAGES.items()], folder / "text")
    vectors = encoder.encode(list(PASSAGES.values()))
    build_vector_index(list(PASSAGES), vectors, folder / "vectors", encoder=encoder.name)
    return folder


def test_the_lexical_channel_finds_shared_words_only(folder: Path) -> None:
    channel = LexicalChannel(TextIndex(folder / "text"))
    assert [(hit.chunk, hit.channel) for hit in channel.search("joints", 5)] == [("x:2#0", "lexical")]
    assert [hit.chunk for hit in channel.search("骨折", 5)] == ["x:3#0"]
    assert channel.search("高血压", 5) == []


def test_the_dense_channel_crosses_languages(folder: Path, encoder: MultilingualEncoder) -> None:
    channel = DenseChannel(Space(VectorIndex(folder / "vectors"), encoder))
    assert [(hit.chunk, hit.channel) for hit in channel.search("高血压", 1)] == [("x:1#0", "dense")]
    assert channel.search("broken bone with swelling", 1)[0].chunk == "x:3#0"
    assert channel.search("  ", 5) == []


def test_vectors_of_another_encoder_are_refused(tmp_path: Path, encoder: MultilingualEncoder) -> None:
    build_vector_index(["a"], encoder.encode(["a"]), tmp_path / "v", encoder="another 1.0")
    with pytest.raises(ClewError) as caught:
        Space(VectorIndex(tmp_path / "v"), encoder)
    assert caught.value.code is Code.CORRUPT_RELEASE
