"""The trace: what each stage did, with which means, and how long it took.

One trace travels through a question or a case. Reports, timings and explanations are views of it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class Step:
    """One stage: its name, milliseconds, and what it found out."""

    stage: str
    ms: float = 0.0
    details: dict[str, object] = field(default_factory=dict)


@dataclass
class Trace:
    """The stages in the order in which they ran."""

    steps: list[Step] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str) -> Iterator[dict[str, object]]:
        """Time a stage; what the body puts into the mapping is kept as its details."""
        step = Step(name)
        self.steps.append(step)
        started = time.perf_counter()
        try:
            yield step.details
        finally:
            step.ms = round((time.perf_counter() - started) * 1000, 3)

    @property
    def ms(self) -> float:
        """Milliseconds of all stages."""
        return round(sum(step.ms for step in self.steps), 3)

    def as_list(self) -> list[dict[str, object]]:
        """The steps as plain values."""
        return [{"stage": step.stage, "ms": step.ms, **step.details} for step in self.steps]
