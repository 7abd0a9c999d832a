"""However the work is dealt out, dictionary and mentions are the same."""

from pathlib import Path

import pytest

from kg_build import linking
from kg_build.linking import link_passages, making_terms
from kg_build.release import Release, open_release, values


@pytest.fixture(scope="module")
def release(miniature_home: Path) -> Release:
    return open_release(miniature_home)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_dictionary_made_beside_is_the_one_made_here(
    release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entity, name = release.table("entity"), release.table("name")
    with making_terms(entity, name, tmp_path / "here"):
        pass
    monkeypatch.setattr(linking, "BESIDE_FROM", 0)
    with making_terms(entity, name, tmp_path / "beside"):
        assert not (tmp_path / "beside" / "terminology.json").exists()  # it takes a while: this goes on meanwhile
    assert files(tmp_path / "beside") == files(tmp_path / "here") == files(release.derived("terms"))


def test_an_error_beside_reaches_the_build(release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking, "BESIDE_FROM", 0)
    (tmp_path / "file").write_text("in the way")
    with (
        pytest.raises(OSError, match="file"),
        making_terms(release.table("entity"), release.table("name"), tmp_path / "file" / "terms"),
    ):
        pass


def test_mentions_found_by_two_processes_are_those_found_by_one(
    release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    chunk, document = release.table("chunk"), release.table("document")
    known, terms = values(release.table("entity"), "id"), release.derived("terms")
    alone = link_passages(chunk, document, known, terms)
    monkeypatch.setattr(linking, "WORKERS_FROM", 0)
    monkeypatch.setattr(linking, "BATCH", 2)
    dealt_out = link_passages(chunk, document, known, terms)
    assert alone.num_rows
    keys = [(name, "ascending") for name in alone.column_names]
    assert dealt_out.sort_by(keys).equals(alone.sort_by(keys))
