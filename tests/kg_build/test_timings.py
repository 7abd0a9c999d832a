"""How long the last build took."""

from pathlib import Path

import pytest

from kg_build import timings
from kg_build.pipeline import estimate
from kg_build.sources.registry import _SHIPPED
from kg_build.timings import expected_seconds, write_timings
from ontology.settings import BuildSettings
from tests.miniature import build_miniature


@pytest.fixture(autouse=True)
def rates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rates of two sources, round numbers."""
    measured = {
        "sources": {
            "hpo": {"seconds": 5.0, "evidence": 1000, "characters": 200},
            "ngc": {"seconds": 2.0, "evidence": 0, "characters": 800},
        },
        "per_evidence": {"store": 0.01},
        "per_characters": {"vectors": 0.1},
    }
    monkeypatch.setattr(timings, "_rates", lambda: measured)


def test_a_home_that_knows_nothing_goes_by_the_rates(tmp_path: Path) -> None:
    assert expected_seconds(tmp_path, ["hpo"]) == {"read hpo": 5, "store": 10, "vectors": 20}
    assert expected_seconds(tmp_path, ["hpo", "ngc"]) == {"read hpo": 5, "read ngc": 2, "store": 10, "vectors": 100}


def test_what_the_last_build_of_the_same_sources_took_comes_first(tmp_path: Path) -> None:
    write_timings(tmp_path, {"read hpo": 3.5, "store": 9.0}, ["hpo"])
    assert expected_seconds(tmp_path, ["hpo"]) == {"read hpo": 3.5, "store": 9, "vectors": 20}


def test_of_other_sources_only_the_times_of_the_readers_hold(tmp_path: Path) -> None:
    write_timings(tmp_path, {"read hpo": 3.5, "read 病": 1.0, "store": 9.0}, ["hpo", "病"])
    assert expected_seconds(tmp_path, ["hpo", "ngc"]) == {"read hpo": 3.5, "read ngc": 2, "store": 10, "vectors": 100}
    write_timings(tmp_path, {"store": 12.0}, ["hpo"])
    assert expected_seconds(tmp_path, ["hpo"])["read hpo"] == 3.5
    assert [path.name for path in tmp_path.iterdir()] == ["timings.json"]


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"\xff", b'{"seconds": 3}', b'{"sources": [], "seconds": 3}'])
def test_a_missing_or_damaged_file_means_that_nothing_is_known(tmp_path: Path, damage: bytes) -> None:
    nothing = expected_seconds(tmp_path, ["hpo"])
    (tmp_path / "timings.json").write_bytes(damage)
    assert expected_seconds(tmp_path, ["hpo"]) == nothing


def test_an_estimate_has_the_seconds_of_the_last_build_and_names_what_nobody_measured(tmp_path: Path) -> None:
    settings = BuildSettings(sources=["icd10"])
    assert estimate(tmp_path, settings).unmeasured == ["icd10"]
    report = build_miniature(tmp_path, ("icd10",))
    assert report.seconds.items() <= estimate(tmp_path, settings).seconds.items()
    assert estimate(tmp_path, settings).unmeasured == []
    assert build_miniature(tmp_path, ("icd10",)).up_to_date  # which takes no time that could be learnt from
    assert report.seconds.items() <= estimate(tmp_path, settings).seconds.items()
    assert "read icd10" not in estimate(tmp_path, BuildSettings(sources=["hpo"])).seconds


def test_the_recorded_rates_know_every_shipped_source_but_the_users_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    timings._rates.cache_clear()
    assert set(timings._rates()["sources"]) == {*_SHIPPED} - {"documents", "accepted"}
    seconds = expected_seconds(Path("nowhere"), ["hpo", "icd10", "cmekg", "open_medicine"])
    assert {"read hpo", "read cmekg", "store", "link", "vectors"} <= set(seconds)
    assert 20 < sum(seconds.values()) < 2000
