from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontology.errors import ClewError, Code
from reasoning.diagnosis.case import Finding
from reasoning.diagnosis.likelihood import PRIOR, PROFILE, DiagnosisEngine
from tests.reasoning.diagnosis.graph import FEVER, FOCAL, NEAR_ROWS, OLD_FEVER, RASH, ROWS, SEIZURE, SPASM, matrix

ANY = st.lists(st.tuples(st.sampled_from([SEIZURE, FOCAL, SPASM, FEVER, RASH, "cmekg:咳嗽"]), st.booleans()))


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> DiagnosisEngine:
    return DiagnosisEngine(matrix(tmp_path_factory.mktemp("matrix")))


@pytest.fixture(scope="module")
def near(tmp_path_factory: pytest.TempPathFactory) -> DiagnosisEngine:
    return DiagnosisEngine(matrix(tmp_path_factory.mktemp("near"), NEAR_ROWS))


def hide(row: tuple, hidden: tuple[str, ...]) -> tuple | None:
    """The row as it is when references are hidden: as it was, without frequency, or gone."""
    disease, finding, _, code, references, negated = row
    left = tuple(reference for reference in references if reference not in hidden)
    if left == references:
        return row
    return (disease, finding, "", code, left, negated) if left else None


def observed(*curies: str) -> list[Finding]:
    return [Finding(curie) for curie in curies]


def score(engine: DiagnosisEngine, disease: str, findings: list[Finding], **options: object) -> float:
    return float(engine.scores(findings, **options)[engine.matrix.disease_index[disease]])


def test_the_disease_annotated_with_the_findings_leads(engine: DiagnosisEngine) -> None:
    assert engine.rank(observed(SPASM, FEVER)).candidates[0].disease == "OMIM:1"
    assert engine.rank(observed(RASH, FEVER)).candidates[0].disease == "ORPHA:3"


def test_chinese_findings_rank_chinese_diseases_first(engine: DiagnosisEngine) -> None:
    found = engine.rank(observed("cmekg:咳嗽", "cmekg:鸡鸣样吸气吼声"))
    assert found.candidates[0].label == "百日咳"
    assert {c.label for c in found.candidates[1:3]} == {"感冒", "肺结核"}


def test_a_disease_with_one_annotation_does_not_win_by_accident(engine: DiagnosisEngine) -> None:
    for findings in (observed(SPASM, FEVER), observed("cmekg:咯血", "cmekg:咳嗽")):
        assert engine.rank(findings).candidates[0].disease in {"OMIM:1", "cmekg:2"}
        scores = engine.scores(findings)
        assert scores[engine.matrix.disease_index["OMIM:4"]] < scores.max() - 1


@given(ANY)
def test_contributions_sum_to_the_score_and_probabilities_to_one(
    engine: DiagnosisEngine, findings: list[tuple[str, bool]]
) -> None:
    if not findings:
        return
    found = engine.rank([Finding(curie, excluded=no) for curie, no in findings], top=None)
    for candidate in found.candidates:
        assert sum(c.value for c in candidate.contributions) == pytest.approx(candidate.score, abs=1e-5)
        assert candidate.contributions[-1].kind == PROFILE
    assert sum(c.probability for c in found.candidates) == pytest.approx(1)
    assert found.ranked == len(found.candidates) == 7


def test_a_kindred_annotation_counts_less_than_the_finding_and_more_than_none(
    engine: DiagnosisEngine,
) -> None:
    spasm, focal = (score(engine, "OMIM:1", observed(t)) for t in (SPASM, FOCAL))
    assert spasm > focal > score(engine, "ORPHA:3", observed(FOCAL))


def test_an_excluded_finding_speaks_against_the_disease_that_has_it_and_is_bounded(
    engine: DiagnosisEngine,
) -> None:
    without = score(engine, "OMIM:2", observed(RASH))
    excluded = score(engine, "OMIM:2", [*observed(RASH), Finding(FEVER, excluded=True)])
    constants = engine.matrix.constants
    assert without > excluded >= without + constants.exclusion_weight * constants.exclusion_floor - 1e-6


def test_a_finding_that_the_annotations_deny_lowers_the_disease(tmp_path: Path) -> None:
    spoken = DiagnosisEngine(matrix(tmp_path / "a"))
    silent = DiagnosisEngine(matrix(tmp_path / "b", [row for row in ROWS if not row[-1]]))
    assert score(spoken, "OMIM:2", observed(FOCAL)) < score(silent, "OMIM:2", observed(FOCAL)) - 1


@pytest.mark.parametrize(
    "hidden", [("PMID:1",), ("PMID:3", "PMID:4"), ("PMID:2",), ("OMIM:2", "PMID:9"), ("ORPHA:5",), ("PMID:77",)]
)
def test_hiding_references_equals_a_rebuild_from_tables_without_them(
    near: DiagnosisEngine, tmp_path: Path, hidden: tuple[str, ...]
) -> None:
    findings = [*observed(SPASM, FEVER, RASH, FOCAL), Finding(SEIZURE, excluded=True)]
    rebuilt = DiagnosisEngine(matrix(tmp_path, [left for row in NEAR_ROWS if (left := hide(row, hidden))]))
    left_out = near.scores(findings, without_references=hidden)
    index = rebuilt.matrix.disease_index
    again = rebuilt.scores(findings)
    expected = [again[index[d]] if d in index else -np.inf for d in near.matrix.diseases]
    np.testing.assert_allclose(left_out, expected, atol=1e-4)


def test_a_pooled_count_says_nothing_once_one_of_its_publications_is_hidden(engine: DiagnosisEngine) -> None:
    view = engine.view(["PMID:2"])
    row = next(int(r) for r in engine.matrix.rows_by_reference["PMID:3"])
    assert row in view.rows_of(engine.matrix.disease_index["OMIM:1"])
    assert (view.frequency(row), view.cited_by(row)) == ("", ("PMID:3",))


def test_twins_are_one_candidate_under_the_better_id(near: DiagnosisEngine) -> None:
    found = near.rank(observed(FEVER, RASH), top=None)
    listed = {candidate.disease: candidate.also for candidate in found.candidates}
    assert listed["OMIM:2"] == ("ORPHA:6",)
    assert "ORPHA:6" not in listed
    assert found.ranked == len(near.matrix.diseases) - 1
    assert sum(candidate.probability for candidate in found.candidates) == pytest.approx(1)


def test_two_twins_of_a_disease_that_are_not_the_same_are_not_both_listed_under_it(near: DiagnosisEngine) -> None:
    one, other, third = (near.matrix.disease_index[curie] for curie in ("OMIM:2", "ORPHA:6", "ORPHA:3"))
    pairs = sorted([sorted([one, other]), sorted([one, third])])
    findings = observed(FEVER, RASH)
    for accepted, listed in ((pairs, 1), (sorted([*pairs, sorted([other, third])]), 2)):
        engine = DiagnosisEngine(replace(near.matrix, twins=np.array(accepted, dtype=np.int32)))
        place = engine.listed_under(engine.scores(findings))
        together = [d for d in range(len(place)) if place[d] != d]
        assert len(together) == listed
        assert set(together) < {one, other, third}


def test_a_kindred_entry_lends_its_findings_at_a_low_weight(near: DiagnosisEngine) -> None:
    found = {candidate.disease: candidate for candidate in near.rank(observed(RASH), top=None).candidates}
    lent, own = (found[disease].contributions[0].value for disease in ("OMIM:1", "ORPHA:5"))
    assert np.log(near.matrix.constants.noise) < lent < own


def test_of_diseases_that_explain_the_same_the_more_treated_leads(engine: DiagnosisEngine) -> None:
    first = engine.rank(observed("cmekg:咳嗽")).candidates[0]
    assert first.label == "感冒"
    prior = first.contributions[-2]
    assert (prior.kind, prior.value) == (PRIOR, pytest.approx(np.log(21)))


def test_a_much_treated_disease_that_explains_nothing_does_not_lead(engine: DiagnosisEngine) -> None:
    for finding in (SPASM, RASH, "cmekg:咯血"):
        assert engine.rank(observed(finding)).candidates[0].label != "感冒"


def test_withdrawn_ids_are_followed_and_unknown_ones_named(engine: DiagnosisEngine) -> None:
    found = engine.rank([Finding(OLD_FEVER), Finding("HP:9999999", "nonsense")])
    assert found.followed == {OLD_FEVER: FEVER}
    assert [f.label for f in found.unknown] == ["nonsense"]
    assert found.observed == (FEVER,)


def test_a_finding_said_twice_counts_once_and_observed_wins_over_excluded(engine: DiagnosisEngine) -> None:
    once = engine.scores(observed(FEVER))
    twice = engine.scores([*observed(FEVER, OLD_FEVER), Finding(FEVER, excluded=True)])
    np.testing.assert_array_equal(once, twice)


def test_no_known_finding_is_a_coded_error(engine: DiagnosisEngine) -> None:
    with pytest.raises(ClewError) as caught:
        engine.rank([Finding("", "腹痛")])
    assert caught.value.code is Code.NO_FINDINGS
