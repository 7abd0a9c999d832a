"""Settings: where values come from, and what is refused."""

from pathlib import Path

import pytest

from ontology.errors import ClewError, Code
from ontology.settings import Settings, default_home, load_settings


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    return home, work


def refusal(home: Path, work: Path) -> ClewError:
    with pytest.raises(ClewError) as caught:
        load_settings(home, work)
    assert caught.value.code is Code.BAD_SETTINGS
    return caught.value


def test_without_a_file_every_value_is_the_default(folders: tuple[Path, Path]) -> None:
    loaded = load_settings(*folders)
    assert loaded.values == Settings()
    assert set(loaded.provenance.values()) == {"default"}


def test_the_working_directory_wins_over_home_and_home_over_the_default(folders: tuple[Path, Path]) -> None:
    home, work = folders
    (home / "clew.toml").write_text('[cypher]\nseconds = 3\nrows = 7\n[build]\nsources = ["hpo"]\n')
    (work / "clew.toml").write_text("[cypher]\nrows = 9\n")
    loaded = load_settings(home, work)
    assert (loaded.values.cypher.seconds, loaded.values.cypher.rows) == (3.0, 9)
    assert loaded.provenance == {
        "build.sources": str(home / "clew.toml"),
        "build.index_url": "default",
        "build.keep_releases": "default",
        "build.passages": "default",
        "cypher.seconds": str(home / "clew.toml"),
        "cypher.rows": str(work / "clew.toml"),
    }


def test_every_key_has_a_provenance(folders: tuple[Path, Path]) -> None:
    keys = {f"{section}.{key}" for section, part in Settings().model_dump().items() for key in part}
    assert load_settings(*folders).provenance.keys() == keys


def test_the_environment_names_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "家"))
    assert default_home() == tmp_path / "家"
    assert load_settings().home == tmp_path / "家"
    monkeypatch.delenv("CLEW_HOME")
    assert default_home().name == "clew"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("[cypher]\nrowz = 1\n", "cypher.rowz"),
        ("[cyper]\nrows = 1\n", "cyper"),
        ("[cyper]\n", "cyper"),
        ("[cypher.rows]\nmost = 1\n", "cypher.rows"),
    ],
)
def test_an_unknown_key_is_refused_with_the_file_that_has_it(folders: tuple[Path, Path], text: str, where: str) -> None:
    home, work = folders
    (work / "clew.toml").write_text(text)
    error = refusal(home, work)
    assert where in error.cause
    assert str(work / "clew.toml") in error.remedy


@pytest.mark.parametrize("text", ["[cypher]\nrowz = 1\n", "[cyper]\nrows = 1\n", "rows = 1\n"])
def test_an_unknown_key_is_answered_with_the_known_ones(folders: tuple[Path, Path], text: str) -> None:
    home, work = folders
    (home / "clew.toml").write_text(text)
    keys = (
        "build.sources",
        "build.index_url",
        "build.keep_releases",
        "build.passages",
        "cypher.seconds",
        "cypher.rows",
    )
    assert refusal(home, work).choices == keys


@pytest.mark.parametrize(
    "value", ["seconds = 0", "seconds = -1", "seconds = 4000", 'rows = "many"', "rows = 0", "rows = 1.5"]
)
def test_a_value_out_of_range_is_refused_by_name(folders: tuple[Path, Path], value: str) -> None:
    home, work = folders
    (home / "clew.toml").write_text(f"[cypher]\n{value}\n")
    error = refusal(home, work)
    assert f"cypher.{value.partition(' ')[0]}" in error.cause
    assert str(home / "clew.toml") in error.remedy


@pytest.mark.parametrize("content", [b"[cypher\n", b"[cypher]\nrows = \xff\n", b"= 1"])
def test_a_file_that_is_not_toml_is_named(folders: tuple[Path, Path], content: bytes) -> None:
    home, work = folders
    (work / "clew.toml").write_bytes(content)
    assert str(work / "clew.toml") in refusal(home, work).cause


def test_settings_cannot_be_changed_after_loading(folders: tuple[Path, Path]) -> None:
    with pytest.raises(ValueError, match="frozen"):
        load_settings(*folders).values.cypher.rows = 5  # type: ignore[misc]
