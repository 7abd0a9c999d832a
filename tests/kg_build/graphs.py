"""Small hand-made graphs as canonical tables."""

from collections.abc import Iterable

import pyarrow as pa

from kg_build.collect import Collector
from kg_build.identity import Bridges
from kg_build.sources.contract import Record
from kg_build.sources.registry import find_sources
from ontology.document import Mention
from ontology.model import Assertion, Entity, Evidence
from ontology.schema import load_domain


def collector() -> Collector:
    """An empty collector that knows clew's own sources."""
    return Collector(load_domain(), {**find_sources(["hpo", "icd10", "cmekg", "open_medicine"]), "clew": Bridges()})


def collect(records: Iterable[Record | Mention]) -> dict[str, pa.Table]:
    """The canonical tables of these records."""
    gathered = collector()
    gathered.add(records)
    gathered.settle()
    gathered.tally.check()
    return gathered.tables()


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
