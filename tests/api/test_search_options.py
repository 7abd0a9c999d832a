"""Presets, switches, arms and --why on the command line."""

import json
from pathlib import Path

import pytest

from retrieval.preset import COMPONENTS, load_preset, preset_names
from tests.api.conftest import Run

SYMPTOMS = "What are the symptoms of Marfan syndrome?"


def data(run: Run, home: Path, *arguments: str) -> dict[str, object]:
    status, out, err = run(home, *arguments, "--json")
    assert (status, err) == (0, "")
    found: dict[str, object] = json.loads(out)
    return found


def test_a_search_names_its_preset_and_what_was_left_out(run: Run, miniature_home: Path) -> None:
    assert data(run, miniature_home, "search", SYMPTOMS)["preset"] == "default"
    found = data(run, miniature_home, "search", SYMPTOMS, "--preset", "ihrag", "--without", "feedback")
    assert found["preset"] == "ihrag - feedback"
    found = data(run, miniature_home, "search", "headache", "--without", "dense", "--without", "graph")
    passages = found["passages"]
    assert isinstance(passages, list)
    assert {channel for passage in passages for channel in passage["by_channel"]} == {"lexical"}


def test_an_answer_names_its_arm_and_its_preset(run: Run, miniature_home: Path) -> None:
    for arguments, arm, preset in (
        ((), "hybrid", "default"),
        (("--preset", "gentext", "--without", "discount"), "hybrid", "gentext - discount"),
        (("--arm", "kg"), "kg", "default - lexical - dense - graph"),
        (("--arm", "ihrag", "--without", "routing"), "ihrag", "ihrag - routing"),
        (("--arm", "graphrag"), "graphrag", ""),
    ):
        found = data(run, miniature_home, "ask", SYMPTOMS, *arguments)
        assert (found["arm"], found["preset"]) == (arm, preset)


def test_the_trace_names_the_preset_with_what_was_left_out(run: Run, miniature_home: Path) -> None:
    status, out, _ = run(miniature_home, "ask", SYMPTOMS, "--without", "duplicates", "--trace")
    assert status == 0
    assert "'preset': 'default - duplicates'" in out


@pytest.mark.parametrize(
    "arguments",
    [
        ("ask", SYMPTOMS, "--arm", "kg", "--preset", "ihrag"),
        ("ask", SYMPTOMS, "--arm", "none", "--without", "dense"),
        ("ask", SYMPTOMS, "--preset", "ihragg"),
        ("ask", SYMPTOMS, "--without", "dens"),
        ("search", SYMPTOMS, "--preset", ""),
        ("search", SYMPTOMS, "--without", "稠密"),
        ("search", SYMPTOMS, "--why", "no such document"),
        ("presets", "ihragg"),
    ],
)
def test_what_cannot_be_is_a_coded_error(run: Run, miniature_home: Path, arguments: tuple[str, ...]) -> None:
    status, out, err = run(miniature_home, *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("E101")


def test_an_unknown_arm_is_refused_with_those_there_are(run: Run, miniature_home: Path) -> None:
    status, _, err = run(miniature_home, "ask", SYMPTOMS, "--arm", "rag")
    assert status == 2
    assert "graphrag" in err


def test_the_presets_are_listed_with_what_can_be_left_out(run: Run, miniature_home: Path) -> None:
    found = data(run, miniature_home, "presets")
    assert found["presets"] == {name: load_preset(name).title for name in preset_names()}
    assert found["components"] == list(COMPONENTS)


@pytest.mark.parametrize("name", preset_names())
def test_every_parameter_of_a_preset_is_shown_with_its_origin(run: Run, miniature_home: Path, name: str) -> None:
    status, out, _ = run(miniature_home, "presets", name)
    assert status == 0
    for key, origin in load_preset(name).origins.items():
        assert any(line.startswith(f"{key} = ") and line.endswith(f"({origin})") for line in out.splitlines())


def test_a_parameter_that_a_component_took_with_it_says_what_it_was(run: Run, miniature_home: Path) -> None:
    found = data(run, miniature_home, "presets", "default", "--without", "feedback")
    origins, values = found["origins"], found["values"]
    assert isinstance(origins, dict)
    assert isinstance(values, dict)
    assert values["fusion.feedback"] == 0.0
    assert origins["fusion.feedback"] == "left out; 1.0 otherwise"


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        (SYMPTOMS, ("preset: default", "  no channel listed it", "shares no word with the question")),
        ("感冒有哪些症状？", ("预设：default", "与问题没有共同的词：段落语言为 en，问题语言为 zh")),
    ],
)
def test_why_is_said_in_the_language_of_the_question(
    run: Run, miniature_home: Path, question: str, lines: tuple[str, ...]
) -> None:
    status, out, _ = run(miniature_home, "search", question, "--why", "Renal dosing of amlodipine")
    assert status == 0
    for line in lines[:1] + lines[-1:]:
        assert line in out


def test_why_of_a_statement_has_a_sub_question_a_score_and_both_ends(run: Run, miniature_home: Path) -> None:
    answer = data(run, miniature_home, "ask", SYMPTOMS)
    citations = answer["citations"]
    assert isinstance(citations, list)
    found = data(run, miniature_home, "search", SYMPTOMS, "--why", citations[0]["id"])
    statement = found["statement"]
    assert isinstance(statement, dict)
    assert statement["outcome"] == "kept"
    assert statement["stages"][0]["rank"] == 1
    status, out, _ = run(miniature_home, "search", SYMPTOMS, "--why", citations[0]["id"])
    assert status == 0
    assert "Marfan syndrome ─has_phenotype→ " in out
    assert "read by: What are the symptoms and signs of Marfan syndrome?" in out


def test_every_reason_of_the_document_has_its_key_and_its_words(run: Run, miniature_home: Path) -> None:
    found = data(run, miniature_home, "search", "感冒有哪些症状？", "--why", "Arachnodactyly")
    passages = found["passages"]
    assert isinstance(passages, list)
    reasons = [view["reason"] for view in passages[0]["channels"] if view["reason"]]
    assert reasons
    assert all({"key", "values", "says"} == reason.keys() and reason["says"] for reason in reasons)
