"""What is said of chains and communities: every clause cited, and what is indirect called so."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from api.compose import Clew
from ontology.trace import Trace
from reasoning.answer import Answer
from reasoning.arms import ARMS, preset_of
from reasoning.draft import Draft
from reasoning.say import Teller
from retrieval.answers import find_indirect
from retrieval.channels.graph import GraphChannel
from retrieval.question import Property, Question, SubQuestion
from tests.kg_build.store.counting import CountingStore
from tests.reasoning.test_answer import check_citations
from tests.retrieval.test_templates import FBN1, TEMPLATES, topic

INDIRECT = {
    "Which diseases present with Skeletal anomalies?": "Indirectly, in 2 steps, ",
    "哪些疾病会出现Skeletal anomalies？": "间接证据（2步）指向",
}
LINKED = ["What are the symptoms of Marfan syndrome?", "感冒有哪些症状？"]


@pytest.fixture(scope="module")
def graph(miniature_home: Path) -> Clew:
    return Clew.open(miniature_home)


def told(answer: Answer) -> str:
    return "\n".join(sentence.text for sentence in answer.sentences)


# --- chains --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("question", "lead"), INDIRECT.items())
def test_what_no_fact_answers_is_answered_over_two_steps_and_says_so(graph: Clew, question: str, lead: str) -> None:
    answer = graph.answerer.ask(question)
    check_citations(graph, answer)
    indirect = [sentence for sentence in answer.sentences if sentence.text.startswith(lead)]
    assert indirect
    for sentence in indirect:
        cited = [answer.citations[number - 1] for number in sentence.citations]
        assert len(cited) == 2
        assert cited[0].cypher == cited[1].cypher
        (row, *_) = graph.store.rows(cited[0].cypher)
        assert [row["r1.assertion_id"], row["r2.assertion_id"]] == [citation.id for citation in cited]
        assert "independent chain" in sentence.text or "条独立的证据链" in sentence.text
    assert answer.unanswered == []


def test_a_question_with_facts_has_no_chains(graph: Clew) -> None:
    evidence = graph.retriever.retrieve(graph.interpreter.interpret(LINKED[0]), Trace())
    assert all(facts for _, facts in evidence.facts)
    assert evidence.chains == []
    assert "Indirectly" not in told(graph.answerer.ask(LINKED[0]))


@pytest.mark.parametrize("text", ["Which diseases present with headache?", "headache"])
def test_what_nothing_leads_to_stays_unanswered(graph: Clew, text: str) -> None:
    answer = graph.answerer.ask(text)
    assert "Indirectly" not in told(answer)
    assert answer.unanswered


def sub_question(*asked: str) -> SubQuestion:
    wanted = Property(asked[0], asked[1])  # type: ignore[arg-type]
    return SubQuestion(topic(FBN1, "Gene"), wanted, " ".join(asked))


def test_a_chain_takes_the_property_in_the_direction_that_is_asked(graph: Clew) -> None:
    subs = [
        sub_question("has_mode_of_inheritance", "subject"),
        sub_question("has_phenotype", "object"),
        sub_question("gene_associated_with_condition", "object"),
    ]
    found = find_indirect(graph.adjacency, graph.store, TEMPLATES, subs, 5)
    assert subs[0] in [sub for sub, _ in found]
    for sub, answers in found:
        predicate = graph.domain.predicates[sub.property.predicate]
        for answer in answers:
            assert predicate.takes(answer.node.type, "object" if sub.property.side == "subject" else "subject")
            for chain in answer.chains:
                steps = [edge.forward for edge in chain.edges if edge.predicate == sub.property.predicate]
                assert steps
                assert set(steps) == {sub.property.side == "subject"}
                assert len(chain.edges) == 2


def test_all_chains_of_a_question_cost_two_round_trips(graph: Clew) -> None:
    store = CountingStore(graph.store)
    subs = [sub_question("has_mode_of_inheritance", "subject"), sub_question("has_phenotype", "subject")]
    assert len(find_indirect(graph.adjacency, store, TEMPLATES, subs, 5)) == 2
    assert len(store.statements) == 2
    assert find_indirect(graph.adjacency, store, TEMPLATES, [], 5) == []
    assert len(store.statements) == 2


def test_a_retrieval_with_chains_makes_few_round_trips(graph: Clew) -> None:
    store = CountingStore(graph.store)
    channel = GraphChannel(store, graph.adjacency, graph.domain)
    retriever = replace(graph.retriever, store=store, graph=channel)
    for question in INDIRECT:
        store.statements.clear()
        assert retriever.retrieve(graph.interpreter.interpret(question), Trace()).chains
        assert len(store.statements) <= 7  # and one that reads the passages


@pytest.mark.parametrize("text", LINKED)
def test_the_statements_of_a_chain_that_the_release_has_not_are_not_said(graph: Clew, text: str) -> None:
    ((sub, answers),) = find_indirect(
        graph.adjacency, graph.store, TEMPLATES, [sub_question("has_mode_of_inheritance", "subject")], 1
    )
    (answer,) = answers
    chain = answer.chains[0]
    wrong = replace(chain, edges=[replace(chain.edges[0], assertion="a.none"), *chain.edges[1:]])
    draft = Draft()
    teller = Teller(graph.terminology, graph.answerer.verifier, graph.domain, graph.interpreter.interpret(text))
    teller.indirect(sub, [replace(answer, chains=[wrong])], draft)
    assert (draft.sentences, draft.citations, draft.removed) == ([], [], 1)
    teller.indirect(sub, [answer], draft)
    assert len(draft.citations) == 2


# --- arms ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arm", ARMS)
@pytest.mark.parametrize("text", LINKED)
def test_every_arm_cites_what_it_says_and_names_itself(graph: Clew, arm: str, text: str) -> None:
    answer = graph.answerer.ask(text, arm=arm)  # type: ignore[arg-type]
    check_citations(graph, answer)
    assert answer.arm == arm
    own = preset_of(arm)  # type: ignore[arg-type]
    assert answer.preset == (own.name if own else "")


@pytest.mark.parametrize("text", LINKED)
def test_an_arm_uses_only_its_evidence(graph: Clew, text: str) -> None:
    def kinds(arm: str) -> set[str]:
        return {citation.kind for citation in graph.answerer.ask(text, arm=arm).citations}  # type: ignore[arg-type]

    assert kinds("vector") <= {"passage"}
    assert kinds("kg") == {"statement"}
    assert kinds("graphrag") == {"statement"}
    assert kinds("none") == set()


def test_the_vector_arm_asks_the_dense_channel_only(graph: Clew) -> None:
    evidence = graph.retriever.retrieve(graph.interpreter.interpret(LINKED[0]), Trace(), preset_of("vector"))
    assert evidence.facts == []
    assert evidence.passages
    assert all(set(passage.by_channel) == {"dense"} for passage in evidence.passages)


@pytest.mark.parametrize(("text", "said"), [(LINKED[0], "no evidence"), (LINKED[1], "不使用任何证据")])
def test_without_evidence_nothing_is_said(graph: Clew, text: str, said: str) -> None:
    answer = graph.answerer.ask(text, arm="none")
    assert answer.sentences == []
    assert said in answer.insufficient


def test_the_default_arm_is_what_is_asked_without_one(graph: Clew) -> None:
    plain, hybrid = graph.answerer.ask(LINKED[0]), graph.answerer.ask(LINKED[0], arm="hybrid")
    assert (plain.sentences, plain.citations) == (hybrid.sentences, hybrid.citations)
    assert (plain.arm, plain.preset) == ("hybrid", "default")


# --- communities ---------------------------------------------------------------------------------------------


def test_communities_are_said_in_the_language_of_the_question(graph: Clew) -> None:
    english = graph.answerer.ask("What are the symptoms of Marfan syndrome?", arm="graphrag")
    chinese = graph.answerer.ask("感冒有哪些症状？", arm="graphrag")
    assert "is in a community of" in english.sentences[0].text
    assert "感冒所在的群体有" in chinese.sentences[0].text
    assert all(citation.cypher for citation in [*english.citations, *chinese.citations])


def test_an_entity_without_a_name_in_the_language_is_called_as_the_question_calls_it(graph: Clew) -> None:
    answer = graph.answerer.ask("马凡综合征有哪些症状？", arm="graphrag")
    told_of = [citation.title for citation in answer.citations if "{id: 'OMIM:154700'}" in citation.cypher]
    assert told_of
    assert all("马凡综合征" in title and "Marfan" not in title for title in told_of)


def test_what_a_model_writes_is_called_so_and_cites_what_it_read(graph: Clew) -> None:
    class Writer:
        def summarise(self, question: Question, statements: Sequence[str]) -> str:
            del question
            return f"{len(statements)} statements {{0}}"

    answerer = replace(graph.answerer, retriever=replace(graph.retriever, summariser=Writer()))
    answer = answerer.ask(LINKED[0], arm="graphrag")
    check_citations(graph, answer)
    written = [sentence for sentence in answer.sentences if sentence.text.startswith("A model's summary")]
    assert written
    assert f": {len(written[0].citations)} statements {{0}} [1]" in written[0].text
