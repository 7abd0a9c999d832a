"""What the program needs of a graph store, embedded or on a server.

A store is made from the canonical tables of a release and never changed afterwards: a new release is a new store,
and a reader keeps the one it opened. So there is no upsert here; an update is a load.
`kg_build.store.conformance` checks an implementation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import pyarrow as pa

from kg_build.store.child import CypherResult
from ontology.schema import Domain


class GraphStore(Protocol):
    """A store, open for reading; its schema is the one that `ontology.render` makes of the ontology file."""

    def rows(self, statement: str, parameters: Mapping[str, object] | None = None) -> list[dict[str, Any]]:
        """Run a statement of our own; one mapping per row, by the names the statement gives its columns.

        Raises:
            ClewError: FAILED_CYPHER.
        """
        ...

    def ask(
        self, statement: str, parameters: Mapping[str, object] | None = None, *, seconds: float, rows: int
    ) -> CypherResult:
        """Run a statement of a person or a model: past the guard, within limits of time and rows.

        Raises:
            ClewError: REFUSED_CYPHER, BAD_INPUT, TIMEOUT, FAILED_CYPHER.
        """
        ...

    def close(self) -> None:
        """Give up what the store holds open."""
        ...


class StoreFactory(Protocol):
    """Makes a store from canonical tables and opens it; stores made earlier stay readable as they were."""

    def __call__(self, tables: Mapping[str, pa.Table], domain: Domain) -> GraphStore:
        """Load the tables.

        Args:
            tables: the canonical tables, by name, as `kg_build.release.TABLES` describes them.
            domain: the ontology file.
        """
        ...
