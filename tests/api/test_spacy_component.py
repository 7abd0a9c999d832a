"""clew in a spaCy pipeline."""

from pathlib import Path
from typing import Any

import pytest

from ontology.reading.linker import CONFIDENCE

spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
component = pytest.importorskip("api.spacy_component", reason="spaCy is not installed")


def pipeline(home: Path, lang: str = "en", **config: Any) -> Any:
    nlp = spacy.blank(lang)
    nlp.add_pipe("clew_linker", config={"home": str(home), **config})
    return nlp


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        ("en", "She has arachnodactyly, but no seizure.",
         [("arachnodactyly", "HP:0001166", "present"), ("seizure", "HP:0001250", "absent")]),
        ("zh", "患者咳嗽，无头痛。", [("咳嗽", "cmekg:", "present"), ("头痛", "cmekg:", "absent")]),
    ],
)  # fmt: skip
def test_spans_have_type_entity_and_status(
    miniature_home: Path, lang: str, text: str, expected: list[tuple[str, str, str]]
) -> None:
    doc = pipeline(miniature_home, lang)(text)
    assert len(doc.spans["clew"]) == len(doc.ents) == len(expected)
    for span, (words, entity, status) in zip(doc.spans["clew"], expected, strict=True):
        assert (span.text, span.label_, span._.clew_status) == (words, "PhenotypicFeature", status)
        assert span.kb_id_.startswith(entity)
        assert span._.clew_confidence == CONFIDENCE["label"]
        assert span._.clew_method in ("exact", "normalised")
        assert span._.clew_label
    assert [ent.kb_id_ for ent in doc.ents] == [span.kb_id_ for span in doc.spans["clew"]]


def test_the_note_can_be_written_with_the_document(miniature_home: Path) -> None:
    nlp = pipeline(miniature_home)
    doc = nlp("FH: chorea.")
    again = spacy.tokens.Doc(nlp.vocab).from_bytes(doc.to_bytes())
    assert again._.clew_note["findings"][0]["status"] == "family"
    assert again.spans["clew"][0]._.clew_status == "family"


def test_provisional_links_come_only_when_asked_for(miniature_home: Path) -> None:
    text = "High pressure of the blood."
    doc = pipeline(miniature_home)(text)
    assert not doc.spans["clew"]
    doc = pipeline(miniature_home, provisional=True)(text)
    (span,) = doc.spans["clew"]
    assert (span.kb_id_, span._.clew_method) == ("HP:0000822", "meaning")


def with_entity(nlp: Any, text: str, start: int, end: int) -> Any:
    """A document that a model has been through."""
    doc = nlp.make_doc(text)
    doc.ents = [doc.char_span(start, end, label="DISEASE")]
    return nlp.get_pipe("clew_linker")(doc)


def test_entities_of_a_model_stay_and_are_linked_when_asked_for(miniature_home: Path) -> None:
    text = "Cough, and Skoliosis was seen with long slender fingrs."
    start, end = text.index("long"), len(text) - 1
    found = {}
    for detector in (False, True):
        doc = with_entity(pipeline(miniature_home, detector=detector), text, start, end)
        assert ("DISEASE", "") in [(ent.label_, ent.kb_id_) for ent in doc.ents]
        assert "Cough" in [ent.text for ent in doc.ents]
        found[detector] = {span.text for span in doc.spans["clew"]}
    assert text[start:end] in found[True]


def test_only_the_wanted_types(miniature_home: Path) -> None:
    doc = pipeline(miniature_home, types=["Disease"])("Arachnodactyly in Marfan syndrome.")
    assert [span.label_ for span in doc.spans["clew"]] == ["Disease"]


def test_an_empty_document_is_read(miniature_home: Path) -> None:
    doc = pipeline(miniature_home)("")
    assert not doc.spans["clew"]
    assert doc._.clew_note["characters"] == 0
