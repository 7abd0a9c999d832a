"""What differs between two releases: rows of each canonical table, and the statements behind them.

Rows are known by their id, or by the whole row where a table has none. Tables are compared column by column and
found rows stay Arrow arrays, so that two releases of a million statements need memory for a few columns, not for
a million objects. A table whose bytes are the same in both releases (by the manifests) is not read at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from kg_build.release import TABLES, Release

_SEPARATOR: Final = "\x1f"
_STATEMENT: Final = ("subject", "predicate", "object", "negated", "qualifiers")
_NO_IDS: Final = pa.array([], pa.string())


@dataclass(frozen=True)
class TableChange:
    """How a table changed.

    Attributes:
        added: ids (string array) of rows that are only in the new release; whole rows, columns joined by U+001F, where
            the table has no ids.
        removed: the same of rows that are only in the old release.
        changed: ids that are in both, with other values.
        columns: for each column that differs, in how many of the changed rows.
    """

    added: pa.Array
    removed: pa.Array
    changed: pa.Array
    columns: Mapping[str, int]

    def as_dict(self, limit: int) -> dict[str, Any]:
        """Counts, and at most `limit` keys of each kind."""
        kinds = {"added": self.added, "removed": self.removed, "changed": self.changed}
        counted = {kind: len(found) for kind, found in kinds.items()}
        listed = {f"{kind}_keys": _readable(found[:limit]) for kind, found in kinds.items()}
        return {**counted, "columns": dict(self.columns), **listed}


@dataclass(frozen=True)
class AssertionChange:
    """How the statements changed.

    Attributes:
        appeared: rows of the assertion table that only the new release has, with the labels of their ends.
        vanished: rows that only the old release has.
        evidence_added: (assertion, id) of new evidence of statements that both have.
        evidence_removed: (assertion, id) of evidence that such statements lost.
        regrounded: ids of the statements whose set of evidence is another one, sorted.
    """

    appeared: pa.Table
    vanished: pa.Table
    evidence_added: pa.Table
    evidence_removed: pa.Table
    regrounded: pa.Array

    def as_dict(self, limit: int) -> dict[str, Any]:
        """Counts, and at most `limit` statements of each kind."""
        shown = self.regrounded[:limit]
        evidence: dict[str, dict[str, list[str]]] = {key: {"added": [], "removed": []} for key in shown.to_pylist()}
        for side, table in (("added", self.evidence_added), ("removed", self.evidence_removed)):
            for row in table.filter(pc.is_in(table["assertion"], value_set=shown)).to_pylist():
                evidence[row["assertion"]][side].append(row["id"])
        return {
            "appeared": self.appeared.num_rows,
            "vanished": self.vanished.num_rows,
            "evidence_changed": len(self.regrounded),
            "appeared_statements": self.appeared[:limit].to_pylist(),
            "vanished_statements": self.vanished[:limit].to_pylist(),
            "evidence_changes": [{"id": key, **sides} for key, sides in evidence.items()],
        }


@dataclass(frozen=True)
class Difference:
    """What differs between two releases.

    Attributes:
        old: id of the old release.
        new: id of the new release.
        tables: for each canonical table, how it changed.
        assertions: how the statements changed.
    """

    old: str
    new: str
    tables: Mapping[str, TableChange]
    assertions: AssertionChange

    @property
    def same(self) -> bool:
        """Whether the canonical tables say the same."""
        return not any(len(c.added) or len(c.removed) or len(c.changed) for c in self.tables.values())

    def as_dict(self, limit: int = 20) -> dict[str, Any]:
        """The difference as plain values, with at most `limit` keys of each kind."""
        return {
            "old": self.old,
            "new": self.new,
            "same": self.same,
            "tables": {name: change.as_dict(limit) for name, change in self.tables.items()},
            "assertions": self.assertions.as_dict(limit),
        }


def diff_releases(old: Release, new: Release) -> Difference:
    """What the new release has, lacks and says otherwise than the old one.

    Raises:
        ClewError: CORRUPT_RELEASE.
    """
    changes = {name: _compare(name, old, new) for name in TABLES}
    return Difference(old.id, new.id, changes, _assertions(changes, old, new))


def _compare(name: str, old: Release, new: Release) -> TableChange:
    if _digest(old, name) == _digest(new, name) is not None:
        return TableChange(_NO_IDS, _NO_IDS, _NO_IDS, {})
    before, after = _keys(name, old), _keys(name, new)
    place = pc.index_in(after, value_set=before)
    added = after.filter(pc.is_null(place))
    removed = before.filter(pc.invert(pc.is_in(before, value_set=after)))
    if "id" not in TABLES[name].names:
        return TableChange(added, removed, _NO_IDS, {})
    there = pc.is_valid(place)
    place, common = place.filter(there), after.filter(there)
    del before, after
    differs = pc.is_null(common)  # no row as yet: ids are never null
    columns = {}
    for column in TABLES[name].names[1:]:
        found = pc.not_equal(_column(old, name, column).take(place), _column(new, name, column).filter(there))
        if count := pc.sum(found).as_py():
            columns[column] = count
            differs = pc.or_(differs, found)
    return TableChange(added, removed, common.filter(differs) if columns else _NO_IDS, columns)


def _assertions(changes: Mapping[str, TableChange], old: Release, new: Release) -> AssertionChange:
    gained = _evidence(new, changes["evidence"].added, changes["assertion"].added)
    lost = _evidence(old, changes["evidence"].removed, changes["assertion"].removed)
    touched = pc.unique(pa.concat_arrays([_whole(gained["assertion"]), _whole(lost["assertion"])]))
    return AssertionChange(
        _rows(new, changes["assertion"].added),
        _rows(old, changes["assertion"].removed),
        gained,
        lost,
        touched.take(pc.sort_indices(touched)),
    )


def _rows(release: Release, ids: pa.Array) -> pa.Table:
    """Assertions with these ids, with the labels of their ends."""
    table = release.table("assertion", ["id", *_STATEMENT])
    table = table.filter(pc.is_in(table["id"], value_set=ids))
    entities, labels = _column(release, "entity", "id"), _column(release, "entity", "label")
    for end in ("subject", "object"):
        found = labels.take(pc.index_in(_whole(table[end]), value_set=entities))
        table = table.append_column(f"{end}_label", found)
    return table


def _evidence(release: Release, ids: pa.Array, except_of: pa.Array) -> pa.Table:
    """(assertion, id) of evidence with these ids, unless its assertion is one of `except_of`."""
    table = release.table("evidence", ["assertion", "id"])
    table = table.filter(pc.is_in(table["id"], value_set=ids))
    return table.filter(pc.invert(pc.is_in(table["assertion"], value_set=except_of)))


def _digest(release: Release, name: str) -> str | None:
    digest: str | None = release.manifest.get("tables", {}).get(name, {}).get("sha256")
    return digest


def _keys(name: str, release: Release) -> pa.Array:
    """The key of every row, as one string array."""
    names = TABLES[name].names
    if "id" in names:
        return _column(release, name, "id")
    separator = pa.scalar(_SEPARATOR, pa.large_string())
    return pc.binary_join_element_wise(*(_column(release, name, column) for column in names), separator)


def _column(release: Release, table: str, column: str) -> pa.Array:
    """A column as an array of texts (large ones, beside ids); lists are joined, so that they compare too."""
    found = release.table(table, [column])[column]
    if pa.types.is_list(found.type):
        found = pc.binary_join(found, _SEPARATOR)
    return _whole(pc.fill_null(found.cast(pa.string() if column == "id" else pa.large_string()), ""))


def _whole(column: pa.ChunkedArray) -> pa.Array:
    combined = column.combine_chunks()
    return pa.concat_arrays(combined.chunks) if isinstance(combined, pa.ChunkedArray) else combined


def _readable(keys: pa.Array) -> list[str]:
    return [key.replace(_SEPARATOR, " | ") for key in keys.to_pylist()]
