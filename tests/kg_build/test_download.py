import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from kg_build import download
from kg_build.download import fetch, is_address
from ontology.errors import ClewError, Code
from tests.serving import serving

NAMES = ("table.tsv", "table.tsv.gz", "表.tsv")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What is served."""
    (tmp_path / "served").mkdir()
    return tmp_path / "served"


@pytest.fixture
def server(folder: Path) -> Iterator[tuple[str, list[int]]]:
    """Its address, and what was answered."""
    with serving(folder) as found:
        yield found


@pytest.fixture
def address(server: tuple[str, list[int]]) -> str:
    return server[0]


def silent(_: str) -> None:
    pass


def test_an_address_is_told_from_a_folder() -> None:
    assert is_address("https://example.org/table.tsv")
    assert not is_address("data/https")
    assert not is_address("C:\\data")


def test_a_file_is_kept_as_it_is_published(folder: Path, address: str, tmp_path: Path) -> None:
    content = gzip.compress(b"a\tb\n")
    (folder / "table.tsv.gz").write_bytes(content)
    found = fetch(f"{address}/table.tsv.gz?version=2", tmp_path / "cache", NAMES, silent)
    assert (found / "table.tsv.gz").read_bytes() == content
    (folder / "表.tsv").write_bytes(b"c")
    found = fetch(f"{address}/%E8%A1%A8.tsv", tmp_path / "cache", NAMES, silent)
    assert (found / "表.tsv").read_bytes() == b"c"


def test_a_file_that_is_looked_for_in_a_folder_is_put_in_one(folder: Path, address: str, tmp_path: Path) -> None:
    (folder / "docs.jsonl").write_bytes(b"{}")
    found = fetch(f"{address}/docs.jsonl", tmp_path, ("medquad/docs.jsonl", "table.tsv"), silent)
    assert (found / "medquad" / "docs.jsonl").read_bytes() == b"{}"


def test_a_file_that_has_not_changed_is_not_sent_again(
    folder: Path, server: tuple[str, list[int]], tmp_path: Path
) -> None:
    address, answers = server
    (folder / "table.tsv").write_bytes(b"one")
    for _ in range(2):
        found = fetch(f"{address}/table.tsv", tmp_path, NAMES, silent)
    assert answers == [200, 304]
    assert (found / "table.tsv").read_bytes() == b"one"


def test_without_the_server_the_copy_that_is_there_serves(folder: Path, address: str, tmp_path: Path) -> None:
    (folder / "table.tsv").write_bytes(b"one")
    fetch(f"{address}/table.tsv", tmp_path, NAMES, silent)
    (folder / "table.tsv").unlink()
    said: list[str] = []
    found = fetch(f"{address}/table.tsv", tmp_path, NAMES, said.append)
    assert (found / "table.tsv").read_bytes() == b"one"
    assert "earlier build" in said[0]


@pytest.mark.parametrize("name", ["other.tsv", "", "..%2Ftable.tsv", "%2e%2e/passwd"])
def test_a_name_that_no_source_reads_is_refused_before_anything_is_asked(
    server: tuple[str, list[int]], tmp_path: Path, name: str
) -> None:
    address, answers = server
    with pytest.raises(ClewError) as caught:
        fetch(f"{address}/{name}", tmp_path / "cache", ("known.tsv",), silent)
    assert caught.value.code is Code.BAD_INPUT
    assert list(caught.value.choices) == ["known.tsv"]
    assert not answers
    assert not (tmp_path / "cache").exists()


def test_a_missing_or_endless_file_is_an_error_and_leaves_nothing(
    folder: Path, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "LARGEST", 10)
    (folder / "table.tsv.gz").write_bytes(b"x" * 11)
    for name in ("table.tsv", "table.tsv.gz"):
        with pytest.raises(ClewError) as caught:
            fetch(f"{address}/{name}", tmp_path / "cache", NAMES, silent)
        assert caught.value.code is Code.UNREACHABLE_ARTEFACT
        assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
