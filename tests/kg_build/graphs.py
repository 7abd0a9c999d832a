"""Small hand-made graphs as canonical tables."""

from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa

from kg_build.collect import Collection, collect_records, in_order, mention_table
from kg_build.identity import Bridges
from kg_build.release import TABLES
from kg_build.sources.contract import Record
from kg_build.sources.registry import find_sources
from ontology.document import Mention
from ontology.model import Assertion, Entity, Evidence
from ontology.schema import load_domain

SOURCES = {**find_sources(["hpo", "icd10", "cmekg", "open_medicine", "cedict"]), "clew": Bridges()}


def gathered(records: Iterable[Record | Mention]) -> Collection:
    """These records, brought together."""
    return collect_records(records, SOURCES, load_domain())[0]


def collect(records: Iterable[Record | Mention]) -> dict[str, pa.Table]:
    """The canonical tables of these records."""
    collection, mentions = collect_records(records, SOURCES, load_domain())
    return collection.finish(mention_table(mentions))


def make_table(name: str, rows: Iterable[Sequence[Any]]) -> pa.Table:
    """A canonical table from rows in the schema's column order."""
    columns = list(zip(*rows, strict=True)) or [()] * len(TABLES[name])
    arrays = [pa.array(column, type=f.type) for column, f in zip(columns, TABLES[name], strict=True)]
    return in_order(name, pa.Table.from_arrays(arrays, schema=TABLES[name]))


def entity(curie: str, type_name: str = "Disease", label: str = "", source: str = "hpo") -> Entity:
    """An entity in English."""
    return Entity(curie, type_name, label or curie, "en", source)


def stated(
    subject: str, predicate: str, object_: str, *references: str, negated: bool = False, source: str = "hpo",
    record: str = "row 1", frequency: str = "", code: str = "", document: str = "", quote: str = "",
) -> Evidence:  # fmt: skip
    """Evidence of a statement."""
    return Evidence(
        Assertion(subject, predicate, object_, negated), source, references, record, "knowledge_assertion",
        "manual_agent", code, quote=quote, document=document, frequency=frequency,
    )  # fmt: skip
