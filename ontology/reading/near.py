"""Entities that a stretch of text may name by its meaning, found by an index that lives further right."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Near:
    """An entity that a text may name.

    Attributes:
        entity: CURIE.
        type: entity type.
        name: the name by which it is near.
        score: how near; comparable for texts of one language only.
        margin: how much nearer it is than the next entity.
    """

    entity: str
    type: str
    name: str
    score: float
    margin: float


class Meanings(Protocol):
    """Finds entities by the meaning of their names."""

    def nearest(
        self, texts: Sequence[str], *, limit: int = 5, types: Collection[str] | None = None
    ) -> list[list[Near]]:
        """The entities that each text may name, best first."""
        ...
