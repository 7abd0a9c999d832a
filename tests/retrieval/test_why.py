"""Why a passage or a statement is found, or at which stage it fell out."""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.compose import Clew
from ontology.errors import ClewError, Code
from ontology.trace import Trace
from retrieval.hit import CHANNELS
from retrieval.journal import Journal
from retrieval.preset import Preset, Values, load_preset
from retrieval.target import find_target
from retrieval.why import CHAINS, FACTS, PassageWhy, StatementWhy, Why, explain

SYMPTOMS = "What are the symptoms of Marfan syndrome?"
GUIDELINE = "openmed:guideline.hypertension_2024.treatment"


@pytest.fixture(scope="module")
def graph(miniature_home: Path) -> Clew:
    return Clew.open(miniature_home)


Explain = Callable[..., Why]


@pytest.fixture(scope="module")
def why(graph: Clew) -> Explain:
    def call(question: str, named: str, preset: Preset | None = None) -> Why:
        return explain(graph.retriever, graph.interpreter.interpret(question), preset or load_preset(), named)

    return call


def changed(section: str, **values: object) -> Preset:
    """The default with some other values."""
    preset = load_preset()
    part = getattr(preset.values, section).model_copy(update=values)
    known: Values = preset.values.model_copy(update={section: part})
    return replace(preset, values=known)


def only(found: Why) -> PassageWhy:
    (passage,) = found.passages
    return passage


def statement(found: Why) -> StatementWhy:
    assert found.statement is not None
    assert not found.passages
    return found.statement


def edge(graph: Clew, subject: str, predicate: str) -> str:
    rows = graph.store.rows(
        f"MATCH (n:Disease {{id: $id}})-[r:{predicate}]->() RETURN r.assertion_id AS id ORDER BY id", {"id": subject}
    )
    return str(rows[0]["id"])


# --- passages ------------------------------------------------------------------------------------------------


def test_what_an_answer_is_made_from_is_kept_with_its_rank_and_the_part_of_every_channel(
    graph: Clew, why: Explain
) -> None:
    question = graph.interpreter.interpret("headache with hypertension")
    evidence = graph.retriever.retrieve(question, Trace())
    for rank, passage in enumerate(evidence.passages, 1):
        found = only(why("headache with hypertension", passage.chunk))
        assert (found.outcome, found.stages[-1].rank, found.stages[-1].of) == ("kept", rank, len(evidence.passages))
        assert {view.channel: view.part for view in found.channels} == passage.by_channel
        assert found.stages[-1].score == passage.score
        assert all(stage.kept for stage in found.stages)


@pytest.mark.parametrize(
    ("section", "values", "stage"),
    [("passages", {"most": 1}, "quotas"), ("passages", {"tokens": 1, "most": 20, "quotas": "none"}, "budget")],
)
def test_the_stage_at_which_a_passage_fell_is_named_with_its_score_against_the_cut(
    graph: Clew, why: Explain, section: str, values: dict[str, object], stage: str
) -> None:
    preset = changed(section, **values)
    journal = Journal()
    graph.retriever.retrieve(graph.interpreter.interpret("headache with hypertension"), Trace(), preset, journal)
    fallen = next(one for one in journal.stages if one.name == stage).fallen
    assert fallen
    for identifier, one in fallen.items():
        found = only(why("headache with hypertension", identifier, preset))
        last = found.stages[-1]
        assert (found.outcome, last.stage, last.kept) == ("fell", stage, False)
        assert (last.score, last.cut, last.note) == (one.score, one.cut, one.reason)


def test_a_passage_that_no_channel_listed_has_its_score_and_place_in_each(graph: Clew, why: Explain) -> None:
    preset = changed("fusion", depth=1)
    journal = Journal()
    graph.retriever.retrieve(graph.interpreter.interpret("hypertension in adults"), Trace(), preset, journal)
    listed = {chunk for stage in journal.stages if stage.name in CHANNELS for chunk in stage.kept}
    chunks = [row["id"] for row in graph.store.rows("MATCH (c:Chunk) RETURN c.id AS id")]
    seen = 0
    for chunk in set(chunks) - listed:
        found = only(why("hypertension in adults", chunk, preset))
        assert (found.outcome, found.stages) == ("not found", [])
        for view in found.channels:
            assert view.part is None
            assert view.reason is not None
            if view.rank is not None:
                assert view.score is not None
                assert view.cut is not None
                assert view.rank > 1
                assert view.score <= view.cut
                seen += 1
    assert seen


@pytest.mark.parametrize(
    ("question", "named", "channel", "key"),
    [
        ("when to start", "Arachnodactyly", "graph", "channel without entity"),
        ("感冒有哪些症状？", "Arachnodactyly", "lexical", "other language"),
        ("What is chorea?", "Pectus excavatum", "lexical", "no shared word"),
        ("the of and", "Arachnodactyly", "lexical", "no indexed word"),
    ],
)
def test_why_a_channel_has_nothing(why: Explain, question: str, named: str, channel: str, key: str) -> None:
    views = {view.channel: view for view in only(why(question, named)).channels}
    reason = views[channel].reason  # type: ignore[index]
    assert reason is not None
    assert reason.key == key
    assert views[channel].score is None  # type: ignore[index]


def test_a_channel_that_is_left_out_or_below_the_threshold_says_so(why: Explain) -> None:
    def reason(preset: Preset, channel: str) -> str:
        views = {view.channel: view.reason for view in only(why(SYMPTOMS, "Arachnodactyly", preset)).channels}
        found = views[channel]  # type: ignore[index]
        assert found is not None
        return found.key

    assert reason(load_preset().without("dense"), "dense") == "channel left out"
    assert reason(load_preset("ihrag"), "lexical") == "channel left out"
    assert reason(load_preset("ihrag"), "graph") == "channel by threshold"


def test_a_document_is_named_by_its_id_its_title_or_a_part_of_it_in_any_case(graph: Clew) -> None:
    def chunks(named: str) -> list[str]:
        return find_target(graph.adjacency, graph.store, named).chunks

    assert chunks(GUIDELINE) == chunks("Miniature guideline of hypertension") == chunks(" miniature GUIDELINE ")
    assert chunks("高血压") == chunks("clew.doc:cmekg/3j7upd4coluqge6r")
    assert chunks(chunks(GUIDELINE)[0]) == chunks(GUIDELINE)[:1]
    assert len(chunks("Abnormality of the")) > 1
    assert chunks("Hypertension") == ["clew.doc:hpo/HP:0000822#0"]  # the whole title, not every title with the word


def test_of_a_document_the_passages_that_came_furthest_are_shown(graph: Clew, why: Explain) -> None:
    found = why("drugs for hypertension in adults", "n")  # a letter of nearly every title
    reached = [len([stage for stage in passage.stages if stage.kept]) for passage in found.passages]
    assert reached == sorted(reached, reverse=True)
    assert len(found.passages) + found.others == len(find_target(graph.adjacency, graph.store, "n").chunks)


@pytest.mark.parametrize(("named", "near"), [("Arachnodactily", "Arachnodactyly"), ("高血压病", "高血压")])
def test_an_unknown_document_is_an_error_with_near_titles(why: Explain, named: str, near: str) -> None:
    with pytest.raises(ClewError) as raised:
        why(SYMPTOMS, named)
    assert raised.value.code is Code.BAD_INPUT
    assert near in raised.value.choices


def test_nothing_named_is_an_error(why: Explain) -> None:
    with pytest.raises(ClewError) as raised:
        why(SYMPTOMS, " \u3000")
    assert raised.value.code is Code.EMPTY_INPUT


@settings(max_examples=25, deadline=2000)
@given(st.text(max_size=50) | st.sampled_from(["' OR 1=1 //", "a." * 10_000, "🫀", "\u202e", "\x00", "\ud800"]))
def test_any_name_is_found_or_refused(graph: Clew, named: str) -> None:
    target, code = None, None
    try:
        target = find_target(graph.adjacency, graph.store, named)
    except ClewError as error:
        code = error.code
    assert code in (Code.BAD_INPUT, Code.EMPTY_INPUT) or (target and (target.chunks or target.statement))


# --- statements ----------------------------------------------------------------------------------------------


def test_a_fact_that_was_read_names_its_sub_question_and_its_rank(graph: Clew, why: Explain) -> None:
    ((sub, facts),) = graph.retriever.retrieve(graph.interpreter.interpret(SYMPTOMS), Trace()).facts
    for rank, fact in enumerate(facts, 1):
        found = statement(why(SYMPTOMS, fact.assertion))
        (stage,) = found.stages
        assert (found.outcome, stage.stage, stage.rank) == ("kept", FACTS + sub.text, rank)
        assert stage.score == fact.score
        assert found.statement.ends is not None
        assert {end.id for end in found.statement.ends} == {fact.topic, fact.other}


def test_a_fact_that_is_not_good_enough_has_its_score_against_the_cut(graph: Clew, why: Explain) -> None:
    ((_, facts),) = graph.retriever.retrieve(graph.interpreter.interpret(SYMPTOMS), Trace()).facts
    found = statement(why(SYMPTOMS, facts[-1].assertion, changed("facts", most=1)))
    (stage,) = found.stages
    assert (found.outcome, stage.kept, stage.score, stage.cut) == ("fell", False, facts[-1].score, facts[0].score)


@pytest.mark.parametrize(
    ("question", "preset", "key"),
    [
        (SYMPTOMS, load_preset(), "edge not asked"),
        ("感冒有哪些症状？", load_preset(), "edge of others"),
        ("when to start", load_preset(), "edge without entity"),
        (SYMPTOMS, load_preset("ihrag"), "edge by threshold"),
        (SYMPTOMS, load_preset().without("decomposition"), "edge without decomposition"),
    ],
)
def test_why_no_sub_question_read_a_statement(
    graph: Clew, why: Explain, question: str, preset: Preset, key: str
) -> None:
    found = statement(why(question, edge(graph, "OMIM:154700", "has_mode_of_inheritance"), preset))
    assert (found.outcome, found.stages) == ("not found", [])
    assert found.reason is not None
    assert found.reason.key == key


def test_a_property_beyond_the_last_sub_question_says_so(graph: Clew, why: Explain) -> None:
    question = "What are the symptoms of Marfan syndrome and how is it inherited?"
    named = edge(graph, "OMIM:154700", "has_mode_of_inheritance")
    assert statement(why(question, named)).outcome == "kept"
    reason = statement(why(question, named, changed("decomposition", most=1))).reason
    assert reason is not None
    assert (reason.key, reason.values) == ("edge beyond sub-questions", ("1",))


def test_a_denial_is_no_fact(graph: Clew, why: Explain) -> None:
    rows = graph.store.rows("MATCH (a:Assertion) WHERE a.negated RETURN a.id AS id ORDER BY id")
    reason = statement(why(SYMPTOMS, rows[0]["id"])).reason
    assert reason is not None
    assert reason.key == "not an edge"


def test_a_statement_on_an_indirect_chain_is_kept_as_such(graph: Clew, why: Explain) -> None:
    question = "Which diseases present with Skeletal anomalies?"
    evidence = graph.retriever.retrieve(graph.interpreter.interpret(question), Trace())
    ((sub, answers),) = evidence.chains
    found = statement(why(question, answers[0].chains[0].edges[0].assertion))
    assert found.outcome == "kept"
    assert [stage.stage for stage in found.stages] == [CHAINS + sub.text]


# --- all -----------------------------------------------------------------------------------------------------


def test_asking_why_changes_no_result_and_takes_no_time(graph: Clew, why: Explain) -> None:
    question = graph.interpreter.interpret(SYMPTOMS)
    before = graph.retriever.retrieve(question, Trace())
    started = time.perf_counter()
    why(SYMPTOMS, GUIDELINE)
    assert time.perf_counter() - started < 0.5
    assert graph.retriever.retrieve(question, Trace(), journal=Journal()) == before
