import pytest

from reasoning.evaluation.sets import case_f1, precision_recall_f1


def test_precision_recall_and_f1_of_a_worked_example() -> None:
    assert precision_recall_f1(3, 4, 6) == {"precision": 0.75, "recall": 0.5, "f1": 0.6}


def test_what_is_recalled_may_be_counted_apart() -> None:
    assert precision_recall_f1(4, 4, 4, recalled=2)["recall"] == 0.5


def test_nothing_found_and_nothing_there_is_no_success_of_a_corpus_but_of_a_case() -> None:
    assert precision_recall_f1(0, 0, 0) == {"precision": 0.0, "recall": 0.0, "f1": 0.0}
    assert case_f1(0, 0, 0) == 1.0


@pytest.mark.parametrize(("found", "gold"), [(0, 2), (2, 0)])
def test_missing_everything_or_inventing_is_nothing(found: int, gold: int) -> None:
    assert case_f1(0, found, gold) == 0.0
