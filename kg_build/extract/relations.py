"""What the relations that texts speak of may state in the graph.

A text says that something *causes* something; what that is in the graph depends on what the two are: a disease that
causes a finding presents with it, one that causes a disease has it as a complication, a drug has an adverse event.
Domain and range come from the ontology file; where a relation means only a part of them, it says which.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final

from ontology.reading.status import Status
from ontology.schema import Domain, load_domain

_SAID: Final[frozenset[Status]] = frozenset({"present", "uncertain", "hypothetical"})
"""In a text that teaches, `may cause` says what a disease does now and then; it does not doubt a patient's finding."""

_ADVISED: Final[frozenset[Status]] = _SAID | {"historical"}
"""Advice is often conditional: `if the infection persists, it is treated with`."""

_ANY: Final[frozenset[Status]] = _ADVISED | {"absent", "family"}
"""What prevents or forbids is itself a trigger of these; its patterns look for denials themselves."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """One thing that a relation may state: a predicate between entities of two types."""

    predicate: str
    subject: str
    object: str


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation that texts speak of.

    Attributes:
        meanings: the preferred one first.
        statuses: what the text may say about the thing mentioned, so that the statement still stands.
    """

    meanings: tuple[Meaning, ...]
    statuses: frozenset[Status] = _SAID


@cache
def relations() -> dict[str, Relation]:
    """All relations, by name."""
    domain = load_domain()
    causes = (
        *_meanings(domain, "has_phenotype", objects=("PhenotypicFeature",)),
        *_meanings(domain, "has_complication", objects=("Disease",)),
        *_meanings(domain, "has_adverse_event"),
    )
    return {
        "causes": Relation(causes),
        "presents": Relation(_meanings(domain, "has_phenotype")),
        "finding": Relation(_meanings(domain, "has_phenotype", objects=("PhenotypicFeature",))),
        "complication": Relation(_meanings(domain, "has_complication")),
        "treats": Relation(_meanings(domain, "treats"), _ADVISED),
        "drug treats": Relation(_meanings(domain, "treats", subjects=("Drug",)), _ADVISED),
        "prevents": Relation(_meanings(domain, "prevents"), _ANY),
        "contraindicated": Relation(_meanings(domain, "contraindicated_in"), _ANY),
        "adverse": Relation(_meanings(domain, "has_adverse_event")),
        "diagnosed": Relation(_meanings(domain, "is_diagnosed_by", objects=("Procedure",)), _ADVISED),
        "gene": Relation(_meanings(domain, "gene_associated_with_condition")),
    }


def _meanings(
    domain: Domain, predicate: str, *, subjects: Iterable[str] = (), objects: Iterable[str] = ()
) -> tuple[Meaning, ...]:
    """What the ontology lets a predicate lead from and to, narrowed to these types."""
    allowed = domain.predicates[predicate].ends
    subjects, objects = set(subjects) or {s for s, _ in allowed}, set(objects) or {o for _, o in allowed}
    return tuple(Meaning(predicate, s, o) for s, o in allowed if s in subjects and o in objects)
