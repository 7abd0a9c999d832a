"""All names of a release: looked up, suggested, found in text, saved and loaded."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontology.errors import ClewError, Code
from ontology.reading.sense import Sense
from ontology.reading.terminology import Terminology
from ontology.reading.terminology_build import build_terminology
from ontology.reading.text import normal_form


def sense(entity: str, text: str, kind: str = "label", type_: str = "PhenotypicFeature") -> Sense:
    return Sense(entity, type_, "en" if text.isascii() else "zh", text, kind)


SENSES = [
    sense("HP:1", "Seizure"),
    sense("HP:1", "Seizures", "exact"),
    sense("HP:1", "癫痫发作"),
    sense("HP:2", "Febrile seizure"),
    sense("HP:3", "Heart attack", "lay"),
    sense("HP:3", "Myocardial infarction"),
    sense("HP:3", "MI", "abbreviation"),
    sense("HP:4", "头痛"),
    sense("HP:5", "偏头痛"),
    sense("HP:6", "Metastasis"),
    sense("HP:7", "Alzheimer's disease"),
    sense("HP:8", "Cardiomyopathy"),
    sense("HP:9", "肝、脾肿大"),
    sense("G:1", "CAT", type_="Gene"),
    sense("G:2", "REST", type_="Gene"),
    sense("D:1", "HIV感染", type_="Disease"),
    sense("D:2", "痰"),
    sense("D:3", "Cold", "broad", "Disease"),
    sense("D:4", "cold", "label", "Disease"),
]


@pytest.fixture(scope="module", params=["built", "loaded"])
def terms(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Terminology:
    built = build_terminology(SENSES)
    if request.param == "built":
        return built
    folder = tmp_path_factory.mktemp("terms")
    built.save(folder)
    return Terminology.load(folder)


def found(terms: Terminology, text: str) -> list[str]:
    matches = terms.find(text)
    assert all(match.text == text[match.start : match.end] for match in matches)
    return [f"{match.text}={match.senses[0].entity}" for match in matches]


def test_lookup_ignores_case_hyphens_and_apostrophes(terms: Terminology) -> None:
    assert [s.entity for s in terms.lookup("FEBRILE-SEIZURE")] == ["HP:2"]
    assert [s.entity for s in terms.lookup("alzheimer’s disease")] == ["HP:7"]
    assert terms.lookup("nothing such") == []


def test_lookup_gives_preferred_kinds_first(terms: Terminology) -> None:
    assert [(s.entity, s.kind) for s in terms.lookup("COLD")] == [("D:4", "label"), ("D:3", "broad")]


def test_an_entity_leads_to_its_names(terms: Terminology) -> None:
    assert [s.text for s in terms.by_id("HP:3")] == ["Myocardial infarction", "Heart attack", "MI"]
    assert terms.by_id("HP:99") == []
    assert len(terms) == len(SENSES)


@pytest.mark.parametrize(
    ("typed", "entity"),
    [("Siezure", "HP:1"), ("cardiomyopthy", "HP:8"), ("癫痫发做", "HP:1"), ("偏头疼", "HP:5")],
)
def test_near_misses_are_suggested(terms: Terminology, typed: str, entity: str) -> None:
    assert terms.suggest(typed)[0].entity == entity


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He had a febrile seizure.", ["febrile seizure=HP:2"]),
        ("Two febrile\nseizures", ["febrile\nseizures=HP:2"]),
        ("Metastases and alzheimer disease", ["Metastases=HP:6", "alzheimer disease=HP:7"]),
        ("preseizure, seizurelike", []),
        ("患者偏头痛，无头 痛", ["偏头痛=HP:5", "头 痛=HP:4"]),
        ("An MI, not a mi", []),
        ("The CAT gene, not the cat; REST", ["CAT=G:1"]),
        ("头，痛", []),
        ("查体肝、脾肿大", ["肝、脾肿大=HP:9"]),
        ("疑似HIV 感染。", ["HIV 感染=D:1"]),
        ("Heart. Attack now", []),
        ("Sudden febrile. Seizure", ["Seizure=HP:1"]),
        ("咳痰", []),
        ("", []),
    ],
)
def test_names_are_found_in_text(terms: Terminology, text: str, expected: list[str]) -> None:
    assert found(terms, text) == expected


def test_names_inside_names_are_found_when_asked_for(terms: Terminology) -> None:
    assert [m.text for m in terms.find("febrile seizures", nested=True)] == ["febrile seizures", "seizures"]
    assert [m.text for m in terms.find("偏头痛", nested=True)] == ["偏头痛", "头痛"]


def test_a_match_says_when_only_an_inflected_form_fits(terms: Terminology) -> None:
    assert [m.inflected for m in terms.find("seizures, heart attacks")] == [False, True]


def test_a_damaged_terminology_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ClewError) as caught:
        Terminology.load(tmp_path)
    assert caught.value.code is Code.CORRUPT_RELEASE


def test_no_names_are_a_terminology_too(tmp_path: Path) -> None:
    build_terminology([]).save(tmp_path)
    empty = Terminology.load(tmp_path)
    assert (empty.lookup("fever"), empty.suggest("fever"), empty.find("fever")) == ([], [], [])


NAMES = st.lists(st.text(alphabet="ab 头痛-é", min_size=1, max_size=6), min_size=1, max_size=8)


@given(NAMES, st.text(alphabet="ab 头痛-é.", max_size=30))
def test_every_match_is_a_name_and_matches_do_not_overlap(names: list[str], text: str) -> None:
    terms = build_terminology([sense(f"X:{i}", name, "exact", "Disease") for i, name in enumerate(names)])
    for name in names:
        if normal_form(name):
            assert name in [s.text for s in terms.lookup(name)]
    reached = 0
    for match in terms.find(text):
        assert match.start >= reached
        reached = match.end
        if not match.inflected:
            assert {normal_form(s.text) for s in match.senses} == {normal_form(match.text)}
