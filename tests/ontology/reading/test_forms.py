"""What running text may write for a name."""

import pytest

from ontology.reading.forms import (
    has_barrier,
    inflections,
    is_findable,
    is_picky,
    may_be_written,
    other_possessive,
    reordered,
    says_whether,
    spellings,
)
from ontology.reading.sense import Sense


@pytest.mark.parametrize("form", ["flu", "头痛", "hiv感染", "b 12 deficiency", "early pain"])
def test_names_that_mean_something_are_looked_for(form: str) -> None:
    assert is_findable(form)


@pytest.mark.parametrize("form", ["痛", "mi", "123", "all", "most other", "a b c", ""])
def test_short_names_numbers_and_common_words_are_not(form: str) -> None:
    assert not is_findable(form)


@pytest.mark.parametrize(
    ("type_name", "text", "kind", "picky"),
    [
        ("Disease", "MI", "abbreviation", True),
        ("Gene", "fbn1", "label", True),
        ("Disease", "AIDS", "label", True),
        ("Disease", "Fever", "label", False),
        ("Disease", "SEIZURE", "label", False),
        ("Disease", "AB型", "abbreviation", False),
    ],
)
def test_abbreviations_genes_and_short_capitals_are_read_as_written(
    type_name: str, text: str, kind: str, picky: bool
) -> None:
    assert is_picky(type_name, text, kind) is picky


def test_what_is_read_as_written_keeps_its_case_and_not_its_hyphens() -> None:
    gene = Sense("G:1", "Gene", "en", "IL-6", "label")
    assert may_be_written("IL 6", gene)
    assert not may_be_written("il-6", gene)
    assert may_be_written("FEVER", Sense("HP:1", "PhenotypicFeature", "en", "Fever", "label"))


@pytest.mark.parametrize("text", ["heart. Attack", "头，痛", "pain; fever", "one\n\ntwo", "肝、脾"])
def test_ends_of_sentences_and_chinese_commas_are_barriers(text: str) -> None:
    assert has_barrier(text)


@pytest.mark.parametrize("text", ["heart attack", "vitamin B.12", "头痛", "febrile\nseizure", "seizures, febrile", ""])
def test_blanks_points_in_numbers_and_english_commas_are_not(text: str) -> None:
    assert not has_barrier(text)


@pytest.mark.parametrize(
    ("form", "other"),
    [
        ("febrile seizure", "febrile seizures"),
        ("seizures", "seizure"),
        ("metastasis", "metastases"),
        ("metastases", "metastasis"),
        ("biopsy", "biopsies"),
        ("allergies", "allergy"),
        ("abscess", "abscesses"),
        ("heart masses", "heart mass"),
    ],
)
def test_the_last_word_has_another_number(form: str, other: str) -> None:
    assert other in inflections(form)


@pytest.mark.parametrize("form", ["头痛", "hiv感染", "factor v", "cafés"])
def test_what_does_not_end_in_an_english_word_has_none(form: str) -> None:
    assert inflections(form) == []


def test_a_possessive_s_may_be_left_out() -> None:
    assert other_possessive("Alzheimer's disease") == other_possessive("Alzheimer’s disease") == "alzheimer disease"
    assert other_possessive("fever") == other_possessive("头痛") == ""


def test_a_person_whose_disease_it_is_may_have_an_s() -> None:
    assert other_possessive("Huntington disease") == "huntingtons disease"
    assert other_possessive("Graves disease") == other_possessive("Celiac lesion") == ""


@pytest.mark.parametrize(
    ("key", "others"),
    [
        ("edema of hands", ["oedema of hands"]),
        ("diarrhoea", ["diarrhea"]),
        ("leukaemia", ["leukemia"]),
        ("type ii diabetes", ["type 2 diabetes"]),
        ("diabetes type 2", ["diabetes type ii"]),
        ("factor viii deficiency", ["factor 8 deficiency"]),
        ("vitamin d deficiency", []),
        ("2 toes", []),
        ("头痛", []),
    ],
)
def test_the_other_spelling_and_the_other_numerals_are_forms_too(key: str, others: list[str]) -> None:
    assert spellings(key) == others


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("Seizures, febrile", ["febrile seizures"]),
        ("Carcinoma of the breast", ["breast carcinoma"]),
        ("Swelling of hands and feet", []),
        ("Fever", []),
        ("a, b, c", []),
    ],
)
def test_a_name_that_is_turned_round_has_a_plain_order(name: str, plain: list[str]) -> None:
    assert reordered(name) == plain


def test_a_chinese_word_of_every_note_is_no_finding_by_itself() -> None:
    assert not is_findable("出现")
    assert is_findable("头痛")


def test_a_name_that_says_whether_another_is_there_is_not_looked_for() -> None:
    assert says_whether("无压痛", {"压痛"})
    assert not says_whether("无力", {"压痛"})
