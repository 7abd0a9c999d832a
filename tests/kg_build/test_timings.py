"""How long the last build took."""

from pathlib import Path

import pytest

from kg_build.pipeline import estimate
from kg_build.timings import read_timings, write_timings
from ontology.settings import BuildSettings
from tests.miniature import build_miniature


def test_timings_are_those_of_the_stages_and_of_the_sources_asked_for(tmp_path: Path) -> None:
    write_timings(tmp_path, {"read hpo": 3.5, "read cmekg": 4.0, "store": 9.0})
    assert read_timings(tmp_path, ["hpo"]) == {"read hpo": 3.5, "store": 9.0}


def test_a_later_build_of_other_sources_keeps_what_is_known_of_the_first(tmp_path: Path) -> None:
    write_timings(tmp_path, {"read hpo": 3.5, "store": 9.0})
    write_timings(tmp_path, {"read 病": 1.0, "store": 2.0})
    assert read_timings(tmp_path, ["hpo", "病"]) == {"read hpo": 3.5, "read 病": 1.0, "store": 2.0}
    assert [path.name for path in tmp_path.iterdir()] == ["timings.json"]


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"\xff", b'{"store": "long"}'])
def test_a_missing_or_damaged_file_means_that_nothing_is_known(tmp_path: Path, damage: bytes) -> None:
    assert read_timings(tmp_path, ["hpo"]) == {}
    (tmp_path / "timings.json").write_bytes(damage)
    assert read_timings(tmp_path, ["hpo"]) == {}


def test_an_estimate_has_the_seconds_of_the_last_build(tmp_path: Path) -> None:
    assert estimate(tmp_path, BuildSettings(sources=["icd10"])).seconds == {}
    report = build_miniature(tmp_path, ("icd10",))
    assert estimate(tmp_path, BuildSettings(sources=["icd10"])).seconds == report.seconds
    assert build_miniature(tmp_path, ("icd10",)).up_to_date  # which takes no time that could be learnt from
    assert estimate(tmp_path, BuildSettings(sources=["icd10"])).seconds == report.seconds
    assert "read icd10" not in estimate(tmp_path, BuildSettings(sources=["hpo"])).seconds
