"""Everything that is made from the canonical tables and can be made again: store, matrix, indexes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

import pyarrow as pa

from kg_build.index.adjacency import build_adjacency
from kg_build.index.encoder import Encoder, VectorCache, encode_cached
from kg_build.index.matrix import build_matrix
from kg_build.index.text import Passage, build_text_index
from kg_build.index.vector import build_vector_index
from kg_build.release import rows
from kg_build.store.ladybug import load_store
from ontology.schema import load_domain


def derive(
    tables: Mapping[str, pa.Table],
    folder: Path,
    cache: Path,
    say: Callable[[str], None],
    stage: Callable[[str], AbstractContextManager[None]],
) -> None:
    """Make all derived parts of a release.

    Args:
        tables: the canonical tables.
        folder: the release's `derived` folder.
        cache: where vectors are kept by the hash of their text.
        say: called with a line per step.
        stage: times a named stage.
    """
    with stage("store"):
        load_store(tables, load_domain(), folder / "graph.lbug", say)
    with stage("adjacency"):
        build_adjacency(tables["entity"], tables["assertion"], tables["evidence"], folder / "adjacency")
    with stage("matrix"):
        say("finding matrix")
        build_matrix(tables["entity"], tables["assertion"], tables["evidence"], folder / "matrix")
    with stage("text index"):
        say("text index")
        build_text_index(_passages(tables), folder / "text")
    with stage("vectors"):
        passages = list(_passages(tables))
        encoder = Encoder()
        vectors = encode_cached(
            [f"{p.section}\n{p.text}" for p in passages],
            encoder,
            VectorCache(cache / "vectors"),
            lambda done, total: say(f"vectors: {done:,} of {total:,}"),
        )
        build_vector_index([p.chunk for p in passages], vectors, folder / "vectors", encoder=encoder.name)


def _passages(tables: Mapping[str, pa.Table]) -> Iterator[Passage]:
    document, chunk = tables["document"], tables["chunk"]
    titles: dict[str, str] = dict(rows(document, "id", "title"))
    for identifier, owner, section, text in rows(chunk, "id", "document", "section", "text"):
        yield Passage(identifier, titles[owner], section, text)
