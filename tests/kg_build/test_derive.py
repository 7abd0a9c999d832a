"""What is derived from the tables, in this process or beside the store in another one."""

import shutil
from pathlib import Path

import pytest

from kg_build import derive as module
from kg_build.clock import Clock
from kg_build.derive import DERIVED, VECTORS, derive
from kg_build.index.vector import VectorIndex
from kg_build.release import Release, open_release, values


@pytest.fixture
def bare(miniature_home: Path, tmp_path: Path) -> Release:
    """The tables of the miniature, with nothing derived from them."""
    shutil.copytree(open_release(miniature_home).path / "tables", tmp_path / "release" / "tables")
    (tmp_path / "release" / "derived").mkdir()
    return Release(tmp_path / "release")


def derived(release: Release, cache: Path) -> set[str]:
    folder = release.path / "derived"
    derive(DERIVED, release.tables, folder, cache, lambda _: None, Clock())
    return {path.name for path in folder.iterdir()}


def test_vectors_are_made_beside_only_when_none_is_left_to_encode(
    bare: Release, miniature_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BESIDE_FROM", 0)
    assert derived(bare, tmp_path / "empty") == set(DERIVED)
    shutil.rmtree(bare.path / "derived")
    (bare.path / "derived").mkdir()
    assert derived(bare, miniature_home / "cache") == {*DERIVED, VECTORS}
    made = VectorIndex(bare.derived(VECTORS)).ids
    assert sorted(made) == sorted(values(bare.table("chunk"), "id"))


def test_one_process_makes_the_same_parts(bare: Release, miniature_home: Path) -> None:
    assert derived(bare, miniature_home / "cache") == set(DERIVED)
    known = open_release(miniature_home).derived("matrix")
    assert {p.name: p.read_bytes() for p in bare.derived("matrix").iterdir()} == {
        p.name: p.read_bytes() for p in known.iterdir()
    }
