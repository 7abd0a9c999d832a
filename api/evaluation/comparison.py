"""`clew eval compare` and `clew eval report`: what kept runs say."""

from __future__ import annotations

import json
from pathlib import Path

import click


@click.command()
@click.argument("before", metavar="RUN", type=click.Path(path_type=Path))
@click.argument("after", metavar="RUN", type=click.Path(path_type=Path))
@click.option("--cases", "shown", default=20, show_default=True, type=click.IntRange(0), help="Changed cases shown.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document only.")
def compare(before: Path, after: Path, shown: int, *, as_json: bool) -> None:
    """Say what changed between two runs of a task, case by case, and whether it is more than chance."""
    from reasoning.evaluation.compare import as_text, compare_runs
    from reasoning.evaluation.run import read_run

    comparison = compare_runs(read_run(before), read_run(after))
    if not as_json:
        click.echo(as_text(comparison, shown))
    click.echo(json.dumps(comparison.as_dict(shown), ensure_ascii=False))


@click.command()
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
def report(folder: Path) -> None:
    """Write report.md and report.html of a kept run again."""
    from reasoning.evaluation.report import write_report
    from reasoning.evaluation.run import read_run

    write_report(folder, read_run(folder), lambda line: click.echo(line, err=True))
    click.echo(json.dumps({"report": str(folder / "report.html")}))
