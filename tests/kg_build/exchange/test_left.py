"""build(A + B) without B is build(A): what is left of a release when some of its sources are left out."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kg_build import pipeline
from kg_build.exchange.left import GRAPH_TABLES, left_without
from kg_build.release import Release, open_release, rows
from kg_build.sources.contract import Record
from ontology.model import Assertion, Entity, Evidence, Mapping, Name
from ontology.schema import load_domain
from tests.kg_build.tiny import Tiny, build_tiny
from tests.miniature import KEYS, build_miniature

WORDS = ("Marfan syndrome", "Loeys-Dietz syndrome", "马凡综合征", "蜘蛛指（趾）")
OWN = {"cmekg": ("cmekg:a", "cmekg:b"), "hpo": ("OMIM:1", "ORPHA:1", "DECIPHER:1")}
ANY = [curie for curies in OWN.values() for curie in curies]

ids, words = st.sampled_from(ANY), st.sampled_from(WORDS)


def lang(text: str) -> str:
    return "en" if text.isascii() else "zh"


def described(curie: str, label: str, source: str) -> list[Record]:
    return [
        Entity(curie, "Disease", label, lang(label), source),
        Name(curie, lang(label), label, "label", source, "r"),
    ]


def evidence(subject: str, predicate: str, object_: str, source: str, *, negated: bool = False) -> Evidence:
    assertion = Assertion(subject, predicate, object_, negated)
    return Evidence(assertion, source, ("PMID:1",), "row", "knowledge_assertion", "manual_agent")


@st.composite
def said_by(draw: st.DrawFn, source: str) -> Tiny:
    """A source that describes its own entities, and names and states whatever it likes."""
    records = [record for curie in OWN[source] for record in described(curie, draw(words), source)]
    for _ in range(draw(st.integers(0, 8))):
        match draw(st.sampled_from(("name", "mapping", "statement", "identity"))):
            case "name":
                text = draw(words)
                records.append(Name(draw(ids), lang(text), text, "exact", source, "r"))
            case "mapping":
                records.append(
                    Mapping(draw(ids), "skos:exactMatch", draw(st.sampled_from(("UMLS:1", "UMLS:2"))), source, "j")
                )
            case "statement":
                records.append(evidence(draw(ids), "has_complication", draw(ids), source, negated=draw(st.booleans())))
            case "identity":
                records.append(evidence(draw(ids), "same_as", draw(ids), source, negated=draw(st.booleans())))
    return Tiny(source, tuple(records))


@pytest.fixture
def tables_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Builds write the canonical tables and derive nothing."""
    monkeypatch.setattr(pipeline, "derive", lambda *_, **__: None)


def released(folder: str, *sources: Tiny) -> Release:
    return build_tiny(Path(folder), *sources).release


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(said_by("hpo"), said_by("cmekg"))
@pytest.mark.usefixtures("tables_only")
def test_a_release_without_a_source_is_what_a_build_without_it_holds(kept: Tiny, gone: Tiny) -> None:
    with TemporaryDirectory() as both, TemporaryDirectory() as alone:
        left = left_without(released(both, kept, gone).tables, [gone.key], load_domain())
        expected = released(alone, kept).tables
        for name in GRAPH_TABLES:
            assert left[name].equals(expected[name]), name


@pytest.mark.parametrize("gone", KEYS)
@pytest.mark.usefixtures("tables_only")
def test_so_it_is_for_each_of_the_real_sources(miniature_home: Path, tmp_path: Path, gone: str) -> None:
    left = left_without(open_release(miniature_home).tables, [gone], load_domain())
    expected = build_miniature(tmp_path, [key for key in KEYS if key != gone]).release
    for name in GRAPH_TABLES:
        assert left[name].equals(expected.table(name)), name


@pytest.mark.usefixtures("tables_only")
def test_nothing_left_out_leaves_all(tmp_path: Path) -> None:
    release = released(str(tmp_path), Tiny("hpo", tuple(described("OMIM:1", "Marfan syndrome", "hpo"))))
    assert all(
        left_without(release.tables, [], load_domain())[name].equals(release.tables[name]) for name in GRAPH_TABLES
    )


@pytest.mark.usefixtures("tables_only")
def test_an_identity_that_rests_on_a_name_of_the_source_goes_with_it(tmp_path: Path) -> None:
    chinese = Name("OMIM:1", "zh", "马凡综合征", "exact", "hp_zh", "r")
    release = released(
        str(tmp_path),
        Tiny("hpo", tuple(described("OMIM:1", "Marfan syndrome", "hpo"))),
        Tiny("cmekg", tuple(described("cmekg:a", "马凡综合征", "cmekg"))),
        Tiny("hp_zh", (chinese,)),
    )
    assert [row[0] for row in rows(release.table("assertion"), "predicate")] == ["same_as"]
    left = left_without(release.tables, ["hp_zh"], load_domain())
    assert left["assertion"].num_rows == left["evidence"].num_rows == 0
    assert sorted(rows(left["entity"], "id")) == [("OMIM:1",), ("cmekg:a",)]


@pytest.mark.usefixtures("tables_only")
def test_an_entity_that_another_source_names_stays_under_that_name(tmp_path: Path) -> None:
    first = [Entity("OMIM:1", "Disease", "MARFAN SYNDROME", "en", "cmekg", "A text that may not be passed on.")]
    second = described("OMIM:1", "马凡综合征", "hpo")
    release = released(str(tmp_path), Tiny("cmekg", tuple(first)), Tiny("hpo", tuple(second)))
    left = left_without(release.tables, ["cmekg"], load_domain())
    (entity,) = left["entity"].to_pylist()
    assert (entity["label"], entity["lang"], entity["source"], entity["definition"]) == ("马凡综合征", "zh", "hpo", "")
