"""What is read together and what counts as one: pair by pair, one accepted step, a denial before any statement."""

import pytest

from api.compose import Clew
from ontology.model import Assertion, Entity, Evidence, Name
from retrieval.question import Topic
from tests.kg_build.tiny import Tiny, build_tiny

FEVER, COUGH, RASH = "HP:0000001", "HP:0000002", "HP:0000003"
DISEASES = {
    "OMIM:1": "Spasm disease",
    "ORPHA:1": "Spasm disease of Smith",
    "MESH:1": "Smith spasm",
    "ORPHA:2": "Denied spasm",
    "MESH:2": "Second step",
    "OMIM:7": "Twin fever",
    "ORPHA:7": "Twin fever",
}
FINDINGS = {FEVER: "Fever", COUGH: "Cough", RASH: "Rash"}
SAME = [("OMIM:1", "ORPHA:1"), ("OMIM:1", "MESH:1"), ("OMIM:1", "ORPHA:2"), ("MESH:1", "MESH:2")]
NOT_SAME = [("ORPHA:2", "OMIM:1"), ("OMIM:7", "ORPHA:7")]
HAS = [("OMIM:1", FEVER), ("ORPHA:1", FEVER), ("MESH:1", FEVER), ("ORPHA:2", COUGH), ("MESH:2", RASH),
       ("OMIM:7", FEVER), ("ORPHA:7", FEVER), ("x:感冒", FEVER)]  # fmt: skip


def stated(subject: str, predicate: str, object_: str, *, negated: bool = False) -> Evidence:
    assertion = Assertion(subject, predicate, object_, negated)
    return Evidence(assertion, "tiny", ("PMID:1",), "row", "knowledge_assertion", "manual_agent")


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Clew:
    entities = [
        *(Entity(curie, "Disease", label, "en", "tiny") for curie, label in DISEASES.items()),
        *(Entity(curie, "PhenotypicFeature", label, "en", "tiny") for curie, label in FINDINGS.items()),
        Entity("x:感冒", "Disease", "感冒", "zh", "tiny"),
        Entity("x:感冒症状", "PhenotypicFeature", "感冒", "zh", "tiny"),
        Entity("x:感冒药", "Drug", "感冒药", "zh", "tiny"),
    ]
    records = [
        *entities,
        *(Name(e.id, e.lang, e.label, "label", "tiny", e.id) for e in entities),
        *(stated(one, "same_as", other) for one, other in SAME),
        *(stated(one, "same_as", other, negated=True) for one, other in NOT_SAME),
        *(stated(disease, "has_phenotype", finding) for disease, finding in HAS),
        *(stated("x:感冒药", "treats", cold) for cold in ("x:感冒", "x:感冒症状")),
    ]
    home = tmp_path_factory.mktemp("groups")
    build_tiny(home, Tiny("tiny", tuple(records)))
    return Clew.open(home)


def topic(graph: Clew, text: str) -> Topic:
    (found,) = graph.interpreter.interpret(text).topics
    return found


def test_a_topic_is_read_with_its_partners_and_not_with_theirs(graph: Clew) -> None:
    found = topic(graph, "Spasm disease")
    assert {curie for curie, _ in found.group} == {"OMIM:1", "ORPHA:1", "MESH:1"}


def test_a_pair_that_some_source_denies_is_not_read_together(graph: Clew) -> None:
    assert [curie for curie, _ in topic(graph, "Denied spasm").group] == ["ORPHA:2"]


def test_partners_that_are_not_the_same_as_each_other_do_not_count_as_one(graph: Clew) -> None:
    found = topic(graph, "Spasm disease")
    assert found.ones == (("OMIM:1", "MESH:1"),)
    assert [found.one(curie) for curie in ("OMIM:1", "MESH:1", "ORPHA:1")] == ["OMIM:1", "OMIM:1", "ORPHA:1"]


def test_what_counts_as_one_says_a_thing_once_and_what_does_not_says_it_for_itself(graph: Clew) -> None:
    answer = graph.answerer.ask("What are the symptoms of Spasm disease?")
    assert [sentence.text for sentence in answer.sentences] == [
        "Spasm disease can present with Fever [1].",
        "Spasm disease of Smith can present with Fever [2].",
    ]


def test_two_of_one_name_that_are_not_the_same_are_told_apart_by_their_ids(graph: Clew) -> None:
    answer = graph.answerer.ask("What are the symptoms of Twin fever?")
    subjects = [sentence.text.partition(" can")[0] for sentence in answer.sentences]
    assert subjects == [
        "Twin fever (OMIM:7)",
        "Twin fever (ORPHA:7)",
    ]


def test_two_of_one_name_and_different_types_are_told_apart_by_their_types(graph: Clew) -> None:
    answer = graph.answerer.ask("感冒吃什么药？")
    assert {sentence.text.partition("的")[0] for sentence in answer.sentences} == {"感冒（疾病）", "感冒（症状体征）"}
