"""Proposals of identity: found by meaning, reasoned, and never a statement."""

from pathlib import Path

import pytest

from kg_build import pipeline
from kg_build.index.encoder import VectorCache
from kg_build.propose import Proposal, propose
from kg_build.release import TABLES, Release
from ontology.curie import mint
from ontology.errors import ClewError, Code
from ontology.model import Assertion, Entity, Evidence, Mapping, Name
from tests.kg_build.tiny import Tiny, build_tiny

DISEASES = {
    "OMIM:1": "High blood pressure",
    "ORPHA:1": "Arterial hypertension",
    "OMIM:2": "Pulmonary tuberculosis",
    "OMIM:3": "Low blood pressure",
    "OMIM:4": "Marfan syndrome",
    "OMIM:5": "Fracture of the arm",
}
CHINESE = ("高血压", "肺结核", "马凡综合征", "小儿肺结核", "手臂骨折")
ZH = {label: mint("cmekg", "Disease", label) for label in CHINESE}
COUGH = mint("cmekg", "PhenotypicFeature", "咳嗽")


def same(one: str, other: str, source: str, *, negated: bool = False) -> Evidence:
    assertion = Assertion(one, "same_as", other, negated)
    return Evidence(assertion, source, ("PMID:1",), "row", "knowledge_assertion", "manual_agent")


def described(curie: str, type_name: str, label: str, source: str) -> list[Entity | Name]:
    lang = "en" if label.isascii() else "zh"
    return [Entity(curie, type_name, label, lang, source), Name(curie, lang, label, "label", source, curie)]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    english = [record for curie, label in DISEASES.items() for record in described(curie, "Disease", label, "hpo")]
    english += described("HP:1", "PhenotypicFeature", "Cough", "hpo")
    english += [Entity("OMIM:9", "Disease", "Hypertension", "en", "hpo", deprecated=True)]
    english += [Name("OMIM:9", "en", "Hypertension", "label", "hpo", "OMIM:9")]
    english += [same("OMIM:1", "ORPHA:1", "hpo"), Mapping("OMIM:2", "skos:closeMatch", "ICD10:A15", "hpo", "j")]
    english += [same("OMIM:5", ZH["手臂骨折"], "hpo"), same("OMIM:5", ZH["手臂骨折"], "hpo", negated=True)]
    chinese = [record for label, curie in ZH.items() for record in described(curie, "Disease", label, "cmekg")]
    chinese += described(COUGH, "PhenotypicFeature", "咳嗽", "cmekg")
    chinese += [same(ZH["马凡综合征"], "OMIM:4", "cmekg")]
    chinese += [Mapping(ZH["肺结核"], "skos:closeMatch", "ICD10:A15", "cmekg", "j")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "derive", lambda *_, **__: None)
        home = tmp_path_factory.mktemp("propose")
        return build_tiny(home, Tiny("hpo", tuple(english)), Tiny("cmekg", tuple(chinese))).release


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> VectorCache:
    return VectorCache(tmp_path_factory.mktemp("vectors"))


@pytest.fixture(scope="module")
def found(release: Release, cache: VectorCache) -> dict[tuple[str, str], Proposal]:
    return {(p.one, p.other): p for p in propose(release, cache, least=-1)}


def test_a_chinese_name_finds_the_english_one_of_the_same_type(found: dict[tuple[str, str], Proposal]) -> None:
    proposal = found[ZH["高血压"], "OMIM:1"]
    assert (proposal.labels, proposal.type) == (("高血压", "High blood pressure"), "Disease")
    assert proposal.mutual
    assert proposal.cosine > 0.6
    assert proposal.margin > 0
    assert proposal.runner_up in DISEASES
    assert found[COUGH, "HP:1"].type == "PhenotypicFeature"
    assert (COUGH, "OMIM:1") not in found


def test_what_is_stated_or_denied_is_not_proposed(found: dict[tuple[str, str], Proposal]) -> None:
    assert not any(one == ZH["马凡综合征"] for one, _ in found)  # joined to another vocabulary already
    assert (ZH["手臂骨折"], "OMIM:5") not in found  # stated, and denied: a denial wins
    assert not any("OMIM:9" in pair for pair in found)  # withdrawn


def test_the_reasons_say_what_speaks_for_and_against(found: dict[tuple[str, str], Proposal]) -> None:
    plain, child = found[ZH["肺结核"], "OMIM:2"], found[ZH["小儿肺结核"], "OMIM:2"]
    assert plain.shared_codes == ("ICD10:A15",)
    assert "both are classified under ICD10:A15, which may hold several things" in plain.reasons_for
    assert "each is the nearest to the other in its vocabulary" in plain.reasons_for
    assert not child.mutual
    assert "they speak of different ages (childhood and none)" in child.reasons_against
    assert f"{ZH['肺结核']} (肺结核) is nearer to OMIM:2" in child.reasons_against
    agreed = "OMIM:1 (High blood pressure), which is the same as ORPHA:1, is the nearest in its vocabulary too"
    assert agreed in found[ZH["高血压"], "ORPHA:1"].reasons_for


def test_the_best_come_first_and_the_limit_holds(release: Release, cache: VectorCache) -> None:
    every = propose(release, cache, least=-1)
    assert [p.mutual for p in every] == sorted((p.mutual for p in every), reverse=True)
    margins = [p.margin for p in every if p.mutual and not p.reasons_against]
    assert margins == sorted(margins, reverse=True)
    assert propose(release, cache, least=-1, limit=2) == every[:2]
    assert propose(release, cache, least=0.99) == []
    assert len({frozenset((p.one, p.other)) for p in every}) == len(every)


def test_a_type_and_a_source_narrow_it(release: Release, cache: VectorCache) -> None:
    findings = propose(release, cache, least=-1, type_name="PhenotypicFeature")
    assert [(p.one, p.other) for p in findings] == [(COUGH, "HP:1")]
    english = propose(release, cache, least=-1, source="hpo")
    assert {p.one for p in english} >= {"OMIM:2", "HP:1"}
    assert all(not p.one.startswith("cmekg:") for p in english)


@pytest.mark.parametrize(("type_name", "source"), [("Gene", None), ("疾病", None), (None, "cmeg"), (None, "mesh")])
def test_what_is_not_there_is_refused_with_what_is(
    release: Release, cache: VectorCache, type_name: str | None, source: str | None
) -> None:
    with pytest.raises(ClewError) as caught:
        propose(release, cache, type_name=type_name, source=source)
    assert caught.value.code is Code.BAD_INPUT
    assert caught.value.choices


def test_proposing_changes_nothing_in_the_release(release: Release, cache: VectorCache) -> None:
    files = [release.path / "manifest.json", *(release.path / "tables" / f"{name}.parquet" for name in TABLES)]
    before = {path: path.read_bytes() for path in files}
    there = sorted(release.path.rglob("*"))
    propose(release, cache, least=-1)
    assert {path: path.read_bytes() for path in files} == before
    assert sorted(release.path.rglob("*")) == there


def test_a_release_of_one_vocabulary_has_nothing_to_propose(
    tmp_path: Path, cache: VectorCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "derive", lambda *_, **__: None)
    alone = build_tiny(tmp_path, Tiny("cmekg", tuple(described(ZH["高血压"], "Disease", "高血压", "cmekg")))).release
    assert propose(alone, cache) == []
