"""The ontology file, typed and checked: which statements a graph may hold.

`Domain` is read once from `domain.yaml`. Everything that depends on the shape of the graph (the store's
tables, decomposition, answer sentences, trust) asks it.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, model_validator

from ontology.errors import ClewError, Code, nearest

Side = Literal["subject", "object"]
Lang = Literal["en", "zh"]
Bilingual = dict[Lang, str]

NEGATED_PREFIX = "not_"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class EntityType(_Strict):
    """An entity type: its Biolink class, names, and what is asked about it, most important first."""

    biolink: str
    broad: bool = False
    en: str
    zh: str
    properties: list[tuple[str, Side]]


class Predicate(_Strict):
    """A predicate: its Biolink term, domain, range, names, cue words and sentence templates."""

    biolink: str
    broad: bool = False
    domain: list[str] = []
    range: list[str] = []
    pairs: list[tuple[str, str]] = []
    inverse: str
    symmetric: bool = False
    en: str
    zh: str
    cues: dict[Side, dict[Lang, list[str]]]
    ask: dict[Side, Bilingual]
    say: dict[Side, Bilingual]

    @model_validator(mode="after")
    def _check_ends(self) -> Predicate:
        if bool(self.pairs) == bool(self.domain and self.range):
            raise ValueError("give either domain and range, or pairs")
        return self

    @property
    def ends(self) -> list[tuple[str, str]]:
        """The allowed (subject type, object type) pairs, in the file's order."""
        return self.pairs or [(subject, object_) for subject in self.domain for object_ in self.range]

    def takes(self, type_name: str, side: Side) -> bool:
        """Whether an entity of this type may stand on this side."""
        return any(pair[side == "object"] == type_name for pair in self.ends)


class SourceTrust(_Strict):
    """How far a source is trusted, in [0, 1]."""

    trust: float = Field(ge=0, le=1)


class Domain(_Strict):
    """The whole ontology file."""

    version: int
    types: dict[str, EntityType]
    predicates: dict[str, Predicate]
    sources: dict[str, SourceTrust]

    @model_validator(mode="after")
    def _check_references(self) -> Domain:
        for name, predicate in self.predicates.items():
            for type_name in {name for pair in predicate.ends for name in pair}:
                if type_name not in self.types:
                    raise ValueError(f"predicate {name}: unknown type {type_name}")
        for name, entity_type in self.types.items():
            for predicate_name, side in entity_type.properties:
                if predicate_name not in self.predicates:
                    raise ValueError(f"type {name}: unknown predicate {predicate_name}")
                if not self.predicates[predicate_name].takes(name, side):
                    raise ValueError(f"type {name}: {predicate_name} does not take it as {side}")
        return self

    def trust(self, source: str) -> float:
        """Trust of a source; a source the file does not name gets the lowest tier."""
        entry = self.sources.get(source)
        return entry.trust if entry else min(item.trust for item in self.sources.values())

    def check_type(self, type_name: str) -> None:
        """Raise BAD_SCHEMA unless the entity type exists."""
        if type_name not in self.types:
            raise ClewError(
                Code.BAD_SCHEMA, f"unknown entity type {type_name!r}", choices=nearest(type_name, self.types)
            )

    def check_statement(self, subject_type: str, predicate: str, object_type: str) -> None:
        """Raise BAD_SCHEMA unless the predicate exists and takes these types."""
        known = self.predicates.get(predicate)
        if known is None:
            raise ClewError(
                Code.BAD_SCHEMA,
                f"unknown predicate {predicate!r}",
                choices=nearest(predicate, self.predicates),
            )
        if (subject_type, object_type) not in known.ends:
            raise ClewError(
                Code.BAD_SCHEMA,
                f"{predicate} does not lead from {subject_type} to {object_type}",
                choices=[f"{a} → {b}" for a, b in known.ends],
            )


def relation_name(predicate: str, *, negated: bool) -> str:
    """The store's relation type: negative statements have types of their own."""
    return f"{NEGATED_PREFIX}{predicate}" if negated else predicate


@cache
def load_domain() -> Domain:
    """The ontology file of this installation."""
    text = files("ontology").joinpath("domain.yaml").read_text(encoding="utf-8")
    return Domain.model_validate(yaml.safe_load(text))
