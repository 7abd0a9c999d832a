from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from kg_build.publish import building_folder, publish, release_id, write_manifest, write_tables
from kg_build.release import TABLES, open_release, release_ids, values
from ontology.errors import ClewError, Code
from tests.kg_build.graphs import collect, entity


def make_release(home: Path, identifier: str, *labels: str) -> None:
    """Publish a release that holds diseases with these labels."""
    folder = building_folder(home, "inputs")
    tables = collect(entity(f"OMIM:{n}", label=label) for n, label in enumerate(labels, start=1))
    written = write_tables(folder, tables)
    write_manifest(folder, {"id": identifier, "inputs": "", "tables": written})
    publish(home, folder, identifier)


def labels(home: Path, identifier: str | None = None) -> list[Any]:
    return values(open_release(home, identifier).table("entity"), "label")


def test_a_published_release_is_the_current_one(tmp_path: Path) -> None:
    make_release(tmp_path, "aaa", "Marfan syndrome", "感冒")
    assert open_release(tmp_path).id == "aaa"
    assert labels(tmp_path) == ["Marfan syndrome", "感冒"]
    assert open_release(tmp_path).manifest["tables"]["entity"]["rows"] == 2


def test_a_reader_keeps_the_release_it_opened(tmp_path: Path) -> None:
    make_release(tmp_path, "aaa", "old")
    reader = open_release(tmp_path)
    make_release(tmp_path, "bbb", "new")
    assert values(reader.table("entity"), "label") == ["old"]
    assert labels(tmp_path) == ["new"]
    assert labels(tmp_path, "aaa") == ["old"]


def test_two_others_are_kept_and_older_ones_go_completely(tmp_path: Path) -> None:
    for name in ("aaa", "bbb", "ccc", "ddd"):
        make_release(tmp_path, name, name)
    assert release_ids(tmp_path) == ["bbb", "ccc", "ddd"]
    assert sorted(p.name for p in (tmp_path / "releases").iterdir()) == ["bbb", "ccc", "ddd"]


def test_publishing_the_same_id_again_takes_the_fresh_derived_parts(tmp_path: Path) -> None:
    make_release(tmp_path, "aaa", "one")
    folder = building_folder(tmp_path, "inputs")
    (folder / "derived" / "fresh").touch()
    write_manifest(folder, {"id": "aaa"})
    assert publish(tmp_path, folder, "aaa").derived("fresh").exists()
    assert release_ids(tmp_path) == ["aaa"]


def test_starting_clears_what_killed_builds_left(tmp_path: Path) -> None:
    make_release(tmp_path, "aaa", "one")
    for name in (".building-x", ".dropped-y", ".retired-aaa"):
        (tmp_path / "releases" / name).mkdir()
    (tmp_path / "current.4242").write_text("zzz")
    folder = building_folder(tmp_path, "inputs")
    assert {p.name for p in (tmp_path / "releases").iterdir()} == {"aaa", folder.name}
    assert not (tmp_path / "current.4242").exists()
    assert labels(tmp_path) == ["one"]


def test_a_release_retired_by_a_killed_build_comes_back(tmp_path: Path) -> None:
    make_release(tmp_path, "aaa", "one")
    (tmp_path / "releases" / "aaa").rename(tmp_path / "releases" / ".retired-aaa")
    building_folder(tmp_path, "inputs")
    assert labels(tmp_path) == ["one"]


def test_the_id_depends_on_tables_and_inputs_not_on_the_order_they_are_named() -> None:
    one = {"entity": {"sha256": "1"}, "name": {"sha256": "2"}}
    assert release_id(one, "x") == release_id(dict(reversed(one.items())), "x")
    assert release_id(one, "x") != release_id(one, "y")
    assert release_id(one, "x") != release_id({**one, "name": {"sha256": "3"}}, "x")


def test_equal_tables_are_written_as_equal_bytes(tmp_path: Path) -> None:
    tables = {name: pa.Table.from_pylist([], schema=schema) for name, schema in TABLES.items()}
    for name in ("one", "other"):
        (tmp_path / name / "tables").mkdir(parents=True)
    assert write_tables(tmp_path / "one", tables) == write_tables(tmp_path / "other", tables)


def test_nothing_built_an_unknown_release_and_a_damaged_one_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(ClewError) as nothing:
        open_release(tmp_path)
    make_release(tmp_path, "aaa", "one")
    with pytest.raises(ClewError) as unknown:
        open_release(tmp_path, "bbb")
    assert nothing.value.code is unknown.value.code is Code.NO_RELEASE
    assert unknown.value.choices == ("aaa",)
    for damage in ("{", "[]", '{"format": 99}'):
        (tmp_path / "releases/aaa/manifest.json").write_text(damage)
        with pytest.raises(ClewError) as damaged:
            open_release(tmp_path)
        assert damaged.value.code is Code.CORRUPT_RELEASE


def test_a_damaged_or_missing_table_is_a_corrupt_release(tmp_path: Path) -> None:
    make_release(tmp_path, "aaa", "one")
    path = tmp_path / "releases/aaa/tables/entity.parquet"
    path.write_bytes(path.read_bytes()[:-20])
    (tmp_path / "releases/aaa/tables/name.parquet").unlink()
    for name in ("entity", "name"):
        with pytest.raises(ClewError) as caught:
            open_release(tmp_path).table(name)
        assert caught.value.code is Code.CORRUPT_RELEASE
