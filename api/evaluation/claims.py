"""`clew eval claims`."""

from __future__ import annotations

from pathlib import Path

import click

from api.evaluation.common import measure, opened, run_options


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@run_options
def claims(file: Path, folder: Path | None, limit: int | None, peers: tuple[str, ...]) -> None:
    """Judge the claims of a FILE by their evidence: supported, refuted or left open."""
    from reasoning.evaluation.claims.task import ClaimsTask, parse_claim
    from reasoning.evaluation.lines import read_cases
    from reasoning.evaluation.peers import open_peers
    from reasoning.verify import ClaimVerifier

    judge = ClaimVerifier()
    open_peers("claims", peers, judge)  # there is none: a name is refused
    task = ClaimsTask(judge, read_cases(file, parse_claim))
    measure(task, opened(), cases={"cases": file}, folder=folder, limit=limit)
