"""The interpreter: which entities a question names, and what it asks about them."""

from dataclasses import replace
from pathlib import Path

import pytest

from api.compose import Clew
from ontology.errors import ClewError, Code
from ontology.schema import load_domain
from reasoning.interpret import MOST_TOPICS, Interpreter, asked
from retrieval.complexity import complexity
from retrieval.question import Property


@pytest.fixture(scope="module")
def interpreter(miniature_home: Path) -> Interpreter:
    return Clew.open(miniature_home).interpreter


@pytest.fixture(scope="module")
def full(default_home: Path) -> Interpreter:
    return Clew.open(default_home).interpreter


def read(interpreter: Interpreter, text: str) -> dict[str, list[str]]:
    """Names as written -> properties asked for."""
    return {t.text: [f"{p.predicate}/{p.side}" for p in t.asked] for t in interpreter.interpret(text).topics}


ONE_ENTITY = [
    ("What are the symptoms of Marfan syndrome?", "Marfan syndrome", "has_phenotype/subject"),
    ("Which gene is associated with Marfan syndrome?", "Marfan syndrome", "gene_associated_with_condition/object"),
    ("How is cystic fibrosis inherited?", "cystic fibrosis", "has_mode_of_inheritance/subject"),
    ("What causes pneumonia?", "pneumonia", "has_cause/subject"),
    ("What is used to treat hypertension?", "hypertension", "treats/object"),
    ("Which tests are needed for pneumonia?", "pneumonia", "is_diagnosed_by/subject"),
    ("Which diseases present with arachnodactyly?", "arachnodactyly", "has_phenotype/object"),
    ("What is arachnodactyly?", "arachnodactyly", "subclass_of/subject"),
    ("What are the side effects of Captopril Tablets?", "Captopril Tablets", "has_adverse_event/subject"),
    ("Which diseases is FBN1 associated with?", "FBN1", "gene_associated_with_condition/subject"),
    ("Which drugs should be avoided in hypertension?", "hypertension", "contraindicated_in/object"),
    ("高血压的并发症有哪些？", "高血压", "has_complication/subject"),
    ("肺炎需要做什么检查？", "肺炎", "is_diagnosed_by/subject"),
    ("马凡综合征有什么症状？", "马凡综合征", "has_phenotype/subject"),
    ("马凡综合征与哪些基因有关？", "马凡综合征", "gene_associated_with_condition/object"),
    ("高血压吃什么药？", "高血压", "treats/object"),
    ("高血压应该挂什么科？", "高血压", "managed_by/subject"),
    ("苯磺酸氨氯地平片的禁忌是什么？", "苯磺酸氨氯地平片", "contraindicated_in/subject"),
    ("卡托普利片有什么副作用？", "卡托普利片", "has_adverse_event/subject"),
    ("哪些病会出现咳嗽？", "咳嗽", "has_phenotype/object"),
    ("肺炎是怎么引起的？", "肺炎", "has_cause/subject"),
]


@pytest.mark.parametrize(("text", "name", "wanted"), ONE_ENTITY)
def test_a_question_about_one_property_of_one_entity(
    interpreter: Interpreter, text: str, name: str, wanted: str
) -> None:
    assert read(interpreter, text) == {name: [wanted]}


@pytest.mark.release
@pytest.mark.parametrize(("text", "name", "wanted"), ONE_ENTITY)
def test_the_same_questions_on_the_whole_graph(full: Interpreter, text: str, name: str, wanted: str) -> None:
    assert read(full, text) == {name: [wanted]}


@pytest.mark.release
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("感冒有哪些症状？", {"感冒": ["has_phenotype/subject"]}),  # better known as a finding than as a disease
        ("感冒有哪些症状，吃什么药？", {"感冒": ["treats/object", "has_phenotype/subject"]}),
        ("哪些病会引起感冒？", {"感冒": ["has_phenotype/object"]}),
        ("儿童发热能用布洛芬吗？", {"发热": [], "布洛芬": []}),  # the graph has a 'finding' 儿童
        ("哪些病会引起发热？", {"发热": ["has_phenotype/object"]}),  # and a 'disease' 引起
        ("老人出现咳嗽常见的原因是什么？", {"咳嗽": ["has_phenotype/object"]}),
        ("What was used as treatment of gout?", {"gout": ["treats/object"]}),
        ("糖尿病的症状有哪些？", {"糖尿病": ["has_phenotype/subject"]}),
    ],
)
def test_noise_in_the_sources_does_not_mislead_the_reading(
    full: Interpreter, text: str, expected: dict[str, list[str]]
) -> None:
    assert read(full, text) == expected


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Compare Marfan syndrome and Loeys-Dietz syndrome 1", ["Marfan syndrome", "Loeys-Dietz syndrome 1"]),
        ("布洛芬和阿司匹林可以一起吃吗？", ["布洛芬", "阿司匹林"]),
        ("咳嗽、发热和头痛，是感冒还是肺炎？", ["咳嗽", "发热", "头痛", "感冒", "肺炎"]),
        ("hypertension, then hypertension again", ["hypertension"]),
    ],
)
def test_entities_stand_in_the_order_in_which_they_are_named_each_once(
    interpreter: Interpreter, text: str, names: list[str]
) -> None:
    assert [topic.text for topic in interpreter.interpret(text).topics] == names


def test_no_question_is_about_more_entities_than_can_be_answered(interpreter: Interpreter) -> None:
    topics = interpreter.interpret("cough, fever, headache, chorea, ataxia, myopia, scoliosis").topics
    assert len(topics) == MOST_TOPICS


@pytest.mark.parametrize(
    "text",
    [
        "What are the symptoms and the treatment?",
        "症状、治疗和检查是什么？",
        "What is the capital of France?",
        "明天天气怎么样？",
    ],
)
def test_words_that_ask_are_not_entities(interpreter: Interpreter, text: str) -> None:
    assert interpreter.interpret(text).topics == ()


@pytest.mark.parametrize(
    ("text", "lang"), [("What is gout?", "en"), ("什么是痛风？", "zh"), ("马凡综合征（Marfan syndrome）的症状？", "zh")]
)
def test_the_language_is_that_of_the_wording(interpreter: Interpreter, text: str, lang: str) -> None:
    assert interpreter.interpret(text).lang == lang


@pytest.mark.parametrize(
    ("text", "compared", "negated", "constraints"),
    [
        ("What is the difference between pneumonia and influenza?", True, False, ()),
        ("Which drugs should not be used for hypertension in pregnant women?", False, True, ("pregnant",)),
        ("first-line treatment of severe hypertension in children", False, False, ("first-line", "severe", "children")),
        ("感冒和流行性感冒有什么区别？", True, False, ()),
        ("孕妇高血压不能用什么药？", False, True, ("孕妇",)),
        ("老年人急性肺炎的治疗", False, False, ("老年人", "急性")),
    ],
)
def test_comparison_negation_and_constraints_are_heard(
    interpreter: Interpreter, text: str, compared: bool, negated: bool, constraints: tuple[str, ...]
) -> None:
    question = interpreter.interpret(text)
    assert (question.compared, question.negated, question.constraints) == (compared, negated, constraints)


def test_a_topic_is_read_together_with_what_is_the_same(interpreter: Interpreter) -> None:
    english = interpreter.interpret("Marfan syndrome").topics[0]
    chinese = interpreter.interpret("马凡综合征").topics[0]
    assert {"OMIM:154700", "ORPHA:558", chinese.group[0][0]} <= {curie for curie, _ in english.group}
    assert {"OMIM:154700", "ORPHA:558"} <= {curie for curie, _ in chinese.group}
    assert (english.label, chinese.label) == ("Marfan syndrome", "马凡综合征")
    assert (english.id, english.type) in english.group


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\u3000"])
def test_an_empty_question_is_refused(interpreter: Interpreter, text: str) -> None:
    with pytest.raises(ClewError) as caught:
        interpreter.interpret(text)
    assert caught.value.code is Code.EMPTY_INPUT


@pytest.mark.parametrize("word", ["cough ", "咳嗽"])
def test_a_question_of_more_than_2000_characters_is_refused(interpreter: Interpreter, word: str) -> None:
    with pytest.raises(ClewError) as caught:
        interpreter.interpret(word * 1100)
    assert caught.value.code is Code.BAD_INPUT
    assert "2,000" in caught.value.cause
    assert interpreter.interpret((word * 2000)[:2000].strip()).topics


def test_a_name_alone_gives_the_entity_it_names(interpreter: Interpreter) -> None:
    assert interpreter.entities("FBN1") == ["NCBIGene:2200"]
    assert interpreter.entities("OMIM:154700") == ["OMIM:154700"]
    assert len(interpreter.entities("高血压")) == 1
    for name, code in (("", Code.EMPTY_INPUT), ("Marfan syndrom", Code.UNKNOWN_ENTITY)):
        with pytest.raises(ClewError) as caught:
            interpreter.entities(name)
        assert caught.value.code is code


@pytest.mark.release
@pytest.mark.parametrize("name", ["感冒", "高血压", "儿童"])
def test_a_name_that_things_of_several_types_share_gives_them_all(full: Interpreter, name: str) -> None:
    found = full.entities(name)
    types = [full.adjacency.type(row) for curie in found if (row := full.adjacency.index(curie)) is not None]
    assert len(types) == len(found) > 0
    assert len(set(types)) == len(types)


def test_the_longest_cue_is_heard_and_each_stretch_once() -> None:
    disease = [Property(*item) for item in load_domain().types["Disease"].properties]
    assert asked(disease, "what is the mode of inheritance", "en", load_domain()) == (
        Property("has_mode_of_inheritance", "subject"),
    )
    assert asked(disease, "presenting", "en", load_domain()) == ()  # whole words only
    assert asked([], "症状", "zh", load_domain()) == ()


HOPS = [
    ("What are the symptoms of Marfan syndrome?", 0),
    ("Which genes are associated with Marfan syndrome?", 0),
    ("Which genes cause arachnodactyly?", 1),  # a finding has no genes: a disease stands between
    ("哪些基因与咳嗽有关？", 1),
    ("马凡综合征与哪些基因有关？", 0),
    ("What is arachnodactyly?", 0),
    ("arachnodactyly", 0),
    ("咳嗽", 0),
    ("Which genes are known?", 0),  # without an entity there is nothing to go from
    ("有哪些基因？", 0),
]


@pytest.mark.parametrize(("text", "hops"), HOPS)
def test_a_relation_that_no_entity_of_the_question_has_is_a_hop(interpreter: Interpreter, text: str, hops: int) -> None:
    assert interpreter.interpret(text).hops == hops


@pytest.mark.parametrize(
    ("one", "several"),
    [
        ("Which genes cause arachnodactyly?", "Which genes cause arachnodactyly in Marfan syndrome?"),
        ("哪些基因与咳嗽有关？", "哪些基因与咳嗽和马凡综合征有关？"),
    ],
)
def test_a_relation_that_one_of_the_entities_has_is_no_hop(interpreter: Interpreter, one: str, several: str) -> None:
    assert interpreter.interpret(one).hops > interpreter.interpret(several).hops == 0


def test_a_hop_makes_a_question_more_complex(interpreter: Interpreter) -> None:
    asked = interpreter.interpret("Which genes cause arachnodactyly?")
    assert complexity(asked).hops == asked.hops == 1
    assert complexity(asked).total == complexity(replace(asked, hops=0)).total + 1


def test_cues_that_any_question_may_hold_are_no_hops(interpreter: Interpreter) -> None:
    assert interpreter.interpret("What is FBN1?").hops == 0
    assert interpreter.interpret("FBN1是什么？").hops == 0


@pytest.mark.parametrize("name", ["Marfan syndrome genes", "马凡综合征 基因"])
def test_names_of_entities_are_not_heard_as_relations(interpreter: Interpreter, name: str) -> None:
    assert interpreter.interpret(name).hops == 0
