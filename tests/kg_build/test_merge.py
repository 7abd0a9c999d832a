"""Why two entities are one or not."""

from pathlib import Path

import pytest

from kg_build.merge import explain_merge
from kg_build.release import Release, open_release, rows
from ontology.errors import ClewError, Code


@pytest.fixture(scope="module")
def release(miniature_home: Path) -> Release:
    return open_release(miniature_home)


def test_a_stated_identity_comes_with_its_evidence_and_what_is_shared(release: Release) -> None:
    report = explain_merge(release, "OMIM:154700", "ORPHA:558")
    assert report.verdict == "same"
    assert report.reasons == ()
    assert "marfan syndrome" in report.shared_names
    (statement,) = report.statements
    assert (statement.source, statement.negated, statement.agent_type) == ("clew", False, "automated_agent")
    assert " = " in statement.quote
    assert explain_merge(release, "ORPHA:558", "OMIM:154700").statements == report.statements


def test_what_is_not_stated_says_why(release: Release) -> None:
    entities = rows(release.table("entity"), "id", "type", "deprecated")
    finding = next(i for i, type_name, gone in entities if type_name == "PhenotypicFeature" and not gone)
    report = explain_merge(release, "OMIM:154700", finding)
    assert report.verdict == "not stated"
    assert report.types == ("Disease", "PhenotypicFeature")
    assert any("different types" in reason for reason in report.reasons)


def test_unknown_and_equal_ids_are_refused(release: Release) -> None:
    for other, code in (("OMIM:0", Code.UNKNOWN_ENTITY), ("OMIM:154700", Code.BAD_INPUT)):
        with pytest.raises(ClewError) as caught:
            explain_merge(release, "OMIM:154700", other)
        assert caught.value.code is code
