"""The graph channel: sub-questions become facts, each with the statement that returns it."""

from pathlib import Path

import pytest

from api.compose import Clew
from kg_build.release import rows
from kg_build.store.child import run_cypher
from kg_build.store.guard import check
from ontology.errors import ClewError
from retrieval.channels.graph import Fact, GraphChannel, fact_cypher
from retrieval.question import Property, SubQuestion, Topic
from tests.kg_build.store.counting import CountingStore

MARFAN, AMLODIPINE, TABLETS = "OMIM:154700", "氨氯地平", "苯磺酸氨氯地平片"


@pytest.fixture(scope="module")
def graph(miniature_home: Path) -> Clew:
    return Clew.open(miniature_home)


@pytest.fixture(scope="module")
def channel(graph: Clew) -> GraphChannel:
    return GraphChannel(graph.store, graph.adjacency, graph.domain)


def id_of(graph: Clew, name: str, type_name: str) -> str:
    return graph.linker.resolve(name, types=[type_name]).entity


def ask(
    channel: GraphChannel,
    group: tuple[tuple[str, str], ...],
    asked: Property,
    ones: tuple[tuple[str, ...], ...] = (),
) -> list[Fact]:
    topic = Topic(*group[0], label="", text="", group=group, asked=(), ones=ones)
    ((_, facts),) = channel.facts([SubQuestion(topic, asked, "")])
    return facts


def every_fact(graph: Clew, channel: GraphChannel) -> list[Fact]:
    table = graph.release.table("entity", ["id", "type"])
    return [
        fact
        for curie, type_name in rows(table, "id", "type")
        for predicate, side in graph.domain.types[type_name].properties
        for fact in ask(channel, ((curie, type_name),), Property(predicate, side))
    ]


def test_facts_carry_what_an_answer_cites(channel: GraphChannel) -> None:
    found = {f.other: f for f in ask(channel, ((MARFAN, "Disease"),), Property("has_phenotype", "subject"))}
    lens = found["HP:0001083"]
    assert (lens.topic, lens.other_type, lens.other_name) == (MARFAN, "PhenotypicFeature", "Ectopia lentis")
    assert lens.sources == ("hpo",)
    assert lens.references == ("PMID:9000001", "PMID:9000002", "PMID:9000003")
    assert lens.frequency == pytest.approx(18 / 30)
    assert lens.assertion.startswith("a.")


def test_the_cypher_of_a_fact_passes_the_guard_and_returns_the_fact(graph: Clew, channel: GraphChannel) -> None:
    facts = every_fact(graph, channel)
    assert len(facts) > 100
    returned: dict[str, set[tuple[object, object]]] = {}
    for statement in {fact.cypher for fact in facts}:
        assert check(statement).strip() == statement
        found = graph.store.rows(statement)
        returned[statement] = {(row["id"], row["assertion"]) for row in found}
    assert all((fact.other, fact.assertion) in returned[fact.cypher] for fact in facts)


@pytest.mark.parametrize(
    "statement",
    [
        fact_cypher(MARFAN, "Disease", Property("has_phenotype", "subject")),
        fact_cypher("HP:0001250", "PhenotypicFeature", Property("has_phenotype", "object")),
    ],
)
def test_it_does_so_in_the_process_that_free_cypher_runs_in(graph: Clew, statement: str) -> None:
    result = run_cypher(graph.release.derived("graph.lbug"), statement, {}, seconds=10, rows=1000)
    assert result.rows == [list(row.values()) for row in graph.store.rows(statement)]
    assert result.rows


def test_a_denied_statement_never_comes_back_as_a_fact(graph: Clew, channel: GraphChannel) -> None:
    denied = {identifier for identifier, no in rows(graph.release.table("assertion"), "id", "negated") if no}
    assert denied
    facts = every_fact(graph, channel)
    assert denied.isdisjoint(fact.assertion for fact in facts)
    assert "HP:0001250" not in {f.other for f in facts if f.topic == MARFAN}


def test_every_positive_statement_about_properties_comes_back(graph: Clew, channel: GraphChannel) -> None:
    read = {fact.assertion for fact in every_fact(graph, channel)}
    table = graph.release.table("assertion", ["id", "predicate", "negated"])
    for identifier, predicate, no in rows(table, "id", "predicate", "negated"):
        assert identifier in read or no or predicate == "subclass_of"  # of some types only one side is a property


def test_a_symmetric_statement_is_read_from_both_ends(graph: Clew, channel: GraphChannel) -> None:
    ibuprofen, aspirin = (id_of(graph, name, "Drug") for name in ("布洛芬", "阿司匹林"))
    cimetidine = id_of(graph, "西咪替丁", "Drug")
    asked = Property("interacts_with", "subject")
    assert [f.other for f in ask(channel, ((ibuprofen, "Drug"),), asked)] == [aspirin]
    (from_object,) = ask(channel, ((cimetidine, "Drug"),), asked)  # the source states it of the tablets only
    assert from_object.other_name == TABLETS


def test_a_drug_without_statements_of_its_own_is_answered_with_its_products(graph: Clew, channel: GraphChannel) -> None:
    amlodipine, tablets = id_of(graph, AMLODIPINE, "Drug"), id_of(graph, TABLETS, "Drug")
    facts = ask(channel, ((amlodipine, "Drug"),), Property("has_adverse_event", "subject"))
    assert {fact.other_name for fact in facts} == {"头痛", "水肿", "心悸"}
    assert {fact.topic for fact in facts} == {tablets}


def test_a_drug_with_statements_of_its_own_is_answered_with_those_only(graph: Clew, channel: GraphChannel) -> None:
    ibuprofen = id_of(graph, "布洛芬", "Drug")
    facts = ask(channel, ((ibuprofen, "Drug"),), Property("has_adverse_event", "subject"))
    assert {fact.topic for fact in facts} == {ibuprofen}


def test_members_that_are_the_same_are_read_together_each_end_once(graph: Clew, channel: GraphChannel) -> None:
    asked = Property("has_phenotype", "subject")
    group = ((MARFAN, "Disease"), ("ORPHA:558", "Disease"))
    found = ask(channel, group, asked, ones=((MARFAN, "ORPHA:558"),))
    alone = [fact for member in group for fact in ask(channel, (member,), asked)]
    assert {f.other for f in found} == {f.other for f in alone}
    assert len({f.other for f in found}) == len(found) < len(alone)
    assert {f.topic for f in found} == {MARFAN, "ORPHA:558"}


def test_members_that_are_not_the_same_speak_each_for_itself(graph: Clew, channel: GraphChannel) -> None:
    asked = Property("has_phenotype", "subject")
    group = ((MARFAN, "Disease"), ("ORPHA:558", "Disease"))
    found = ask(channel, group, asked)
    alone = [fact for member in group for fact in ask(channel, (member,), asked)]
    assert {f.assertion for f in found} == {f.assertion for f in alone}


def test_the_best_come_first(channel: GraphChannel) -> None:
    facts = ask(channel, ((MARFAN, "Disease"),), Property("has_phenotype", "subject"))
    assert [f.score for f in facts] == sorted((f.score for f in facts), reverse=True)


def test_sub_questions_asked_together_are_answered_as_each_alone(graph: Clew, channel: GraphChannel) -> None:
    amlodipine = id_of(graph, AMLODIPINE, "Drug")
    asked = [
        ((MARFAN, "Disease"), Property("has_phenotype", "subject")),
        ((amlodipine, "Drug"), Property("has_adverse_event", "subject")),  # answered with its products
        ((MARFAN, "Disease"), Property("interacts_with", "subject")),  # it cannot have this
        (("x:nobody", "Disease"), Property("has_phenotype", "subject")),
    ]
    subs = [SubQuestion(Topic(*one, label="", text="", group=(one,), asked=()), item, "") for one, item in asked]
    together = channel.facts(subs)
    assert [sub for sub, _ in together] == subs
    assert [facts for _, facts in together] == [ask(channel, (one,), item) for one, item in asked]
    assert [bool(facts) for _, facts in together] == [True, True, False, False]


def test_all_sub_questions_are_one_round_trip_and_products_a_second(graph: Clew) -> None:
    store = CountingStore(graph.store)
    channel = GraphChannel(store, graph.adjacency, graph.domain)
    amlodipine = id_of(graph, AMLODIPINE, "Drug")

    def trips(*asked: tuple[tuple[str, str], Property]) -> int:
        store.statements.clear()
        channel.facts(
            [SubQuestion(Topic(*one, label="", text="", group=(one,), asked=()), item, "") for one, item in asked]
        )
        return len(store.statements)

    findings = (MARFAN, "Disease"), Property("has_phenotype", "subject")
    genes = (MARFAN, "Disease"), Property("gene_associated_with_condition", "object")
    events = (amlodipine, "Drug"), Property("has_adverse_event", "subject")
    assert (trips(), trips(findings), trips(findings, genes), trips(findings, genes, events)) == (0, 1, 1, 2)


def test_a_property_that_the_type_cannot_have_has_no_facts(channel: GraphChannel) -> None:
    assert ask(channel, ((MARFAN, "Disease"),), Property("interacts_with", "subject")) == []


def test_a_name_cannot_leave_its_quotes(graph: Clew) -> None:
    statement = fact_cypher("x:'}) DETACH DELETE n //", "Disease", Property("has_phenotype", "subject"))
    assert graph.store.rows(check(statement)) == []
    with pytest.raises(ClewError):
        check(statement.replace("\\'", "'"))
