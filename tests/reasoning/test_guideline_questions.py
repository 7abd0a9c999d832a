"""Questions about guidelines and prevention: heard beside what else is asked, and answered from the graph."""

from pathlib import Path

import pytest

from api.compose import Clew
from ontology.schema import load_domain
from reasoning.interpret import asked
from retrieval.question import Property

GUIDE = "DOI:10.1000/miniature.1"
COVERED, TREATED = Property("covers", "object"), Property("treats", "object")


@pytest.fixture(scope="module")
def graph(miniature_home: Path) -> Clew:
    return Clew.open(miniature_home)


def heard(graph: Clew, text: str) -> tuple[Property, ...]:
    (topic,) = graph.interpreter.interpret(text).topics
    return topic.asked


@pytest.mark.parametrize(
    "text",
    [
        "Which guidelines cover hypertension?",
        "Is there guidance on hypertension?",
        "哪些指南涉及高血压？",
        "高血压有诊疗规范吗？",
    ],
)
def test_which_guidelines_cover_a_disease_is_one_question(graph: Clew, text: str) -> None:
    assert heard(graph, text) == (COVERED,)


@pytest.mark.parametrize(
    ("text", "lead"),
    [
        ("Which guidelines cover hypertension?", "Guidelines that cover"),
        ("哪些指南涉及高血压？", "涉及高血压的指南有"),
    ],
)
def test_the_answer_names_the_guideline_and_cites_it(graph: Clew, text: str, lead: str) -> None:
    answer = graph.answerer.ask(text)
    (sentence,) = (found for found in answer.sentences if found.text.startswith(lead))
    assert "Miniature guideline of hypertension" in sentence.text
    cited = [citation for citation in answer.citations if citation.number in sentence.citations]
    assert [citation.references for citation in cited] == [(GUIDE,)]
    assert answer.unanswered == []


@pytest.mark.parametrize(
    "text",
    [
        "What is the treatment of hypertension?",
        "What is recommended for hypertension?",
        "Which drugs are first-line for hypertension?",
        "高血压推荐用什么药？",
        "高血压首选什么治疗？",
    ],
)
def test_a_question_about_treatment_stays_one(graph: Clew, text: str) -> None:
    assert heard(graph, text) == (TREATED,)


@pytest.mark.parametrize(
    "text", ["What treatment do guidelines recommend for hypertension?", "指南推荐高血压用什么药？"]
)
def test_treatment_by_guidelines_is_asked_first_of_the_treatment(graph: Clew, text: str) -> None:
    assert heard(graph, text) == (TREATED, COVERED)


def test_from_a_disease_to_its_guidelines_and_on_to_their_text(graph: Clew) -> None:
    rows = graph.store.rows(
        "MATCH (g:Guideline)-[r:covers]->(d:Disease) RETURN g.id AS guide, d.name AS disease, r.codes AS codes"
    )
    assert rows == [{"guide": GUIDE, "disease": "hypertension", "codes": ["main topic"]}]
    rows = graph.store.rows(
        "MATCH (:Guideline)-[:SUBJECT_OF]->(:Assertion {predicate: 'covers'})-[:HAS_EVIDENCE]->(:Evidence)"
        "-[:FROM_DOCUMENT]->(d:Document)-[:HAS_CHUNK]->(c:Chunk)-[:MENTIONS]->(g:Guideline) "
        "RETURN DISTINCT d.id AS document, g.id AS guide"
    )
    assert rows == [{"document": "openmed:guideline.hypertension_2024.treatment", "guide": GUIDE}]


DISEASE = [Property(*item) for item in load_domain().types["Disease"].properties]
DRUG = [Property(*item) for item in load_domain().types["Drug"].properties]


@pytest.mark.parametrize(
    ("properties", "wording", "lang", "wanted"),
    [
        (DISEASE, "how can it be prevented", "en", ("prevents", "object")),
        (DISEASE, "which vaccines are there against it", "en", ("prevents", "object")),
        (DISEASE, "怎么预防", "zh", ("prevents", "object")),
        (DRUG, "what does it prevent", "en", ("prevents", "subject")),
        (DRUG, "能预防什么", "zh", ("prevents", "subject")),
        (DRUG, "which enzymes metabolise it", "en", ("metabolised_by", "subject")),
        (DRUG, "由哪些酶代谢", "zh", ("metabolised_by", "subject")),
        (DRUG, "which transporters carry it", "en", ("transported_by", "subject")),
        (DRUG, "由什么蛋白转运", "zh", ("transported_by", "subject")),
        (DRUG, "what is it used for", "en", ("treats", "subject")),
        (DRUG, "which guidelines mention it", "en", ("covers", "object")),
    ],
)
def test_prevention_metabolism_and_transport_are_heard(
    properties: list[Property], wording: str, lang: str, wanted: tuple[str, str]
) -> None:
    assert asked(properties, wording, lang, load_domain()) == (Property(*wanted),)  # type: ignore[arg-type]
