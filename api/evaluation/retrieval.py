"""`clew eval retrieval`."""

from __future__ import annotations

from pathlib import Path

import click

from api.evaluation.common import measure, opened, run_options


@click.command()
@click.option("--questions", required=True, type=click.Path(path_type=Path), help="Questions with gold_docs.")
@click.option("--corpus", "texts", required=True, type=click.Path(path_type=Path), help="Documents: id, title, text.")
@click.option(
    "--arms",
    metavar="NAME,…",
    help="Of lexical, dense, graph, hybrid (by default all); other presets; PRESET - COMPONENT.",
)
@run_options
def retrieval(
    questions: Path, texts: Path, arms: str | None, folder: Path | None, limit: int | None, peers: tuple[str, ...]
) -> None:
    """Search a corpus for every question and compare with the documents that answer it.

    The corpus is indexed as a release is, once; the index is kept in the cache.
    """
    from ontology.settings import load_settings
    from reasoning.evaluation.peers import open_peers
    from reasoning.evaluation.retrieval.corpus import open_index, read_corpus
    from reasoning.evaluation.retrieval.task import ARMS, RetrievalTask, check_arms, read_questions

    chosen = check_arms(arms.split(",")) if arms is not None else ARMS
    release = opened()
    corpus = read_corpus(texts, load_settings().home / "cache")
    index = open_index(corpus, release.release, release.terminology, lambda line: click.echo(line, err=True))
    interpret = release.interpreter.interpret
    task = RetrievalTask(
        read_questions(questions, interpret),
        corpus,
        index,
        interpret,
        arms=chosen,
        peers=open_peers("retrieval", peers, corpus),
    )
    measure(
        task,
        release,
        cases={"questions": questions, "corpus": texts},
        folder=folder,
        limit=limit,
        options={"arms": list(chosen), "peers": list(peers)},
        used=("bm25s",) if "bm25s" in peers else (),
    )
