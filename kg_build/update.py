"""Updating a release whose documents changed, without building it anew.

    current release ─┬─ tables, dictionary, matrices that texts do not touch: linked, not copied
                     ├─ document, chunk, mention: rows of documents that are gone or changed leave, new ones come
                     └─ store, indexes of passages, vectors: a copy, changed in place before anybody reads it

Tables, store and indexes are changed side by side: most of it is copying, compressing and writing, which lets other
threads run. The result has the same canonical tables, byte for byte, as a build from nothing would give: what a
document says depends on it and on the dictionary alone. Where anything else changed, or a document's id is not its
own, there is no such shortcut, and `find_text_change` says so.
"""

from __future__ import annotations

import shutil
from bisect import bisect_left, bisect_right
from collections import ChainMap
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from kg_build import publish
from kg_build.collect import SORT_KEYS, in_order
from kg_build.derive import (
    DERIVED,
    ENGLISH,
    MEANING,
    VECTORS,
    Say,
    encode_passages,
    english_chunks,
    following,
    passages_of,
)
from kg_build.index.encoders.models import Prepared
from kg_build.index.encoders.multilingual import MultilingualEncoder
from kg_build.index.english import update_english
from kg_build.index.fresh import linked_copy
from kg_build.index.mentions import update_mentions
from kg_build.index.text import update_text_index
from kg_build.index.vector import update_vector_index
from kg_build.linking import link_passages, read_heading
from kg_build.part import Part, PartCache
from kg_build.reconcile import Tally
from kg_build.records import RECORD_TABLES
from kg_build.release import TABLES, Release, values
from kg_build.store.protocol import Change
from kg_build.store.update import update_store
from ontology.schema import load_domain

_TEXTS: Final = ("document", "chunk", "mention")
_READ: Final = ("document", "chunk")
_THREADS: Final = 3


@dataclass(frozen=True)
class Updated:
    """What the manifest says of an updated release.

    Attributes:
        tables: rows and hash of each canonical table.
        graph: balance of the graph as a whole, as plain values.
        counts: what there is of each kind.
    """

    tables: dict[str, dict[str, Any]]
    graph: list[dict[str, Any]]
    counts: dict[str, Any]


@dataclass(frozen=True)
class TextChange:
    """What becomes of the texts of a release.

    Attributes:
        documents: ids of the documents that are gone, changed or new.
        removed: rows of `document` and `chunk` that leave.
        added: rows of `document` and `chunk` that come.
    """

    documents: list[str]
    removed: dict[str, pa.Table]
    added: dict[str, pa.Table]


def find_text_change(
    current: Release,
    parts: Mapping[str, Sequence[Part]],
    cache: PartCache,
    engines: Mapping[str, str],
    encoders: Mapping[str, str],
) -> TextChange | None:
    """What changed since the current release, if it is nothing but documents; else None.

    Args:
        current: the release to start from.
        parts: of each source, now.
        cache: where the parts of the current release are.
        engines: versions of the libraries, now.
        encoders: names of the encoders, now.
    """
    manifest = current.manifest
    before = dict(manifest.get("parts", ()))
    whole = current.tables.complete and all(current.derived(name).exists() for name in (*DERIVED, *following(encoders)))
    same = manifest["engines"] == engines and manifest.get("encoders") == encoders
    if list(before) != list(parts) or not same or not whole:
        return None
    gone: list[Part] = []
    come: list[Part] = []
    for key, listed in parts.items():
        known, now = set(before[key]), {part.digest for part in listed}
        gone += [cache.part(digest) for digest in before[key] if digest not in now]
        come += [part for part in listed if part.digest not in known]
    if not all(part.exists and part.only_texts for part in (*gone, *come)):
        return None
    return _own_documents(current, gone, come)


def update_texts(
    current: Release, change: TextChange, folder: Path, cache: Path, say: Say, english: Prepared | None = None
) -> Updated:
    """Write the tables and the derived parts of the updated release to a folder.

    Args:
        current: the release to start from.
        change: what `find_text_change` found.
        folder: a fresh folder, see `kg_build.publish`.
        cache: where vectors are kept.
        say: called with a line per step.
        english: encodes English passages.
    """
    added, removed = dict(change.added), dict(change.removed)
    known = set(values(current.table("entity", ["id"]), "id"))
    derived = folder / "derived"
    for name in ("terms", "adjacency", "matrix", MEANING):
        linked_copy(current.derived(name), derived / name)
    with ThreadPoolExecutor(_THREADS) as threads:
        copied = threads.submit(shutil.copyfile, current.derived("graph.lbug"), derived / "graph.lbug.unfinished")
        added["mention"] = link_passages(added["chunk"], added["document"], known, current.derived("terms"))
        tables = {name: current.table(name) for name in _TEXTS}
        removed["mention"] = _mentions_of(tables["mention"], removed["chunk"])
        say("updating the indexes")
        indexed = threads.submit(
            _update_indexes, current, derived, added, removed["chunk"], cache, say, english=english
        )
        now = {name: _replaced(tables[name], removed[name], added[name], name) for name in _TEXTS}
        mentioned = threads.submit(_update_mentions, current, derived, now["chunk"]["id"], added, removed["chunk"])
        written = threads.submit(_write_tables, current, now, folder)
        update_store(copied.result(), Change(removed, added), ChainMap(now, current.tables), load_domain())  # type: ignore[arg-type]
        copied.result().rename(derived / "graph.lbug")
        indexed.result()
        mentioned.result()
        return Updated(written.result(), _balance(current, now), current.manifest["counts"])


def _update_indexes(
    current: Release,
    derived: Path,
    added: Mapping[str, pa.Table],
    removed: pa.Table,
    cache: Path,
    say: Say,
    *,
    english: Prepared | None,
) -> None:
    """Write the text index and the vectors."""
    document, chunk = added["document"], added["chunk"]
    passages, gone = list(passages_of(document, chunk)), values(removed, "id")
    update_text_index(current.derived("text"), derived / "text", gone, passages)
    encoded = encode_passages(passages, MultilingualEncoder(), cache, say)
    update_vector_index(current.derived(VECTORS), derived / VECTORS, gone, encoded.ids, encoded.vectors)
    if english is not None:
        come = encode_passages(passages_of(document, english_chunks(chunk)), english.encoder, cache, say)
        update_english(current.derived(ENGLISH), derived / ENGLISH, gone, come.ids, come.vectors, english)


def _update_mentions(
    current: Release, derived: Path, ids: pa.ChunkedArray, added: Mapping[str, pa.Table], removed: pa.Table
) -> None:
    """Write who is mentioned where; `ids` are those of all passages now."""
    update_mentions(
        current.derived("mentions"),
        derived / "mentions",
        entities=current.table("entity", ["id"])["id"],
        ids=ids,
        gone=values(removed, "id"),
        added=added,
        read=partial(read_heading, current.derived("terms")),
    )


def _own_documents(current: Release, gone: Sequence[Part], come: Sequence[Part]) -> TextChange | None:
    """The rows that leave and come, if each document's id belongs to one part alone; else None."""
    removed = {name: pa.concat_tables([part.table(name) for part in gone] or [_empty(name)]) for name in _READ}
    added = {name: pa.concat_tables([part.table(name) for part in come] or [_empty(name)]) for name in _READ}
    left, right = values(removed["document"], "id"), values(added["document"], "id")
    standing = set(values(current.table("document", ["id"]), "id"))
    alone = len(set(left)) == len(left) and len(set(right)) == len(right) and not set(right) & (standing - set(left))
    whole = set(left) <= standing and _hang_together(removed) and _hang_together(added)
    return TextChange(sorted({*left, *right}), removed, added) if alone and whole else None


def _hang_together(texts: Mapping[str, pa.Table]) -> bool:
    """Whether each passage has an id of its own and belongs to one of the documents."""
    chunks = values(texts["chunk"], "id")
    return len(set(chunks)) == len(chunks) and set(values(texts["chunk"], "document")) <= set(
        values(texts["document"], "id")
    )


def _mentions_of(mention: pa.Table, chunk: pa.Table) -> pa.Table:
    """The mentions of some passages."""
    first, last = _reach(mention, "chunk", chunk["id"])
    return _where_in(mention.slice(first, last - first), "chunk", chunk["id"])


def _replaced(table: pa.Table, removed: pa.Table, added: pa.Table, name: str) -> pa.Table:
    """A canonical table without some rows and with others, in its order.

    Only the rows between the first and the last that change are put in order again.
    """
    key = SORT_KEYS[name][0]
    first, last = _reach(table, key, pa.chunked_array([*removed[key].chunks, *added[key].chunks], pa.string()))
    among = table.slice(first, last - first)
    kept = among.filter(pc.invert(pc.is_in(among[key], value_set=removed[key].combine_chunks())))
    ordered = in_order(name, pa.concat_tables([kept, added.select(kept.column_names)]))
    parts = [table.slice(0, first), ordered, table.slice(last)]
    return pa.concat_tables([part.cast(TABLES[name]) for part in parts]).combine_chunks()


def _reach(table: pa.Table, key: str, changed: pa.ChunkedArray) -> tuple[int, int]:
    """The first row whose key is not below all of the changed ones, and the first after it that is above all."""
    if not len(changed):
        return 0, 0
    column, bounds = table[key], pc.min_max(changed).as_py()
    lower = bisect_left(range(len(column)), bounds["min"], key=lambda row: column[row].as_py())
    return lower, bisect_right(range(len(column)), bounds["max"], key=lambda row: column[row].as_py())


def _where_in(table: pa.Table, column: str, wanted: pa.ChunkedArray) -> pa.Table:
    return table.filter(pc.is_in(table[column], value_set=wanted.combine_chunks()))


def _write_tables(current: Release, now: Mapping[str, pa.Table], folder: Path) -> dict[str, dict[str, Any]]:
    """Write the tables that changed and link the others; returns rows and hash of each."""
    written = publish.write_tables(folder, now)
    for name, about in current.manifest["tables"].items():
        if name not in now:
            linked_copy(current.path / "tables" / f"{name}.parquet", folder / "tables" / f"{name}.parquet")
            written[name] = about
    return written


def _balance(current: Release, now: Mapping[str, pa.Table]) -> list[dict[str, Any]]:
    """The balance of the graph: texts as they are now, everything else, and what was dropped, as it was."""
    before = {row["kind"]: row for row in current.manifest["reconciliation"]["graph"]}
    tally = Tally("graph")
    for name in sorted({*before, *_TEXTS}):
        row = before.get(name, {"kind": name, "in": 0, "kept": 0, "dropped": {}, "examples": {}})
        if name in now:
            kept = now[name].num_rows
            row = {**row, "in": kept + sum(row["dropped"].values()), "kept": kept}
        if row["in"]:
            tally.absorb([row])
    tally.check()
    return tally.as_list()


def _empty(name: str) -> pa.Table:
    return RECORD_TABLES[name].empty_table()
