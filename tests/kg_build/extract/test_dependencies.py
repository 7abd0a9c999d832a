"""A parser finds subject and object of a verb where no phrase joins two mentions."""

from importlib import import_module, util
from typing import Any

import pytest

from kg_build.extract import dependencies
from kg_build.extract.dependencies import MODEL
from ontology.errors import ClewError, Code
from tests.kg_build.extract.conftest import LABELS, Extract

parsed = pytest.mark.skipif(
    util.find_spec("spacy") is None or util.find_spec(MODEL) is None, reason="the extra spacy is not installed"
)


def said(extracted: Extract, text: str) -> set[tuple[str, str, str]]:
    found = (c.assertion for c in extracted(text, parse=True).candidates)
    return {(LABELS[a.subject], a.predicate, LABELS[a.object]) for a in found}


@parsed
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("text", "statement"),
    [
        (
            "Hypertension in older adults can cause stroke.",
            ("hypertension", "has_complication", "stroke"),
        ),
        ("Stroke in young adults may be caused by hypertension.", ("hypertension", "has_complication", "stroke")),
        ("Stroke can often be prevented in adults by amlodipine.", ("amlodipine", "prevents", "stroke")),
    ],
)
def test_a_verb_states_it_in_both_voices(extracted: Extract, text: str, statement: tuple[str, str, str]) -> None:
    assert not extracted(text).candidates
    assert said(extracted, text) == {statement}


@parsed
@pytest.mark.filterwarnings("ignore")
def test_other_heads_and_denials_state_nothing(extracted: Extract) -> None:
    assert said(extracted, "Many drugs for asthma, in some adults, cause tremor.") == set()
    found = extracted("Hypertension in some adults does not cause a stroke.", parse=True)
    assert not found.candidates
    assert found.tally.dropped_rows["statement", "the text denies it"] == 1


def test_without_the_extra_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch, extracted: Extract) -> None:
    def absent(name: str) -> Any:
        if name.startswith("spacy"):
            raise ModuleNotFoundError(name)
        return import_module(name)

    monkeypatch.setattr(dependencies, "import_module", absent)
    with pytest.raises(ClewError) as caught:
        extracted("Asthma causes cough.", parse=True)
    assert caught.value.code is Code.MISSING_EXTRA
    assert "clew[spacy]" in caught.value.remedy
    assert extracted("Asthma causes cough.").candidates  # nobody needs it
