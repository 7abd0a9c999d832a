from pathlib import Path

import pytest

from kg_build.index.fresh import fresh_folder


def test_the_new_folder_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    for word in ("old", "new"):
        with fresh_folder(tmp_path / "index") as folder:
            (folder / word).touch()
    assert [path.name for path in tmp_path.rglob("*")] == ["index", "new"]


def test_a_failed_run_leaves_the_old_folder_and_the_next_run_starts_empty(tmp_path: Path) -> None:
    with fresh_folder(tmp_path / "index") as folder:
        (folder / "old").touch()

    def fail() -> None:
        with fresh_folder(tmp_path / "index") as folder:
            (folder / "half").touch()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert (tmp_path / "index" / "old").exists()
    with fresh_folder(tmp_path / "index") as folder:
        assert list(folder.iterdir()) == []
