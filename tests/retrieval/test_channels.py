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
    assert [(hit.chunk, hit.channel) for hit in channel.ask(["joints"]).best(5)] == [("x:2#0", "lexical")]
    assert [hit.chunk for hit in channel.ask(["骨折"]).best(5)] == ["x:3#0"]
    assert channel.ask(["高血压"]).best(5) == []


def test_a_lexical_score_is_a_share_of_what_no_passage_reaches(folder: Path) -> None:
    channel = LexicalChannel(TextIndex(folder / "text"))
    half, whole = (channel.ask([wording]).best(1)[0] for wording in ("joint zzz", "joint inflammation"))
    assert half.chunk == whole.chunk == "x:2#0"
    assert 0 < half.score < whole.score < 1


def test_a_name_in_the_other_language_counts_as_much_as_the_words_it_stands_for(folder: Path) -> None:
    channel = LexicalChannel(TextIndex(folder / "text"))
    whole, part = (channel.ask([text], {"joint": "骨折"}) for text in ("joint", "joint of unheard names"))
    own = channel.ask(["骨折"]).scores(["x:3#0"])["x:3#0"]
    assert {hit.chunk for hit in whole.best(5)} == {"x:2#0", "x:3#0"}
    assert whole.scores(["x:3#0"])["x:3#0"] == pytest.approx(own)
    assert 0 < part.scores(["x:3#0"])["x:3#0"] < own
    assert whole.scores(["x:2#0"]) == channel.ask(["joint"]).scores(["x:2#0"])


def test_a_wording_that_says_nothing_is_not_searched_for_its_names(folder: Path) -> None:
    assert LexicalChannel(TextIndex(folder / "text")).ask(["what is the"], {"the": "骨折"}).best(5) == []


def test_of_several_wordings_the_one_that_fits_a_passage_best_counts(folder: Path) -> None:
    channel = LexicalChannel(TextIndex(folder / "text"))
    wordings = ["joint crystals", "骨折 疼痛", "joint zzz"]
    alone = [channel.ask([wording]).scores(PASSAGES) for wording in wordings]
    together = channel.ask(wordings)
    assert together.scores(PASSAGES) == {
        chunk: max(scores.get(chunk, 0.0) for scores in alone) for chunk in ("x:2#0", "x:3#0")
    }
    assert [hit.score for hit in together.best(5)] == sorted(together.scores(PASSAGES).values(), reverse=True)


@pytest.mark.parametrize("wordings", [[], [""], ["的"]])
def test_nothing_asked_has_no_scores(folder: Path, wordings: list[str]) -> None:
    asked = LexicalChannel(TextIndex(folder / "text")).ask(wordings)
    assert (asked.best(5), asked.scores(PASSAGES)) == ([], {})


def test_the_dense_channel_crosses_languages(folder: Path, encoder: MultilingualEncoder) -> None:
    channel = DenseChannel(Space(VectorIndex(folder / "vectors"), encoder))
    assert [(hit.chunk, hit.channel) for hit in channel.ask(["高血压"]).best(1)] == [("x:1#0", "dense")]
    assert channel.ask(["broken bone with swelling"]).best(1)[0].chunk == "x:3#0"
    assert channel.ask(["  "]).best(5) == []


def test_vectors_of_another_encoder_are_refused(tmp_path: Path, encoder: MultilingualEncoder) -> None:
    build_vector_index(["a"], encoder.encode(["a"]), tmp_path / "v", encoder="another 1.0")
    with pytest.raises(ClewError) as caught:
        Space(VectorIndex(tmp_path / "v"), encoder)
    assert caught.value.code is Code.CORRUPT_RELEASE
