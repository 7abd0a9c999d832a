"""`clew build` with files that a user has: folders, addresses, builds that were interrupted."""

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kg_build.order import Order, kept_order
from tests.serving import serving

PROGRAM = str(Path(sys.executable).with_name("clew"))
GOUT = {
    "id": "ngc-12", "title": "Gout in adults", "year": 2016, "lang": "en",
    "fields": {"Major Recommendations": "Offer urate lowering after two flares."},
}  # fmt: skip

Build = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A folder with documents of the user."""
    folder = tmp_path / "own" / "documents"
    folder.mkdir(parents=True)
    (folder / "痛风.md").write_text("# 痛风门诊\n\n询问秋水仙碱的用法。\n", encoding="utf-8")
    return folder.parent


@pytest.fixture
def clew(tmp_path: Path) -> Build:
    """Runs the program with a home of its own, where no model has to be downloaded."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "clew.toml").write_text('[build]\npassages = "multilingual"\n', encoding="utf-8")
    environment = {**os.environ, "CLEW_HOME": str(tmp_path / "home")}

    def call(*arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(  # noqa: S603 - our own program
            [PROGRAM, *arguments], env=environment, capture_output=True, text=True, check=False
        )

    return call


def test_files_come_from_an_address_and_from_folders(clew: Build, own: Path, tmp_path: Path) -> None:
    (tmp_path / "served").mkdir()
    (tmp_path / "served" / "ngc_open.jsonl.gz").write_bytes(gzip.compress(json.dumps(GOUT).encode()))
    build = ["build", "--source", "ngc", "--source", "documents", "--data", str(own), "--json"]
    with serving(tmp_path / "served") as (address, answers):
        first = clew(*build, "--data", f"{address}/ngc_open.jsonl.gz")
        assert first.returncode == 0, first.stderr
        again = json.loads(clew(*build, "--data", f"{address}/ngc_open.jsonl.gz").stdout)
    assert answers == [200, 304]
    assert again["up_to_date"]
    assert json.loads(first.stdout)["release"] == again["release"]
    for word, document in (("urate", "ngc:12"), ("秋水仙碱", "documents:痛风.md")):
        best = json.loads(clew("search", word, "--json").stdout)["passages"][0]
        assert best["document"] == document


def test_an_interrupted_build_is_gone_on_with_as_it_was_ordered(clew: Build, own: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    with pytest.raises(KeyboardInterrupt), kept_order(home, Order(("documents",), (str(own),))):
        raise KeyboardInterrupt
    assert clew("build", "--resume", "--json").returncode == 0
    status = json.loads(clew("status", "--json").stdout)
    assert set(status["sources"]) == {"documents", "clew"}
    assert not (home / "building.json").exists()


@pytest.mark.parametrize("place", ["nowhere", "ftp://example.org/table.tsv", "http://127.0.0.1:9/unknown.bin"])
def test_a_place_that_cannot_be_read_is_named_and_nothing_is_built(clew: Build, tmp_path: Path, place: str) -> None:
    ended = clew("build", "--source", "documents", "--data", place)
    assert ended.returncode == 2
    assert place in ended.stderr
    assert not (tmp_path / "home" / "releases").exists()
