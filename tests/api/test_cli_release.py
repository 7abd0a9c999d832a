"""The commands that look after releases: diff, gc, licences."""

import json
from pathlib import Path
from typing import Any

import pytest

from kg_build.release import open_release, release_ids
from tests.api.conftest import Run
from tests.miniature import build_miniature


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A home with two releases: ICD-10 alone, and with CMeKG."""
    home = tmp_path_factory.mktemp("two")
    first = build_miniature(home, ("icd10",)).release.id
    return home, first, build_miniature(home, ("icd10", "cmekg")).release.id


def data(ended: tuple[int, str, str]) -> Any:
    assert (ended[0], ended[2]) == (0, "")
    return json.loads(ended[1])


def test_diff_shows_what_a_source_brought(run: Run, two: tuple[Path, str, str]) -> None:
    home, old, new = two
    values = data(run(home, "diff", old, new, "--limit", "2", "--json"))
    assert (values["old"], values["new"], values["same"]) == (old, new, False)
    assert values["tables"]["entity"]["added"] > 0
    assert values["tables"]["entity"]["removed"] == 0
    assert len(values["assertions"]["appeared_statements"]) == 2
    status, text, _ = run(home, "diff", old, new)
    assert status == 0
    assert f"{old} → {new}" in text
    assert f"statements: {values['assertions']['appeared']:,} appeared, 0 vanished" in text
    assert "+ entity cmekg:" in text


def test_diff_of_a_release_with_itself_says_so(run: Run, two: tuple[Path, str, str]) -> None:
    home, old, _ = two
    assert "the same tables" in run(home, "diff", old, old)[1]
    assert data(run(home, "diff", old, old, "--json"))["same"] is True


def test_diff_of_an_unknown_release_names_those_there_are(run: Run, two: tuple[Path, str, str]) -> None:
    home, old, new = two
    status, _, error = run(home, "diff", old, "没有")
    assert status == 4
    assert error.startswith("E301 ")
    assert new in error


def test_gc_removes_what_is_not_kept_and_a_dry_run_only_says_so(run: Run, tmp_path: Path) -> None:
    home = tmp_path / "家"
    old = build_miniature(home, ("icd10",)).release.id
    new = build_miniature(home, ("icd10", "cmekg")).release.id
    assert data(run(home, "gc", "--json"))["removed"] == []  # the default keeps two others
    told = data(run(home, "gc", "--keep", "0", "--dry-run", "--json"))
    assert [(item["kind"], item["name"]) for item in told["removed"]] == [("release", old)]
    assert release_ids(home) == sorted([old, new])
    text = run(home, "gc", "--keep", "0")[1]
    assert old in text
    assert "freed" in text
    assert release_ids(home) == [new]


def test_how_many_releases_are_kept_is_a_setting(run: Run, tmp_path: Path) -> None:
    home = tmp_path / "home"
    for keys in (("icd10",), ("icd10", "cmekg")):
        last = build_miniature(home, keys).release.id
    (home / "clew.toml").write_text("[build]\nkeep_releases = 0\n")
    assert len(data(run(home, "gc", "--json"))["removed"]) == 1
    assert release_ids(home) == [last] == [open_release(home).id]


def test_licences_names_every_source_and_what_may_not_be_passed_on(run: Run, miniature_home: Path) -> None:
    values = data(run(miniature_home, "licences", "--json"))
    text = run(miniature_home, "licences")[1]
    for source in values["sources"]:
        assert source["licence"] in text
        assert source["attribution"] in text
    assert "icd10" in values["not_redistributable"]
    assert f"may not be passed on: {', '.join(values['not_redistributable'])}" in text


@pytest.mark.parametrize("arguments", [["diff", "a", "b"], ["gc"], ["licences"]])
def test_without_a_release_they_say_how_to_get_one(run: Run, tmp_path: Path, arguments: list[str]) -> None:
    status, out, error = run(tmp_path / "none", *arguments)
    assert (status, out) == (4, "")
    assert error.startswith("E301 ")
    assert "clew build" in error
    assert not (tmp_path / "none").exists()


def test_an_estimate_says_how_long_the_last_build_took(run: Run, tmp_path: Path) -> None:
    home = tmp_path / "home"
    build_miniature(home, ("icd10",))
    estimate = ("build", "--source", "icd10", "--estimate")
    assert data(run(home, *estimate, "--json"))["seconds"].keys() >= {"read icd10", "store", "vectors"}
    assert "seconds from nothing, without the download: " in run(home, *estimate)[1]


def test_status_names_the_encoders_and_how_much_their_indexes_find(
    run: Run, miniature_home: Path, english_home: Path
) -> None:
    text, values = run(english_home, "status")[1], data(run(english_home, "status", "--json"))
    assert "encoder of English passages: all-MiniLM-L6-v2" in text
    assert "of the nearest" in text
    assert set(values["encoders"]) == set(values["recall"]) == {"passages", "english"}
    assert all(0.9 < recall <= 1 for recall in values["recall"].values())
    assert set(data(run(miniature_home, "status", "--json"))["encoders"]) == {"passages"}
