from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kg_build.index import vector as module
from kg_build.index.vector import VectorIndex, build_vector_index, update_vector_index
from ontology.errors import ClewError, Code


def unit(count: int, dim: int, seed: int = 0) -> NDArray[np.float32]:
    vectors = np.random.default_rng(seed).normal(size=(count, dim))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@settings(max_examples=20)
@given(st.integers(1, 40), st.integers(0, 1000))
def test_every_vector_is_its_own_nearest(tmp_path_factory: pytest.TempPathFactory, count: int, seed: int) -> None:
    vectors, folder = unit(count, 32, seed), tmp_path_factory.mktemp("vec") / "v"
    ids = [f"x:{i}" for i in range(count)]
    build_vector_index(ids, vectors, folder, encoder="e 1")
    index = VectorIndex(folder)
    for name, vector in zip(ids, vectors, strict=True):
        (best, product), *_ = index.search(vector, 3)
        assert best == name
        assert product == pytest.approx(1, abs=0.05)


def test_scores_are_close_to_the_exact_inner_products(tmp_path: Path) -> None:
    vectors = unit(500, 64)
    build_vector_index([str(i) for i in range(500)], vectors, tmp_path / "v", encoder="e 1")
    for name, product in VectorIndex(tmp_path / "v").search(vectors[7], 10):
        assert product == pytest.approx(float(vectors[7] @ vectors[int(name)]), abs=0.02)


def test_the_limit_may_exceed_the_rows_and_may_be_zero(tmp_path: Path) -> None:
    build_vector_index(["中:1", "x:2"], unit(2, 8), tmp_path / "v", encoder="e 1")
    index = VectorIndex(tmp_path / "v")
    assert {name for name, _ in index.search(unit(1, 8)[0], 99)} == {"中:1", "x:2"}
    assert index.search(unit(1, 8)[0], 0) == []
    assert index.encoder == "e 1"


def test_equal_products_are_ordered_by_row(tmp_path: Path) -> None:
    vectors = np.repeat(unit(1, 8), 3, axis=0)
    build_vector_index(["c", "a", "b"], vectors, tmp_path / "v", encoder="e 1")
    assert [name for name, _ in VectorIndex(tmp_path / "v").search(vectors[0], 3)] == ["c", "a", "b"]


def test_an_index_of_nothing_is_an_index(tmp_path: Path) -> None:
    build_vector_index([], np.empty((0, 8), dtype=np.float32), tmp_path / "v", encoder="e 1")
    assert VectorIndex(tmp_path / "v").search(unit(1, 8)[0], 5) == []


def test_a_query_of_another_dimension_is_refused(tmp_path: Path) -> None:
    build_vector_index(["a"], unit(1, 8), tmp_path / "v", encoder="e 1")
    with pytest.raises(ClewError) as caught:
        VectorIndex(tmp_path / "v").search(unit(1, 9)[0], 1)
    assert caught.value.code is Code.BAD_INPUT


def test_ids_and_vectors_have_to_agree(tmp_path: Path) -> None:
    with pytest.raises(ClewError) as caught:
        build_vector_index(["a"], unit(2, 8), tmp_path / "v", encoder="e 1")
    assert caught.value.code is Code.BAD_INPUT


@pytest.mark.parametrize("damage", ["rows.json", "vectors.faiss"])
def test_a_damaged_index_is_a_corrupt_release(tmp_path: Path, damage: str) -> None:
    build_vector_index(["a"], unit(1, 8), tmp_path / "v", encoder="e 1")
    (tmp_path / "v" / damage).write_bytes(b"\x00")
    with pytest.raises(ClewError) as caught:
        VectorIndex(tmp_path / "v")
    assert caught.value.code is Code.CORRUPT_RELEASE


@settings(max_examples=20)
@given(st.integers(0, 20), st.sets(st.integers(0, 19)), st.integers(0, 5))
def test_an_updated_index_has_the_rows_that_stayed_and_came(
    tmp_path_factory: pytest.TempPathFactory, count: int, gone: set[int], come: int
) -> None:
    folder = tmp_path_factory.mktemp("vec")
    old, new = unit(count, 32), unit(come, 32, seed=1)
    build_vector_index([f"x:{i}" for i in range(count)], old, folder / "one", encoder="e 1")
    added = [f"新:{i}" for i in range(come)]
    update_vector_index(folder / "one", folder / "two", {f"x:{i}" for i in gone}, added, new)
    index = VectorIndex(folder / "two")
    stays = [i for i in range(count) if i not in gone]
    assert index.ids == [*(f"x:{i}" for i in stays), *added]
    assert index.encoder == "e 1"
    for i in stays:
        assert index.search(old[i], 1)[0][0] == f"x:{i}"
    assert len(VectorIndex(folder / "one")) == count


def clustered(count: int, dim: int, clusters: int, seed: int = 0) -> NDArray[np.float32]:
    random = np.random.default_rng(seed)
    vectors = unit(clusters, dim, seed)[random.integers(clusters, size=count)] + random.normal(0, 0.02, (count, dim))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def built(vectors: NDArray[np.float32], folder: Path) -> VectorIndex:
    build_vector_index([f"x:{i}" for i in range(len(vectors))], vectors, folder, encoder="e 1")
    return VectorIndex(folder)


def test_a_search_among_some_rows_finds_the_best_of_these(tmp_path: Path) -> None:
    vectors = unit(200, 32)
    index = built(vectors, tmp_path / "v")
    among = np.arange(0, 200, 7)
    found = index.search(vectors[1], 5, among)
    order = among[np.argsort(-(vectors[among] @ vectors[1]))]
    assert [name for name, _ in found] == [f"x:{i}" for i in order[:5]]
    assert index.search(vectors[1], 5, among[:0]) == []
    assert len(index.search(vectors[1], 99, among)) == len(among)


def test_the_recall_is_measured_and_kept(tmp_path: Path) -> None:
    index = built(unit(500, 64), tmp_path / "v")
    assert index.recall is not None
    assert 0.9 < index.recall <= 1
    assert built(np.empty((0, 8), dtype=np.float32), tmp_path / "w").recall == 1


@pytest.fixture
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few rows are many here."""
    monkeypatch.setattr(module, "FLAT_UP_TO", 1000)


@pytest.mark.usefixtures("many")
def test_many_rows_are_sorted_into_cells_where_that_finds_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LEAST_RECALL", 0.9)
    vectors = clustered(4000, 32, 20)
    index = built(vectors, tmp_path / "v")
    assert module._has_cells(index._index)
    assert index.recall is not None
    assert index.recall >= 0.9
    assert index.search(vectors[5], 1)[0][0] == "x:5"
    assert np.allclose(index.stored(np.array([5, 3999])), vectors[[5, 3999]], atol=0.02)
    among = np.arange(0, 4000, 2)
    assert {int(name[2:]) % 2 for name, _ in index.search(vectors[6], 20, among)} == {0}


@pytest.mark.usefixtures("many")
def test_many_rows_stay_flat_where_cells_find_too_little(tmp_path: Path) -> None:
    index = built(unit(4000, 64), tmp_path / "v")  # without any clusters, cells are blind
    assert not module._has_cells(index._index)
    assert index.recall is not None


def test_up_to_the_limit_nobody_tries_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LEAST_RECALL", 0.0)
    assert not module._has_cells(built(unit(1500, 16), tmp_path / "v")._index)


@pytest.mark.usefixtures("many")
def test_an_index_with_cells_is_updated_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LEAST_RECALL", 0.9)
    vectors, new = clustered(4000, 32, 20), clustered(3, 32, 3, seed=9)
    built(vectors, tmp_path / "one")
    update_vector_index(tmp_path / "one", tmp_path / "two", {"x:5", "x:7"}, ["新:0", "新:1", "新:2"], new)
    update_vector_index(tmp_path / "two", tmp_path / "three", {"新:1"}, [], new[:0])
    index = VectorIndex(tmp_path / "three")
    assert len(index) == 4000
    assert index.search(vectors[6], 1)[0][0] == "x:6"
    assert index.search(new[2], 1)[0][0] == "新:2"
    found = {name for row in (vectors[5], vectors[7], new[1]) for name, _ in index.search(row, 4000)}
    assert not found & {"x:5", "x:7", "新:1", ""}
