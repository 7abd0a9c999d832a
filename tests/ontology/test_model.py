"""Statements and their evidence: what identifies them and what does not."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontology.model import Assertion, Entity, Evidence

words = st.text(min_size=1, max_size=8)
qualifiers = st.dictionaries(words, words, max_size=4)
assertions = st.builds(Assertion, words, words, words, st.booleans(), qualifiers)
MARFAN = Assertion("OMIM:154700", "has_phenotype", "HP:0001166")
ROW = Evidence(MARFAN, "hpo", ("PMID:1",), "line 7", "knowledge_assertion", "manual_agent", code="PCS", frequency="3/7")


@given(assertions)
def test_equal_statements_have_equal_ids(assertion: Assertion) -> None:
    again = replace(assertion, qualifiers=dict(assertion.qualifiers))
    assert again.id == assertion.id
    assert again.id.startswith("a.")


@given(assertions)
def test_the_order_of_qualifiers_does_not_count(assertion: Assertion) -> None:
    backwards = dict(reversed(assertion.qualifiers.items()))
    assert replace(assertion, qualifiers=backwards).id == assertion.id


@given(assertions)
def test_a_denial_is_another_statement(assertion: Assertion) -> None:
    assert replace(assertion, negated=not assertion.negated).id != assertion.id


@given(assertions, words, words)
def test_every_identifying_field_counts(assertion: Assertion, key: str, value: str) -> None:
    others = [
        replace(assertion, subject=assertion.subject + "x"),
        replace(assertion, predicate=assertion.predicate + "x"),
        replace(assertion, object=assertion.object + "x"),
        replace(assertion, qualifiers={**assertion.qualifiers, key: assertion.qualifiers.get(key, "") + "x"}),
    ]
    assert len({assertion.id, *(other.id for other in others)}) == 5


def test_the_id_of_a_statement_never_changes_between_versions() -> None:
    assert MARFAN.id == "a.fbiclhdxyyljnsef"


@pytest.mark.parametrize(
    "field", [{"frequency": "45%"}, {"onset": "HP:0003577"}, {"sex": "MALE"}, {"modifiers": ("HP:0012828",)}]
)
def test_frequency_onset_sex_and_modifiers_belong_to_the_evidence(field: dict[str, object]) -> None:
    other = replace(ROW, **field)
    assert other.assertion.id == ROW.assertion.id
    assert other.id != ROW.id


@pytest.mark.parametrize(
    "field",
    [
        {"source": "cmekg"},
        {"references": ("PMID:2",)},
        {"code": "IEA"},
        {"quote": "蜘蛛指"},
        {"document": "d:1"},
        {"agent": "a"},
    ],
)
def test_what_a_source_says_identifies_its_evidence(field: dict[str, object]) -> None:
    assert replace(ROW, **field).id != ROW.id


def test_where_a_row_stands_does_not_identify_it() -> None:
    assert replace(ROW, record="line 8").id == ROW.id


def test_records_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        MARFAN.negated = True  # type: ignore[misc]
    with pytest.raises(AttributeError):
        Entity("HP:1", "PhenotypicFeature", "x", "en", "hpo").label = "y"  # type: ignore[misc]
