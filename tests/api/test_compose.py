"""Opening a release: every part of it, when first needed, from one pinned release."""

import json
import shutil
from pathlib import Path

import pyarrow.compute as pc
import pytest

from api.compose import Clew
from ontology.errors import ClewError, Code


def refusal(home: Path, release_id: str | None = None) -> ClewError:
    with pytest.raises(ClewError) as caught:
        Clew.open(home, release_id)
    return caught.value


def test_opening_reads_nothing_but_the_manifest(miniature_home: Path) -> None:
    assert vars(Clew.open(miniature_home)).keys() == {"release"}


def test_every_part_is_made_once_and_shared(miniature_home: Path) -> None:
    graph = Clew.open(miniature_home)
    assert graph.store is graph.store
    assert graph.answerer.retriever is graph.retriever
    assert graph.retriever.store is graph.store
    assert graph.answerer.verifier.adjacency is graph.adjacency
    assert graph.interpreter.linker is graph.linker
    assert graph.diagnosis is graph.diagnosis


def test_a_release_can_be_opened_by_name(miniature_home: Path) -> None:
    current = Clew.open(miniature_home)
    assert Clew.open(miniature_home, current.release.id) == current


def test_a_release_that_is_not_there_is_answered_with_those_that_are(miniature_home: Path) -> None:
    error = refusal(miniature_home, "0000")
    assert error.code is Code.NO_RELEASE
    assert Clew.open(miniature_home).release.id in error.choices


@pytest.mark.parametrize("name", ["", ".", "..", "../releases", "/"])
def test_a_name_that_is_no_release_opens_nothing(miniature_home: Path, name: str) -> None:
    assert refusal(miniature_home, name).code in (Code.NO_RELEASE, Code.CORRUPT_RELEASE)


def test_an_empty_home_says_how_to_build(tmp_path: Path) -> None:
    error = refusal(tmp_path / "not there")
    assert error.code is Code.NO_RELEASE
    assert "clew build" in error.remedy
    assert not (tmp_path / "not there").exists()


@pytest.mark.parametrize("manifest", ["", "{", "[]", json.dumps({"format": 999})])
def test_a_release_with_a_broken_manifest_is_not_opened(miniature_home: Path, tmp_path: Path, manifest: str) -> None:
    release = Clew.open(miniature_home).release
    copy = tmp_path / "releases" / release.id
    copy.mkdir(parents=True)
    (tmp_path / "current").write_text(release.id)
    (copy / "manifest.json").write_text(manifest)
    assert refusal(tmp_path).code is Code.CORRUPT_RELEASE


@pytest.mark.parametrize(
    ("derived", "part"),
    [
        ("adjacency", "adjacency"),
        ("mentions", "topics"),
        ("terms", "terminology"),
        ("text", "retriever"),
        ("matrix", "diagnosis"),
        ("graph.lbug", "store"),
    ],
)
def test_a_missing_part_is_a_coded_error_when_it_is_needed(
    miniature_home: Path, tmp_path: Path, derived: str, part: str
) -> None:
    release = Clew.open(miniature_home).release
    shutil.copytree(release.path, tmp_path / "releases" / release.id)
    (tmp_path / "current").write_text(release.id)
    graph = Clew.open(tmp_path)
    gone = graph.release.derived(derived)
    shutil.rmtree(gone) if gone.is_dir() else gone.unlink()
    with pytest.raises(ClewError) as caught:
        getattr(graph, part)
    assert caught.value.code.exit_status == Code.NO_RELEASE.exit_status
    assert "clew build" in caught.value.remedy


@pytest.mark.release
def test_the_default_release_is_large_and_every_statement_in_it_can_be_defended(default_home: Path) -> None:
    release = Clew.open(default_home).release
    assert release.table("entity", ["id"]).num_rows >= 45_000
    stated = release.table("assertion", ["id"])
    assert stated.num_rows >= 500_000
    columns = ["assertion", "source", "source_release", "licence", "knowledge_level", "agent_type"]
    evidence = release.table("evidence", columns)
    assert pc.all(pc.is_in(stated["id"], evidence["assertion"])).as_py()
    assert pc.all(pc.is_in(evidence["assertion"], stated["id"])).as_py()
    for column in evidence.column_names:
        assert pc.min(pc.utf8_length(evidence[column])).as_py() > 0
        assert evidence[column].null_count == 0
    assert set(pc.unique(evidence["source"]).to_pylist()) == (set(release.manifest["sources"]) | {"clew"}) - {"cedict"}


@pytest.mark.release
def test_the_statements_of_the_default_release_keep_to_the_ontology(default_home: Path) -> None:
    graph = Clew.open(default_home)
    entity, stated = graph.release.table("entity", ["id", "type"]), graph.release.table("assertion")
    types = dict(zip(entity["id"].to_pylist(), entity["type"].to_pylist(), strict=True))
    columns = (stated[name].to_pylist() for name in ("subject", "predicate", "object"))
    for subject, predicate, object_ in {(types[s], p, types[o]) for s, p, o in zip(*columns, strict=True)}:
        graph.domain.check_statement(subject, predicate, object_)
