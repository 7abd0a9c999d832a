"""Citations: what is cited has to be in the release."""

from pathlib import Path

import pytest

from api.compose import Clew
from kg_build.release import rows
from reasoning.cite import Verifier


@pytest.fixture(scope="module")
def graph(miniature_home: Path) -> Clew:
    return Clew.open(miniature_home)


@pytest.fixture(scope="module")
def verifier(graph: Clew) -> Verifier:
    return Verifier(graph.adjacency, graph.store)


def test_exactly_the_positive_statements_of_the_release_can_be_cited(graph: Clew, verifier: Verifier) -> None:
    table = graph.release.table("assertion", ["id", "negated"])
    assert all(verifier.statement(identifier) != no for identifier, no in rows(table, "id", "negated"))


@pytest.mark.parametrize("identifier", ["", "a.", "a.aaaaaaaaaaaaaaaa", "a.zzzzzzzzzzzzzzzz", "断言", "a." + "a" * 99])
def test_a_statement_that_is_not_there_cannot_be_cited(verifier: Verifier, identifier: str) -> None:
    assert not verifier.statement(identifier)


def test_a_part_of_an_id_is_not_the_id(graph: Clew, verifier: Verifier) -> None:
    identifier = next(i for i, no in rows(graph.release.table("assertion"), "id", "negated") if not no)
    assert not verifier.statement(identifier[:-1])
    assert not verifier.statement(identifier + "a")


def test_a_quote_is_a_slice_of_its_passage_word_for_word(graph: Clew, verifier: Verifier) -> None:
    for chunk, text in rows(graph.release.table("chunk"), "id", "text"):
        assert verifier.quote(chunk, text)
        assert verifier.quote(chunk, text[3:20])
        assert not verifier.quote(chunk, text + ".")
        assert not verifier.quote(chunk, "")
    assert not verifier.quote("no such passage", "Fever")


def test_a_changed_word_or_another_case_is_not_a_quote(graph: Clew, verifier: Verifier) -> None:
    chunk = next(chunk for chunk, text in rows(graph.release.table("chunk"), "id", "text") if "thiazide" in text)
    assert verifier.quote(chunk, "start with a thiazide")
    assert not verifier.quote(chunk, "begin with a thiazide")
    assert not verifier.quote(chunk, "Start with a thiazide")
