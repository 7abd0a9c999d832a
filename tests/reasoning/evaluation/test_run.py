"""Runs: what is kept, how they go on, and what they refuse."""

import gzip
import json
from pathlib import Path

import jsonschema
import pytest

from ontology.errors import ClewError, Code
from reasoning.evaluation.record import Figures, Problem, Record
from reasoning.evaluation.run import Manifest, evaluate, read_run
from tests.reasoning.evaluation.counting import CountingTask, manifest, numbers


def test_every_arm_answers_every_case(tmp_path: Path) -> None:
    task = CountingTask(numbers(tmp_path / "n.jsonl"))
    assert evaluate(task).figures == {
        "task": "counting", "n": 4, "problems": {},
        "arms": {"always one": {"right": 0.75}, "always two": {"right": 0.25}},
    }  # fmt: skip


def test_a_file_is_read_plain_or_compressed(tmp_path: Path) -> None:
    plain = numbers(tmp_path / "n.jsonl")
    packed = tmp_path / "n.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert evaluate(CountingTask(packed)).figures == evaluate(CountingTask(plain)).figures


def test_malformed_lines_and_duplicate_ids_are_counted_and_named(tmp_path: Path) -> None:
    extra = '{"id": "0", "value": 2}\nnot json\n{"id": "9"}\n\n'
    said: list[str] = []
    run = evaluate(CountingTask(numbers(tmp_path / "n.jsonl", extra=extra)), say=said.append)
    assert run.figures["n"] == 4
    assert run.figures["problems"] == {"duplicate id": 1, "malformed": 1 + 1}
    assert [problem.line for problem in run.problems] == [5, 6, 7]
    assert sum("malformed" in line for line in said) == 2


@pytest.mark.parametrize("content", ["", "\n \n", "not json\n"])
def test_a_file_without_a_case_is_an_error(tmp_path: Path, content: str) -> None:
    (tmp_path / "n.jsonl").write_text(content)
    with pytest.raises(ClewError) as caught:
        evaluate(CountingTask(tmp_path / "n.jsonl"))
    assert caught.value.code is Code.EMPTY_INPUT


@pytest.mark.parametrize("content", [None, b"\x1f\x8b broken"])
def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "n.jsonl.gz"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ClewError) as caught:
        evaluate(CountingTask(path))
    assert caught.value.code is Code.BAD_INPUT


def test_limit_reads_no_further(tmp_path: Path) -> None:
    path = numbers(tmp_path / "n.jsonl", extra="not json\n")
    run = evaluate(CountingTask(path), limit=2)
    assert (run.figures["n"], run.problems) == (2, [])


def test_a_kept_run_reads_back_as_it_was(tmp_path: Path) -> None:
    made = evaluate(
        CountingTask(numbers(tmp_path / "n.jsonl", extra="?\n")), folder=tmp_path / "run", manifest=manifest()
    )
    read = read_run(tmp_path / "run")
    assert (read.records, read.problems, read.manifest) == (made.records, made.problems, made.manifest)
    assert read.figures == {"schema_version": 1, **made.figures}


def test_what_is_written_keeps_its_schema(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    evaluate(CountingTask(numbers(tmp_path / "n.jsonl", extra="?\n")), folder=folder, manifest=manifest())
    jsonschema.validate(json.loads((folder / "manifest.json").read_text()), Manifest.model_json_schema())
    jsonschema.validate(json.loads((folder / "figures.json").read_text()), Figures.model_json_schema())
    for name, model in (("records.jsonl", Record), ("problems.jsonl", Problem)):
        for line in (folder / name).read_text().splitlines():
            jsonschema.validate(json.loads(line), model.model_json_schema())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"case": "1"}, Record.model_json_schema())


def test_an_interrupted_run_goes_on_with_what_is_left(tmp_path: Path) -> None:
    path, folder = numbers(tmp_path / "n.jsonl"), tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        evaluate(CountingTask(path, fails_at="2"), folder=folder, manifest=manifest())
    with pytest.raises(ClewError, match=r"figures\.json"):
        read_run(folder)
    with (folder / "records.jsonl").open("a") as out:
        out.write('{"case": "2", "arm": "alw')  # a line that the interruption cut
    task = CountingTask(path)
    went_on = evaluate(task, folder=folder, manifest=manifest())
    assert task.asked[:2] == [("always one", "2"), ("always one", "3")]
    assert went_on.figures == evaluate(CountingTask(path)).figures
    assert read_run(folder).records == went_on.records


def test_a_complete_run_answers_nothing_again(tmp_path: Path) -> None:
    path, folder = numbers(tmp_path / "n.jsonl"), tmp_path / "run"
    first = evaluate(CountingTask(path), folder=folder, manifest=manifest())
    task = CountingTask(path)
    assert evaluate(task, folder=folder, manifest=manifest()).figures == first.figures
    assert task.asked == []


def test_another_run_in_the_folder_is_refused_and_untouched(tmp_path: Path) -> None:
    path, folder = numbers(tmp_path / "n.jsonl"), tmp_path / "run"
    evaluate(CountingTask(path), folder=folder, manifest=manifest(code="a", release="r"))
    before = {item.name: item.read_bytes() for item in folder.iterdir()}
    with pytest.raises(ClewError, match="code") as caught:
        evaluate(CountingTask(path), folder=folder, manifest=manifest(code="b", release="r"))
    assert "release" not in caught.value.cause
    assert {item.name: item.read_bytes() for item in folder.iterdir()} == before


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "mine.txt").write_text("dear")
    with pytest.raises(ClewError, match="other files"):
        evaluate(CountingTask(numbers(tmp_path / "n.jsonl")), folder=tmp_path / "letters", manifest=manifest())
    assert [item.name for item in (tmp_path / "letters").iterdir()] == ["mine.txt"]


@pytest.mark.parametrize("broken", ["manifest.json", "records.jsonl", "figures.json"])
def test_a_damaged_run_is_an_error(tmp_path: Path, broken: str) -> None:
    folder = tmp_path / "run"
    evaluate(CountingTask(numbers(tmp_path / "n.jsonl")), folder=folder, manifest=manifest())
    (folder / broken).write_text("{")
    with pytest.raises(ClewError) as caught:
        read_run(folder)
    assert caught.value.code is Code.BAD_INPUT
