"""Passages by topics: on the thing itself, then on what it leads to."""

from pathlib import Path

import pytest

from api.compose import Clew
from kg_build.release import rows
from retrieval.hit import Hit


@pytest.fixture(scope="module")
def graph(miniature_home: Path) -> Clew:
    return Clew.open(miniature_home)


def hits(graph: Clew, question: str, limit: int = 50) -> list[Hit]:
    return graph.topics.passages(graph.interpreter.interpret(question).topics, limit)


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
    assert graph.topics.passages((), 10) == []
