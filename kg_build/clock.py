"""Seconds per stage of a build."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager


class Clock:
    """Times stages.

    Attributes:
        seconds: by stage, in the order in which they ended.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time the body; a stage that fails has no time."""
        started = time.perf_counter()
        yield
        self.seconds[name] = round(time.perf_counter() - started, 2)

    def add(self, seconds: Mapping[str, float]) -> None:
        """Take over what another process measured."""
        self.seconds |= seconds
