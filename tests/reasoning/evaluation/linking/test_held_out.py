from pathlib import Path

from kg_build.release import open_release
from reasoning.evaluation.linking.held_out import FOLDER, terminology_without

SCOLIOSIS, NAME = "HP:0002650", "Curved spine"


def test_exactly_the_held_out_name_is_gone(miniature_home: Path, tmp_path: Path) -> None:
    release = open_release(miniature_home)
    whole = terminology_without(release, [], tmp_path)
    left = terminology_without(release, [(SCOLIOSIS, NAME.upper())], tmp_path)
    assert len(left) == len(whole) - 1
    assert whole.lookup(NAME)
    assert not left.lookup(NAME)
    assert {sense.text for sense in left.by_id(SCOLIOSIS)} == {s.text for s in whole.by_id(SCOLIOSIS)} - {NAME}


def test_the_same_name_of_another_entity_stays(miniature_home: Path, tmp_path: Path) -> None:
    release = open_release(miniature_home)
    assert terminology_without(release, [("HP:0000001", NAME)], tmp_path).lookup(NAME)


def test_a_dictionary_is_made_once_whatever_the_order_of_names(miniature_home: Path, tmp_path: Path) -> None:
    release = open_release(miniature_home)
    pairs = [(SCOLIOSIS, NAME), ("HP:0001166", "Long slender fingers")]
    terminology_without(release, pairs, tmp_path)
    (folder,) = tmp_path.glob(f"releases/*/{FOLDER}/*")
    made = folder.stat().st_mtime_ns
    assert not terminology_without(release, pairs[::-1], tmp_path).lookup(NAME)
    assert [f.stat().st_mtime_ns for f in tmp_path.glob(f"releases/*/{FOLDER}/*")] == [made]
