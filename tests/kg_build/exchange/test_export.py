"""Exporting: only what may be passed on, whole or not at all."""

from pathlib import Path

import pytest

from kg_build.exchange import export as module
from kg_build.exchange.export import FORMATS, export
from kg_build.release import Release, open_release
from ontology.errors import ClewError, Code


@pytest.fixture(scope="module")
def release(miniature_home: Path) -> Release:
    return open_release(miniature_home)


def test_a_source_that_may_not_be_passed_on_stops_the_export(release: Release, tmp_path: Path) -> None:
    with pytest.raises(ClewError) as caught:
        export(release, "kgx", tmp_path / "out")
    assert caught.value.code is Code.LICENCE
    assert caught.value.remedy.endswith("--without icd10")
    assert list(tmp_path.iterdir()) == []


def test_without_that_source_the_rest_goes_and_what_was_left_out_is_counted(release: Release, tmp_path: Path) -> None:
    done = export(release, "kgx", tmp_path / "out", without=["icd10"])
    assert done.sources == ["clew", "cmekg", "hpo", "open_medicine"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(done.files)
    text = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "out").iterdir())
    assert "infores:icd10" not in text
    for table, name in (("entity", "nodes.tsv"), ("evidence", "edges.tsv")):
        assert done.left_out[table] > 0
        assert done.files[name] + done.left_out[table] == release.table(table).num_rows
    assert list(tmp_path.iterdir()) == [tmp_path / "out"]


@pytest.mark.parametrize(
    ("form", "without", "choices"),
    [("rdf", ["icd10"], tuple(FORMATS)), ("kgx", ["icd01"], ("icd10",)), ("kgx", ["icd10", "甲"], ())],
)
def test_unknown_formats_and_sources_are_refused_with_the_valid_ones(
    release: Release, tmp_path: Path, form: str, without: list[str], choices: tuple[str, ...]
) -> None:
    with pytest.raises(ClewError) as caught:
        export(release, form, tmp_path / "out", without=without)
    assert caught.value.code is Code.BAD_INPUT
    assert caught.value.choices[: len(choices)] == choices
    assert caught.value.choices


def test_nothing_that_is_there_is_written_over(release: Release, tmp_path: Path) -> None:
    kept = tmp_path / "notes.txt"
    kept.write_text("mine")
    for folder in (tmp_path, kept, tmp_path / "no" / "folder"):
        with pytest.raises(ClewError) as caught:
            export(release, "kgx", folder, without=["icd10"])
        assert caught.value.code is Code.BAD_INPUT
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]


def test_an_export_that_fails_half_way_leaves_nothing(
    release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write_half(tables: object, sources: object, folder: Path, domain: object) -> dict[str, int]:
        (folder / "nodes.tsv").write_text("id\n")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "FORMATS", {"kgx": write_half})
    with pytest.raises(ClewError, match="No space left"):
        export(release, "kgx", tmp_path / "out", without=["icd10"])
    assert list(tmp_path.iterdir()) == []
