"""What the program needs of a graph store, embedded or on a server.

A store is made from the canonical tables of a release; an updated one is made from the store before it and what
changed. Neither changes what is read: a reader keeps the store it opened. `kg_build.store.conformance` checks an
implementation; `kg_build.store.rows` and `kg_build.store.delta` say which nodes and relations a store holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa

from kg_build.store.child import CypherResult
from ontology.schema import Domain


@dataclass(frozen=True)
class Change:
    """What differs between two releases, as rows of canonical tables.

    A row whose content changed is in both. Tables that do not differ are absent.

    Attributes:
        removed: rows that only the release before has, by table.
        added: rows that only the release after has.
    """

    removed: Mapping[str, pa.Table]
    added: Mapping[str, pa.Table]


class GraphStore(Protocol):
    """A store, open for reading; its schema is the one that `ontology.render` makes of the ontology file."""

    def rows(self, statement: str, parameters: Mapping[str, object] | None = None) -> list[dict[str, Any]]:
        """Run a statement of our own; one mapping per row, by the names the statement gives its columns.

        Raises:
            ClewError: FAILED_CYPHER.
        """
        ...

    def many(self, asked: Sequence[tuple[str, str]]) -> list[list[dict[str, Any]]]:
        """Run statements of our own, each for one id, which it names `$id`; the rows of each, in their order.

        One round trip on a server. An engine plans a statement once and then knows it by its text, as long as the id
        is not in it: of statements with ids written into them, most of the time goes into planning. The embedded engine
        also looks a node up by its id in a tenth of the time that it takes to compare every id with a list.

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
    """Makes stores and opens them; stores made earlier stay readable as they were."""

    def __call__(self, tables: Mapping[str, pa.Table], domain: Domain) -> GraphStore:
        """Make a store of canonical tables.

        Args:
            tables: the canonical tables, by name, as `kg_build.release.TABLES` describes them.
            domain: the ontology file.
        """
        ...

    def update(self, change: Change, tables: Mapping[str, pa.Table], domain: Domain) -> GraphStore:
        """Make a store of the one made last and what changed since: it answers as one made of `tables` would.

        Args:
            change: what changed.
            tables: the canonical tables after the change; those that the change does not concern are not read.
            domain: the ontology file, the same as before.
        """
        ...


def each(store: GraphStore, statement: str, ids: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of one statement for each of some ids, in the order of the ids; see `GraphStore.many`.

    Raises:
        ClewError: FAILED_CYPHER.
    """
    return [row for rows in store.many([(statement, identifier) for identifier in ids]) for row in rows]
