"""The graph as arrays: who is connected with whom, by which statement.

Positive assertions only, in both directions, one row of a compressed sparse matrix per entity. Paths are
searched here (microseconds a hop); what is found is then read from the store as Cypher.

    ids        (n,)   sorted CURIEs, bytes        types      (n,)   index into `type_names`
    starts     (n+1,) row pointers                targets    (2m,)  entity at the other end
    predicates (2m,)  index into `predicate_names`  forward  (2m,)  whether the row's entity is the subject
    statements (2m,)  index into `assertions`     trusts     (2m,)  trust of the best source
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from kg_build.index.fresh import fresh_folder
from kg_build.release import values
from ontology.errors import ClewError, Code
from ontology.schema import load_domain

_ARRAYS: Final = (
    "ids",
    "types",
    "starts",
    "targets",
    "predicates",
    "forward",
    "statements",
    "assertions",
    "trusts",
)


@dataclass(frozen=True)
class Adjacency:
    """The arrays of the module's text, memory-mapped."""

    ids: NDArray[np.bytes_]
    types: NDArray[np.int16]
    starts: NDArray[np.int64]
    targets: NDArray[np.int32]
    predicates: NDArray[np.int16]
    forward: NDArray[np.bool_]
    statements: NDArray[np.int32]
    assertions: NDArray[np.bytes_]
    trusts: NDArray[np.float32]
    type_names: list[str]
    predicate_names: list[str]

    def index(self, curie: str) -> int | None:
        """Row of an entity, or None."""
        key = curie.encode()
        at = int(np.searchsorted(self.ids, key))
        return at if at < len(self.ids) and self.ids[at] == key else None

    def curie(self, index: int) -> str:
        """CURIE of a row."""
        return str(self.ids[index], "utf-8")

    def type(self, index: int) -> str:
        """Entity type of a row."""
        return self.type_names[int(self.types[index])]

    def degree(self, curie: str) -> int:
        """Number of edges of an entity; 0 when it is not there."""
        row = self.index(curie)
        return 0 if row is None else int(self.starts[row + 1] - self.starts[row])

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        """Number of edges of every entity."""
        return np.diff(self.starts)


def build_adjacency(entity: pa.Table, assertion: pa.Table, evidence: pa.Table, folder: Path) -> None:
    """Write the arrays of a release.

    Args:
        entity: canonical table; sorted by id.
        assertion: canonical table; sorted by id.
        evidence: canonical table, for the trust of each assertion.
        folder: where.
    """
    domain = load_domain()
    ids = _bytes(entity, "id")
    type_names, predicate_names = list(domain.types), list(domain.predicates)
    positive = assertion.filter(pc.invert(assertion["negated"]))
    names = _bytes(positive, "id")
    subjects = np.searchsorted(ids, _bytes(positive, "subject"))
    objects = np.searchsorted(ids, _bytes(positive, "object"))
    predicates = np.array([predicate_names.index(p) for p in values(positive, "predicate")], np.int16)
    trusts = _trusts(names, evidence)
    rows = np.concatenate([subjects, objects])
    order = np.lexsort((np.tile(predicates, 2), rows))
    statements = np.arange(len(names), dtype=np.int32)
    arrays = {
        "ids": ids,
        "types": np.array([type_names.index(t) for t in values(entity, "type")], np.int16),
        "starts": np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(ids)))]).astype(np.int64),
        "targets": np.concatenate([objects, subjects])[order].astype(np.int32),
        "predicates": np.tile(predicates, 2)[order],
        "forward": np.repeat([True, False], len(names))[order],
        "statements": np.tile(statements, 2)[order],
        "assertions": names,
        "trusts": np.tile(trusts, 2)[order],
    }
    with fresh_folder(folder) as beside:
        for name, array in arrays.items():
            np.save(beside / f"{name}.npy", array, allow_pickle=False)
        (beside / "names.json").write_text(json.dumps({"types": type_names, "predicates": predicate_names}))


def load_adjacency(folder: Path) -> Adjacency:
    """Open the arrays.

    Raises:
        ClewError: CORRUPT_RELEASE.
    """
    try:
        arrays: dict[str, Any] = {
            name: np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False) for name in _ARRAYS
        }
        names = json.loads((folder / "names.json").read_text())
        return Adjacency(**arrays, type_names=names["types"], predicate_names=names["predicates"])
    except (OSError, ValueError, KeyError) as error:
        raise ClewError(Code.CORRUPT_RELEASE, f"{folder}: {error}", remedy="run: clew build") from error


def _bytes(table: pa.Table, column: str) -> NDArray[np.bytes_]:
    return np.array([value.encode() for value in values(table, column)], dtype=np.bytes_)


def _trusts(names: NDArray[np.bytes_], evidence: pa.Table) -> NDArray[np.float32]:
    """Trust of the best source of each assertion."""
    domain = load_domain()
    sources = values(evidence, "source")
    trust = {source: domain.trust(source) for source in set(sources)}
    weights = np.array([trust[source] for source in sources], np.float32)
    owners = _bytes(evidence, "assertion")
    known = np.isin(owners, names)  # evidence of negative assertions has no edge here
    best = np.zeros(len(names), np.float32)
    np.maximum.at(best, np.searchsorted(names, owners[known]), weights[known])
    return best
