"""The canonical tables as rows of a graph store: nodes by label, relations by type and the labels of their ends.

This is the one place where a row of a store is made, whatever the engine and whether the store is loaded or updated;
the columns are those of `ontology.render`. Everything goes column by column: a million statements take seconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kg_build.conflicts import find_conflicts
from kg_build.frequency import parse_frequency
from ontology.errors import ClewError, Code
from ontology.render import (
    ASSERTION_COLUMNS,
    CHUNK_COLUMNS,
    DOCUMENT_COLUMNS,
    ENTITY_COLUMNS,
    EVIDENCE_COLUMNS,
)
from ontology.schema import Domain, relation_name

_LIST: Final = pa.list_(pa.string())
_Integers = npt.NDArray[np.int64]

_TEXT_NODES: Final = {
    "Document": DOCUMENT_COLUMNS,
    "Chunk": CHUNK_COLUMNS,
    "Assertion": ASSERTION_COLUMNS,
    "Evidence": EVIDENCE_COLUMNS,
}
"""The labels that are tables of their own, with what of the table a node holds."""


@dataclass(frozen=True, order=True)
class Relation:
    """A kind of relation: its type and the labels of its ends."""

    type: str
    start: str
    end: str


FROM_DOCUMENT: Final = Relation("FROM_DOCUMENT", "Evidence", "Document")
CONFLICTS_WITH: Final = Relation("CONFLICTS_WITH", "Assertion", "Assertion")


def node_rows(tables: Mapping[str, pa.Table], domain: Domain) -> Iterator[tuple[str, pa.Table]]:
    """Yield each label with its nodes: a column for each property, the first is the id.

    Args:
        tables: the canonical tables.
        domain: the ontology file.
    """
    entity = tables["entity"]
    names = tables["name"]
    owned = names.filter(pc.is_in(names["entity"], value_set=_whole(entity["id"])))
    owners = _places(owned["entity"], entity["id"], "entity")
    full = entity.append_column("names", _distinct_lists(owners, _whole(owned["text"]), entity.num_rows))
    full = full.rename_columns(["name" if column == "label" else column for column in full.column_names])
    for label in domain.types:
        yield label, full.filter(pc.field("type") == label).select(list(ENTITY_COLUMNS))
    for label, columns in _TEXT_NODES.items():
        yield label, tables[label.lower()].select(list(columns))


def relation_rows(tables: Mapping[str, pa.Table], domain: Domain) -> Iterator[tuple[Relation, pa.Table]]:
    """Yield each kind of relation with its rows: `from`, `to` (ids of the ends) and a column for each property.

    What a row says depends on what it hangs on alone: its statement with all its evidence, its document, its passage.

    Args:
        tables: the canonical tables.
        domain: the ontology file.

    Raises:
        ClewError: CORRUPT_RELEASE when a statement has no evidence, or names an entity that is not there.
    """
    assertion, evidence, mention = tables["assertion"], tables["evidence"], tables["mention"]
    types = _Types(tables["entity"])
    subjects, objects = types.codes(assertion["subject"]), types.codes(assertion["object"])
    yield from _statements(tables, (subjects, objects), types.labels, domain)
    for code, part in _split(_pairs(assertion["subject"], assertion["id"]), subjects):
        yield Relation("SUBJECT_OF", types.labels[code], "Assertion"), part
    for code, part in _split(_pairs(assertion["id"], assertion["object"]), objects):
        yield Relation("HAS_OBJECT", "Assertion", types.labels[code]), part
    yield Relation("HAS_EVIDENCE", "Assertion", "Evidence"), _pairs(evidence["assertion"], evidence["id"])
    quoted = evidence.filter(pc.is_in(evidence["document"], value_set=_whole(tables["document"]["id"])))
    yield FROM_DOCUMENT, _pairs(quoted["id"], quoted["document"])
    chunk = tables["chunk"]
    yield Relation("HAS_CHUNK", "Document", "Chunk"), _pairs(chunk["document"], chunk["id"])
    for code, part in _split(_mentions(mention), types.codes(mention["entity"])):
        yield Relation("MENTIONS", "Chunk", types.labels[code]), part


def conflict_rows(tables: Mapping[str, pa.Table], domain: Domain) -> pa.Table:
    """The rows of `CONFLICTS_WITH`, which depend on all statements: from one to the other that cannot stand beside it.

    A statement whose own evidence disagrees is in conflict with itself.

    Args:
        tables: the canonical tables.
        domain: the ontology file.
    """
    found = list(find_conflicts(tables["assertion"], tables["evidence"], domain))
    columns: dict[str, list[Any]] = {
        "from": [c.assertions[0] for c in found],
        "to": [c.assertions[-1] for c in found],
        "kind": [c.kind for c in found],
        "detail": [c.detail for c in found],
        "through": [c.through for c in found],
        "evidence": [c.evidence for c in found],
    }
    arrays = [pa.array(column, _LIST if name == "evidence" else pa.string()) for name, column in columns.items()]
    return pa.table(arrays, list(columns))


class _Types:
    """The types of entities."""

    def __init__(self, entity: pa.Table) -> None:
        encoded = _whole(entity["type"]).dictionary_encode()
        self.labels: list[str] = encoded.dictionary.to_pylist()
        self._ids = entity["id"]
        self._codes = _integers(encoded.indices)

    def codes(self, ids: pa.ChunkedArray) -> _Integers:
        """For each id the place of its type among the labels."""
        return self._codes[_places(ids, self._ids, "entity")]


def _statements(
    tables: Mapping[str, pa.Table], types: tuple[_Integers, _Integers], labels: list[str], domain: Domain
) -> Iterator[tuple[Relation, pa.Table]]:
    """The relations that say what the statements say, with what people filter on.

    Args:
        tables: the canonical tables.
        types: for subject and object of each assertion, the place of its type among the labels.
        labels: of the entities.
        domain: the ontology file.
    """
    assertion = tables["assertion"]
    ends = {"from": assertion["subject"], "to": assertion["object"], "assertion_id": assertion["id"]}
    table = pa.table({**ends, **_summaries(assertion["id"], tables["evidence"], domain)})
    predicate = _whole(assertion["predicate"]).dictionary_encode()
    names: list[str] = predicate.dictionary.to_pylist()
    shape = (len(names), 2, len(labels), len(labels))
    parts = (_integers(predicate.indices), _booleans(assertion["negated"]).astype(np.int64), *types)
    codes = np.ravel_multi_index(parts, shape) if len(assertion) else np.zeros(0, np.int64)
    for code, part in _split(table, codes):
        name, negated, start, end = (int(i) for i in np.unravel_index(code, shape))
        yield Relation(relation_name(names[name], negated=bool(negated)), labels[start], labels[end]), part


def _summaries(ids: pa.ChunkedArray, evidence: pa.Table, domain: Domain) -> dict[str, pa.Array]:
    """Per assertion: sources, best trust, references, codes and pooled frequency of its evidence."""
    count = len(ids)
    owners = _places(evidence["assertion"], ids, "assertion")
    sources = _distinct_lists(owners, _whole(evidence["source"]), count)
    starts = sources.offsets.to_numpy()[:-1]
    lengths = _integers(pc.list_value_length(sources))
    if not lengths.all():
        raise _missing("evidence", ids[int(np.argmin(lengths))].as_py())
    known = pc.unique(sources.values)
    trust = np.array([domain.trust(source) for source in known.to_pylist()], np.float64)
    trusts = trust[_integers(pc.index_in(sources.values, value_set=known))]
    references = _whole(evidence["references"])
    code = _whole(evidence["code"])
    coded = _booleans(pc.not_equal(code, ""))
    return {
        "sources": sources,
        "trust": pa.array(np.maximum.reduceat(trusts, starts) if count else trusts),
        "references": _distinct_lists(
            owners[_integers(pc.list_parent_indices(references))], references.flatten(), count
        ),
        "codes": _distinct_lists(owners[coded], code.filter(pa.array(coded)), count),
        "frequency": _pooled(owners, _whole(evidence["frequency"]), count),
    }


def _pooled(owners: _Integers, written: pa.Array, count: int) -> pa.Array:
    """Per assertion the share of all patients that its evidence counts, null where none of it says."""
    encoded = written.dictionary_encode()
    parsed = [parse_frequency(text) if text else None for text in encoded.dictionary.to_pylist()]
    weight = np.array([f.weight if f else 0.0 for f in parsed], np.float64)
    hits = np.array([f.share * f.weight if f else 0.0 for f in parsed], np.float64)
    places = _integers(encoded.indices)
    said = weight[places] > 0
    owners, places = owners[said], places[said]
    weights = np.bincount(owners, weight[places], count)
    all_hits = np.bincount(owners, hits[places], count)
    known = weights > 0
    shares = np.zeros(count)
    shares[known] = [round(share, 4) for share in (all_hits[known] / weights[known]).tolist()]
    return pa.array(shares, mask=~known)


def _mentions(mention: pa.Table) -> pa.Table:
    return pa.table({
        "from": mention["chunk"], "to": mention["entity"], "start": mention["start"],
        "stop": mention["end"],  # `end` is a keyword
        "method": mention["method"], "confidence": mention["confidence"].cast(pa.float64()),
    })  # fmt: skip


def _pairs(start: pa.ChunkedArray, end: pa.ChunkedArray) -> pa.Table:
    return pa.table({"from": start, "to": end})


# --- columns ------------------------------------------------------------------------------------------------


def _split(table: pa.Table, codes: _Integers) -> Iterator[tuple[int, pa.Table]]:
    """The rows of a table by a code, in the order of the codes; rows of one code keep their order."""
    order = np.argsort(codes, kind="stable")
    found, starts = np.unique(codes[order], return_index=True)
    for code, (start, end) in zip(found.tolist(), pairwise([*starts, len(order)]), strict=True):
        yield code, table.take(pa.array(order[start:end]))


def _distinct_lists(owners: _Integers, texts: pa.Array, count: int) -> pa.ListArray:
    """For each of `count` owners its texts, each once, in the order of code points.

    Args:
        owners: (n,) for each text whose it is.
        texts: (n,) strings.
        count: number of owners.
    """
    encoded = texts.dictionary_encode()
    order = pc.sort_indices(encoded.dictionary)  # by bytes of UTF-8, which is by code points
    rank = np.empty(len(order), np.int64)
    rank[_integers(order)] = np.arange(len(order))
    width = max(1, len(order))
    pairs = np.sort(owners * width + rank[_integers(encoded.indices)])
    pairs = pairs[np.diff(pairs, prepend=-1) > 0]
    offsets = np.searchsorted(pairs, np.arange(count + 1) * width).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), encoded.dictionary.take(order).take(pa.array(pairs % width)))


def _places(wanted: pa.ChunkedArray, ids: pa.ChunkedArray, what: str) -> _Integers:
    """For each wanted id its row.

    Raises:
        ClewError: CORRUPT_RELEASE when there is none.
    """
    found = _whole(pc.index_in(wanted, value_set=_whole(ids)))
    if found.null_count:
        raise _missing(what, wanted.filter(pc.is_null(found))[0].as_py())
    return _integers(found)


def _missing(what: str, identifier: str) -> ClewError:
    cause = f"{identifier} has no evidence" if what == "evidence" else f"{what} {identifier} is named, but not there"
    return ClewError(Code.CORRUPT_RELEASE, cause, remedy="run: clew build")


def _whole(column: Any) -> pa.Array:
    """A column as one array."""
    if not isinstance(column, pa.ChunkedArray):
        return column
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _integers(column: Any) -> _Integers:
    found: _Integers = _whole(column).to_numpy(zero_copy_only=False).astype(np.int64)
    return found


def _booleans(column: Any) -> npt.NDArray[np.bool_]:
    found: npt.NDArray[np.bool_] = _whole(pc.fill_null(column, fill_value=False)).to_numpy(zero_copy_only=False)
    return found
