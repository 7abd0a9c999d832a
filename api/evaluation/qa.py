"""`clew eval qa`."""

from __future__ import annotations

from pathlib import Path

import click

from api.evaluation.common import measure, opened, run_options


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--arms",
    "named",
    default="none,prior,vector,kg,hybrid,graphrag,ihrag",
    show_default=True,
    metavar="NAMES",
    help="What to compare, with commas between.",
)
@click.option("--llm", metavar="URL", help="Let the model at this OpenAI-compatible address choose the answers.")
@run_options
def qa(file: Path, named: str, llm: str | None, folder: Path | None, limit: int | None, peers: tuple[str, ...]) -> None:
    """Answer the multiple choice questions and statements of FILE.

    Without --llm the option with the most support in the release is chosen. The key of a model is read from the
    environment variable CLEW_LLM_KEY.
    """
    from api.evaluation.chat import open_model
    from reasoning.evaluation.peers import open_peers
    from reasoning.evaluation.qa.case import read_items
    from reasoning.evaluation.qa.task import QaTask

    arms = [name.strip() for name in named.split(",") if name.strip()]
    model = open_model(llm) if llm else None
    release = opened()
    open_peers("qa", peers, release)
    task = QaTask(release.interpreter, release.retriever, read_items(file), arms=arms, model=model)
    options = {"arms": arms, "llm": llm and {"url": llm, "model": model.name if model else ""}}
    measure(task, release, cases={"cases": file}, folder=folder, limit=limit, options=options)
