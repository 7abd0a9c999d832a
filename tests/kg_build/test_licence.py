"""Whom a release names, and what of it may not be passed on."""

from pathlib import Path

import pytest

from kg_build.licence import attributions, check_redistributable
from kg_build.release import open_release
from ontology.errors import ClewError, Code


def test_every_source_of_a_release_is_named_with_its_licence_and_notice(miniature_home: Path) -> None:
    found = {source.source: source for source in attributions(open_release(miniature_home))}
    assert list(found) == sorted({"hpo", "icd10", "cmekg", "open_medicine", "clew"})
    assert all(source.licence and source.attribution and source.title for source in found.values())
    assert found["hpo"].evidence > 0
    assert found["icd10"].redistributable is False


def test_a_release_with_a_barred_source_is_not_passed_on(miniature_home: Path) -> None:
    release = open_release(miniature_home)
    barred = [source for source in attributions(release) if not source.redistributable]
    with pytest.raises(ClewError) as caught:
        check_redistributable(release)
    assert caught.value.code is Code.LICENCE
    assert all(source.source in caught.value.cause and source.licence in caught.value.cause for source in barred)
    assert not {source.source for source in barred} & set(caught.value.choices)


def test_what_remains_without_the_barred_sources_may_be_passed_on(miniature_home: Path) -> None:
    release = open_release(miniature_home)
    check_redistributable(release, without=[s.source for s in attributions(release) if not s.redistributable])
