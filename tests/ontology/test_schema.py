"""The ontology file: complete, bilingual and closed."""

import copy
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from ontology import schema
from ontology.errors import ClewError, Code
from ontology.schema import Domain, load_domain, relation_name

DOMAIN = load_domain()
PREDICATES = sorted(DOMAIN.predicates)


@pytest.fixture
def data() -> dict[str, Any]:
    return copy.deepcopy(DOMAIN.model_dump())


def test_the_file_is_read_once() -> None:
    assert load_domain() is load_domain()


@pytest.mark.parametrize("name", PREDICATES)
def test_every_end_of_a_predicate_is_a_type(name: str) -> None:
    ends = DOMAIN.predicates[name].ends
    assert ends
    assert {end for pair in ends for end in pair} <= DOMAIN.types.keys()


@pytest.mark.parametrize("name", sorted(DOMAIN.types))
def test_every_type_lists_properties_it_can_have_each_once(name: str) -> None:
    properties = DOMAIN.types[name].properties
    assert properties
    assert len(set(properties)) == len(properties)
    assert all(DOMAIN.predicates[predicate].takes(name, side) for predicate, side in properties)


@pytest.mark.parametrize("name", PREDICATES)
def test_every_question_and_sentence_exists_in_both_languages_and_names_its_entity(name: str) -> None:
    predicate = DOMAIN.predicates[name]
    for templates in predicate.ask.values():
        assert templates.keys() == {"en", "zh"}
        assert all(text.format(entity="X").count("X") == 1 for text in templates.values())
    for templates in predicate.say.values():
        assert templates.keys() == {"en", "zh"}
        assert all(text.format(entity="X", others="Y").count("X") == 1 for text in templates.values())
        assert all(text.format(entity="X", others="Y").count("Y") == 1 for text in templates.values())


@pytest.mark.parametrize("name", PREDICATES)
def test_what_can_be_asked_can_be_said_and_has_words_that_ask_for_it(name: str) -> None:
    predicate = DOMAIN.predicates[name]
    assert predicate.ask.keys() <= predicate.say.keys()
    assert predicate.ask.keys() == predicate.cues.keys()
    for words in predicate.cues.values():
        assert words.keys() == {"en", "zh"}
        assert all(words.values())


@pytest.mark.parametrize("name", PREDICATES)
def test_a_symmetric_predicate_is_its_own_inverse(name: str) -> None:
    predicate = DOMAIN.predicates[name]
    assert predicate.symmetric == (predicate.inverse == name)


def test_names_and_inverses_are_unique() -> None:
    names = [*PREDICATES, *(p.inverse for p in DOMAIN.predicates.values() if not p.symmetric)]
    assert len(set(names)) == len(names)
    for lang in ("en", "zh"):
        spoken = [getattr(p, lang) for p in DOMAIN.predicates.values()]
        assert len(set(spoken)) == len(spoken)


def test_no_predicate_is_called_like_a_denial() -> None:
    assert not any(name.startswith(schema.NEGATED_PREFIX) for name in PREDICATES)


def test_a_denial_has_a_relation_type_of_its_own() -> None:
    assert relation_name("treats", negated=False) == "treats"
    assert relation_name("treats", negated=True) == "not_treats"


def test_a_source_that_is_not_named_gets_the_lowest_trust() -> None:
    assert DOMAIN.trust("hpo") > DOMAIN.trust("open_medicine") > DOMAIN.trust("cmekg")
    assert DOMAIN.trust("somewhere else") == min(source.trust for source in DOMAIN.sources.values())


def test_statements_inside_the_ontology_pass() -> None:
    DOMAIN.check_type("Disease")
    DOMAIN.check_statement("Disease", "has_phenotype", "PhenotypicFeature")


@pytest.mark.parametrize(
    ("statement", "choice"),
    [
        (("Disease", "has_phenotyp", "PhenotypicFeature"), "has_phenotype"),
        (("Gene", "has_phenotype", "PhenotypicFeature"), "Disease → PhenotypicFeature"),
        (("PhenotypicFeature", "has_phenotype", "Disease"), "Disease → Disease"),
    ],
)
def test_a_statement_outside_the_ontology_is_refused_with_choices(statement: tuple[str, str, str], choice: str) -> None:
    with pytest.raises(ClewError) as caught:
        DOMAIN.check_statement(*statement)
    assert caught.value.code is Code.BAD_SCHEMA
    assert choice in caught.value.choices


def test_an_unknown_type_is_refused_with_what_looks_like_it() -> None:
    with pytest.raises(ClewError) as caught:
        DOMAIN.check_type("Diseases")
    assert caught.value.choices[0] == "Disease"


def _unknown_end(data: dict[str, Any]) -> None:
    data["predicates"]["treats"]["range"] = ["Illness"]


def _unknown_property(data: dict[str, Any]) -> None:
    data["types"]["Gene"]["properties"] = [("has_colour", "subject")]


def _wrong_side(data: dict[str, Any]) -> None:
    data["types"]["Gene"]["properties"] = [("gene_associated_with_condition", "object")]


def _two_ways_to_say_ends(data: dict[str, Any]) -> None:
    data["predicates"]["treats"]["pairs"] = [("Drug", "Disease")]


def _unknown_key(data: dict[str, Any]) -> None:
    data["types"]["Gene"]["colour"] = "blue"


def _too_much_trust(data: dict[str, Any]) -> None:
    data["sources"]["hpo"]["trust"] = 1.1


@pytest.mark.parametrize(
    "spoil", [_unknown_end, _unknown_property, _wrong_side, _two_ways_to_say_ends, _unknown_key, _too_much_trust]
)
def test_a_file_with_a_loose_end_is_refused(data: dict[str, Any], spoil: Any) -> None:
    Domain.model_validate(data)
    spoil(data)
    with pytest.raises(ValidationError):
        Domain.model_validate(data)


def test_the_file_survives_a_round_trip_through_yaml(data: dict[str, Any]) -> None:
    plain = DOMAIN.model_dump(mode="json")
    assert Domain.model_validate(yaml.safe_load(yaml.safe_dump(plain, allow_unicode=True))) == DOMAIN
