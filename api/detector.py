"""Mentions that a spaCy model finds: its entities and noun chunks, as more stretches for the reader to link."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from ontology.errors import ClewError, Code

Span = tuple[int, int]

_MOST_READ: Final = 100_000
"""Code points of a text that a model reads: the reader takes some hundred stretches only (our choice)."""


def detected(model: str, text: str) -> list[Span]:
    """The stretches of a text that a spaCy model holds for mentions; code points, in order.

    Args:
        model: name of an installed model, or folder of one.
        text: of which the model reads the beginning.

    Raises:
        ClewError: MISSING_EXTRA when spaCy is not installed, BAD_INPUT when the model is not.
    """
    return spans_of(_load(model)(text[:_MOST_READ]))


def spans_of(doc: Any) -> list[Span]:
    """Entities and noun chunks of a spaCy document; only entities where it was not parsed."""
    found = {(entity.start_char, entity.end_char) for entity in doc.ents}
    if doc.has_annotation("DEP") and doc.lang_ != "zh":  # spaCy has no noun chunks for Chinese
        found |= {(chunk.start_char, chunk.end_char) for chunk in doc.noun_chunks}
    return sorted(found)


def _load(model: str) -> Any:
    extra = "sci" if model.startswith("en_core_sci") else "spacy"
    try:
        spacy = import_module("spacy")
    except ModuleNotFoundError as error:
        remedy = f'pip install "clew[{extra}]"'
        raise ClewError(Code.MISSING_EXTRA, "spacy is not installed", remedy=remedy) from error
    try:
        return spacy.load(model)
    except (OSError, ValueError) as error:
        known = spacy.util.get_installed_models()
        remedy = f'pip install "clew[{extra}]", or the model by its name'
        raise ClewError(Code.BAD_INPUT, f"no spaCy model {model!r}", remedy=remedy, choices=known) from error
