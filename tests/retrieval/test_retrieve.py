"""Hybrid retrieval: facts and passages for one question, weighed against each other."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.compose import Clew
from ontology.trace import Trace
from retrieval.retrieve import CHANNELS, DEPTH, FACTS, Channels, Evidence, Passage, balanced


@pytest.fixture(scope="module")
def graph(miniature_home: Path) -> Clew:
    return Clew.open(miniature_home)


def retrieve(graph: Clew, text: str, **options: int) -> tuple[Evidence, Trace]:
    trace = Trace()
    return graph.retriever.retrieve(graph.interpreter.interpret(text), trace, **options), trace


def test_a_question_about_an_entity_gets_facts_and_passages(graph: Clew) -> None:
    evidence, trace = retrieve(graph, "What is used to treat hypertension?")
    ((sub, facts),) = evidence.facts
    assert sub.text == "What is used to treat Hypertension?"
    assert {"氨氯地平", "卡托普利"} <= {fact.other_name for fact in facts}
    assert any("thiazide" in passage.text for passage in evidence.passages)
    assert [step.stage for step in trace.steps] == ["route", "decompose", "graph", "passages"]


def test_chinese_questions_find_english_passages_by_the_other_name(graph: Clew) -> None:
    evidence, _ = retrieve(graph, "高血压首选什么药？")
    best = [passage for passage in evidence.passages if "lexical" in passage.by_channel]
    assert any("thiazide" in passage.text for passage in best)


def test_a_question_without_an_entity_is_answered_from_passages_only(graph: Clew) -> None:
    evidence, trace = retrieve(graph, "When are two drugs needed at the start?")
    assert evidence.facts == []
    assert trace.steps[0].details["route"] == "passages"
    assert [step.stage for step in trace.steps] == ["route", "passages"]


def test_a_sub_question_the_graph_has_nothing_for_stays_with_no_facts(graph: Clew) -> None:
    partly, _ = retrieve(graph, "高血压的治疗药物和遗传方式是什么？")
    assert [bool(facts) for _, facts in partly.facts] == [True, False]


def test_what_was_found_is_bounded(graph: Clew) -> None:
    evidence, _ = retrieve(graph, "What are the symptoms of Marfan syndrome?", passages=2)
    assert len(evidence.passages) == 2
    assert all(len(facts) <= FACTS for _, facts in evidence.facts)


def test_every_passage_is_the_text_of_its_chunk(graph: Clew) -> None:
    evidence, _ = retrieve(graph, "cough and headache with hypertension")
    assert evidence.passages
    for passage in evidence.passages:
        (row,) = graph.store.rows("MATCH (c:Chunk {id: $id}) RETURN c.text AS text", {"id": passage.chunk})
        assert passage.text == row["text"]
        assert passage.by_channel
        assert passage.source
        assert passage.reference


def test_the_same_question_finds_the_same(graph: Clew) -> None:
    assert retrieve(graph, "感冒有哪些症状？")[0] == retrieve(graph, "感冒有哪些症状？")[0]


def test_a_search_is_limited_and_sorted(graph: Clew) -> None:
    found = graph.retriever.search(graph.interpreter.interpret("blood pressure"), 3)
    assert len(found) == 3
    assert [passage.score for passage in found] == sorted((p.score for p in found), reverse=True)


def test_a_search_is_the_fusion_of_what_each_channel_finds(graph: Clew) -> None:
    retriever, question = graph.retriever, graph.interpreter.interpret("headache with hypertension")
    channels = Channels(retriever.lexical, retriever.dense, retriever.graph, retriever.terminology)
    alone = {hit.chunk for channel in CHANNELS for hit in channels.hits(channel, question, DEPTH)}
    fused = channels.fused(question, DEPTH, 1000)
    assert {hit.chunk for hit in fused} == alone
    found = retriever.search(question, 5)
    assert [(p.chunk, p.score) for p in found] == [(hit.chunk, hit.score) for hit in fused[:5]]


def test_without_vectors_the_other_channels_search(graph: Clew) -> None:
    retriever, question = graph.retriever, graph.interpreter.interpret("headache")
    channels = Channels(retriever.lexical, None, retriever.graph, retriever.terminology)
    assert channels.hits("dense", question, DEPTH) == []
    assert all(set(hit.by_channel) == {"lexical", "graph"} for hit in channels.fused(question, DEPTH, 5))


def passage(position: int, kind: str) -> Passage:
    return Passage(f"c{position}", "d", "", "", "", "en", "s", kind, "", 0, 1.0 - position / 100, {})


ranked = st.lists(st.sampled_from(["definition", "guideline", "differential"]), max_size=20).map(
    lambda kinds: [passage(position, kind) for position, kind in enumerate(kinds)]
)


@given(ranked, st.integers(1, 10))
def test_no_kind_of_document_takes_more_than_half_while_others_are_left(found: list[Passage], limit: int) -> None:
    chosen = balanced(found, limit)
    assert len(chosen) == min(limit, len(found))
    assert len({p.chunk for p in chosen}) == len(chosen)
    assert chosen == sorted(chosen, key=lambda p: -p.score)
    for kind in {p.kind for p in chosen}:
        others_left = [p for p in found if p.kind != kind and p not in chosen]
        assert sum(p.kind == kind for p in chosen) <= (limit + 1) // 2 or not others_left


@given(ranked, st.integers(1, 10))
def test_the_best_passage_is_always_kept(found: list[Passage], limit: int) -> None:
    assert balanced(found, limit)[:1] == found[:1]
