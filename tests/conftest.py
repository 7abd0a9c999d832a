"""Releases that tests share: a miniature, built once, and the default one where the environment names it."""

import os
from pathlib import Path

import pytest

from kg_build.release import open_release
from tests.miniature import build_miniature
from tests.model import write_model


@pytest.fixture(scope="session")
def miniature_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a release of the miniature sources; only for reading."""
    home = tmp_path_factory.mktemp("miniature")
    build_miniature(home)
    return home


@pytest.fixture(scope="session")
def english_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, where English passages have an encoder of their own; only for reading."""
    home = tmp_path_factory.mktemp("english")
    build_miniature(home, english=write_model(home / "miniature"))
    return home


@pytest.fixture(scope="session")
def default_home() -> Path:
    """A home with a release built from the default sources; use together with the marker `release`."""
    named = os.environ.get("CLEW_TEST_HOME")
    if not named:
        pytest.skip("CLEW_TEST_HOME does not name a home with a built default release")
    home = Path(named)
    open_release(home)  # a home that was promised and cannot be opened fails the tests; it does not skip them
    return home
