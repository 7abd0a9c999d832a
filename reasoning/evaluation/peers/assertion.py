"""The peers `medspacy` and `negspacy`: maintained implementations of ConText and of NegEx, for English.

Both are given the findings as entities, and their own rules as they come. ConText (medSpaCy, Eyre et al. 2021) says
of an entity that it is negated, uncertain, historical, hypothetical or of the family; where several hold, the order of
our own reader decides. NegEx (negspaCy, with its clinical terms) only says whether an entity is negated, so that it is
judged by its F1 of `absent`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from ontology.reading.status import Status

_ORDER: Final[tuple[tuple[str, Status], ...]] = (
    ("is_hypothetical", "hypothetical"),
    ("is_negated", "absent"),
    ("is_family", "family"),
    ("is_uncertain", "uncertain"),
    ("is_historical", "historical"),
)


class MedSpacy:
    """What is announced as the peer `medspacy`."""

    contract = 1
    task = "status"
    extra = "medspacy>=1.3"

    def open(self, subject: object) -> OpenedPeer:  # noqa: ARG002  (a contract of peers)
        """Sentences and ConText of medSpaCy."""
        import medspacy  # noqa: PLC0415  (cannot live beside spaCy 3.8)
        from loguru import logger  # noqa: PLC0415  (comes with medspaCy)

        logger.disable("PyRuSH")  # it tells of every token
        nlp = medspacy.load(medspacy_enable=["medspacy_pyrush", "medspacy_context"])
        return OpenedPeer("medspacy", nlp, "medspacy_context", _of_context)


class NegSpacy:
    """What is announced as the peer `negspacy`."""

    contract = 1
    task = "status"
    extra = "negspacy>=1.0"

    def open(self, subject: object) -> OpenedPeer:  # noqa: ARG002  (a contract of peers)
        """Sentences of spaCy by punctuation, and NegEx with the clinical terms."""
        import spacy  # noqa: PLC0415  (an extra)
        from negspacy.negation import Negex  # noqa: F401, PLC0415  (registers the component)
        from negspacy.termsets import termset  # noqa: PLC0415

        nlp = spacy.blank("en")
        nlp.add_pipe("sentencizer")
        nlp.add_pipe("negex", config={"neg_termset": termset("en_clinical").get_patterns()})
        return OpenedPeer("negspacy", nlp, "negex", lambda entity: "absent" if entity._.negex else "present")


class OpenedPeer:
    """A spaCy pipeline whose last component judges entities.

    Args:
        name: as figures name it.
        nlp: the pipeline.
        judge: its component that judges; the ones before it make sentences.
        status: what it says of an entity, once judged.
    """

    languages = ("en",)

    def __init__(self, name: str, nlp: Any, judge: str, status: Callable[[Any], Status]) -> None:
        self.name = name
        self._nlp = nlp
        self._judge = judge
        self._status = status

    def read(self, text: str, spans: Sequence[tuple[int, int]]) -> list[Status]:
        """The status of each finding; one that ends within a token is given the whole of it."""
        doc = self._nlp.make_doc(text)
        for name, component in self._nlp.pipeline:
            if name == self._judge:
                found = [doc.char_span(start, end, label="FINDING", alignment_mode="expand") for start, end in spans]
                doc.ents = tuple(dict.fromkeys(found))
            doc = component(doc)
        by_token = {token.i: entity for entity in doc.ents for token in entity}
        return [self._status(by_token[entity.start]) for entity in found]


def _of_context(entity: Any) -> Status:
    return next((status for name, status in _ORDER if getattr(entity._, name)), "present")


MEDSPACY = MedSpacy()
NEGSPACY = NegSpacy()
