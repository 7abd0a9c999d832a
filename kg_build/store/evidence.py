"""Reading the evidence of assertions from the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kg_build.store.protocol import GraphStore, each

_STATEMENT = (
    "MATCH (a:Assertion {id: $id})-[:HAS_EVIDENCE]->(e:Evidence) "
    "RETURN a.id AS assertion, e.id AS id, e.source AS source, e.source_release AS source_release, "
    "e.licence AS licence, e.references AS references, e.record AS record, e.code AS code, "
    "e.knowledge_level AS knowledge_level, e.agent_type AS agent_type, e.quote AS quote, "
    "e.frequency AS frequency, e.onset AS onset, e.sex AS sex, e.modifiers AS modifiers, e.agent AS agent "
    "ORDER BY id"
)


@dataclass(frozen=True)
class EvidenceRow:
    """One row of evidence as the store holds it; fields as in `ontology.model.Evidence`."""

    assertion: str
    id: str
    source: str
    source_release: str
    licence: str
    references: list[str]
    record: str
    code: str
    knowledge_level: str
    agent_type: str
    quote: str
    frequency: str
    onset: str
    sex: str
    modifiers: list[str]
    agent: str


def read_evidence(store: GraphStore, assertions: Sequence[str]) -> dict[str, list[EvidenceRow]]:
    """All evidence of each assertion, in one round trip; none for an assertion that is not there."""
    found: dict[str, list[EvidenceRow]] = {identifier: [] for identifier in assertions}
    if found:
        for row in each(store, _STATEMENT, list(found)):
            found[row["assertion"]].append(EvidenceRow(**row))
    return found
