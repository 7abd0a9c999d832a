"""Which space a question is searched in, and one list out of two."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kg_build.index.vector import VectorIndex, build_vector_index
from ontology.errors import ClewError, Code
from retrieval.channels.dense import DenseChannel
from retrieval.channels.space import Space

Vectors = NDArray[np.float32]


@dataclass
class Given:
    """An encoder whose vectors are given; it notes what it was asked."""

    name: str
    vectors: dict[str, Sequence[float]]
    dim: int = 3
    asked: list[str] = field(default_factory=list)

    def encode(self, texts: Sequence[str]) -> Vectors:
        return np.array([self.vectors[text] for text in texts], dtype=np.float32).reshape(-1, self.dim)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        return self.encode(texts)


def space(folder: Path, encoder: Given, passages: dict[str, Sequence[float]]) -> Space:
    vectors = np.array(list(passages.values()), dtype=np.float32).reshape(-1, encoder.dim)
    build_vector_index(list(passages), vectors, folder / encoder.name, encoder=encoder.name)
    return Space(VectorIndex(folder / encoder.name), encoder)


QUESTIONS = {"fever": (1.0, 0.0, 0.0), "发热": (1.0, 0.0, 0.0), "fever 发热 头痛": (1.0, 0.0, 0.0)}
ENGLISH = {"en:1": (0.6, 0.8, 0.0), "en:2": (0.1, 0.9, 0.4), "en:3": (0.0, 0.0, 1.0)}
CHINESE = {"zh:1": (0.9, 0.4, 0.0), "zh:2": (0.8, 0.0, 0.6), "zh:3": (0.7, 0.7, 0.0)}


@pytest.fixture
def channel(tmp_path: Path) -> DenseChannel:
    return DenseChannel(
        space(tmp_path, Given("all", dict(QUESTIONS)), {**CHINESE, **dict.fromkeys(ENGLISH, (0.2, 0.1, 0.9))}),
        space(tmp_path, Given("english", dict(QUESTIONS)), ENGLISH),
    )


def asked(channel: DenseChannel) -> tuple[list[str], list[str]]:
    assert channel.english is not None
    assert isinstance(channel.everything.encoder, Given)
    assert isinstance(channel.english.encoder, Given)
    return channel.everything.encoder.asked, channel.english.encoder.asked


def test_an_english_question_is_asked_of_both_and_finds_every_passage_once(channel: DenseChannel) -> None:
    found = channel.search("fever", 99)
    assert sorted(hit.chunk for hit in found) == sorted([*CHINESE, *ENGLISH])
    assert asked(channel) == (["fever"], ["fever"])
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    assert {hit.channel for hit in found} == {"dense"}


@pytest.mark.parametrize("question", ["发热", "fever 发热 头痛"])
def test_a_chinese_question_is_asked_of_the_multilingual_encoder_alone(channel: DenseChannel, question: str) -> None:
    found = channel.search(question, 99)
    assert asked(channel) == ([question], [])
    assert {hit.chunk for hit in found} == {*CHINESE, *ENGLISH}
    assert next(hit.chunk for hit in found) == "zh:1"


def test_scores_of_two_encoders_are_compared_by_their_backgrounds(channel: DenseChannel) -> None:
    # Every Chinese passage is nearer by cosine than the best English one, but that is how its space is.
    assert next(hit.chunk for hit in channel.search("fever", 1)) == "en:1"


def test_where_all_passages_are_english_the_multilingual_encoder_is_not_asked(tmp_path: Path) -> None:
    channel = DenseChannel(
        space(tmp_path, Given("all", dict(QUESTIONS)), ENGLISH), space(tmp_path, Given("english", QUESTIONS), ENGLISH)
    )
    assert {hit.chunk for hit in channel.search("fever", 9)} == {*ENGLISH}
    assert asked(channel) == ([], ["fever"])


def test_without_an_english_space_there_is_one(tmp_path: Path) -> None:
    channel = DenseChannel(space(tmp_path, Given("all", dict(QUESTIONS)), {**CHINESE, **ENGLISH}))
    assert [hit.chunk for hit in channel.search("fever", 2)] == ["zh:1", "zh:2"]


@pytest.mark.parametrize(("question", "limit"), [("", 5), (" \n", 5), ("fever", 0), ("fever", -1)])
def test_nothing_asked_finds_nothing(channel: DenseChannel, question: str, limit: int) -> None:
    assert channel.search(question, limit) == []


def test_an_empty_space_is_searched_too(tmp_path: Path) -> None:
    channel = DenseChannel(
        space(tmp_path, Given("all", dict(QUESTIONS)), {}), space(tmp_path, Given("english", QUESTIONS), {})
    )
    assert channel.search("fever", 5) == channel.search("发热", 5) == []


def test_vectors_of_another_encoder_are_refused(tmp_path: Path) -> None:
    made = space(tmp_path, Given("one", QUESTIONS), ENGLISH)
    with pytest.raises(ClewError) as caught:
        Space(made.index, Given("other", QUESTIONS))
    assert caught.value.code is Code.CORRUPT_RELEASE


@settings(max_examples=15)
@given(st.integers(0, 1000), st.floats(0.1, 0.9), st.floats(-0.5, 0.5))
def test_what_an_encoder_adds_to_all_cosines_or_multiplies_them_by_changes_no_score(
    tmp_path_factory: pytest.TempPathFactory, seed: int, factor: float, shift: float
) -> None:
    random = np.random.default_rng(seed)
    vectors = random.normal(size=(300, 3))
    # The third dimension is the same everywhere: what it adds to a product is the encoder's offset.
    one = {f"x:{i}": (a, b, 1.0) for i, (a, b, _) in enumerate(vectors)}
    query = random.normal(size=3)
    question = {"q": (query[0], query[1], 0.0)}
    other = {"q": (factor * query[0], factor * query[1], shift)}
    folder = tmp_path_factory.mktemp("spaces")
    plain = space(folder, Given("plain", question), one).search("q", 10)
    moved = space(folder, Given("moved", other), one).search("q", 10)
    assert [chunk for chunk, _ in plain] == [chunk for chunk, _ in moved]
    assert np.allclose([score for _, score in plain], [score for _, score in moved], atol=1e-2)


def test_a_passage_picked_at_random_scores_zero(tmp_path: Path) -> None:
    vectors = np.random.default_rng(3).normal(size=(1500, 3))
    made = space(tmp_path, Given("one", QUESTIONS), {f"x:{i}": tuple(v) for i, v in enumerate(vectors)})
    scores = np.array([score for _, score in made.search("fever", 1500)])
    assert abs(scores.mean()) < 0.1
    assert scores.std() == pytest.approx(1, abs=0.1)
