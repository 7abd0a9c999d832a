"""What a home keeps, and what it gives up."""

import os
from pathlib import Path

import pytest
from filelock import FileLock

from kg_build.garbage import Garbage, collect_garbage, release_cache
from kg_build.order import Order, kept_order
from kg_build.pipeline import build_from
from kg_build.publish import building_folder, publish, write_manifest, write_tables
from kg_build.release import open_release, release_ids, values
from kg_build.store.ladybug import LadybugStore, load_store
from ontology.errors import ClewError, Code
from ontology.schema import load_domain
from tests.kg_build.graphs import collect, entity
from tests.miniature import NO_INDEX, write_artefacts


def make_releases(home: Path, *identifiers: str) -> None:
    """Publish releases, oldest first, and keep them all; each has one disease with its name."""
    for age, identifier in enumerate(identifiers):
        folder = building_folder(home, "inputs")
        tables = collect([entity("OMIM:1", label=identifier)])
        write_manifest(folder, {"id": identifier, "tables": write_tables(folder, tables)})
        load_store(tables, load_domain(), folder / "derived" / "graph.lbug")
        release = publish(home, folder, identifier, keep=100)
        stamp(release.path, age)


def stamp(path: Path, age: int) -> None:
    os.utime(path, (1_000_000 + age, 1_000_000 + age))


def names(found: list[Garbage], kind: str) -> list[str]:
    return [item.name for item in found if item.kind == kind]


@pytest.mark.parametrize(
    ("keep", "kept"), [(0, ["新"]), (1, ["ccc", "新"]), (2, ["bbb", "ccc", "新"]), (9, ["aaa", "bbb", "ccc", "新"])]
)
def test_the_current_release_and_the_newest_others_stay(tmp_path: Path, keep: int, kept: list[str]) -> None:
    make_releases(tmp_path, "aaa", "bbb", "ccc", "新")
    removed = collect_garbage(tmp_path, keep, ())
    assert release_ids(tmp_path) == kept
    assert sorted([*names(removed, "release"), *kept]) == ["aaa", "bbb", "ccc", "新"]
    assert all(item.bytes > 0 for item in removed)
    assert open_release(tmp_path).id == "新"


def test_the_current_release_stays_even_when_it_is_the_oldest(tmp_path: Path) -> None:
    make_releases(tmp_path, "aaa", "bbb")
    (tmp_path / "current").write_text("aaa\n")
    assert names(collect_garbage(tmp_path, 0, ()), "release") == ["bbb"]
    assert values(open_release(tmp_path).table("entity"), "label") == ["aaa"]


def test_leftovers_of_killed_builds_go_and_a_release_moved_aside_comes_back(tmp_path: Path) -> None:
    make_releases(tmp_path, "aaa")
    releases = tmp_path / "releases"
    for name in (".building-x", ".dropped-y", ".retired-aaa"):
        (releases / name).mkdir()
    (tmp_path / "current.4242").write_text("zzz")
    removed = collect_garbage(tmp_path, 2, ())
    assert sorted(names(removed, "leftover")) == [".building-x", ".dropped-y", ".retired-aaa", "current.4242"]
    make_releases(tmp_path, "bbb")
    (releases / "aaa").rename(releases / ".retired-aaa")
    assert collect_garbage(tmp_path, 2, (), dry_run=True) == []
    assert collect_garbage(tmp_path, 2, ()) == []
    assert open_release(tmp_path, "aaa").table("entity").num_rows == 1
    assert sorted(path.name for path in releases.iterdir()) == ["aaa", "bbb"]


def test_a_build_keeps_as_many_others_as_it_is_told(tmp_path: Path) -> None:
    sources = write_artefacts(tmp_path / "data", ("icd10", "cmekg"))
    for chosen in (["icd10"], ["icd10", "cmekg"]):
        part = {key: sources[key] for key in chosen}
        last = build_from(tmp_path, part, NO_INDEX, data=[tmp_path / "data"], keep=0).release
        assert release_ids(tmp_path) == [last.id]


def test_artefacts_that_no_source_pins_go(tmp_path: Path) -> None:
    make_releases(tmp_path, "aaa")
    cache = tmp_path / "cache" / "artefacts"
    cache.mkdir(parents=True)
    (tmp_path / "cache" / "vectors").mkdir()
    for name in ("pinned-1.whl", "old-0.9.whl", ".part-abc"):
        (cache / name).write_bytes(b"x" * 5000)
    removed = collect_garbage(tmp_path, 2, {"pinned-1.whl"})
    assert sorted(names(removed, "artefact")) == [".part-abc", "old-0.9.whl"]
    assert [path.name for path in cache.iterdir()] == ["pinned-1.whl"]
    assert (tmp_path / "cache" / "vectors").exists()


def test_parts_that_no_release_is_made_of_go_with_the_last_release_that_was(tmp_path: Path) -> None:
    sources = write_artefacts(tmp_path / "data", ("icd10", "cmekg"))
    parts = tmp_path / "cache" / "parts"
    for key in ("cmekg", "icd10"):
        build_from(tmp_path, {key: sources[key]}, NO_INDEX, data=[tmp_path / "data"])
    (parts / "0123.unfinished").mkdir()
    assert names(collect_garbage(tmp_path, 1, ()), "part") == ["0123.unfinished"]
    (left,) = [digest for _, digests in open_release(tmp_path).manifest["parts"] for digest in digests]
    assert len(names(collect_garbage(tmp_path, 0, ()), "part")) == 1
    assert [path.name for path in parts.iterdir()] == [left]


def test_what_was_kept_for_a_release_goes_with_it(tmp_path: Path) -> None:
    make_releases(tmp_path, "aaa", "bbb")
    for name in ("aaa", "bbb", "long-gone"):
        (release_cache(tmp_path / "cache", name) / "corpora").mkdir(parents=True)
    assert names(collect_garbage(tmp_path, 1, ()), "cache") == ["long-gone"]
    assert names(collect_garbage(tmp_path, 0, ()), "cache") == ["aaa"]
    assert [path.name for path in (tmp_path / "cache" / "releases").iterdir()] == ["bbb"]


def test_what_a_build_that_waits_has_finished_stays(tmp_path: Path) -> None:
    make_releases(tmp_path, "aaa")
    waits = [tmp_path / "releases" / ".building-x", tmp_path / "cache" / "parts" / "0123"]
    for path in waits:
        path.mkdir(parents=True)
    with pytest.raises(KeyboardInterrupt), kept_order(tmp_path, Order(("hpo",))):
        raise KeyboardInterrupt
    assert collect_garbage(tmp_path, 2, ()) == []
    assert all(path.exists() for path in waits)
    (tmp_path / "building.json").unlink()
    assert [item.kind for item in collect_garbage(tmp_path, 2, ())] == ["leftover", "part"]


def test_a_dry_run_tells_the_same_and_removes_nothing(tmp_path: Path) -> None:
    make_releases(tmp_path, "aaa", "bbb", "ccc")
    (tmp_path / "releases" / ".building-x").mkdir()
    told = collect_garbage(tmp_path, 1, (), dry_run=True)
    assert release_ids(tmp_path) == ["aaa", "bbb", "ccc"]
    assert (tmp_path / "releases" / ".building-x").exists()
    assert collect_garbage(tmp_path, 1, ()) == told
    assert collect_garbage(tmp_path, 1, ()) == []


def test_a_reader_goes_on_reading_a_release_that_was_removed(tmp_path: Path) -> None:
    make_releases(tmp_path, "旧", "新")
    old = open_release(tmp_path, "旧")
    table, store = old.table("entity"), LadybugStore(old.derived("graph.lbug"))
    collect_garbage(tmp_path, 0, ())
    assert not old.path.exists()
    assert values(table, "label") == ["旧"]
    assert store.rows("MATCH (d:Disease) RETURN d.name AS name") == [{"name": "旧"}]
    store.close()


def test_nothing_is_removed_while_a_build_runs(tmp_path: Path) -> None:
    make_releases(tmp_path, "aaa", "bbb")
    with FileLock(tmp_path / "build.lock"), pytest.raises(ClewError) as caught:
        collect_garbage(tmp_path, 0, ())
    assert caught.value.code is Code.BUSY
    assert release_ids(tmp_path) == ["aaa", "bbb"]


def test_a_home_without_a_release_is_left_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(ClewError) as caught:
        collect_garbage(tmp_path / "none", 2, ())
    assert caught.value.code is Code.NO_RELEASE
    assert list(tmp_path.iterdir()) == []
