"""A run: a task's cases answered by its arms, kept in a folder from which it can go on and be compared.

    RUN/
      manifest.json     what was measured: file, release, code, preset with origins, versions, seeds, machine
      records.jsonl     a record for each case, arm and view, appended as they come
      problems.jsonl    lines that gave no case
      figures.json      the object printed last
      report.md, report.html

A run that was interrupted goes on with what it has not answered; one that is complete answers nothing again. The
identity in the manifest (file, release, code, options) says whether a folder holds the same run; another one is
refused, nothing is overwritten. Without a folder nothing is written: cases may be of patients.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from ontology.errors import ClewError, Code
from reasoning.evaluation.record import SCHEMA_VERSION, Problem, Record
from reasoning.evaluation.task import HasId, Task, take

CaseT = TypeVar("CaseT", bound=HasId)

MANIFEST: Final = "manifest.json"
RECORDS: Final = "records.jsonl"
PROBLEMS: Final = "problems.jsonl"
FIGURES: Final = "figures.json"


class Setting(BaseModel):
    """A constant of the system that was measured, and where it comes from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    value: Any
    origin: str


class Manifest(BaseModel):
    """What a run measures.

    Attributes:
        schema_version: of all files of the run.
        task: its name.
        file: name of the case file.
        identity: what decides the outcome; two runs with the same identity are the same run.
        release: id of the release, and its sources with their releases.
        preset: the constants of the system.
        versions: of clew, Python and the libraries that decide.
        seeds: of whatever is drawn at random.
        hardware: cores, memory, system.
        started: UTC, ISO 8601.
        limit: cases at most; null for all.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: int = SCHEMA_VERSION
    task: str
    file: str
    identity: dict[str, Any]
    release: dict[str, Any]
    preset: list[Setting]
    versions: dict[str, str]
    seeds: dict[str, int]
    hardware: dict[str, Any]
    started: str
    limit: int | None = None


@dataclass(frozen=True)
class Run:
    """A run that has been made, or read again.

    Attributes:
        manifest: None when it was not kept.
        figures: the object printed last.
        records: in the order of arms, then cases.
        problems: in the order of the file.
    """

    manifest: Manifest | None
    figures: dict[str, Any]
    records: list[Record]
    problems: list[Problem]


def evaluate(
    task: Task[CaseT],
    *,
    folder: Path | None = None,
    manifest: Manifest | None = None,
    limit: int | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Run:
    """Answer every case with every arm and sum up.

    Args:
        task: what to measure.
        folder: where the run is kept; with it, `manifest` is needed.
        manifest: what is measured.
        limit: cases at most.
        say: called with a line now and then.

    Raises:
        ClewError: BAD_INPUT when the file cannot be read, or the folder holds another run or something else;
            EMPTY_INPUT when there is no case.
    """
    taken = take(task.cases(), limit)
    for problem in taken.problems[:5]:
        say(f"line {problem.line}: {problem.reason}: {problem.cause}")
    if len(taken.problems) > 5:
        say(f"… and {len(taken.problems) - 5} more problems")
    if not taken.cases:
        raise ClewError(
            Code.EMPTY_INPUT,
            f"no case to answer ({len(taken.problems)} lines with problems)",
            remedy="give a file with a case a line, in the format that the task reads",
        )
    with _kept(folder, manifest) as (done, keep):
        records = list(_answered(task, taken.cases, done, keep, say))
    figures = task.figures(records, taken.problems)
    if folder is not None:
        _write_lines(folder / PROBLEMS, taken.problems)
        _write(
            folder / FIGURES, json.dumps({"schema_version": SCHEMA_VERSION, **figures}, ensure_ascii=False, indent=1)
        )
    return Run(manifest, figures, records, taken.problems)


def read_run(folder: Path) -> Run:
    """A run from its folder.

    Raises:
        ClewError: BAD_INPUT when there is no complete run in it.
    """
    try:
        manifest = Manifest.model_validate_json((folder / MANIFEST).read_bytes())
        figures = json.loads((folder / FIGURES).read_bytes())
        records = [Record.model_validate_json(line) for line in (folder / RECORDS).read_bytes().splitlines()]
        problems = [Problem.model_validate_json(line) for line in (folder / PROBLEMS).read_bytes().splitlines()]
    except FileNotFoundError as error:
        raise ClewError(
            Code.BAD_INPUT,
            f"{folder}: no complete run ({Path(error.filename or '').name} is missing)",
            remedy="name the folder that was given to: clew eval … --run FOLDER",
        ) from error
    except (OSError, ValueError) as error:
        raise ClewError(Code.BAD_INPUT, f"{folder}: the run cannot be read: {error}") from error
    if manifest.schema_version != SCHEMA_VERSION:
        raise ClewError(
            Code.BAD_INPUT,
            f"{folder}: written in version {manifest.schema_version}, this program reads {SCHEMA_VERSION}",
            remedy="evaluate again",
        )
    return Run(manifest, figures, records, problems)


def file_digest(path: Path) -> str:
    """SHA-256 of a file.

    Raises:
        ClewError: BAD_INPUT when it cannot be read.
    """
    try:
        with path.open("rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError as error:
        raise ClewError(Code.BAD_INPUT, f"{path}: {error.strerror}", remedy="name a file that can be read") from error


def _answered(
    task: Task[CaseT],
    cases: Sequence[CaseT],
    done: Mapping[tuple[str, str, str], Record],
    keep: Callable[[Record], None],
    say: Callable[[str], None],
) -> Iterator[Record]:
    for arm in task.arms():
        fresh = 0
        for case in cases:
            record = done.get((case.id, arm.name, arm.view))
            if record is None:
                record = arm.answer(case)
                keep(record)
                fresh += 1
            yield record
        again = len(cases) - fresh
        say(
            f"{task.name}: {arm.name}{f', {arm.view}' if arm.view else ''}: {fresh} answered"
            + (f", {again} from before" if again else "")
        )


@contextmanager
def _kept(
    folder: Path | None, manifest: Manifest | None
) -> Iterator[tuple[dict[tuple[str, str, str], Record], Callable[[Record], None]]]:
    """What a folder has already, and how more is added; without a folder nothing, and nothing is kept."""
    if folder is None or manifest is None:
        yield {}, lambda _: None
        return
    done = _claim(folder, manifest)
    with (folder / RECORDS).open("a", encoding="utf-8") as out:

        def keep(record: Record) -> None:
            out.write(record.model_dump_json() + "\n")
            out.flush()

        yield done, keep


def _claim(folder: Path, manifest: Manifest) -> dict[tuple[str, str, str], Record]:
    """Make the folder this run's, and give the records it has."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / MANIFEST).exists():
            if any(folder.iterdir()):
                raise ClewError(
                    Code.BAD_INPUT, f"{folder}: has other files in it", remedy="name a folder that is new or empty"
                )
            _write(folder / MANIFEST, manifest.model_dump_json(indent=1))
        known = Manifest.model_validate_json((folder / MANIFEST).read_bytes())
    except (OSError, ValidationError) as error:
        raise ClewError(Code.BAD_INPUT, f"{folder}: {error}", remedy="name a folder to write to") from error
    if known.identity != manifest.identity:
        changed = sorted(
            key
            for key in known.identity.keys() | manifest.identity.keys()
            if known.identity.get(key) != manifest.identity.get(key)
        )
        raise ClewError(
            Code.BAD_INPUT,
            f"{folder}: holds another run; not the same: {', '.join(changed)}",
            remedy="name another folder, and see both with: clew eval compare",
        )
    return {record.key: record for record in _records(folder / RECORDS)}


def _records(path: Path) -> list[Record]:
    """Records of an interrupted run; a last line that was not finished is cut off."""
    if not path.exists():
        return []
    content = path.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    if len(whole) < len(content):
        os.truncate(path, len(whole))
    try:
        return [Record.model_validate_json(line) for line in whole.splitlines()]
    except ValidationError as error:
        raise ClewError(Code.BAD_INPUT, f"{path}: not a record: {error}", remedy="name another folder") from error


def _write_lines(path: Path, lines: Iterable[BaseModel]) -> None:
    _write(path, "".join(line.model_dump_json() + "\n" for line in lines))


def _write(path: Path, text: str) -> None:
    """Replace a file at once, so that it is never half-written."""
    partial = path.with_name(path.name + ".part")
    partial.write_text(text + ("" if text.endswith("\n") or not text else "\n"), encoding="utf-8")
    partial.replace(path)
