"""`clew eval status`."""

from __future__ import annotations

from pathlib import Path

import click

from api.evaluation.common import measure, opened, run_options


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@run_options
def status(file: Path, folder: Path | None, limit: int | None, peers: tuple[str, ...]) -> None:
    """Say what the texts of a FILE say of their findings: present, absent, uncertain, family, historical, hypothetical.

    FILE is JSON Lines: id, text, and findings with start, end (code points) and status.
    """
    from reasoning.evaluation.peers import open_peers
    from reasoning.evaluation.status.cases import read_status_cases
    from reasoning.evaluation.status.task import StatusTask

    task = StatusTask(read_status_cases(file), open_peers("status", peers, None))
    measure(task, opened(), cases={"cases": file}, folder=folder, limit=limit, used=peers)
