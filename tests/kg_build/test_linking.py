"""However the work is dealt out, dictionary and mentions are the same."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kg_build import linking
from kg_build.linking import Workers, link_passages, linking_workers, making_terms
from kg_build.release import Release, open_release, values


@pytest.fixture(scope="module")
def release(miniature_home: Path) -> Release:
    return open_release(miniature_home)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def workers(release: Release, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workers]:
    monkeypatch.setattr(linking, "BESIDE_FROM", 0)
    with linking_workers(1, release.table("chunk")) as found:
        assert found is not None
        yield found


def test_little_work_is_done_in_this_process(release: Release) -> None:
    with linking_workers(1, release.table("chunk")) as found:
        assert found is None


def test_a_dictionary_made_beside_is_the_one_made_here(release: Release, tmp_path: Path, workers: Workers) -> None:
    entity, name = release.table("entity"), release.table("name")
    with making_terms(entity, name, tmp_path / "here", None):
        pass
    with making_terms(entity, name, tmp_path / "beside", workers):
        assert not (tmp_path / "beside" / "terminology.json").exists()  # it takes a while: this goes on meanwhile
    assert files(tmp_path / "beside") == files(tmp_path / "here") == files(release.derived("terms"))


def test_an_error_beside_reaches_the_build(release: Release, tmp_path: Path, workers: Workers) -> None:
    (tmp_path / "file").write_text("in the way")
    with (
        pytest.raises(OSError, match="file"),
        making_terms(release.table("entity"), release.table("name"), tmp_path / "file" / "terms", workers),
    ):
        pass


def test_mentions_found_by_two_processes_are_those_found_by_one(
    release: Release, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    chunk, document = release.table("chunk"), release.table("document")
    known, terms = values(release.table("entity"), "id"), release.derived("terms")
    alone = link_passages(chunk, document, known, terms)
    monkeypatch.setattr(linking, "BATCH", 2)
    dealt_out = link_passages(chunk, document, known, terms, workers)
    assert alone.num_rows
    keys = [(name, "ascending") for name in alone.column_names]
    assert dealt_out.sort_by(keys).equals(alone.sort_by(keys))
