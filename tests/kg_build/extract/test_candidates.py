"""Candidates are brought together by assertion and held against the graph."""

from pathlib import Path

import pytest

from kg_build.extract.extract import PREDICATES, extract
from kg_build.release import Release
from ontology.errors import ClewError, Code
from tests.kg_build.extract.conftest import Extract


@pytest.mark.parametrize(
    ("text", "standing"),
    [
        ("Marfan syndrome causes scoliosis.", "known"),  # of what it is the same as
        ("Marfan syndrome causes fever.", "denied"),
        ("Marfan syndrome causes headache.", "new"),
        ("马凡综合征可引起脊柱侧弯。", "known"),
        ("Amlodipine is used to treat hypertension.", "known by name"),  # of the disease, not of the finding
    ],
)
def test_the_graph_knows_or_denies_it_across_one_identity(extracted: Extract, text: str, standing: str) -> None:
    (candidate,) = extracted(text).candidates
    assert candidate.standing == standing


def test_sentences_that_state_the_same_are_one_candidate(extracted: Extract) -> None:
    (one,) = extracted("Asthma causes cough.").candidates
    (two,) = extracted("Asthma causes cough.\n\nCough is a symptom of asthma.").candidates
    (again,) = extracted("Asthma causes cough.\n\nAsthma causes cough.").candidates
    assert [len(c.statements) for c in (one, two, again)] == [1, 2, 2]
    assert one.confidence == again.confidence < two.confidence < 1


def test_the_passages_of_a_release_are_read_with_its_mentions(release: Release) -> None:
    found = extract(release)
    said = {(c.assertion.predicate, c.assertion.object) for c in found.candidates}
    assert ("has_phenotype", "HP:1") in said
    assert all(c.statements[0].evidence.references == ("DOI:10.1/sheet",) for c in found.candidates)
    assert found.tally.read_rows["passage"] == 2
    assert [c.assertion for c in extract(release, source="hpo").candidates] == [c.assertion for c in found.candidates]
    assert extract(release, document="hpo:sheet").tally.read_rows["passage"] == 2


def test_what_is_known_and_other_predicates_are_left_out_and_counted(release: Release) -> None:
    every = extract(release)
    new = extract(release, only_new=True)
    assert {c.standing for c in new.candidates} <= {"new"}
    assert new.tally.kept_rows["candidate"] < every.tally.kept_rows["candidate"]
    only = extract(release, predicate="treats")
    assert {c.assertion.predicate for c in only.candidates} == {"treats"}
    assert only.tally.dropped_rows["candidate", "of another predicate"] == 1


def test_what_is_not_there_is_said_with_what_is(release: Release, tmp_path: Path) -> None:
    for options, choice in (
        ({"document": "hpo:shet"}, "hpo:sheet"),
        ({"source": "medquad"}, "hpo"),
        ({"predicate": "treat"}, "treats"),
    ):
        with pytest.raises(ClewError) as caught:
            extract(release, **options)  # type: ignore[arg-type]
        assert caught.value.code is Code.BAD_INPUT
        assert choice in caught.value.choices
    with pytest.raises(ClewError) as caught:
        extract(release, file=tmp_path / "gone.md")
    assert caught.value.code is Code.BAD_INPUT
    with pytest.raises(ClewError) as caught:
        extract(release, file=tmp_path / "gone.md", source="hpo")
    assert caught.value.code is Code.BAD_INPUT
    assert "has_cause" not in PREDICATES
