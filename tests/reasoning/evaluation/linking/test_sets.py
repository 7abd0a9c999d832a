import json
from pathlib import Path

import pytest

from kg_build.index.adjacency import load_adjacency
from kg_build.release import Release, open_release
from reasoning.evaluation.linking.cases import LinkingCase, read_linking_cases
from reasoning.evaluation.linking.sets import PARTS, part_of, write_linking_sets


@pytest.fixture
def release(miniature_home: Path) -> Release:
    return open_release(miniature_home)


def written(release: Release, folder: Path) -> dict[str, bytes]:
    write_linking_sets(release, load_adjacency(release.derived("adjacency")).same, folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_sets_hold_lay_synonyms_and_chinese_names_of_entities_with_english_ones(
    release: Release, tmp_path: Path
) -> None:
    files = written(release, tmp_path)
    cases = {name: [json.loads(line) for line in content.splitlines()] for name, content in files.items()}
    lay = {case["name"]: case["ids"] for part in PARTS for case in cases[f"lay.{part}.jsonl"]}
    aligned = {case["name"] for part in PARTS for case in cases[f"names-zh-en.{part}.jsonl"]}
    assert lay["Curved spine"] == ["HP:0002650"]
    assert "马凡综合征" in aligned
    assert all(case["held_out"] for found in cases.values() for case in found)


def test_what_is_written_is_what_the_task_reads(release: Release, tmp_path: Path) -> None:
    written(release, tmp_path)
    cases = [case for path in tmp_path.iterdir() if path.stat().st_size for _, case in read_linking_cases(path)]
    assert cases
    assert all(isinstance(case, LinkingCase) and case.is_name for case in cases)


def test_the_same_release_gives_the_same_files(release: Release, tmp_path: Path) -> None:
    assert written(release, tmp_path / "a") == written(release, tmp_path / "b")


def test_entities_fall_into_both_parts_about_evenly_and_twins_into_one() -> None:
    alone = [part_of(f"HP:{number:07d}", lambda _: ()) for number in range(1000)]
    assert 400 < alone.count("dev") < 600
    twins = {"HP:0000001": ["MESH:1"], "MESH:1": ["HP:0000001"]}
    assert part_of("HP:0000001", lambda c: twins[c]) == part_of("MESH:1", lambda c: twins[c])
