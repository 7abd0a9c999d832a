from pathlib import Path

import pytest

from ontology.errors import ClewError, Code
from reasoning.diagnosis.case import Finding
from reasoning.diagnosis.explain import explain
from reasoning.diagnosis.likelihood import DiagnosisEngine
from reasoning.diagnosis.question import next_questions
from tests.reasoning.diagnosis.graph import FEVER, FOCAL, NEAR_ROWS, RASH, SEIZURE, SPASM, matrix


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> DiagnosisEngine:
    return DiagnosisEngine(matrix(tmp_path_factory.mktemp("matrix")))


def test_questions_tell_the_leaders_apart_best_first(engine: DiagnosisEngine) -> None:
    questions = next_questions(engine, engine.rank([Finding(FEVER)]))
    assert questions[0].finding in {SPASM, RASH}
    assert [q.gain for q in questions] == sorted((q.gain for q in questions), reverse=True)
    assert all(q.gain >= 0 and 0 < q.chance < 1 and q.favours != q.disfavours for q in questions)


def test_what_is_known_is_not_asked(engine: DiagnosisEngine) -> None:
    found = engine.rank([Finding(FEVER), Finding(SEIZURE, excluded=True)])
    asked = {q.finding for q in next_questions(engine, found, asked=[RASH], top=99)}
    assert asked.isdisjoint({FEVER, SEIZURE, SPASM, FOCAL, RASH})


def test_a_single_candidate_leaves_nothing_to_ask(engine: DiagnosisEngine) -> None:
    assert next_questions(engine, engine.rank([Finding(FEVER)], top=1)) == []


def test_support_shows_the_annotated_finding_its_frequency_and_references(engine: DiagnosisEngine) -> None:
    (point,) = explain(engine, [Finding(SEIZURE)], "OMIM:1").supporting
    assert (point.label, point.match) == ("Seizure", "special")
    assert {a.frequency for a in point.annotations} == {"4/5", "2/5"}
    assert {a.references for a in point.annotations} == {("PMID:1",), ("PMID:2", "PMID:3")}
    assert all(a.assertion.startswith("a.") and a.label == "Spasm" for a in point.annotations)


def test_what_speaks_against_is_shown_beside_it(engine: DiagnosisEngine) -> None:
    found = explain(engine, [Finding(FOCAL), Finding("cmekg:咳嗽"), Finding(FEVER, excluded=True)], "OMIM:2")
    assert {p.finding for p in found.conflicting} == {FOCAL, FEVER}
    assert [p.finding for p in found.unexplained] == ["cmekg:咳嗽"]
    assert not found.supporting


def test_typical_findings_that_were_not_mentioned_are_listed(engine: DiagnosisEngine) -> None:
    assert [p.label for p in explain(engine, [Finding(RASH)], "OMIM:2").missing] == ["Fever"]
    missing = explain(engine, [Finding("cmekg:咳嗽")], "cmekg:1").missing
    assert [p.finding for p in missing] == ["cmekg:鸡鸣样吸气吼声"]


def test_an_excluded_finding_that_the_disease_is_said_not_to_have_supports_it(
    engine: DiagnosisEngine,
) -> None:
    (point,) = explain(engine, [Finding(SEIZURE, excluded=True)], "OMIM:2").supporting
    assert point.annotations[0].negated


def test_hidden_publications_are_not_cited_nor_asked_from(engine: DiagnosisEngine) -> None:
    (point,) = explain(engine, [Finding(SEIZURE)], "OMIM:1", without_references=["PMID:1", "PMID:2"]).supporting
    assert [(a.frequency, a.references) for a in point.annotations] == [("", ("PMID:3",))]
    hidden = ["PMID:1", "PMID:2", "PMID:3"]
    assert not explain(engine, [Finding(SEIZURE)], "OMIM:1", without_references=hidden).supporting
    asked = next_questions(engine, engine.rank([Finding(FEVER)], without_references=hidden), top=99)
    assert SPASM not in {question.finding for question in asked}


def test_what_a_kindred_entry_lends_is_shown_as_its_own(tmp_path: Path) -> None:
    near = DiagnosisEngine(matrix(tmp_path, NEAR_ROWS))
    (point,) = explain(near, [Finding(RASH)], "OMIM:1").supporting
    assert (point.match, [a.disease for a in point.annotations]) == ("kin", ["ORPHA:5"])


def test_an_unknown_disease_is_a_coded_error(engine: DiagnosisEngine) -> None:
    with pytest.raises(ClewError) as caught:
        explain(engine, [Finding(FEVER)], "OMIM:99")
    assert caught.value.code is Code.UNKNOWN_ENTITY
