"""English passages with an encoder of their own: built, updated, completed, and found again without a network."""

import json
import shutil
from pathlib import Path

import pytest

from api.compose import Clew
from kg_build.derive import ENGLISH, VECTORS
from kg_build.index.english import open_english
from kg_build.index.vector import VectorIndex
from kg_build.pipeline import BuildReport, build_from
from kg_build.release import Release, rows
from kg_build.sources.documents import SOURCE as DOCUMENTS
from ontology.errors import ClewError, Code
from tests.kg_build.test_update import KNOWN, TEXTS, write
from tests.miniature import NO_INDEX, write_artefacts
from tests.model import write_model


def build(folder: Path, texts: dict[str, str]) -> BuildReport:
    """Build from known names and these documents, with the miniature model."""
    (folder / "data" / "documents").mkdir(parents=True, exist_ok=True)
    write(folder / "data" / "documents", texts)
    model = write_model(folder / "models")
    sources = {"documents": DOCUMENTS, "hpo": KNOWN}
    return build_from(folder / "home", sources, NO_INDEX, data=[folder / "data", folder / "models"], english=model)


def in_english(release: Release) -> list[str]:
    return sorted(chunk for chunk, lang in rows(release.table("chunk"), "id", "lang") if lang == "en")


def encoded(release: Release) -> tuple[list[str], list[str]]:
    """The passages with vectors by their own encoder, and by the multilingual one."""
    english = open_english(release.derived(ENGLISH))
    assert english is not None
    return sorted(english.index.ids), sorted(VectorIndex(release.derived(VECTORS)).ids)


BOTH = {"a.md": TEXTS[1], "内科/c.md": TEXTS[2]}


def test_both_indexes_have_their_passages_and_the_manifest_says_by_which_encoder(tmp_path: Path) -> None:
    release = build(tmp_path, BOTH).release
    english, everything = encoded(release)
    assert english == in_english(release) == ["documents:a.md#0", "documents:a.md#1"]
    assert everything == sorted(chunk for (chunk,) in rows(release.table("chunk"), "id"))
    assert len(everything) == 3
    assert set(release.manifest["encoders"]) == {"passages", "english"}
    assert "MiniLM" in release.manifest["encoders"]["english"]


def test_a_changed_document_updates_both(tmp_path: Path) -> None:
    before = build(tmp_path, BOTH)
    after = build(tmp_path, {"a.md": TEXTS[0], "b.txt": TEXTS[3], "内科/c.md": TEXTS[2]})
    fresh = build(tmp_path / "fresh", {"a.md": TEXTS[0], "b.txt": TEXTS[3], "内科/c.md": TEXTS[2]})
    assert (before.updated, after.updated, fresh.updated) == (False, True, False)
    assert encoded(after.release) == encoded(fresh.release) != encoded(before.release)
    assert encoded(after.release)[0] == in_english(after.release)
    for asked in ("fever for three days", "发热"):
        left, right = (Clew(report.release).dense for report in (after, fresh))
        assert left is not None
        assert right is not None
        assert {h.chunk for h in left.ask([asked]).best(9)} == {h.chunk for h in right.ask([asked]).best(9)}


def test_a_part_that_is_lost_is_made_again(tmp_path: Path) -> None:
    release = build(tmp_path, BOTH).release
    shutil.rmtree(release.derived(ENGLISH))
    report = build(tmp_path, BOTH)
    assert (report.up_to_date, report.release.id) == (False, release.id)
    assert encoded(report.release)[0] == in_english(release)
    assert build(tmp_path, BOTH).up_to_date


def test_another_encoder_makes_another_release_and_none_makes_no_part(tmp_path: Path) -> None:
    release = build(tmp_path, BOTH).release
    sources, data = {"documents": DOCUMENTS, "hpo": KNOWN}, [tmp_path / "data"]
    report = build_from(tmp_path / "home", sources, NO_INDEX, data=data)
    assert report.release.id != release.id
    assert not report.updated
    assert not report.release.derived(ENGLISH).exists()
    dense = Clew(report.release).dense
    assert dense is not None
    assert dense.english is None


def test_a_release_needs_neither_archives_nor_cache_to_be_searched(tmp_path: Path) -> None:
    release = build(tmp_path, BOTH).release
    shutil.rmtree(tmp_path / "home" / "cache")
    shutil.rmtree(tmp_path / "models")
    dense = Clew(release).dense
    assert dense is not None
    assert dense.ask(["fever for three days"]).best(1)[0].chunk == "documents:a.md#0"


def test_a_model_that_cannot_be_had_stops_the_build_before_anything_is_read(tmp_path: Path) -> None:
    sources = write_artefacts(tmp_path / "data", ["icd10"])
    model = write_model(tmp_path / "models")
    said: list[str] = []
    with pytest.raises(ClewError) as caught:
        build_from(tmp_path / "home", sources, NO_INDEX, data=[tmp_path / "data"], english=model, progress=said.append)
    assert caught.value.code is Code.UNREACHABLE_ARTEFACT
    assert not any(line.startswith("reading") for line in said)


@pytest.mark.parametrize("damage", ["{", "[]", json.dumps({"model": "multilingual"})])
def test_a_damaged_part_is_a_corrupt_release(tmp_path: Path, damage: str) -> None:
    release = build(tmp_path, BOTH).release
    (release.derived(ENGLISH) / "model.json").write_text(damage, encoding="utf-8")
    with pytest.raises(ClewError) as caught:
        open_english(release.derived(ENGLISH))
    assert caught.value.code is Code.CORRUPT_RELEASE
