"""The graph as arrays: who is connected with whom, by which statement.

Positive assertions only (of `same_as`, those that nobody denies), in both directions, one row of a compressed sparse
matrix per entity. Paths are searched here (microseconds a hop); what is found is then read from the store as Cypher.

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

from kg_build.identity import stated_pairs
from kg_build.index.columns import Column, Floats, Ints, encode, fixed_bytes, positions
from kg_build.index.fresh import fresh_folder
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


_HUB: Final = 5000


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

    def neighbours(self, curie: str) -> frozenset[str]:
        """The entities that an entity is directly related to; nothing when it is not there, or when it is a hub.

        A hub has more than 5,000 (our choice): it is related to too much to tell anything.
        """
        row = self.index(curie)
        if row is None or self.starts[row + 1] - self.starts[row] > _HUB:
            return frozenset()
        return frozenset(map(self.curie, self.targets[self.starts[row] : self.starts[row + 1]].tolist()))

    def same(self, curie: str) -> list[str]:
        """What one accepted `same_as` leads to from an entity, sorted; nothing when it is not there."""
        row = self.index(curie)
        if row is None:
            return []
        edges = slice(self.starts[row], self.starts[row + 1])
        same = self.predicates[edges] == self.predicate_names.index("same_as")
        return sorted(self.curie(target) for target in self.targets[edges][same])

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

    Raises:
        ClewError: CORRUPT_RELEASE when an assertion has an end, or anything a type, that is not there.
    """
    domain = load_domain()
    type_names, predicate_names = list(domain.types), list(domain.predicates)
    accepted = pa.array(list(stated_pairs(assertion).accepted.values()), pa.string())
    identity = pc.equal(assertion["predicate"], "same_as")
    stands = pc.and_not(pc.invert(assertion["negated"]), pc.and_not(identity, pc.is_in(assertion["id"], accepted)))
    positive = assertion.filter(stands)
    predicates = _known(positive["predicate"], pa.array(predicate_names, pa.string())).astype(np.int16)
    subjects, objects = (_known(positive[end], entity["id"]) for end in ("subject", "object"))
    rows = np.concatenate([subjects, objects])
    order = np.lexsort((np.tile(predicates, 2), rows))
    arrays = {
        "ids": fixed_bytes(entity["id"]),
        "types": _known(entity["type"], pa.array(type_names, pa.string())).astype(np.int16),
        "starts": np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(entity)))]).astype(np.int64),
        "targets": np.concatenate([objects, subjects])[order],
        "predicates": np.tile(predicates, 2)[order],
        "forward": np.repeat([True, False], len(positive))[order],
        "statements": np.tile(np.arange(len(positive), dtype=np.int32), 2)[order],
        "assertions": fixed_bytes(positive["id"]),
        "trusts": np.tile(_trusts(positive["id"], evidence), 2)[order],
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
            name: np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False).view(np.ndarray)
            for name in _ARRAYS
        }  # plain views: a slice of a map costs several times one of an array
        names = json.loads((folder / "names.json").read_text())
        return Adjacency(**arrays, type_names=names["types"], predicate_names=names["predicates"])
    except (OSError, ValueError, KeyError) as error:
        raise ClewError(Code.CORRUPT_RELEASE, f"{folder}: {error}", remedy="run: clew build") from error


def _known(column: Column, vocabulary: Column) -> Ints:
    """Where each value stands in a vocabulary that has to have it."""
    found = positions(column, vocabulary)
    if (found < 0).any():
        unknown = column[int(np.argmin(found))].as_py()
        raise ClewError(
            Code.CORRUPT_RELEASE, f"the tables refer to {unknown!r}, which they lack", remedy="run: clew build"
        )
    return found


def _trusts(names: Column, evidence: pa.Table) -> Floats:
    """Trust of the best source of each assertion."""
    domain = load_domain()
    sources, source = encode(evidence["source"])
    weights = np.array([domain.trust(key) for key in sources.to_pylist()], dtype=np.float32)[source]
    owners = positions(evidence["assertion"], names)
    known = owners >= 0  # evidence of negative assertions has no edge here
    best = np.zeros(len(names), np.float32)
    np.maximum.at(best, owners[known], weights[known])
    return best
