"""What is generated from the ontology file: the embedded store's schema, and the page that explains it.

(:Disease)-[:has_phenotype {assertion_id, sources, trust, references, codes, frequency}]->(:PhenotypicFeature)
(:Disease)-[:not_has_phenotype …]->(…)                     negative statements never match as facts
(:Disease)-[:SUBJECT_OF]->(:Assertion)-[:HAS_OBJECT]->(…)
(:Assertion)-[:HAS_EVIDENCE]->(:Evidence)-[:FROM_DOCUMENT]->(:Document)-[:HAS_CHUNK]->(:Chunk)-[:MENTIONS]->(…)
(:Assertion)-[:CONFLICTS_WITH {kind, detail, through, evidence}]->(:Assertion)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ontology.schema import Domain, relation_name

ENTITY_COLUMNS = {
    "id": "STRING",
    "name": "STRING",
    "lang": "STRING",
    "names": "STRING[]",
    "definition": "STRING",
    "source": "STRING",
    "deprecated": "BOOL",
}
RELATION_COLUMNS = {
    "assertion_id": "STRING",
    "sources": "STRING[]",
    "trust": "DOUBLE",
    "references": "STRING[]",
    "codes": "STRING[]",
    "frequency": "DOUBLE",
}
CONFLICT_COLUMNS = {"kind": "STRING", "detail": "STRING", "through": "STRING", "evidence": "STRING[]"}
MENTION_COLUMNS = {"start": "INT32", "stop": "INT32", "method": "STRING", "confidence": "DOUBLE"}
ASSERTION_COLUMNS = {"id": "STRING", "predicate": "STRING", "negated": "BOOL", "qualifiers": "STRING"}
EVIDENCE_COLUMNS = {
    "id": "STRING",
    "source": "STRING",
    "source_release": "STRING",
    "licence": "STRING",
    "references": "STRING[]",
    "record": "STRING",
    "code": "STRING",
    "knowledge_level": "STRING",
    "agent_type": "STRING",
    "quote": "STRING",
    "document": "STRING",
    "frequency": "STRING",
    "onset": "STRING",
    "sex": "STRING",
    "modifiers": "STRING[]",
    "agent": "STRING",
}
DOCUMENT_COLUMNS = {
    "id": "STRING",
    "title": "STRING",
    "lang": "STRING",
    "source": "STRING",
    "kind": "STRING",
    "reference": "STRING",
    "year": "INT32",
    "organisation": "STRING",
}
CHUNK_COLUMNS = {"id": "STRING", "section": "STRING", "text": "STRING", "lang": "STRING"}


@dataclass(frozen=True)
class NodeTable:
    """A node table: label and columns (the first is the primary key)."""

    label: str
    columns: dict[str, str]

    def ddl(self) -> str:
        """The statement that creates it."""
        columns = ", ".join(f"{_quoted(name)} {kind}" for name, kind in self.columns.items())
        return f"CREATE NODE TABLE {self.label}({columns}, PRIMARY KEY(id))"


@dataclass(frozen=True)
class RelationTable:
    """A relation table: type, (from, to) label pairs, columns."""

    type: str
    ends: list[tuple[str, str]]
    columns: dict[str, str]

    def ddl(self) -> str:
        """The statement that creates it."""
        ends = [f"FROM {start} TO {end}" for start, end in self.ends]
        columns = [f"{_quoted(name)} {kind}" for name, kind in self.columns.items()]
        return f"CREATE REL TABLE {self.type}({', '.join([*ends, *columns])})"


def node_tables(domain: Domain) -> list[NodeTable]:
    """The node tables: one per entity type, and those of statements and texts."""
    return [
        *(NodeTable(name, ENTITY_COLUMNS) for name in domain.types),
        NodeTable("Assertion", ASSERTION_COLUMNS),
        NodeTable("Evidence", EVIDENCE_COLUMNS),
        NodeTable("Document", DOCUMENT_COLUMNS),
        NodeTable("Chunk", CHUNK_COLUMNS),
    ]


def relation_tables(domain: Domain) -> list[RelationTable]:
    """The relation tables: a positive and a negative one per predicate, and those of statements and texts."""
    tables = [
        RelationTable(relation_name(name, negated=negated), predicate.ends, RELATION_COLUMNS)
        for name, predicate in domain.predicates.items()
        for negated in (False, True)
    ]
    types = list(domain.types)
    subjects = [t for t in types if any(t == s for p in domain.predicates.values() for s, _ in p.ends)]
    objects = [t for t in types if any(t == o for p in domain.predicates.values() for _, o in p.ends)]
    return [
        *tables,
        RelationTable("SUBJECT_OF", [(name, "Assertion") for name in subjects], {}),
        RelationTable("HAS_OBJECT", [("Assertion", name) for name in objects], {}),
        RelationTable("CONFLICTS_WITH", [("Assertion", "Assertion")], CONFLICT_COLUMNS),
        RelationTable("HAS_EVIDENCE", [("Assertion", "Evidence")], {}),
        RelationTable("FROM_DOCUMENT", [("Evidence", "Document")], {}),
        RelationTable("HAS_CHUNK", [("Document", "Chunk")], {}),
        RelationTable("MENTIONS", [("Chunk", name) for name in types], MENTION_COLUMNS),
    ]


def example(domain: Domain, name: str) -> str:
    """A statement that shows an entity type or a relation type at work."""
    if name in domain.types:
        return f"MATCH (n:{name}) RETURN n.id, n.name LIMIT 5"
    start, end = domain.predicates[name].ends[0]
    return f"MATCH (a:{start})-[r:{name}]->(b:{end}) RETURN a.name, b.name, r.sources LIMIT 5"


def schema_page(domain: Domain, counts: Mapping[str, int] | None = None, *, examples: bool = False) -> str:
    """What can be asked, as Markdown for people.

    Args:
        domain: the ontology file.
        counts: how many nodes or statements there are of each type, in a release; those of a relation with those
            that deny it.
        examples: whether to show a statement for each.
    """

    def of(name: str) -> list[str]:
        number = "" if counts is None else f" — {counts.get(name, 0):,}"
        return [number, *([f"    {example(domain, name)}"] if examples else [])]

    lines = ["# Entities", ""]
    for name, kind in domain.types.items():
        number, *shown = of(name)
        lines += [f"* `(:{name})` {kind.en} / {kind.zh} — {kind.biolink}{number}", *shown]
    lines += ["", f"Properties of an entity: {', '.join(ENTITY_COLUMNS)}.", "", "# Relations", ""]
    for name, predicate in domain.predicates.items():
        ends = ", ".join(f"(:{start})→(:{end})" for start, end in predicate.ends)
        number, *shown = of(name)
        lines += [f"* `[:{name}]` {predicate.en} / {predicate.zh} — {ends}{number}", *shown]
    lines += [
        "",
        f"Properties of a relation: {', '.join(RELATION_COLUMNS)}.",
        "A negative statement has the type `not_…`, so that it never matches as a fact"
        + ("." if counts is None else "; the numbers count both."),
        "",
        "# Evidence and texts",
        "",
        "* `(entity)-[:SUBJECT_OF]->(:Assertion)-[:HAS_OBJECT]->(entity)`",
        "* `(:Assertion)-[:HAS_EVIDENCE]->(:Evidence)-[:FROM_DOCUMENT]->(:Document)`",
        "* `(:Document)-[:HAS_CHUNK]->(:Chunk)-[:MENTIONS]->(entity)`",
        f"* `[:MENTIONS]` {', '.join(MENTION_COLUMNS)}",
        "* `(:Assertion)-[:CONFLICTS_WITH]->(:Assertion)` statements that cannot both stand",
        f"* `[:CONFLICTS_WITH]` {', '.join(CONFLICT_COLUMNS)}",
        "  * kind `polarity`: one is made, the other denies it",
        "  * kind `indication`: one says treats, the other contraindicated in",
        "  * kind `frequency`: references give very different shares; both ends may be the same statement",
        "  * through: id of a `same_as` statement that lies between the two, or empty",
        "  * evidence: ids of the two rows that differ, where only they do",
        *(
            f"* `(:{table.label})` {', '.join(table.columns)}"
            for table in node_tables(domain)
            if table.label not in domain.types
        ),
    ]
    return "\n".join(lines) + "\n"


def literal(text: str) -> str:
    """A string as Cypher writes it."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _quoted(name: str) -> str:
    return f"`{name}`"
