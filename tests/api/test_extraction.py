"""The command `clew extract`."""

import json
from pathlib import Path

import pytest

from tests.api.conftest import Run

TEXT = "# Notes\n\nMarfan syndrome can cause headache. 马凡综合征。\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "notes.md"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_it_shows_what_a_file_states_with_quote_rule_and_standing(run: Run, miniature_home: Path, file: Path) -> None:
    status, text, _ = run(miniature_home, "extract", "--file", str(file))
    assert status == 0
    assert "1. Marfan syndrome (OMIM:154700) has_phenotype Headache (HP:0002315)  [new, 0." in text
    assert "pattern cause, documents:notes.md#0:0-35: “Marfan syndrome can cause headache.”" in text
    assert "1 candidates (1 new), 1 shown" in text
    assert "statement: in 1 = kept 1 + dropped 0" in text


def test_it_writes_lines_to_review_and_leaves_the_release_alone(
    run: Run, miniature_home: Path, file: Path, tmp_path: Path
) -> None:
    before = {path: path.stat().st_mtime_ns for path in miniature_home.rglob("*.parquet")}
    out = tmp_path / "accepted.jsonl"
    status, _, errors = run(miniature_home, "extract", "--file", str(file), "--out", str(out), "--limit", "1")
    assert status == 0, errors
    (line,) = map(json.loads, out.read_text(encoding="utf-8").splitlines())
    assert (line["accepted"], line["reviewer"]) == (None, "")
    assert line["evidence"][0]["quote"] in line["evidence"][0]["passage"]
    assert {path: path.stat().st_mtime_ns for path in miniature_home.rglob("*.parquet")} == before
    assert run(miniature_home, "extract", "--file", str(file), "--out", str(out))[0] == 2  # not written over


def test_json_has_the_same_with_the_balance(run: Run, miniature_home: Path, file: Path) -> None:
    status, text, _ = run(
        miniature_home, "extract", "--file", str(file), "--new", "--predicate", "has_phenotype", "--json"
    )
    assert status == 0
    values = json.loads(text)
    assert values["counts"] == {"new": 1}
    assert [line["object"] for line in values["candidates"]] == ["HP:0002315"]
    assert {row["kind"] for row in values["reconciliation"]} == {"passage", "statement", "candidate"}
    assert (
        json.loads(run(miniature_home, "extract", "--file", str(file), "--limit", "0", "--json")[1])["candidates"] == []
    )


@pytest.mark.parametrize(
    ("arguments", "choice"),
    [(("--source", "hppo"), "hpo"), (("--predicate", "treatz"), "treats"), (("--file", "nowhere.md"), "not a file")],
)
def test_what_is_not_there_is_refused_with_what_is(
    run: Run, miniature_home: Path, arguments: tuple[str, ...], choice: str
) -> None:
    status, _, errors = run(miniature_home, "extract", *arguments)
    assert status == 2
    assert choice in errors
