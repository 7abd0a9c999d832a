"""What a change of the canonical tables does to a graph store: nodes and relations that go, come or differ.

    change ──▶ the part of the tables that it can affect, before and after ──▶ rows of both ──▶ what differs

Rows are made by `kg_build.store.rows`, as for a whole load: so an updated store holds what a loaded one would, if only
the part is large enough. A part that is too large does no harm, because equal rows cancel out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from kg_build.collect import in_order
from kg_build.release import TABLES, rows, values
from kg_build.store.protocol import Change
from kg_build.store.rows import CONFLICTS_WITH, FROM_DOCUMENT, Relation, conflict_rows, node_rows, relation_rows
from ontology.schema import Domain

Tables = Mapping[str, pa.Table]

Ask = Callable[[str, Mapping[str, object]], list[dict[str, Any]]]
"""Asks the store as it was before the change, as `GraphStore.rows` does."""

_KEY: Final = ("from", "to", "assertion_id")
"""What tells relations of one kind apart, as far as they have it."""


@dataclass(frozen=True)
class Delta:
    """What becomes of a store, in this order.

    Attributes:
        unlinked: relations that go, by their kind: `from`, `to` and, where they have one, `assertion_id`; all
            relations of the kind that these columns fit.
        gone: ids of nodes that go with all their relations, by label.
        changed: nodes that stay with other properties, by label.
        new: nodes that come.
        linked: relations that come.
    """

    unlinked: dict[Relation, pa.Table]
    gone: dict[str, list[str]]
    changed: dict[str, pa.Table]
    new: dict[str, pa.Table]
    linked: dict[Relation, pa.Table]


def find_delta(change: Change, tables: Tables, domain: Domain, ask: Ask) -> Delta:
    """What a change does to a store.

    Args:
        change: what changed.
        tables: the canonical tables after the change. Names, assertions and evidence are read only where the change
            concerns them: they are large.
        domain: the ontology file.
        ask: asks the store before the change.

    Raises:
        ClewError: CORRUPT_RELEASE when the tables do not hang together; what `ask` raises.
    """
    after = _affected(change, tables)
    before = {name: _before(name, part, change) for name, part in after.items()}
    gone, changed, new = _compare_nodes(dict(node_rows(before, domain)), dict(node_rows(after, domain)))
    then, now = (dict(relation_rows(part, domain)) for part in (before, after))
    if after["assertion"].num_rows or before["assertion"].num_rows:
        now[CONFLICTS_WITH] = conflict_rows(tables, domain)
        then[CONFLICTS_WITH] = _conflicts(ask, now[CONFLICTS_WITH].schema)
    if "Document" in new:
        known = _ids(before["evidence"]["id"], after["evidence"]["id"])
        now[FROM_DOCUMENT] = pa.concat_tables([now[FROM_DOCUMENT], _quoting(ask, values(new["Document"], "id"), known)])
    unlinked, linked = _compare_relations(then, now)
    unlinked = _filled({kind: _between_others(kind, keys, gone) for kind, keys in unlinked.items()})
    return Delta(unlinked, gone, changed, new, linked)


def _conflicts(ask: Ask, schema: pa.Schema) -> pa.Table:
    """All conflicts that the store holds."""
    columns = ", ".join(f"c.`{name}` AS `{name}`" for name in schema.names[2:])
    statement = f"MATCH (a:Assertion)-[c:CONFLICTS_WITH]->(b:Assertion) RETURN a.id AS `from`, b.id AS `to`, {columns}"
    return pa.Table.from_pylist(ask(statement, {}), schema)


def _quoting(ask: Ask, documents: list[str], known: pa.Array) -> pa.Table:
    """Evidence that was there before the document it names, except what is known; as rows of `FROM_DOCUMENT`."""
    statement = "MATCH (e:Evidence) WHERE e.document IN $ids RETURN e.id AS `from`, e.document AS `to`"
    found = pa.Table.from_pylist(ask(statement, {"ids": documents}), pa.schema(dict.fromkeys(_KEY[:2], pa.string())))
    return found.filter(pc.invert(pc.is_in(found["from"], value_set=known)))


# --- the part of the tables that a change can affect --------------------------------------------------------


def _affected(change: Change, tables: Tables) -> dict[str, pa.Table]:
    """The affected part of the tables after the change.

    An entity of another type is another node: its statements and mentions are affected, too.
    """
    said = {name: _said(change, name) for name in TABLES}
    retyped = _retyped(change)
    identifiers = _ids(said["assertion"]["id"], said["evidence"]["assertion"])
    stated = _where(tables, "assertion", id=identifiers, subject=retyped, object=retyped)
    statements = pa.concat_tables([stated, said["assertion"]])
    evidence = _where(tables, "evidence", assertion=_ids(statements["id"]))
    mentioning = _where(tables, "mention", entity=retyped)["chunk"]
    chunks = _ids(said["chunk"]["id"], said["mention"]["chunk"], mentioning)
    mention = _where(tables, "mention", chunk=chunks)
    entities = _ids(said["entity"]["id"], said["name"]["entity"])
    ends = (statements["subject"], statements["object"], mention["entity"], said["mention"]["entity"])
    documents = _ids(said["document"]["id"], said["evidence"]["document"], evidence["document"])
    return {
        "entity": _where(tables, "entity", id=_ids(entities, *ends)),
        "name": _where(tables, "name", entity=entities),
        "assertion": stated,
        "evidence": evidence,
        "document": _where(tables, "document", id=documents),
        "chunk": _where(tables, "chunk", id=chunks),
        "mention": mention,
    }


def _retyped(change: Change) -> pa.Array:
    """Ids of the entities that have another type now."""
    then, now = (dict(rows(_side(side, "entity"), "id", "type")) for side in (change.removed, change.added))
    return pa.array([i for i in then.keys() & now.keys() if then[i] != now[i]], pa.string())


def _before(name: str, after: pa.Table, change: Change) -> pa.Table:
    """The affected part of a table before the change."""
    added = _side(change.added, name)
    if "id" in after.column_names:
        stood = pc.invert(pc.is_in(after["id"], value_set=_ids(added["id"])))
    else:
        came = set(rows(added, *added.column_names))
        stood = pa.array([row not in came for row in rows(after, *after.column_names)], pa.bool_())
    return in_order(name, pa.concat_tables([after.filter(stood), _side(change.removed, name)]))


def _said(change: Change, name: str) -> pa.Table:
    """The rows that go and those that come."""
    return pa.concat_tables([_side(change.removed, name), _side(change.added, name)])


def _side(side: Tables, name: str) -> pa.Table:
    return side[name].select(TABLES[name].names) if name in side else TABLES[name].empty_table()


def _where(tables: Tables, name: str, **wanted: pa.Array) -> pa.Table:
    """The rows of a table that have a wanted value in one of the columns; the table is not read if none is wanted."""
    asked = {column: found for column, found in wanted.items() if len(found)}
    if not asked:
        return TABLES[name].empty_table()
    table = tables[name].select(TABLES[name].names)
    return table.filter(reduce(pc.or_, (pc.is_in(table[column], value_set=found) for column, found in asked.items())))


def _ids(*columns: Any) -> pa.Array:
    """The different values of columns."""
    chunks = [chunk for column in columns for chunk in getattr(column, "chunks", [column])]
    return pc.unique(pa.chunked_array(chunks, pa.string()))


# --- what differs -------------------------------------------------------------------------------------------


def _compare_nodes(
    before: Tables, after: Tables
) -> tuple[dict[str, list[str]], dict[str, pa.Table], dict[str, pa.Table]]:
    """Nodes that are gone, changed and new, by label."""
    gone, changed, new = {}, {}, {}
    for label, now in after.items():
        then = before[label]
        gone[label] = values(then.filter(pc.invert(pc.is_in(then["id"], value_set=_ids(now["id"])))), "id")
        place = pc.index_in(now["id"], value_set=then["id"].combine_chunks())
        new[label] = now.filter(pc.is_null(place))
        kept, was = now.filter(pc.is_valid(place)), then.take(place.drop_null())
        differs = [one != other for one, other in zip(was.to_pylist(), kept.to_pylist(), strict=True)]
        changed[label] = kept.filter(pa.array(differs, pa.bool_()))
    return _filled(gone), _filled(changed), _filled(new)


def _compare_relations(
    before: Mapping[Relation, pa.Table], after: Mapping[Relation, pa.Table]
) -> tuple[dict[Relation, pa.Table], dict[Relation, pa.Table]]:
    """Keys of relations that go, and relations that come; one that changes does both."""
    unlinked, linked = {}, {}
    for kind in sorted(before.keys() | after.keys()):
        names = [name for name in _KEY if name in (after.get(kind) or before[kind]).column_names]
        old, new = (_by_key(side.get(kind), names) for side in (before, after))
        differ = [key for key in {**old, **new} if old.get(key) != new.get(key)]
        keys = [dict(zip(names, key, strict=True)) for key in differ if key in old]
        unlinked[kind] = pa.Table.from_pylist(keys, pa.schema([(name, pa.string()) for name in names]))
        if kind in after:
            linked[kind] = pa.Table.from_pylist([row for key in differ for row in new.get(key, ())], after[kind].schema)
    return _filled(unlinked), _filled(linked)


def _by_key(table: pa.Table | None, names: list[str]) -> dict[tuple[str, ...], list[dict[str, Any]]]:
    """The rows of a table by their keys."""
    found = defaultdict(list)
    for row in table.to_pylist() if table is not None else ():
        found[tuple(row[name] for name in names)].append(row)
    return found


def _between_others(kind: Relation, keys: pa.Table, gone: Mapping[str, list[str]]) -> pa.Table:
    """The keys without those of relations that go with one of their ends."""
    for end, label in (("from", kind.start), ("to", kind.end)):
        keys = keys.filter(pc.invert(pc.is_in(keys[end], value_set=pa.array(gone.get(label, ()), pa.string()))))
    return keys


def _filled(found: dict[Any, Any]) -> dict[Any, Any]:
    """Only what is not empty."""
    return {key: part for key, part in found.items() if len(part)}
