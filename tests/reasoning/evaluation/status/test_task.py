import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ontology.errors import ClewError
from ontology.reading.status import Status
from reasoning.evaluation.run import Run, evaluate
from reasoning.evaluation.status.cases import read_status_cases
from reasoning.evaluation.status.task import ALONE, PREVAILING, StatusTask


class Told:
    """A reader of English that says the same of everything."""

    name = "told"
    languages = ("en",)

    def __init__(self, said: Status) -> None:
        self.said = said

    def read(self, text: str, spans: Sequence[tuple[int, int]]) -> list[Status]:
        return [self.said for _ in spans]


def finding(start: int, end: int, status: str) -> dict[str, Any]:
    return {"start": start, "end": end, "status": status}


LINES: list[Any] = [
    {"id": "1", "lang": "en", "text": "No fever, cough.",
     "findings": [finding(3, 8, "absent"), finding(10, 15, "absent")]},
    {"id": "2", "lang": "en", "text": "Fever.", "findings": [finding(0, 5, "present")]},
    {"id": "3", "text": "否认发热，父亲患哮喘。", "findings": [finding(2, 4, "absent"), finding(8, 10, "family")]},
]  # fmt: skip


def run(path: Path, lines: list[Any], *peers: Told) -> Run:
    texts = [one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in lines]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return evaluate(StatusTask(read_status_cases(path), peers))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "status.jsonl"


def test_findings_are_counted_not_cases(file: Path) -> None:
    figures = run(file, LINES).figures
    assert (figures["n"], figures["findings"], figures["accuracy"]) == (3, 5, 1.0)
    assert figures["languages"]["en"]["findings"] == 3
    assert figures["languages"]["zh"]["f1"] == {"absent": 1.0, "family": 1.0}


def test_the_figures_of_a_worked_example(file: Path) -> None:
    absent = run(file, LINES, Told("absent")).figures["arms"]["told"]
    # Of the three findings in English two are absent: precision 2/3, recall 1, F1 .8; present is never said.
    assert absent["absent"] == {"precision": 0.6667, "recall": 1.0, "f1": 0.8}
    assert (absent["findings"], absent["accuracy"], absent["macro_f1"]) == (3, 0.6667, 0.4)


def test_a_language_that_a_peer_does_not_read_is_not_held_against_it(file: Path) -> None:
    assert set(run(file, LINES, Told("present")).figures["arms"]["told"]["languages"]) == {"en"}


def test_saying_present_of_everything_stands_beside_the_reader(file: Path) -> None:
    arms = run(file, LINES).figures["arms"]
    assert arms[PREVAILING]["accuracy"] == 0.2
    assert arms[PREVAILING]["absent"]["f1"] == 0.0
    assert arms[ALONE]["findings"] == 5


@pytest.mark.parametrize(
    ("broken", "cause"),
    [
        ({"id": "9", "text": "Fever.", "findings": [finding(0, 7, "present")]}, "of a text of 6 code points"),
        ({"id": "9", "text": "Fever.", "findings": [finding(3, 3, "present")]}, "finding 3-3"),
        ({"id": "9", "text": "Fever.", "findings": [finding(0, 5, "gone")]}, "findings.0.status"),
        ({"id": "9", "text": "Fever.", "findings": []}, "findings"),
        ({"id": "9", "findings": [finding(0, 5, "present")]}, "text"),
        ("not json", "not JSON"),
    ],
)
def test_a_line_that_is_no_case_is_named(file: Path, broken: Any, cause: str) -> None:
    done = run(file, [*LINES, broken])
    assert done.figures["problems"] == {"malformed": 1}
    assert [(problem.line, cause in problem.cause) for problem in done.problems] == [(4, True)]


def test_an_empty_file_is_refused(file: Path) -> None:
    file.write_text("\n")
    with pytest.raises(ClewError):
        list(read_status_cases(file))
