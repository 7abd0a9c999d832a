"""`clew eval linking`."""

from __future__ import annotations

from pathlib import Path

import click

from api.evaluation.common import measure, opened, run_options


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@run_options
def linking(file: Path, folder: Path | None, limit: int | None, peers: tuple[str, ...]) -> None:
    """Find the mentions of a FILE and link them, and compare with its annotations.

    FILE is PubTator (.PubTator, .txt, plain or .gz) or JSON Lines with mentions, or with names as cases.
    """
    from ontology.settings import load_settings
    from reasoning.evaluation.linking.cases import read_linking_cases
    from reasoning.evaluation.linking.held_out import meaning_without, terminology_without
    from reasoning.evaluation.linking.task import LinkingTask, Names
    from reasoning.evaluation.peers import open_peers

    release = opened()
    open_peers("linking", peers, release.linker)  # there is none: a name is refused
    cache, graph = load_settings().home / "cache", release.adjacency
    names = Names(
        release.terminology,
        without=lambda pairs: terminology_without(release.release, pairs, cache),
        type_of=lambda curie: None if (row := graph.index(curie)) is None else graph.type(row),
        same=graph.same,
        neighbours=graph.neighbours,
        meaning=release.meaning,
        meaning_without=lambda pairs: meaning_without(release.release, pairs, cache),
    )
    task = LinkingTask(names, read_linking_cases(file))
    measure(task, release, cases={"cases": file}, folder=folder, limit=limit)
