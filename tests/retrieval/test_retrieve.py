"""Evidence for one question: facts for its sub-questions, passages beside them."""

from pathlib import Path

import pytest

from api.compose import Clew
from ontology.trace import Trace
from retrieval.journal import Journal
from retrieval.preset import load_preset
from retrieval.retrieve import Evidence, StoredPassages


@pytest.fixture(scope="module")
def graph(miniature_home: Path) -> Clew:
    return Clew.open(miniature_home)


def retrieve(graph: Clew, text: str, preset: str = "default", journal: Journal | None = None) -> tuple[Evidence, Trace]:
    trace = Trace()
    question = graph.interpreter.interpret(text)
    return graph.retriever.retrieve(question, trace, load_preset(preset), journal), trace


def test_a_question_about_an_entity_gets_facts_and_passages(graph: Clew) -> None:
    evidence, trace = retrieve(graph, "What is used to treat hypertension?")
    ((sub, facts),) = evidence.facts
    assert sub.text == "What is used to treat Hypertension?"
    assert {"氨氯地平", "卡托普利"} <= {fact.other_name for fact in facts}
    assert any("thiazide" in passage.text for passage in evidence.passages)
    assert [step.stage for step in trace.steps] == ["route", "decompose", "graph", "passages"]
    assert trace.steps[0].details == {"route": "graph and passages", "complexity": 2, "preset": "default"}


def test_chinese_questions_find_english_passages_by_the_other_name(graph: Clew) -> None:
    evidence, _ = retrieve(graph, "高血压首选什么药？")
    best = [passage for passage in evidence.passages if passage.by_channel["lexical"]]
    assert any("thiazide" in passage.text for passage in best)


def test_a_question_without_an_entity_is_answered_from_passages_only(graph: Clew) -> None:
    evidence, trace = retrieve(graph, "When are two drugs needed at the start?")
    assert evidence.facts == []
    assert trace.steps[0].details["route"] == "passages"
    assert [step.stage for step in trace.steps] == ["route", "passages"]


def test_a_sub_question_the_graph_has_nothing_for_stays_with_no_facts(graph: Clew) -> None:
    partly, _ = retrieve(graph, "高血压的治疗药物和遗传方式是什么？")
    assert [bool(facts) for _, facts in partly.facts] == [True, False]


def test_a_preset_that_does_not_decompose_has_passages_and_no_facts(graph: Clew) -> None:
    evidence, trace = retrieve(graph, "What is used to treat hypertension?", "gentext")
    assert evidence.facts == []
    assert evidence.passages
    assert trace.steps[0].details["preset"] == "gentext"


def test_below_the_papers_threshold_the_graph_is_not_read(graph: Clew) -> None:
    simple, _ = retrieve(graph, "What is used to treat hypertension?", "ihrag")
    complex_, _ = retrieve(graph, "Compare the symptoms and the treatment of hypertension and pneumonia", "ihrag")
    assert (simple.facts, len(complex_.facts)) == ([], 5)


def test_facts_beyond_the_most_are_dropped_with_their_score_and_the_cut(graph: Clew) -> None:
    question, journal = graph.interpreter.interpret("What are the symptoms of Marfan syndrome?"), Journal()
    values = load_preset().values
    few = values.model_copy(update={"facts": values.facts.model_copy(update={"most": 2})})
    preset = load_preset().__class__("few", "", few, {})
    evidence = graph.retriever.retrieve(question, Trace(), preset, journal)
    ((sub, facts),) = evidence.facts
    stage = next(stage for stage in journal.stages if stage.name == f"facts: {sub.text}")
    assert len(facts) == 2
    assert list(stage.kept) == [fact.assertion for fact in facts]
    assert stage.fallen
    assert all(one.cut == facts[-1].score >= (one.score or 0) for one in stage.fallen.values())
    assert all(sub.text in one.reason for one in stage.fallen.values())


def test_every_passage_is_the_text_of_its_chunk(graph: Clew) -> None:
    evidence, _ = retrieve(graph, "cough and headache with hypertension")
    assert evidence.passages
    for passage in evidence.passages:
        (row,) = graph.store.rows("MATCH (c:Chunk {id: $id}) RETURN c.text AS text", {"id": passage.chunk})
        assert passage.text == row["text"]
        assert passage.by_channel
        assert passage.source
        assert passage.reference


@pytest.mark.parametrize("text", ["感冒有哪些症状？", "What is used to treat hypertension?"])
def test_the_same_question_finds_the_same_whether_or_not_it_is_written_down(graph: Clew, text: str) -> None:
    assert retrieve(graph, text)[0] == retrieve(graph, text, journal=Journal())[0]


def test_without_vectors_it_is_said_that_the_dense_channel_is_missing(graph: Clew) -> None:
    trace, question = Trace(), graph.interpreter.interpret("headache")
    retriever = graph.retriever
    without = retriever.__class__(
        retriever.passages.__class__(
            retriever.passages.lexical, None, graph.topics, retriever.passages.reader, graph.terminology, graph.domain
        ),
        retriever.graph,
        graph.store,
        graph.domain,
    )
    evidence = without.retrieve(question, trace)
    assert evidence.passages
    assert "being made" in str(trace.steps[-1].details["without"])


def test_stored_passages_are_read_by_id_in_one_round_trip_and_unknown_ones_are_missing(graph: Clew) -> None:
    chunks = graph.release.table("chunk")["id"].to_pylist()[:3]
    found = StoredPassages(graph.store).read([chunks[2], "nowhere#0", chunks[0], "'}) DETACH DELETE n //"])
    assert list(found) == [chunks[2], chunks[0]]
    assert all(passage.chunk == chunk and passage.score == 0 for chunk, passage in found.items())
    assert StoredPassages(graph.store).read([]) == {}
