"""Questions in words become statements: which template, and what it finds in the miniature."""

import unicodedata
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.compose import Clew
from kg_build.store.child import explain_cypher
from kg_build.store.guard import check
from ontology.errors import ClewError, Code
from ontology.schema import load_domain
from retrieval.question import Question, Topic
from retrieval.text2cypher import Translation, translate, written_by

# question, template of the first statement, what its rows hold (a name, an id or a number)
ENGLISH = [
    ("What are the symptoms of Marfan syndrome?", "property", "Ectopia lentis"),
    ("Which findings does Loeys-Dietz syndrome 1 have?", "property", "Joint hypermobility"),
    ("What is the inheritance of cystic fibrosis?", "property", "Autosomal recessive inheritance"),
    ("Which genes are associated with Marfan syndrome?", "property", "FBN1"),
    ("Which diseases is FBN1 associated with?", "property", "OMIM:154700"),
    ("Which diseases show arachnodactyly?", "property", "Homocystinuria"),
    ("Which diseases present with ectopia lentis?", "property", "ORPHA:558"),
    ("Which findings does Marfan syndrome not have?", "property", "Seizure"),
    ("Which symptoms of Marfan syndrome occur in more than 50%?", "property", "Arachnodactyly"),
    ("Which frequent symptoms does Loeys-Dietz syndrome 1 have?", "property", "Scoliosis"),
    ("Which symptoms of Marfan syndrome have references?", "property", "Arachnodactyly"),
    ("Which symptoms of Marfan syndrome are stated by hpo?", "property", "Arachnodactyly"),
    ("How many diseases are there?", "count", 26),
    ("How many symptoms does Marfan syndrome have?", "count", 10),
    ("How many diseases show arachnodactyly?", "count", 2),
    ("What do Marfan syndrome and Homocystinuria have in common?", "shared", "Ectopia lentis"),
    ("Compare the symptoms of Marfan syndrome and Loeys-Dietz syndrome 1", "shared", "Aortic root aneurysm"),
    ("How is FBN1 related to ectopia lentis?", "via", "OMIM:154700"),
    ("What is the relationship between Marfan syndrome and arachnodactyly?", "direct", "has_phenotype"),
    ("Which genes are associated with the diseases that show ectopia lentis?", "chain", "FBN1"),
]
CHINESE = [
    ("感冒有哪些症状？", "property", "鼻塞"),
    ("高血压有哪些治疗药物？", "property", "卡托普利"),
    ("布洛芬有哪些不良反应？", "property", "恶心"),
    ("卡托普利片有哪些禁忌？", "property", "孕妇"),
    ("感冒应该看什么科？", "property", "呼吸内科"),
    ("肺炎需要做哪些检查？", "property", "胸部X线检查"),
    ("感冒的病因是什么？", "property", "受凉"),
    ("哪些疾病会出现发热？", "property", "肺炎"),
    ("哪些药物会引起咳嗽？", "property", "卡托普利片"),
    ("马凡综合征有哪些超过50%的症状？", "property", "Arachnodactyly"),
    ("马凡综合征有哪些可靠的症状？", "property", "Arachnodactyly"),
    ("马凡综合征与哪些基因有关？", "property", "FBN1"),
    ("感冒有多少种症状？", "count", 6),
    ("图谱中有多少种药物？", "count", 13),
    ("有多少疾病会出现发热？", "count", 3),
    ("感冒和流行性感冒有哪些共同症状？", "shared", "咳嗽"),
    ("比较感冒和肺炎的症状", "shared", "发热"),
    ("布洛芬与阿司匹林有相互作用吗？", "direct", "interacts_with"),
    ("卡托普利片和高血压之间有什么关系？", "direct", "treats"),
    ("卡托普利片治疗的疾病有哪些症状？", "chain", "眩晕"),
]
TOPICS = st.builds(
    Topic,
    id=st.text(min_size=1, max_size=12),
    type=st.sampled_from(["Disease", "PhenotypicFeature", "Drug", "Gene"]),
    label=st.text(max_size=12),
    text=st.text(max_size=12),
    group=st.just(()),
    asked=st.just(()),
)
WORDING = st.sampled_from(
    ["symptoms", "genes", "diseases", "how many", "in common", "between", "more than 50%", "hpo", "{}", "'", "症状",
     "多少", "共同", "关系", "基因", "疾病", "可靠", "\x00", "\u202e", "🫀"]
)  # fmt: skip
QUESTIONS = st.builds(
    Question,
    text=st.lists(WORDING, max_size=6).map(" ".join),
    lang=st.sampled_from(["en", "zh"]),
    topics=st.lists(TOPICS, max_size=3).map(
        lambda topics: tuple(Topic(t.id, t.type, t.label, t.text, ((t.id, t.type),), ()) for t in topics)
    ),
    compared=st.booleans(),
    negated=st.booleans(),
    constraints=st.just(()),
)


@pytest.fixture(scope="module")
def graph(miniature_home: Path) -> Clew:
    return Clew.open(miniature_home)


def made(graph: Clew, text: str) -> list[Translation]:
    return translate(graph.interpreter.interpret(text), graph.domain)


def values(graph: Clew, item: Translation) -> set[object]:
    rows = graph.store.rows(item.statement)
    return {value for row in rows for value in row.values() if not isinstance(value, list)}


@pytest.mark.parametrize(("text", "template", "found"), [*ENGLISH, *CHINESE])
def test_a_question_becomes_a_statement_that_finds_its_answer(
    graph: Clew, text: str, template: str, found: object
) -> None:
    first, *_ = made(graph, text)
    assert first.template == template
    assert found in values(graph, first)


@pytest.mark.parametrize("text", [text for text, *_ in (*ENGLISH, *CHINESE)])
def test_every_statement_passes_the_guard_unchanged_and_is_said_in_both_languages(graph: Clew, text: str) -> None:
    for item in made(graph, text):
        assert check(item.statement) == item.statement
        assert item.says["en"]
        assert item.says["zh"]


def test_each_template_runs_in_the_process_that_free_cypher_runs_in(graph: Clew) -> None:
    shown = {item.template: item for text, *_ in (*ENGLISH, *CHINESE) for item in made(graph, text)}
    for item in shown.values():
        explain_cypher(graph.release.derived("graph.lbug"), item.statement, {}, seconds=10)


def test_every_template_is_among_the_questions(graph: Clew) -> None:
    used = {item.template for text, *_ in (*ENGLISH, *CHINESE) for item in made(graph, text)}
    assert used == {"property", "product", "count", "shared", "only", "direct", "via", "chain"}


def test_conditions_narrow_what_is_found_and_are_said(graph: Clew) -> None:
    every, *_ = made(graph, "What are the symptoms of Marfan syndrome?")
    half, *_ = made(graph, "Which symptoms of Marfan syndrome occur in at least 70 percent?")
    from_hpo, *_ = made(graph, "马凡综合征有哪些来自hpo的症状？")
    assert values(graph, half) < values(graph, every)
    assert "70%" in half.says["en"]
    assert "70%" in half.says["zh"]
    assert "hpo" in from_hpo.says["zh"]
    assert all("hpo" in row["sources"] for row in graph.store.rows(from_hpo.statement))


def test_a_comparison_shows_also_what_only_one_of_them_has(graph: Clew) -> None:
    _, one, other = made(graph, "Compare the symptoms of Marfan syndrome and Loeys-Dietz syndrome 1")
    assert {"Ectopia lentis"} <= values(graph, one)
    assert "Joint hypermobility" in values(graph, other)
    assert not values(graph, one) & {"Aortic root aneurysm", "Scoliosis"}
    assert not values(graph, other) & {"Aortic root aneurysm", "Scoliosis"}


def test_what_one_has_but_not_the_other_is_not_what_is_denied(graph: Clew) -> None:
    (item,) = made(graph, "Which symptoms does Marfan syndrome have but not Loeys-Dietz syndrome 1?")
    assert item.template == "only"
    assert "not_has_phenotype" not in item.statement
    assert "Ectopia lentis" in values(graph, item)
    assert "Scoliosis" not in values(graph, item)


def test_a_frequency_narrows_the_edge_that_has_one(graph: Clew) -> None:
    (item,) = made(graph, "Which genes are associated with the diseases that often show ectopia lentis?")
    assert item.template == "chain"
    assert "r.frequency >= 0.3" in item.statement
    assert "s.frequency" not in item.statement
    assert "FBN1" in values(graph, item)


def test_an_entity_whose_name_is_only_wording_is_taken_for_wording(graph: Clew) -> None:
    question = graph.interpreter.interpret("高血压有哪些治疗药物？")
    listed = Topic("cmekg:x", "Procedure", "治疗药物", "治疗药物", (("cmekg:x", "Procedure"),), ())
    both = replace(question, topics=(replace(question.topics[0], asked=()), listed))
    assert [i.statement for i in translate(both, graph.domain)] == [
        i.statement for i in translate(question, graph.domain)
    ]


def test_a_drug_without_statements_of_its_own_is_asked_about_by_its_products(graph: Clew) -> None:
    own, products = made(graph, "氨氯地平有哪些不良反应？")
    assert (own.template, products.template) == ("property", "product")
    assert not values(graph, own)
    assert "水肿" in values(graph, products)


@pytest.mark.parametrize(
    "text", ["hello", "今天天气怎么样", "How many of it are there?", "How many people have Marfan syndrome?"]
)
def test_where_no_template_fits_there_is_no_statement(graph: Clew, text: str) -> None:
    assert made(graph, text) == []


@given(QUESTIONS)
def test_no_question_makes_a_statement_that_the_guard_refuses(question: Question) -> None:
    odd = any(unicodedata.category(c) in {"Cs", "Cc"} for topic in question.topics for c in topic.id)
    with nullcontext() if not odd else suppress(ClewError):  # an id with a character that no statement may hold
        items = translate(question, load_domain())
        assert all(check(item.statement) == item.statement for item in items)


# --- a language model --------------------------------------------------------------------------------------


class Told:
    """A writer that says what it was told to say."""

    def __init__(self, *replies: str) -> None:
        self.replies, self.prompts = list(replies), list[str]()

    def write(self, prompt: str) -> str:
        self.prompts.append(prompt)
        return self.replies.pop(0)


def test_what_a_model_writes_is_taken_out_of_its_reply_and_checked(graph: Clew) -> None:
    writer = Told("<think>CREATE?</think>Here:\n```cypher\nMATCH (d:Disease) RETURN d.id LIMIT 3;\n```\nDone.")
    item = written_by(writer, graph.interpreter.interpret("名单"), graph.domain)
    assert (item.template, item.statement) == ("model", "MATCH (d:Disease) RETURN d.id LIMIT 3")


def test_a_model_is_told_the_schema_the_entities_and_the_question(graph: Clew) -> None:
    writer = Told("RETURN 1")
    written_by(writer, graph.interpreter.interpret("What about Marfan syndrome?"), graph.domain)
    (prompt,) = writer.prompts
    assert "[:has_phenotype]" in prompt
    assert "(:Disease {id: 'OMIM:154700'})" in prompt
    assert prompt.endswith("What about Marfan syndrome?")


def test_a_refused_statement_is_written_anew_with_the_reason(graph: Clew) -> None:
    writer = Told("MATCH (d) DELETE d", "MATCH (d:Disease) RETURN d.id LIMIT 1")
    assert written_by(writer, graph.interpreter.interpret("x"), graph.domain).statement.startswith("MATCH (d:Disease)")
    assert "DELETE would change the graph" in writer.prompts[1]


def test_a_second_refusal_ends_it_and_shows_what_was_written(graph: Clew) -> None:
    with pytest.raises(ClewError) as caught:
        written_by(Told("no idea", "COPY (RETURN 1) TO 'x.csv'"), graph.interpreter.interpret("x"), graph.domain)
    assert caught.value.code is Code.REFUSED_CYPHER
    assert "COPY (RETURN 1) TO" in caught.value.cause
    assert "twice" in caught.value.cause


def test_what_the_engine_does_not_know_is_repaired_too(graph: Clew) -> None:
    database = graph.release.derived("graph.lbug")
    writer = Told("MATCH (d:Illness) RETURN d.id LIMIT 1", "MATCH (d:Disease) RETURN d.id LIMIT 1")
    question = graph.interpreter.interpret("x")
    written_by(writer, question, graph.domain, lambda text: explain_cypher(database, text, {}, seconds=10))
    assert "no entity or relation type Illness" in writer.prompts[1]
