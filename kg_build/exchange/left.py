"""What is left of a release without some of its sources: what a build without them would hold.

Their evidence goes, with the statements that only they made; their entities, unless another source names them; their
names and mappings; and the identities that clew concluded from those. So nothing of a source that may not be passed on
is passed on by way of what was derived from it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from kg_build.collect import entities_of, in_order, mappings_of, names_of
from kg_build.identity import Bridges, same_codes, same_names, stated_pairs
from kg_build.records import Recorder, first_rows
from kg_build.release import TABLES
from ontology.schema import Domain

GRAPH_TABLES = ("entity", "name", "mapping", "assertion", "evidence")
"""The tables of the graph itself, without documents and passages."""


def left_without(tables: Mapping[str, pa.Table], without: Collection[str], domain: Domain) -> dict[str, pa.Table]:
    """The tables of the graph without some sources; as they are when there are none to leave out.

    Args:
        tables: the canonical tables.
        without: keys of sources.
        domain: the ontology file.
    """
    if not without:
        return {name: tables[name] for name in GRAPH_TABLES}
    entity, name, mapping, evidence = (
        _not_of(tables[table], without) for table in ("entity", "name", "mapping", "evidence")
    )
    entity = pa.concat_tables([entity, _named_by_others(tables["entity"], name, without)])
    name, mapping = _about(name, "entity", entity), _about(mapping, "subject", entity)
    assertion = _about(_about(tables["assertion"], "subject", entity), "object", entity)
    concluded = pc.and_(pc.equal(evidence["source"], Bridges.key), _in(evidence["assertion"], _identities(assertion)))
    evidence = evidence.filter(pc.and_(_in(evidence["assertion"], assertion["id"]), pc.invert(concluded)))
    assertion = assertion.filter(_in(assertion["id"], evidence["assertion"]))
    bridges = _bridges(entity, name, mapping, assertion, domain)
    evidence = pa.concat_tables([evidence, bridges.select(TABLES["evidence"].names)])
    stated = bridges.select(["assertion", *TABLES["assertion"].names[1:]]).rename_columns(TABLES["assertion"].names)
    assertion = first_rows(pa.concat_tables([assertion, stated]), "id")
    found = {"entity": entity, "name": name, "mapping": mapping, "assertion": assertion, "evidence": evidence}
    return {key: in_order(key, table) for key, table in found.items()}


def _named_by_others(entity: pa.Table, name: pa.Table, without: Collection[str]) -> pa.Table:
    """Entities that a source to be left out described first and another one labels: under the other's label."""
    labels = name.filter(pc.equal(name["kind"], "label")).sort_by(
        [(key, "ascending") for key in ("source", "lang", "text")]
    )
    labels = first_rows(labels, "entity")
    gone = entity.filter(_in(entity["source"], pa.array(list(without), pa.string())))
    gone = gone.filter(_in(gone["id"], labels["entity"]))
    labels = labels.take(pc.index_in(gone["id"], value_set=labels["entity"].combine_chunks()))
    columns = {column: gone[column] for column in entity.column_names}
    columns |= {"label": labels["text"], "lang": labels["lang"], "source": labels["source"]}
    columns["definition"] = pa.array([""] * gone.num_rows, pa.string())
    return pa.table(columns, schema=TABLES["entity"])


def _bridges(entity: pa.Table, name: pa.Table, mapping: pa.Table, assertion: pa.Table, domain: Domain) -> pa.Table:
    """The identities that clew concludes from what is left, as evidence with its assertions."""
    entities, denied = entities_of(entity), stated_pairs(assertion).denied
    recorder = Recorder(domain, Bridges())
    recorder.add(same_names(entities, names_of(name), domain, denied))
    recorder.add(same_codes(entities, mappings_of(mapping), domain, denied))
    return recorder.finish().table("statement")


def _identities(assertion: pa.Table) -> pa.ChunkedArray:
    return assertion.filter(pc.equal(assertion["predicate"], "same_as"))["id"]


def _not_of(table: pa.Table, without: Collection[str]) -> pa.Table:
    return table.filter(pc.invert(_in(table["source"], pa.array(list(without), pa.string()))))


def _about(table: pa.Table, column: str, entity: pa.Table) -> pa.Table:
    """The rows that speak of an entity that is left."""
    return table.filter(_in(table[column], entity["id"]))


def _in(column: pa.ChunkedArray, values: pa.Array | pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.is_in(column, value_set=pc.unique(values))
