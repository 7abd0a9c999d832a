"""What became of every passage and fact on its way: which stage let it through, which one did not, and by how much.

Each stage writes down what it ranked and what it dropped. `clew search --why` reads it (`retrieval.why`); nothing else
depends on it, so that keeping it may never change a result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from retrieval.channels.asked import Asked
from retrieval.hit import Channel


@dataclass(frozen=True, slots=True)
class Fallen:
    """What a stage dropped.

    Attributes:
        id: of a chunk or an assertion.
        score: its score at this stage, or None where it has none.
        cut: the score that it would have needed, or None where no score decides.
        reason: why, in words.
    """

    id: str
    score: float | None
    cut: float | None
    reason: str


@dataclass(frozen=True)
class Stage:
    """A stage as it went: what it kept, best first, with scores, and what it dropped."""

    name: str
    kept: dict[str, float]
    fallen: dict[str, Fallen]


@dataclass
class Journal:
    """The stages, in the order in which they ran.

    Attributes:
        stages: see `Stage`.
        asked: the channels as they were asked last, the dense query moved; they can be asked about any other passage.
        parts: what each channel contributes to the fused score of every passage that one of them found.
    """

    stages: list[Stage] = field(default_factory=list)
    asked: dict[Channel, Asked] = field(default_factory=dict)
    parts: dict[str, Mapping[Channel, float]] = field(default_factory=dict)

    def note(self, name: str, kept: Iterable[tuple[str, float]], fallen: Iterable[Fallen] = ()) -> None:
        """Write a stage down."""
        self.stages.append(Stage(name, dict(kept), {one.id: one for one in fallen}))
