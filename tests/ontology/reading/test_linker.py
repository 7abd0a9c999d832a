"""From names to entities: which of several is meant, how sure, and what to say when it cannot be told."""

import pytest

from ontology.errors import ClewError, Code
from ontology.reading.linker import CONFIDENCE, INFLECTED, RIVALLED, TIED, Linker
from ontology.reading.reader import CERTAIN
from ontology.reading.sense import Sense
from ontology.reading.terminology_build import build_terminology

SENSES = [
    Sense("HP:1", "PhenotypicFeature", "en", "Fever", "label"),
    Sense("HP:1", "PhenotypicFeature", "zh", "发热", "label"),
    Sense("HP:1", "PhenotypicFeature", "en", "Pyrexia", "exact"),
    Sense("ICD10:R50", "CodedCategory", "en", "Fever", "label"),
    Sense("HP:2", "PhenotypicFeature", "en", "Seizure", "label"),
    Sense("MONDO:1", "Disease", "en", "Gastric cancer pain", "label"),
    Sense("HP:3", "PhenotypicFeature", "en", "Pain", "label"),
    Sense("HP:4", "PhenotypicFeature", "en", "Fits", "related"),
    Sense("A:1", "Disease", "en", "Cold", "label"),
    Sense("B:1", "Disease", "en", "cold", "label"),
    Sense("HP:5", "PhenotypicFeature", "en", "Chill", "broad"),
]
LINKER = Linker(build_terminology(SENSES), {"HP": 0, "ICD10": 1})


def test_the_vocabulary_that_comes_first_is_chosen_and_the_others_are_named() -> None:
    (link,) = LINKER.link("Fever")
    assert (link.entity, link.alternatives, link.method, link.confidence) == (
        "HP:1",
        ["ICD10:R50"],
        "exact",
        round(CONFIDENCE["label"] * RIVALLED, 4),
    )


def test_only_a_tie_between_the_best_kinds_of_names_is_certain() -> None:
    certain = {kind for kind, confidence in CONFIDENCE.items() if confidence * TIED >= CERTAIN}
    assert certain == {"label", "exact"}


def test_allowed_types_come_before_everything() -> None:
    (link,) = LINKER.link("Fever", types={"CodedCategory"})
    assert (link.entity, link.alternatives, link.confidence) == ("ICD10:R50", [], CONFIDENCE["label"])


def test_a_longer_name_of_another_type_hides_nothing() -> None:
    text = "He has gastric cancer pain"
    assert [link.text for link in LINKER.link(text)] == ["gastric cancer pain"]
    assert [link.text for link in LINKER.link(text, types={"PhenotypicFeature"})] == ["pain"]


@pytest.mark.parametrize(
    ("text", "method", "confidence"),
    [
        ("Pyrexia", "exact", CONFIDENCE["exact"]),
        ("pyrexia", "normalised", CONFIDENCE["exact"]),
        ("seizures", "inflected", CONFIDENCE["label"] * INFLECTED),
        ("fits", "normalised", 0.6),
        ("发热", "exact", CONFIDENCE["label"]),
        ("cold", "normalised", CONFIDENCE["label"] * TIED),
    ],
)
def test_confidence_falls_with_weaker_names_and_ambiguity(text: str, method: str, confidence: float) -> None:
    (link,) = LINKER.link(text)
    assert (link.method, link.confidence) == (method, round(confidence, 4))


def test_labels_are_in_the_language_of_the_text() -> None:
    assert [link.label for link in LINKER.link("患者发热3天")] == ["发热"]
    assert [link.label for link in LINKER.link("two days of pyrexia")] == ["Fever"]


@pytest.mark.parametrize(
    ("name", "entity"),
    [("HP:2", "HP:2"), ("SEIZURE", "HP:2"), ("seizures", "HP:2"), (" 发热 ", "HP:1"), ("Fever", "HP:1")],
)
def test_a_whole_string_resolves_to_an_entity(name: str, entity: str) -> None:
    assert LINKER.resolve(name).entity == entity


def test_an_unknown_name_comes_with_names_like_it() -> None:
    with pytest.raises(ClewError) as caught:
        LINKER.resolve("Siezure")
    assert caught.value.code is Code.UNKNOWN_ENTITY
    assert caught.value.choices[0] == "HP:2 Seizure"


def test_a_name_of_equals_is_ambiguous() -> None:
    with pytest.raises(ClewError) as caught:
        LINKER.resolve("cold")
    assert caught.value.code is Code.AMBIGUOUS_ENTITY
    assert caught.value.choices == ("A:1 Cold (Disease)", "B:1 cold (Disease)")


def test_a_known_entity_of_a_wrong_type_is_not_taken() -> None:
    with pytest.raises(ClewError) as caught:
        LINKER.resolve("HP:2", types={"Disease"})
    assert caught.value.code is Code.UNKNOWN_ENTITY


def test_an_empty_name_is_refused() -> None:
    with pytest.raises(ClewError) as caught:
        LINKER.resolve("  ")
    assert caught.value.code is Code.EMPTY_INPUT
