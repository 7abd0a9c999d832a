"""What evaluations write down: a record for each case and arm, and a problem for each line that gave no case.

Both are lines of files that others read: their JSON Schemas are generated from these models (docs/schemas).
"""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

SCHEMA_VERSION: Final = 1
"""Of records, problems, figures and manifests; raised when a field changes its meaning or goes."""


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Record(_Line):
    """What one arm makes of one case.

    Attributes:
        case: id of the case.
        arm: who answered.
        view: under which condition, such as `own references hidden`; empty when there is only one.
        group: what cases that hang together share (the gold disease, the entity asked for): capped and macro means
            and resampling go by it. Empty: the case stands for itself.
        counted: whether the rates are over this case; cases whose gold the graph does not have are kept, uncounted.
        scores: the figures that are averaged, each in [0, 1] unless its name says otherwise.
        ms: milliseconds that answering took.
        detail: what else people want to see of the case: gold, answer, ranking.
    """

    case: str
    arm: str
    view: str = ""
    group: str = ""
    counted: bool = True
    scores: dict[str, float] = Field(default_factory=dict)
    ms: float = 0.0
    detail: dict[str, Any] = Field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str, str]:
        """What is answered once in a run."""
        return self.case, self.arm, self.view


Reason = Literal["malformed", "duplicate id", "gold not in the graph", "gold not in the corpus"]


class Problem(_Line):
    """A line of a file that gave no case, or a case that cannot be counted.

    Attributes:
        line: number of the line, from 1.
        reason: the kind of problem.
        cause: what exactly is wrong, naming id or field.
        fatal: whether there is no case for it; a case without gold in the graph is answered all the same.
    """

    line: int
    reason: Reason
    cause: str
    fatal: bool = True


class Figures(BaseModel):
    """What an evaluation prints as its last line and keeps as figures.json: these fields, and those of the task.

    Attributes:
        schema_version: in the file only.
        task: its name.
        n: cases answered.
        problems: how many of each kind.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    schema_version: int = SCHEMA_VERSION
    task: str
    n: int = Field(ge=1)
    problems: dict[Reason, int]
