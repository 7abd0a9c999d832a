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
from retrieval.channels.space import AskedSpace, Space

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
    found = channel.ask(["fever"]).best(99)
    assert sorted(hit.chunk for hit in found) == sorted([*CHINESE, *ENGLISH])
    assert asked(channel) == (["fever"], ["fever"])
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    assert {hit.channel for hit in found} == {"dense"}


@pytest.mark.parametrize("question", ["发热", "fever 发热 头痛"])
def test_a_chinese_question_is_asked_of_the_multilingual_encoder_alone(channel: DenseChannel, question: str) -> None:
    found = channel.ask([question]).best(99)
    assert asked(channel) == ([question], [])
    assert {hit.chunk for hit in found} == {*CHINESE, *ENGLISH}
    assert next(hit.chunk for hit in found) == "zh:1"


def test_scores_of_two_encoders_are_compared_by_their_backgrounds(channel: DenseChannel) -> None:
    # Every Chinese passage is nearer by cosine than the best English one, but that is how its space is.
    assert next(hit.chunk for hit in channel.ask(["fever"]).best(1)) == "en:1"


def test_where_all_passages_are_english_the_multilingual_encoder_is_not_asked(tmp_path: Path) -> None:
    channel = DenseChannel(
        space(tmp_path, Given("all", dict(QUESTIONS)), ENGLISH), space(tmp_path, Given("english", QUESTIONS), ENGLISH)
    )
    assert {hit.chunk for hit in channel.ask(["fever"]).best(9)} == {*ENGLISH}
    assert asked(channel) == ([], ["fever"])


def test_without_an_english_space_there_is_one(tmp_path: Path) -> None:
    channel = DenseChannel(space(tmp_path, Given("all", dict(QUESTIONS)), {**CHINESE, **ENGLISH}))
    assert [hit.chunk for hit in channel.ask(["fever"]).best(2)] == ["zh:1", "zh:2"]


@pytest.mark.parametrize(("question", "limit"), [("", 5), (" \n", 5), ("fever", 0), ("fever", -1)])
def test_nothing_asked_finds_nothing(channel: DenseChannel, question: str, limit: int) -> None:
    assert channel.ask([question]).best(limit) == []


def test_an_empty_space_is_searched_too(tmp_path: Path) -> None:
    channel = DenseChannel(
        space(tmp_path, Given("all", dict(QUESTIONS)), {}), space(tmp_path, Given("english", QUESTIONS), {})
    )
    assert channel.ask(["fever"]).best(5) == channel.ask(["发热"]).best(5) == []


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
    expected = [share**2 * score for _, score in plain.ask(["q"]).best(10).items()]
    assert [score for _, score in other.ask(["q"]).best(10).items()] == pytest.approx(expected, abs=0.02)


def test_a_passage_picked_at_random_scores_zero(tmp_path: Path) -> None:
    vectors = np.random.default_rng(3).normal(1, 1, size=(1500, 3))
    made = space(tmp_path, Given("one", QUESTIONS), {f"x:{i}": tuple(v) for i, v in enumerate(vectors)})
    scores = np.array([score for _, score in made.ask(["fever"]).best(1500).items()])
    assert len(scores) == 1500
    assert abs(scores.mean()) < 0.03


def feverish(folder: Path, passages: dict[str, Sequence[float]] = CHINESE) -> Space:
    return space(folder, Given("all", dict(QUESTIONS) | {"cough": (0.0, 1.0, 0.0)}), passages)


def test_given_passages_have_the_scores_that_they_are_found_with(channel: DenseChannel) -> None:
    asked_channel = channel.ask(["fever"])
    found = {hit.chunk: hit.score for hit in asked_channel.best(99)}
    assert asked_channel.scores([*CHINESE, *ENGLISH, "nowhere#0"]) == pytest.approx(found, abs=1e-5)
    assert asked_channel.scores(["zh:2"]) == pytest.approx({"zh:2": found["zh:2"]}, abs=1e-5)
    assert asked_channel.scores([]) == asked_channel.scores(["nowhere#0"]) == {}


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.integers(1, 40), st.integers(1, 3))
def test_scores_equal_those_of_the_search_in_any_space(
    tmp_path_factory: pytest.TempPathFactory, seed: int, count: int, wordings: int
) -> None:
    random = np.random.default_rng(seed)
    vectors = random.normal(size=(count, 3))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    questions = {f"q{i}": tuple(random.normal(size=3)) for i in range(wordings)}
    made = space(
        tmp_path_factory.mktemp("s"), Given("one", questions), {f"x:{i}": tuple(v) for i, v in enumerate(vectors)}
    )
    found = made.ask(list(questions))
    assert found.scores([f"x:{i}" for i in range(count)]) == pytest.approx(found.best(count), abs=1e-4)


def test_of_several_wordings_the_one_that_fits_a_passage_best_counts(tmp_path: Path) -> None:
    made = feverish(tmp_path)
    fever, cough = (made.ask([wording]).scores(CHINESE) for wording in ("fever", "cough"))
    assert made.ask(["fever", "cough"]).scores(CHINESE) == {c: max(fever[c], cough[c]) for c in CHINESE}


def nearness(asked_space: AskedSpace, passage: Sequence[float]) -> float:
    (vector,) = asked_space.vectors
    return float(vector @ np.array(passage) / np.linalg.norm(vector) / np.linalg.norm(passage))


@pytest.mark.parametrize("chunk", sorted(CHINESE))
def test_a_question_moves_nearer_to_what_it_is_moved_towards(tmp_path: Path, chunk: str) -> None:
    asked_space = feverish(tmp_path).ask(["cough"])
    steps = [nearness(asked_space.towards([chunk], share), CHINESE[chunk]) for share in (0.0, 0.5, 1.0, 5.0)]
    assert steps == sorted(steps)
    assert steps[0] < steps[1]
    assert steps[0] == pytest.approx(nearness(asked_space, CHINESE[chunk]))


def test_several_passages_pull_towards_their_middle(tmp_path: Path) -> None:
    asked_space = feverish(tmp_path).ask(["cough"])
    middle = np.mean([np.array(v) / np.linalg.norm(v) for v in (CHINESE["zh:1"], CHINESE["zh:2"])], axis=0)
    assert nearness(asked_space.towards(["zh:1", "zh:2"], 5.0), middle) > nearness(asked_space, middle)


def test_passages_that_are_not_in_the_space_move_nothing(tmp_path: Path) -> None:
    asked_space = feverish(tmp_path).ask(["fever"])
    assert asked_space.towards(["nowhere#0"], 1.0) is asked_space
    assert asked_space.towards([], 1.0) is asked_space
    moved, alone = (asked_space.towards(chunks, 1.0) for chunks in (["zh:2", "nowhere#0"], ["zh:2"]))
    assert moved.vectors.tolist() == alone.vectors.tolist()


def test_a_passage_moves_the_question_in_its_own_space_only(channel: DenseChannel) -> None:
    before = channel.ask(["fever"])
    after = before.towards(["zh:2"], 1.0)
    english, others = after.spaces
    assert english is before.spaces[0]
    assert others.vectors.tolist() != before.spaces[1].vectors.tolist()


@pytest.mark.parametrize("passages", [{"nought": (0.0, 0.0, 0.0)}, {"nought": (0.0, 0.0, 0.0), "one": (1.0, 0.0, 0.0)}])
def test_vectors_without_a_direction_move_nothing_and_are_no_error(
    tmp_path: Path, passages: dict[str, Sequence[float]]
) -> None:
    made = space(tmp_path, Given("all", {"q": (0.0, 0.0, 0.0)}), passages)
    scores = made.ask(["q"]).towards(list(passages), 1.0).scores(passages)
    assert np.isfinite(list(scores.values())).all()


def test_every_wording_moves(tmp_path: Path) -> None:
    asked_space = feverish(tmp_path).ask(["fever", "cough"]).towards(["zh:2"], 1.0)
    assert asked_space.vectors.shape == (2, 3)
    assert np.linalg.norm(asked_space.vectors, axis=1) == pytest.approx([1, 1])
