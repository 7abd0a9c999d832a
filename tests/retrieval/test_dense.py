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
@given(st.integers(0, 1000), st.floats(0.1, 0.9), st.floats(0.1, 10.0))
def test_what_an_encoder_adds_to_all_cosines_adds_nothing_and_lengths_do_not_matter(
    tmp_path_factory: pytest.TempPathFactory, seed: int, share: float, length: float
) -> None:
    random, folder = np.random.default_rng(seed), tmp_path_factory.mktemp("spaces")
    flat = random.normal(size=(300, 2))
    flat /= np.linalg.norm(flat, axis=1, keepdims=True)
    rest = (1 - share**2) ** 0.5  # of every vector lies in a direction that all have in common
    plain = space(folder, Given("plain", {"q": (1, 0, 0)}), {f"x:{i}": (*p, 0.0) for i, p in enumerate(flat)})
    moved = {f"x:{i}": tuple(length * np.array([*(share * p), rest])) for i, p in enumerate(flat)}
    other = space(folder, Given("moved", {"q": (length * share, 0, length * rest)}), moved)
    expected = [share**2 * score for _, score in plain.search("q", 10)]
    assert [score for _, score in other.search("q", 10)] == pytest.approx(expected, abs=0.02)


def test_a_passage_picked_at_random_scores_zero(tmp_path: Path) -> None:
    vectors = np.random.default_rng(3).normal(1, 1, size=(1500, 3))
    made = space(tmp_path, Given("one", QUESTIONS), {f"x:{i}": tuple(v) for i, v in enumerate(vectors)})
    scores = np.array([score for _, score in made.search("fever", 1500)])
    assert len(scores) == 1500
    assert abs(scores.mean()) < 0.03
