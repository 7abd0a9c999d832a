"""Questions with options, as files have them."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from ontology.errors import ClewError, Code
from reasoning.evaluation.qa.case import Item, parse_item, read_items
from reasoning.evaluation.record import Problem

LISTED = {
    "text": "From the given list, which Gene is associated with Marfan syndrome. Given list is: CFTR,  FBN1, HTT",
    "options_combined": "CFTR,  FBN1, HTT",
    "correct_node": "FBN1",
}


def choice(identifier: str = "q", **options: str) -> dict[str, Any]:
    return {"id": identifier, "question": "Which?", "options": options, "answer": "A"}


def written(path: Path, *lines: object) -> Path:
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return path


def test_mirage_keeps_the_words_of_the_answer_not_its_letter() -> None:
    item = parse_item(choice(A="fever", B="cough"))
    assert (item.kind, item.gold, set(item.options)) == ("multiple choice", "fever", {"fever", "cough"})


def test_a_list_within_the_text_is_cut_off_and_becomes_the_options() -> None:
    item = parse_item(LISTED)
    assert item.text == "From the given list, which Gene is associated with Marfan syndrome"
    assert (set(item.options), item.gold) == ({"CFTR", "FBN1", "HTT"}, "FBN1")
    assert item.guess == pytest.approx(1 / 3)
    assert not any(option in item.text for option in item.options)


def test_equal_options_are_one() -> None:
    item = parse_item({**LISTED, "options_combined": "FBN1, HTT, FBN1, fbn1"})
    assert len(item.options) == 2


def test_a_statement_has_two_verdicts() -> None:
    item = parse_item({"": "7", "text": "Marfan syndrome is not a gene", "label": "True"})
    assert (item.kind, item.gold, item.guess) == ("true/false", "True", 0.5)
    assert (item.verdict(affirmed=True), item.verdict(affirmed=False)) == ("True", "False")


@pytest.mark.parametrize("options", [{"A": "yes", "B": "no", "C": "maybe"}, {"A": "是", "B": "否"}])
def test_yes_and_no_are_verdicts_too(options: dict[str, str]) -> None:
    item = parse_item(choice(**options))
    assert (item.kind, item.verdict(affirmed=True)) == ("true/false", options["A"])


def test_an_entity_prompt_has_no_options() -> None:
    item = parse_item({"text": "FEVER COMES WITH FLU", "node_hits": "fever"})
    assert (item.kind, item.options, item.gold, item.guess) == ("entity", (), "fever", 0.0)


def test_the_order_of_the_file_does_not_reach_the_options() -> None:
    letters = "ABCDE"
    names = ["fever", "cough", "rash", "chorea", "ataxia"]
    one = parse_item(choice(**dict(zip(letters, names, strict=True))))
    other = parse_item({**choice(**dict(zip(letters, names[::-1], strict=True))), "answer": "E"})
    assert one == other


def test_gold_stands_in_every_place_equally_often() -> None:
    places = [
        (item := parse_item(choice(str(i), A="gold", B="b", C="c", D="d"))).options.index("gold") for i in range(400)
    ]
    assert item.gold == "gold"
    for place in range(4):
        assert 70 <= places.count(place) <= 130  # 100 expected, standard deviation 8.7


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({**choice(A="x", B="y"), "answer": "C"}, "none of the options A, B"),
        (choice(A="x"), "1 different options"),
        (choice(A="x", B=" X "), "1 different options"),
        ({**LISTED, "correct_node": "TP53"}, "none of the options"),
        ({"id": "q"}, "neither options"),
        ([1], "neither options"),
        ("text", "neither options"),
    ],
)
def test_a_line_that_is_no_question_says_why(line: object, words: str) -> None:
    with pytest.raises(ClewError, match=words):
        parse_item(line)


@pytest.mark.parametrize(
    "line",
    [
        {"id": "q", "question": "", "options": {"A": "x", "B": "y"}, "answer": "A"},
        {"text": "Fever is a sign", "label": "Perhaps"},
        {"question": "Which?"},
        {"text": None, "node_hits": "fever"},
    ],
)
def test_fields_of_another_type_are_refused(line: object) -> None:
    with pytest.raises(ValidationError):
        parse_item(line)


def test_a_line_without_id_has_its_number(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl.gz"
    lines = [json.dumps({"text": "Fever is a sign", "label": "True"}), "", json.dumps(choice("own", A="x", B="y"))]
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    assert [(number, item.id) for number, item in read_items(path) if isinstance(item, Item)] == [(1, "1"), (3, "own")]


def test_malformed_lines_are_named_by_number(tmp_path: Path) -> None:
    path = written(tmp_path / "q", "{", {"text": "x"}, {"text": "x", "label": 3}, {"text": "Fever", "label": "True"})
    found = dict(read_items(path))
    problems = {number: item.reason for number, item in found.items() if isinstance(item, Problem)}
    assert problems == {1: "malformed", 2: "malformed", 3: "malformed"}
    assert isinstance(found[4], Item)


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ClewError) as caught:
        list(read_items(written(tmp_path / "q")))
    assert caught.value.code is Code.EMPTY_INPUT
