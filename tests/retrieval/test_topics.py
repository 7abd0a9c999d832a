"""Passages by topics: on the thing itself, then on what it leads to."""

from pathlib import Path

import pytest

from api.compose import Clew
from kg_build.release import rows
from retrieval.channels.topics import AskedTopics
from retrieval.hit import Hit


@pytest.fixture(scope="module")
def graph(miniature_home: Path) -> Clew:
    return Clew.open(miniature_home)


def asked(graph: Clew, question: str) -> AskedTopics:
    return graph.topics.ask(graph.interpreter.interpret(question).topics)


def hits(graph: Clew, question: str, limit: int = 50) -> list[Hit]:
    return asked(graph, question).best(limit)


def about(graph: Clew, hit: Hit) -> list[str]:
    """What the document of a passage is about."""
    documents = dict(rows(graph.release.table("document"), "id", "about"))
    owners = dict(rows(graph.release.table("chunk"), "id", "document"))
    return list(documents[owners[hit.chunk]])


@pytest.mark.parametrize("question", ["What is hypertension?", "高血压是怎么回事？"])
def test_a_document_about_the_topic_comes_first(graph: Clew, question: str) -> None:
    (topic,) = graph.interpreter.interpret(question).topics
    assert set(about(graph, hits(graph, question)[0])) & {curie for curie, _ in topic.group}


def test_what_a_topic_leads_to_is_found_though_it_is_not_named(graph: Clew) -> None:
    question = "Which findings go with FBN1?"
    adjacency, mentions = graph.adjacency, graph.topics.mentions
    found = {hit.chunk for hit in hits(graph, question)}
    (topic,) = graph.interpreter.interpret(question).topics
    row = adjacency.index(topic.id)
    assert row is not None
    own = {mentions.chunk(place) for place in mentions.chunks[mentions.starts[row] : mentions.starts[row + 1]]}
    assert found - own


@pytest.mark.parametrize(
    "question", ["What is hypertension?", "高血压和头痛有什么关系？", "Which disease causes cough?"]
)
def test_hits_are_ranked_cut_and_the_same_every_time(graph: Clew, question: str) -> None:
    found = hits(graph, question)
    assert found
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    assert len({hit.chunk for hit in found}) == len(found)
    assert all(hit.channel == "graph" for hit in found)
    assert found == hits(graph, question)
    assert hits(graph, question, 2) == found[:2]


def test_without_topics_there_is_nothing(graph: Clew) -> None:
    nothing = graph.topics.ask(())
    chunks = graph.release.table("chunk")["id"].to_pylist()
    assert (nothing.best(10), nothing.scores(chunks), nothing.mentioning(chunks)) == ([], {}, set())


@pytest.mark.parametrize("question", ["What is hypertension?", "高血压和头痛有什么关系？"])
def test_given_passages_have_the_scores_that_they_are_found_with(graph: Clew, question: str) -> None:
    chunks = graph.release.table("chunk")["id"].to_pylist()
    found = asked(graph, question)
    assert found.scores([*chunks, "nowhere#0"]) == {hit.chunk: hit.score for hit in found.best(len(chunks))}
    best = found.best(1)[0]
    assert found.scores([best.chunk]) == {best.chunk: best.score}
    assert found.scores([]) == {}


@pytest.mark.parametrize("question", ["What is hypertension?", "高血压是怎么回事？"])
def test_mentioning_are_those_that_name_the_topic_and_not_those_it_leads_to(graph: Clew, question: str) -> None:
    found, mentions = asked(graph, question), graph.topics.mentions
    named = set()
    for curie, _ in graph.interpreter.interpret(question).topics[0].group:
        row = graph.adjacency.index(curie)
        if row is not None:
            named |= {
                mentions.chunk(place) for place in mentions.chunks[mentions.starts[row] : mentions.starts[row + 1]]
            }
    every = [hit.chunk for hit in found.best(1000)]
    assert found.mentioning([*every, "nowhere#0"]) == named & set(every)
    assert named
    assert len(named) < len(every)


def test_limits_below_one_find_nothing(graph: Clew) -> None:
    assert hits(graph, "What is hypertension?", 0) == []
