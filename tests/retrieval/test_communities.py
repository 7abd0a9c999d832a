"""Communities of a question's entities, and what they are summarised by."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from api.compose import Clew
from kg_build.store.guard import check
from ontology.trace import Trace
from retrieval.communities import COMMUNITIES, MEMBERS, STATEMENTS, CommunitySearch, Summary, divide, rows_of
from retrieval.paths import Chain
from retrieval.question import Question
from tests.kg_build.store.counting import CountingStore

QUESTIONS = [
    "What are the symptoms of Marfan syndrome?",
    "Which diseases is FBN1 associated with?",
    "感冒有哪些症状？",
    "高血压和肺炎有什么区别？",
]


@pytest.fixture(scope="module")
def graph(miniature_home: Path) -> Clew:
    return Clew.open(miniature_home)


def found(graph: Clew, text: str) -> list[Summary]:
    return CommunitySearch(graph.adjacency, graph.store).find(graph.interpreter.interpret(text))


def chains(summary: Summary) -> list[Chain]:
    return [*(member.statement for member in summary.members), *summary.statements]


@pytest.mark.parametrize("text", QUESTIONS)
def test_a_neighbourhood_is_divided_and_every_topic_is_somewhere(graph: Clew, text: str) -> None:
    topics = graph.interpreter.interpret(text).topics
    divided = divide(graph.adjacency, topics)
    members = [row for community in divided.communities for row in community]
    assert len(members) == len(set(members)) == len(divided.graph)
    for topic in topics:
        assert rows_of(graph.adjacency, topic) <= set(members)


@pytest.mark.parametrize("text", QUESTIONS)
def test_a_summary_is_made_of_statements_among_the_members_of_one_community(graph: Clew, text: str) -> None:
    divided = divide(graph.adjacency, graph.interpreter.interpret(text).topics)
    summaries = found(graph, text)
    assert summaries
    for summary in summaries:
        ends = {graph.adjacency.index(node.id) for chain in chains(summary) for node in chain.nodes}
        (community,) = [community for community in divided.communities if ends <= community]
        assert len(community) == summary.size
        assert rows_of(graph.adjacency, summary.topic) & community
        assertions = [chain.edges[0].assertion for chain in summary.statements]
        assert len(assertions) == len(set(assertions))
        assert not set(assertions) & {member.statement.edges[0].assertion for member in summary.members}


@pytest.mark.parametrize("text", QUESTIONS)
def test_every_statement_has_evidence_and_cypher_that_returns_it(graph: Clew, text: str) -> None:
    for chain in (chain for summary in found(graph, text) for chain in chains(summary)):
        assert len(chain.edges) == 1
        assert chain.edges[0].evidence
        assert check(chain.cypher).strip() == chain.cypher
        returned = [row["r1.assertion_id"] for row in graph.store.rows(chain.cypher)]
        assert chain.edges[0].assertion in returned


def test_a_member_stands_at_the_end_of_the_statement_that_connects_it(graph: Clew) -> None:
    for summary in found(graph, QUESTIONS[0]):
        own = {curie for curie, _ in summary.topic.group}
        for member in summary.members:
            assert member.statement.nodes[1] == member.node
            assert member.node.id not in own


def test_what_the_question_asks_for_comes_first(graph: Clew) -> None:
    for summary in found(graph, "感冒有哪些症状？"):
        asked = [chain.edges[0].predicate == "has_phenotype" for chain in summary.statements]
        assert asked == sorted(asked, reverse=True)
        assert any(asked)


def test_what_is_read_is_bounded_and_costs_two_round_trips(graph: Clew) -> None:
    store = CountingStore(graph.store)
    question = graph.interpreter.interpret(QUESTIONS[3])
    summaries = CommunitySearch(graph.adjacency, store).find(question)
    assert len(summaries) <= COMMUNITIES * len(question.topics)
    assert all(len(s.members) <= MEMBERS and len(s.statements) <= STATEMENTS for s in summaries)
    assert len(store.statements) <= 2


def test_the_same_question_has_the_same_communities(graph: Clew) -> None:
    assert found(graph, QUESTIONS[0]) == found(graph, QUESTIONS[0])


@pytest.mark.parametrize("text", ["when to start", "🫀"])
def test_without_an_entity_there_is_no_community(graph: Clew, text: str) -> None:
    assert found(graph, text) == []


def test_a_model_is_given_the_statements_and_nothing_else(graph: Clew) -> None:
    read: list[Sequence[str]] = []

    class Writer:
        def summarise(self, question: Question, statements: Sequence[str]) -> str:
            assert question.lang == "en"
            read.append(statements)
            return " It runs in families. "

    question = graph.interpreter.interpret(QUESTIONS[0])
    summaries = CommunitySearch(graph.adjacency, graph.store, Writer()).find(question)
    assert [len(lines) for lines in read] == [len(chains(summary)) for summary in summaries]
    assert all(line.count(" — ") == 2 for lines in read for line in lines)
    assert {summary.written for summary in summaries} == {"It runs in families."}


def test_the_trace_names_the_members(graph: Clew) -> None:
    trace = Trace()
    evidence = graph.retriever.communities(graph.interpreter.interpret(QUESTIONS[0]), trace)
    (step,) = trace.steps
    assert (evidence.facts, evidence.passages) == ([], [])
    listed = step.details["communities"]
    assert isinstance(listed, list)
    assert [one["size"] for one in listed] == [summary.size for summary in evidence.communities]
