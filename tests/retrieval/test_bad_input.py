"""What is asked badly is answered in bounded time, with nothing or with a part, and with the reason."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pytest

from api.compose import Clew
from ontology.errors import ClewError, Code
from ontology.schema import load_domain
from ontology.trace import Trace
from retrieval.channels.graph import GraphChannel, fact_statements, product_statements
from retrieval.channels.topics import TopicPassages
from retrieval.decompose import decompose
from retrieval.journal import Journal
from retrieval.preset import load_preset, preset_names
from retrieval.question import Property, SubQuestion, Topic
from tests.retrieval.made import question, topic
from tests.retrieval.test_pagerank import star

SECONDS = 3.0
"""For a whole answer; the longest here takes a fifth of a second on one core."""


@pytest.fixture(scope="module")
def graph(miniature_home: Path) -> Clew:
    clew = Clew.open(miniature_home)
    clew.answerer.ask("感冒有哪些症状？")  # the models are loaded by the first question
    return clew


@pytest.mark.parametrize("text", ["", " ", "\n\t\u3000"])
def test_an_empty_question_is_refused(graph: Clew, text: str) -> None:
    with pytest.raises(ClewError) as caught:
        graph.answerer.ask(text)
    assert caught.value.code is Code.EMPTY_INPUT


@pytest.mark.parametrize("text", ["cough " * 400, "咳嗽" * 25_000, "a" * 50_000, "\x00" * 50_000])
def test_a_question_of_more_than_2000_characters_is_refused_at_once(graph: Clew, text: str) -> None:
    started = perf_counter()
    with pytest.raises(ClewError) as caught:
        graph.answerer.ask(text + "?")
    assert caught.value.code is Code.BAD_INPUT
    assert "2,000" in caught.value.cause
    assert caught.value.remedy
    assert perf_counter() - started < 0.5


BAD = {
    "an English stop word": "the",
    "a Chinese stop word": "的",
    "a number": "3",
    "no words": "?!…",
    "control characters": "\x00\x1b[31m\U0001f600\u202e",
    "2,000 characters of one word": "a" * 2000,
    "2,000 Chinese characters": "咳" * 2000,
    "500 sentences": "a b. " * 400,
    "brackets": "(" * 2000,
    "tantivy": 'gout~2 AND (title:^ OR +"[* TO *]" -\\',
    "Cypher": "'}) DETACH DELETE n // `",
    "French": "Quel est le traitement de la goutte ?",
    "Russian": "Как лечить подагру?",
    "Arabic": "ما هو علاج النقرس؟",
    "Thai": "รักษาโรคเกาต์อย่างไร",
}


@pytest.mark.parametrize("text", BAD.values(), ids=BAD.keys())
def test_what_cannot_be_understood_gets_an_answer_or_the_reason_why_there_is_none(graph: Clew, text: str) -> None:
    started = perf_counter()
    answer = graph.answerer.ask(text)
    assert perf_counter() - started < SECONDS
    assert bool(answer.sentences) != bool(answer.insufficient)
    if not answer.question.topics:
        assert "no entity" in answer.insufficient or "没有识别出" in answer.insufficient
        assert answer.trace.steps[1].details["route"] == "passages"


@pytest.mark.parametrize("name", preset_names())
@pytest.mark.parametrize("text", BAD.values(), ids=BAD.keys())
def test_every_preset_searches_it_in_bounded_time_and_says_what_became_of_every_passage(
    graph: Clew, text: str, name: str
) -> None:
    asked, journal = graph.interpreter.interpret(text), Journal()
    started = perf_counter()
    found = graph.retriever.passages.selected(asked, load_preset(name), journal)
    assert perf_counter() - started < SECONDS
    assert [p.chunk for p in found] == list(journal.stages[-1].kept)
    assert bool(found) == any(stage.kept for stage in journal.stages)


@pytest.mark.parametrize("text", ["gout", "痛风", "hypertension"])
def test_query_syntax_is_only_characters(graph: Clew, text: str) -> None:
    lexical = graph.retriever.passages.lexical
    plain = lexical.ask([text]).best(20)
    for written in (f'"{text}', f"{text}*", f"{text}^~", f"(({text}", f"+{text} -[:]", f"{{{text}}}", f"\\{text}//"):
        assert lexical.ask([written]).best(20) == plain, written


def test_a_statement_in_a_question_changes_no_graph(graph: Clew) -> None:
    count = "MATCH (n) RETURN count(*) AS n"
    before = graph.store.rows(count)
    graph.answerer.ask("hypertension'}) DETACH DELETE n // symptoms")
    assert graph.store.rows(count) == before


@pytest.mark.parametrize("text", ["头痛'}) MATCH (n) RETURN n //", "hypertension) OR (1=1"])
def test_the_entity_beside_it_is_understood_all_the_same(graph: Clew, text: str) -> None:
    assert graph.interpreter.interpret(text).topics
    assert graph.answerer.ask(text).sentences


@pytest.mark.parametrize("ending", ["?", "", " et quoi encore", " что это", " คืออะไร"])
def test_a_name_in_a_question_of_a_third_language_is_enough_to_find_passages(graph: Clew, ending: str) -> None:
    asked = graph.interpreter.interpret(f"arachnodactyly{ending}")
    assert [topic.label for topic in asked.topics] == ["Arachnodactyly"]
    found = graph.retriever.passages.selected(asked, load_preset())
    assert "clew.doc:hpo/HP:0001166" in {p.document for p in found[:2]}


@pytest.mark.parametrize("lonely", ["HP:0002125", "HP:0009999", "X:nowhere"])
def test_an_entity_without_edges_has_no_facts_and_says_so(graph: Clew, lonely: str) -> None:
    assert graph.adjacency.degree(lonely) == 0
    alone = Topic(
        lonely,
        "PhenotypicFeature",
        "Seizure",
        "Seizure",
        ((lonely, "PhenotypicFeature"),),
        (Property("has_phenotype", "object"),),
    )
    asked, trace = question(alone, text="Which diseases present with it?"), Trace()
    evidence = graph.retriever.retrieve(asked, trace)
    assert [bool(facts) for _, facts in evidence.facts] == [False]
    assert {step.stage: step.details for step in trace.steps}["graph"] == {"facts": [0]}
    graph_hits = graph.topics.ask((alone,)).best(10)
    assert all(np.isfinite(hit.score) for hit in graph_hits)


def test_the_reason_for_no_facts_is_in_the_answer(graph: Clew) -> None:
    answer = graph.answerer.ask("高血压的遗传方式是什么？")
    assert answer.unanswered
    assert "高血压" in answer.unanswered[0]


HUB = 100_000


def test_the_passages_of_a_hub_with_100000_edges_are_bounded_work() -> None:
    adjacency, mentions = star(HUB)
    domain = load_domain()
    names = ["has_phenotype", *(name for name in domain.predicates if name != "has_phenotype")]
    channel = TopicPassages(replace(adjacency, predicate_names=names), mentions, domain)
    hub = Topic(
        "X:0000000", "Disease", "hub", "hub", (("X:0000000", "Disease"),), (Property("has_phenotype", "subject"),)
    )
    every = [f"d{at}" for at in range(HUB)]
    channel.ask((hub,)).scores(every[:1])  # what is made once
    started = perf_counter()
    asked = channel.ask((hub, hub, hub, hub, hub))
    found = asked.best(100)
    assert perf_counter() - started < SECONDS
    assert len(found) == 100
    assert asked.scores([hit.chunk for hit in found]) == {hit.chunk: hit.score for hit in found}


class Endless:
    """A store in which everything has more rows than anyone reads; it keeps to the limits of a statement."""

    def __init__(self) -> None:
        self.statements: list[str] = []

    def many(self, asked: Sequence[tuple[str, str]]) -> list[list[dict[str, Any]]]:
        self.statements.append(" ".join(statement for statement, _ in asked))
        row = {
            "type": "PhenotypicFeature", "name": "发热", "assertion": "a.1", "sources": ["hpo"], "refs": [],
            "frequency": None, "trust": 0.9,
        }  # fmt: skip
        return [
            [{"id": f"X:{at:07}", **row} for at in range(min(HUB, int(statement.rsplit("LIMIT ", 1)[1])))]
            for statement, _ in asked
        ]


def test_the_facts_of_hubs_are_bounded_work_and_the_rest_is_said_to_be_left_out(graph: Clew) -> None:
    adjacency, _ = star(HUB)
    store, domain = Endless(), load_domain()
    names = [f"{at:07}" for at in range(5)]
    subs = decompose(question(*map(topic, names)), domain, load_preset().values.decomposition)
    channel = GraphChannel(store, adjacency, domain)  # type: ignore[arg-type]
    started = perf_counter()
    found = channel.facts(subs)
    assert perf_counter() - started < SECONDS
    assert len(store.statements) == 1
    assert len(found) == 5
    assert all(0 < len(facts) < 1000 for _, facts in found)


def test_every_statement_of_the_graph_channel_has_a_limit() -> None:
    domain = load_domain()
    for type_name in domain.types:
        for predicate, side in domain.types[type_name].properties:
            subs: Sequence[SubQuestion] = [SubQuestion(topic("x", type_name=type_name), Property(predicate, side), "")]
            for statement in (*fact_statements(subs, domain), *product_statements(subs, domain)):
                assert statement.cypher.rsplit(" ", 2)[1] == "LIMIT"
                assert int(statement.cypher.rsplit(" ", 1)[1]) <= 1000
