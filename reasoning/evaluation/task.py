"""The contract of tasks and arms.

A task is read once and answered by several arms. It says nothing of folders, resuming or reports.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from reasoning.evaluation.record import Problem, Record


class HasId(Protocol):
    """A case of any task."""

    @property
    def id(self) -> str:
        """Unlike every other case's of the file."""
        ...


CaseT = TypeVar("CaseT", bound=HasId)


@dataclass(frozen=True)
class Arm(Generic[CaseT]):
    """One way to answer, under one condition.

    Attributes:
        name: as `--arms` and figures name it.
        answer: a case -> its record; times itself, because what is outside of it is not the arm's.
        view: the condition; see `Record.view`.
    """

    name: str
    answer: Callable[[CaseT], Record]
    view: str = ""


class Task(Protocol[CaseT]):
    """A file format and what a right answer is."""

    name: str

    def cases(self) -> Iterator[tuple[int, CaseT | Problem]]:
        """Lines of the file in order: a case, or why there is none.

        A case that no arm can get right comes twice: first as a problem that is not fatal, then as the case.

        Raises:
            ClewError: BAD_INPUT when the file cannot be read.
        """
        ...

    def arms(self) -> Sequence[Arm[CaseT]]:
        """The ways to answer, the one that is measured first, baselines and peers after it."""
        ...

    def figures(self, records: Sequence[Record], problems: Sequence[Problem]) -> dict[str, Any]:
        """The object printed last: a function of what is written down, whoever computed it and when."""
        ...


@dataclass(frozen=True)
class Taken(Generic[CaseT]):
    """The cases of a file.

    Attributes:
        cases: in the order of the file, ids unique.
        problems: in the order of the file.
    """

    cases: list[CaseT] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def take(lines: Iterable[tuple[int, CaseT | Problem]], limit: int | None = None) -> Taken[CaseT]:
    """Cases and problems apart; of cases with the same id the first is kept, the others are problems.

    Args:
        lines: as `Task.cases` gives them.
        limit: stop after this many cases.
    """
    taken: Taken[CaseT] = Taken()
    seen: set[str] = set()
    for number, item in lines:
        if isinstance(item, Problem):
            taken.problems.append(item)
        elif item.id in seen:
            taken.problems.append(Problem(line=number, reason="duplicate id", cause=f"{item.id}: the id again"))
        else:
            seen.add(item.id)
            taken.cases.append(item)
            if len(taken.cases) == limit:
                break
    return taken


def counted(problems: Iterable[Problem]) -> dict[str, int]:
    """How many problems there are of each kind."""
    return dict(sorted(Counter(problem.reason for problem in problems).items()))


def mean_scores(records: Sequence[Record], weights: Sequence[float] | None = None) -> dict[str, float]:
    """Weighted mean of every score over counted records, rounded to four digits; empty without any."""
    used = [(r, w) for r, w in zip(records, weights or [1.0] * len(records), strict=True) if r.counted]
    total = sum(weight for _, weight in used)
    names: Mapping[str, None] = dict.fromkeys(name for record, _ in used for name in record.scores)
    return {name: round(sum(w * r.scores.get(name, 0.0) for r, w in used) / total, 4) for name in names if total}
