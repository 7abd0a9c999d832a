import pytest

from reasoning.evaluation.icd10.codes import CodeBook, Term, is_code

NAMES = [
    ("ICD10:J18", "Pneumonia, organism unspecified"),
    ("ICD10:J18.9", "Pneumonia, unspecified"),
    ("ICD10:J18.9", "未特指的肺炎"),
    ("ICD10BJ:J18.901", "肺炎"),
    ("ICD10CN:J18.900", "肺炎"),
    ("ICD10CN:I10.x00x032", "高血压病3级（极高危）"),
    ("ICD10BJ:A01.003+G01*", "伤寒脑膜炎"),
    ("ICD10:I10-I15", "Hypertensive diseases"),
    ("OMIM:1", "肺炎球菌肺炎"),
]
MAPPINGS = [
    ("ICD10CN:J18.900", "skos:exactMatch", "ICD10:J18.9"),
    ("ICD10BJ:J18.901", "skos:broadMatch", "ICD10:J18.9"),
    ("cmekg:a", "skos:closeMatch", "ICD10:J18.9"),
]
SAME = {"OMIM:7": ["cmekg:a"]}
BOOK = CodeBook(NAMES, MAPPINGS, lambda curie: SAME.get(curie, []))


def test_a_name_gets_its_codes_of_every_list_and_those_equal_to_them() -> None:
    assert BOOK.codes(Term("肺炎")) == {"ICD10BJ:J18.901", "ICD10CN:J18.900", "ICD10:J18.9"}


def test_a_kind_of_a_code_is_not_equal_to_it() -> None:
    assert BOOK.codes(Term("", ("ICD10BJ:J18.901",))) == {"ICD10BJ:J18.901"}


def test_codes_in_the_ids_come_before_names() -> None:
    assert BOOK.codes(Term("肺炎", ("ICD10:J18",))) == {"ICD10:J18"}


@pytest.mark.parametrize("curie", ["cmekg:a", "OMIM:7"])
def test_without_a_name_the_mappings_of_an_entity_or_its_twin_give_the_code(curie: str) -> None:
    assert BOOK.codes(Term("某种病", (curie,))) == {"ICD10:J18.9"}


def test_the_most_similar_name_gives_the_code_only_when_it_is_very_similar() -> None:
    assert BOOK.codes(Term("高血压病3级极高危")) == {"ICD10CN:I10.x00x032"}
    assert BOOK.codes(Term("高血压病")) == frozenset()


def test_candidates_are_similar_names_in_the_language_of_the_term() -> None:
    assert BOOK.candidates(Term("肺炎")) == {"肺炎", "未特指的肺炎"}
    assert BOOK.candidates(Term("pneumonia, unspecified")) >= {"pneumonia unspecified"}
    assert BOOK.candidates(Term("天气")) == frozenset()


def test_categories_have_three_characters_and_a_dagger_two_of_them() -> None:
    assert BOOK.categories(Term("肺炎")) == {"J18"}
    assert BOOK.categories(Term("伤寒脑膜炎")) == {"A01", "G01"}


def test_blocks_and_other_vocabularies_are_no_codes() -> None:
    assert is_code("ICD10CM:C4A.0")
    assert not is_code("ICD10:I10-I15")
    assert not is_code("ICD10:IX")
    assert not is_code("OMIM:100000")
