"""A task small enough to be worked by hand: a case is a number, an arm answers with one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reasoning.evaluation.lines import read_cases
from reasoning.evaluation.record import Problem, Record
from reasoning.evaluation.run import Manifest
from reasoning.evaluation.task import Arm, counted, mean_scores


@dataclass(frozen=True)
class Number:
    id: str
    value: int
    group: str = ""


@dataclass
class CountingTask:
    """Whether an arm's number is the case's; `asked` keeps what was really answered."""

    path: Path
    answers: dict[str, int] = field(default_factory=lambda: {"always one": 1, "always two": 2})
    asked: list[tuple[str, str]] = field(default_factory=list)
    fails_at: str = ""
    name = "counting"

    def cases(self) -> Iterator[tuple[int, Number | Problem]]:
        return read_cases(self.path, lambda data: Number(str(data["id"]), int(data["value"]), data.get("group", "")))

    def arms(self) -> Sequence[Arm[Number]]:
        return [Arm(name, lambda case, name=name: self._answer(name, case)) for name in self.answers]

    def figures(self, records: Sequence[Record], problems: Sequence[Problem]) -> dict[str, Any]:
        arms = {name: mean_scores([r for r in records if r.arm == name]) for name in self.answers}
        return {"task": self.name, "n": len({r.case for r in records}), "arms": arms, "problems": counted(problems)}

    def _answer(self, name: str, case: Number) -> Record:
        if case.id == self.fails_at:
            raise KeyboardInterrupt
        self.asked.append((name, case.id))
        right = float(case.value == self.answers[name])
        return Record(case=case.id, arm=name, group=case.group, scores={"right": right}, ms=1.0)


def manifest(**identity: Any) -> Manifest:
    return Manifest(
        task="counting",
        file="numbers.jsonl",
        identity=identity,
        release={"id": "r", "sources": {"hpo": "1"}},
        preset=[],
        versions={"clew": "0", "python": "3"},
        seeds={},
        hardware={"cores": 2, "memory_gb": 1.0},
        started="2026-01-01",
    )


def numbers(path: Path, values: Sequence[int] = (1, 1, 2, 1), extra: str = "") -> Path:
    lines = [f'{{"id": "{n}", "value": {value}, "group": "{value}"}}\n' for n, value in enumerate(values)]
    path.write_text("".join(lines) + extra, encoding="utf-8")
    return path
