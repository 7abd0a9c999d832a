"""Conflicts with both sides, and the Cypher that shows them."""

import pytest

from kg_build.release import Release
from kg_build.sides import read_disputes
from kg_build.store.guard import check
from kg_build.store.ladybug import LadybugStore
from ontology.errors import ClewError, Code
from ontology.model import Assertion, Entity, Evidence, Name
from tests.kg_build.tiny import Tiny, build_tiny

ENTITIES = {
    "OMIM:1": ("Disease", "Legius syndrome", "en"),
    "ORPHA:1": ("Disease", "Legius syndrome", "en"),
    "HP:1": ("PhenotypicFeature", "Neurofibroma", "en"),
    "HP:2": ("PhenotypicFeature", "咖啡牛奶斑", "zh"),
    "x:药": ("Drug", "氯化筒箭毒碱注射液", "zh"),
    "x:病": ("Disease", "重症肌无力", "zh"),
}


def says(subject: str, predicate: str, object_: str, reference: str, **more: object) -> Evidence:
    negated = bool(more.pop("negated", False))
    stated = Assertion(subject, predicate, object_, negated)
    return Evidence(stated, "tiny", (reference,), "row", "knowledge_assertion", "manual_agent", **more)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    records = [
        *(Entity(curie, type_name, label, lang, "tiny") for curie, (type_name, label, lang) in ENTITIES.items()),
        *(Name(curie, lang, label, "label", "tiny", curie) for curie, (_, label, lang) in ENTITIES.items()),
        says("OMIM:1", "same_as", "ORPHA:1", "PMID:1"),
        says("OMIM:1", "has_phenotype", "HP:1", "PMID:2", frequency="3/4"),
        says("ORPHA:1", "has_phenotype", "HP:1", "ORPHA:1", negated=True),
        says("OMIM:1", "has_phenotype", "HP:2", "PMID:3", frequency="2/60"),
        says("OMIM:1", "has_phenotype", "HP:2", "PMID:4", frequency="58/60"),
        says("OMIM:1", "has_phenotype", "HP:2", "PMID:5", frequency="30/60"),
        says("x:药", "treats", "x:病", "PMID:6", quote="重症肌无力"),
        says("x:药", "contraindicated_in", "x:病", "PMID:7", quote="禁用于重症肌无力"),
    ]
    return build_tiny(tmp_path_factory.mktemp("sides"), Tiny("tiny", tuple(records))).release


def test_each_conflict_comes_with_both_sides_and_their_evidence(release: Release) -> None:
    found = read_disputes(release)
    assert found.counts == {"polarity": 1, "indication": 1, "frequency": 1}
    polarity, indication, frequency = found.shown
    assert [(side.subject, side.negated) for side in polarity.sides] == [("OMIM:1", False), ("ORPHA:1", True)]
    assert [row.references for side in polarity.sides for row in side.evidence] == [["PMID:2"], ["ORPHA:1"]]
    assert [side.evidence[0].quote for side in indication.sides] == ["重症肌无力", "禁用于重症肌无力"]
    assert indication.sides[0].subject_label == "氯化筒箭毒碱注射液"
    (side,) = frequency.sides
    assert {row.frequency for row in side.evidence} == {"2/60", "58/60"}  # not the one between them


def test_the_cypher_of_a_conflict_passes_the_guard_and_shows_it(release: Release) -> None:
    store = LadybugStore(release.derived("graph.lbug"))
    for dispute in read_disputes(release).shown:
        assert check(dispute.cypher) == dispute.cypher
        rows = store.rows(dispute.cypher)
        assert {(row["c.kind"], row["c.detail"]) for row in rows} == {(dispute.conflict.kind, dispute.conflict.detail)}
        quoted = {quote for side in dispute.sides for quote in (row.quote for row in side.evidence)}
        assert quoted <= {row[f"{end}.quote"] for row in rows for end in "ef"}
    store.close()


def test_kind_entity_and_limit_narrow_what_is_shown(release: Release) -> None:
    assert [d.conflict.kind for d in read_disputes(release, kind="frequency").shown] == ["frequency"]
    of_twin = read_disputes(release, entity="ORPHA:1")  # the second side is about it
    assert of_twin.counts == {"polarity": 1}
    assert read_disputes(release, entity="HP:2").counts == {"frequency": 1}
    limited = read_disputes(release, limit=1)
    assert (len(limited.shown), sum(limited.counts.values())) == (1, 3)


def test_unknown_kinds_and_entities_are_refused(release: Release) -> None:
    with pytest.raises(ClewError) as kind:
        read_disputes(release, kind="polarities")
    assert (kind.value.code, kind.value.choices) == (Code.BAD_INPUT, ("polarity", "indication", "frequency"))
    with pytest.raises(ClewError) as entity:
        read_disputes(release, entity="OMIM:11")
    assert entity.value.code is Code.UNKNOWN_ENTITY
    assert "OMIM:1" in entity.value.choices
