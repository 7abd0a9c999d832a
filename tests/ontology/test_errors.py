"""Errors: one class, one table of codes."""

import pytest

from ontology.errors import ClewError, Code, nearest


def test_every_situation_has_a_number_of_its_own() -> None:
    numbers = [code.number for code in Code]
    assert len(set(numbers)) == len(numbers)
    assert len({code.title for code in Code}) == len(numbers)


@pytest.mark.parametrize("code", Code)
def test_the_exit_status_follows_the_family_of_the_code(code: Code) -> None:
    family = int(code.number[1])
    assert code.number[0] == "E"
    assert len(code.number) == 4
    assert code.exit_status == family + 1  # 0 is success and 1 is a crash: neither is ever a coded error


def test_an_error_reads_as_cause_choices_and_remedy() -> None:
    error = ClewError(
        Code.UNKNOWN_ENTITY, "'马凡'", remedy="name it in full", choices=["马凡综合征", "Marfan syndrome"]
    )
    assert error.render() == (
        "E201 unknown entity: '马凡'\n  choices: 马凡综合征 · Marfan syndrome\n  remedy: name it in full"
    )
    assert str(error) == error.render()


def test_parts_that_are_not_there_leave_no_empty_line() -> None:
    assert ClewError(Code.TIMEOUT, "1 s").render() == "E503 time limit reached: 1 s"


def test_the_same_error_as_plain_values() -> None:
    error = ClewError(Code.BAD_CURIE, "'x'", choices=iter(["HP:0001250"]))
    assert error.as_dict() == {
        "code": "E104", "title": "not a CURIE", "cause": "'x'", "remedy": "", "choices": ["HP:0001250"],
    }  # fmt: skip


def test_valid_values_that_look_alike_are_offered_best_first() -> None:
    assert nearest("has_phenotip", ["treats", "has_phenotype", "has_cause"])[0] == "has_phenotype"
    assert nearest("高血", ["高血压", "感冒"]) == ("高血压",)
    assert nearest("zzz", ["treats"]) == ()
