"""What the channels are asked."""

from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.compose import Clew
from ontology.reading.sense import Sense
from ontology.reading.terminology_build import build_terminology
from ontology.schema import load_domain
from retrieval.preset import Values, load_preset
from retrieval.question import Property
from retrieval.wordings import other_names, wordings
from tests.retrieval.made import question, topic

DOMAIN = load_domain()
SYMPTOMS = Property("has_phenotype", "subject")


@pytest.fixture(scope="module")
def graph(miniature_home: Path) -> Clew:
    return Clew.open(miniature_home)


def values(form: Literal["question", "sentences", "rationale"]) -> Values:
    known = load_preset().values
    return known.model_copy(update={"queries": known.queries.model_copy(update={"form": form})})


@given(st.text(min_size=1))
def test_the_question_is_asked_as_it_is(text: str) -> None:
    assert wordings(question(topic("gout"), text=text), values("question"), DOMAIN) == [text]


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("He has a fever. What is it?", ["He has a fever.", "What is it?"]),
        ("患者发热三天。是什么病？", ["患者发热三天。", "是什么病？"]),
        ("What is gout?", ["What is gout?"]),
    ],
)
def test_every_sentence_is_a_query(text: str, units: list[str]) -> None:
    assert [unit.strip() for unit in wordings(question(text=text), values("sentences"), DOMAIN)] == units


@given(st.text(min_size=1))
def test_whatever_is_asked_there_is_a_wording_and_each_is_a_part_of_the_question(text: str) -> None:
    found = wordings(question(text=text), values("sentences"), DOMAIN)
    assert found
    assert all(unit in text for unit in found)


def test_a_rationale_spells_out_what_is_asked_for() -> None:
    (english,) = wordings(question(topic("gout", SYMPTOMS), text="gout signs?"), values("rationale"), DOMAIN)
    (chinese,) = wordings(question(topic("痛风", SYMPTOMS), text="痛风症状", lang="zh"), values("rationale"), DOMAIN)
    ask = DOMAIN.predicates["has_phenotype"].ask["subject"]
    assert english == f"gout signs? {ask['en'].format(entity='gout')}"
    assert chinese == f"痛风症状 {ask['zh'].format(entity='痛风')}"


def test_the_rationale_of_a_question_without_entities_is_the_question() -> None:
    assert wordings(question(text="why?"), values("rationale"), DOMAIN) == ["why?"]


def test_a_rationale_is_one_wording_and_has_no_more_than_the_preset_decomposes_into() -> None:
    asked = question(*(topic(f"gout{at}") for at in range(9)), text="?")
    (text,) = wordings(asked, values("rationale"), DOMAIN)
    assert text.count("gout") == load_preset().values.decomposition.most


@pytest.mark.parametrize(
    ("text", "foreign"),
    [("What is used to treat hypertension?", "高血压"), ("高血压首选什么药？", "Hypertension")],
)
def test_entities_are_also_called_what_they_are_called_in_the_other_language(
    graph: Clew, text: str, foreign: str
) -> None:
    (name,) = other_names(graph.interpreter.interpret(text), graph.terminology).items()
    assert (name[0] in text, name[1].lower()) == (True, foreign.lower())


def test_an_entity_without_a_name_in_the_other_language_adds_none(graph: Clew) -> None:
    assert other_names(graph.interpreter.interpret("What is Homocystinuria?"), graph.terminology) == {}
    assert other_names(question(topic("nobody")), graph.terminology) == {}
    assert other_names(question(), graph.terminology) == {}


def test_of_a_chinese_name_only_what_is_chinese_is_a_word_to_find_by() -> None:
    names = [Sense("x:1", "Disease", "zh", "2型糖尿病(T2DM)", "label"), Sense("x:2", "Gene", "zh", "BRCA1", "label")]
    terminology = build_terminology(names)
    topics = [
        replace(topic(name), group=((curie, "Disease"),)) for name, curie in (("diabetes", "x:1"), ("brca", "x:2"))
    ]
    assert other_names(question(*topics), terminology) == {"diabetes": "型糖尿病"}
