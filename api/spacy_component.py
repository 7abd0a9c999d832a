"""clew as a component of a spaCy pipeline.

    nlp = spacy.blank("en")
    nlp.add_pipe("clew_linker", config={"provisional": True})
    doc = nlp("Racing heart, but no fever.")
    doc.spans["clew"][0].kb_id_, doc.spans["clew"][0]._.clew_status

What earlier components hold for entities (a model of scispaCy, say) and clew knows no name for is linked as
`Reader.link_spans` does, when the component is added with `detector`. Installing clew announces the component.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Final

from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.util import filter_spans

from api.compose import Clew
from api.show_reading import is_provisional, note_data
from ontology.reading.reader import FINDING_TYPES, Reader
from ontology.reading.status import Reading
from ontology.settings import load_settings

_OF_SPAN: Final = ("clew_status", "clew_method", "clew_confidence", "clew_label")


class ClewLinker:
    """Sets `doc.spans["clew"]`, `doc.ents` and `doc._.clew_note`.

    The spans have the entity type as label, the CURIE as `kb_id_`, and the extensions `clew_status`, `clew_method`,
    `clew_confidence` and `clew_label`. A mention that does not end where tokens do covers the tokens that it touches;
    one in pieces covers all between them (the note has the pieces). Entities that the document has already stay, and
    what does not overlap them is added. `clew_note` is what `clew read --json` prints, so that a document with it can
    be written to disk.

    Args:
        reader: reads the text.
        types: only entities of these types.
        provisional: also links that are too uncertain to be used.
        detector: also link the entities that the document has already.
    """

    def __init__(self, reader: Reader, types: Collection[str], *, provisional: bool, detector: bool) -> None:
        self._reader, self._types = reader, tuple(types)
        self._provisional, self._detector = provisional, detector

    def __call__(self, doc: Doc) -> Doc:
        """Read a document."""
        detected = [(entity.start_char, entity.end_char) for entity in doc.ents] if self._detector else []
        note = self._reader.read(doc.text, types=self._types, detected=detected)
        doc._.clew_note = note_data(note)
        used = [r for r in note.readings if self._provisional or not is_provisional(r)]
        spans = [span for reading in used if (span := _span(doc, reading)) is not None]
        doc.spans["clew"] = spans
        taken = {token.i for entity in doc.ents for token in entity}
        free = [span for span in spans if taken.isdisjoint(range(span.start, span.end))]
        doc.ents = (*doc.ents, *filter_spans(free))
        return doc


def make_linker(
    nlp: Language,
    name: str,
    home: str,
    types: list[str],
    provisional: bool,  # noqa: FBT001  (spaCy gives all by name)
    detector: bool,  # noqa: FBT001
) -> ClewLinker:
    """The component `clew_linker`.

    Args:
        nlp: the pipeline.
        name: of the component in it.
        home: of the release; the configured one when empty.
        types: only entities of these types.
        provisional: also links that are too uncertain to be used.
        detector: also link the entities that the document has already.

    Raises:
        ClewError: NO_RELEASE, CORRUPT_RELEASE, BAD_SETTINGS.
    """
    del nlp, name
    opened = Clew.open(Path(home) if home else load_settings().home)
    return ClewLinker(opened.reader, types, provisional=provisional, detector=detector)


def _span(doc: Doc, reading: Reading) -> Span | None:
    link = reading.link
    span = doc.char_span(link.start, link.end, label=link.type, kb_id=link.entity, alignment_mode="expand")
    if span is not None:
        said = (reading.status, link.method, link.confidence, link.label)
        for extension, value in zip(_OF_SPAN, said, strict=True):
            span._.set(extension, value)
    return span


for _extension in _OF_SPAN:
    Span.set_extension(_extension, default=None, force=True)
Doc.set_extension("clew_note", default=None, force=True)
Language.factory(
    "clew_linker",
    assigns=["doc.ents", "doc.spans"],
    default_config={"home": "", "types": list(FINDING_TYPES), "provisional": False, "detector": False},
    func=make_linker,
)
