"""Decomposition: entities × properties → at most as many sub-questions as the preset says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontology.schema import load_domain
from reasoning.interpret import TOPIC_TYPES
from retrieval.decompose import decompose
from retrieval.preset import Decomposition, load_preset
from retrieval.question import Property, Question, Topic

DOMAIN = load_domain()
DEFAULT, IHRAG = (load_preset(name).values.decomposition for name in ("default", "ihrag"))
GENES, COURSE = Property("gene_associated_with_condition", "object"), Property("has_clinical_course", "subject")


def topic(name: str, type_name: str = "Disease", *asked: Property) -> Topic:
    return Topic(f"x:{name}", type_name, name, name, ((f"x:{name}", type_name),), asked)


def question(*topics: Topic, lang: str = "en") -> Question:
    return Question("?", lang, topics, compared=False, negated=False, constraints=())  # type: ignore[arg-type]


properties = st.sampled_from([Property(p, s) for p, s in DOMAIN.types["Disease"].properties])
topics = st.builds(
    lambda name, type_name, asked: topic(name, type_name, *asked),
    st.sampled_from(["gout", "感冒", "MS", "FBN1"]),
    st.sampled_from(sorted(DOMAIN.types)),
    st.lists(properties, max_size=6),
)


hows = st.builds(
    Decomposition,
    on=st.just(True),
    order=st.sampled_from(["one by one", "in turn"]),
    properties=st.sampled_from(["of the type", "asked"]),
    per_entity=st.integers(1, 20),
    most=st.integers(1, 20),
)


@given(st.lists(topics, max_size=6), st.sampled_from(["en", "zh"]), hows)
def test_there_are_never_more_than_wanted_and_never_two_alike(
    found: list[Topic], lang: str, how: Decomposition
) -> None:
    subs = decompose(question(*found, lang=lang), DOMAIN, how)
    assert len(subs) <= how.most
    assert len({(sub.topic.id, sub.property) for sub in subs}) == len(subs)
    assert all(sub.topic.label in sub.text for sub in subs)


def test_without_asked_properties_the_three_most_important_of_the_type_are_taken() -> None:
    subs = decompose(question(topic("gout")), DOMAIN, DEFAULT)
    listed = [Property(*item) for item in DOMAIN.types["Disease"].properties]
    assert [sub.property for sub in subs] == listed[: DEFAULT.per_entity]


def test_what_the_wording_asks_for_replaces_the_list_of_the_type() -> None:
    subs = decompose(question(topic("gout", "Disease", COURSE, GENES)), DOMAIN, DEFAULT)
    assert [sub.property for sub in subs] == [COURSE, GENES]


def test_entities_take_turns_so_that_the_third_is_heard_too() -> None:
    subs = decompose(question(topic("gout"), topic("感冒"), topic("lupus")), DOMAIN, DEFAULT)
    assert [sub.topic.label for sub in subs] == ["gout", "感冒", "lupus", "gout", "感冒"]


def test_an_entity_with_little_to_ask_does_not_hold_up_the_others() -> None:
    subs = decompose(question(topic("child", "Population"), topic("gout")), DOMAIN, DEFAULT)
    few = [sub for sub in subs if sub.topic.label == "child"]
    assert len(few) < 3
    assert [sub.topic.label for sub in subs if sub not in few] == ["gout", "gout", "gout"]


@pytest.mark.parametrize(
    ("lang", "text"), [("en", "Which genes are associated with 感冒?"), ("zh", "感冒与哪些基因有关？")]
)
def test_a_sub_question_is_put_in_the_language_of_the_question(lang: str, text: str) -> None:
    assert [sub.text for sub in decompose(question(topic("感冒", "Disease", GENES), lang=lang), DOMAIN, DEFAULT)] == [
        text
    ]


def test_a_property_without_a_question_template_is_passed_over() -> None:
    assert decompose(question(topic("gout", "Disease", Property("same_as", "subject"))), DOMAIN, DEFAULT) == []


@pytest.mark.parametrize("type_name", TOPIC_TYPES)
def test_whatever_a_question_can_be_about_has_something_to_be_asked(type_name: str) -> None:
    (first, *_) = decompose(question(topic("x", type_name)), DOMAIN, DEFAULT)
    unasked = [p for p, side in DOMAIN.types[type_name].properties if side not in DOMAIN.predicates[p].ask]
    assert first.property == Property(*DOMAIN.types[type_name].properties[0])
    assert set(unasked) <= {"same_as"}  # groups cross it already


def test_a_question_without_entities_has_no_sub_questions() -> None:
    assert decompose(question(), DOMAIN, DEFAULT) == []


def test_braces_in_a_name_are_only_characters() -> None:
    assert decompose(question(topic("{x}", "Disease", GENES)), DOMAIN, DEFAULT)[0].text.endswith("{x}?")


def test_the_papers_order_is_entity_by_entity_so_that_a_third_one_gets_nothing() -> None:
    asked = question(topic("gout", "Disease", COURSE), topic("感冒"), topic("lupus"))
    subs = decompose(asked, DOMAIN, IHRAG)
    assert [sub.topic.label for sub in subs] == ["gout", "gout", "gout", "感冒", "感冒"]
    listed = [Property(*item) for item in DOMAIN.types["Disease"].properties]
    assert [sub.property for sub in subs] == [*listed[:3], *listed[:2]]  # whatever the wording asks for


def test_what_does_not_decompose_has_no_sub_questions() -> None:
    off = DEFAULT.model_copy(update={"on": False})
    assert decompose(question(topic("gout")), DOMAIN, off) == []
