"""All that a store holds."""

from typing import Any

from kg_build.store.protocol import GraphStore

Content = tuple[list[str], list[str]]


def content(store: GraphStore) -> Content:
    """Everything that a store holds: its nodes, and its relations with their ends."""
    nodes = store.rows("MATCH (n) RETURN label(n) AS label, n AS properties")
    ends = "label(a) AS source, a.id AS one, label(b) AS target, b.id AS other"
    relations = store.rows(f"MATCH (a)-[r]->(b) RETURN {ends}, label(r) AS type, r AS properties")
    return sorted(map(_written, nodes)), sorted(map(_written, relations))


def _written(row: dict[str, Any]) -> str:
    properties = {key: value for key, value in row["properties"].items() if not key.startswith("_")}
    return repr({**row, "properties": properties})
