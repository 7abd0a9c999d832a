"""`clew eval diagnosis`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from api.evaluation.common import measure, opened, run_options


@click.command()
@click.argument("cases", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Write one result per case (JSON Lines).")
@click.option("--hide-own-references", is_flag=True, help="Rank as if the case's own publication did not exist.")
@run_options
def diagnosis(
    cases: Path,
    out: Path | None,
    folder: Path | None,
    limit: int | None,
    peers: tuple[str, ...],
    *,
    hide_own_references: bool,
) -> None:
    """Rank every case of a CASES file and compare with its gold diagnosis.

    Both views are always measured: with all evidence, and as if the case's own publication did not exist. The option
    decides whose figures stand on top.
    """
    from api.case import diagnosis_cases, disease_names
    from ontology.errors import ClewError, Code
    from reasoning.evaluation.diagnosis.task import ALL_EVIDENCE, ENGINE, OWN_HIDDEN, DiagnosisTask, result_line
    from reasoning.evaluation.peers import open_peers

    if out is not None:
        try:  # before the work is done, not after it
            out.open("a").close()
        except OSError as error:
            raise ClewError(Code.BAD_INPUT, f"{out}: {error.strerror}", remedy="name a file to write") from error
    release = opened()
    view = OWN_HIDDEN if hide_own_references else ALL_EVIDENCE
    task = DiagnosisTask(
        release.diagnosis,
        diagnosis_cases(release, cases),
        resolve=disease_names(release),
        peers=open_peers("diagnosis", peers, release.diagnosis),
        view=view,
    )
    run = measure(
        task, release, cases={"cases": cases}, folder=folder, limit=limit, options={"view": view, "peers": list(peers)}
    )
    if out is not None:
        lines = [result_line(record) for record in run.records if (record.arm, record.view) == (ENGINE, view)]
        lines += [{"line": p.line, "error": {"reason": p.reason, "cause": p.cause}} for p in run.problems if p.fatal]
        out.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
