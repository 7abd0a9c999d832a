"""A store that counts the round trips made to it."""

from collections.abc import Mapping, Sequence
from typing import Any

from kg_build.store.child import CypherResult
from kg_build.store.protocol import GraphStore


class CountingStore:
    """Hands everything on to another store and notes each statement.

    Attributes:
        statements: what was asked, one by one: each is a round trip.
    """

    def __init__(self, store: GraphStore) -> None:
        self._store = store
        self.statements: list[str] = []

    def rows(self, statement: str, parameters: Mapping[str, object] | None = None) -> list[dict[str, Any]]:
        """See `GraphStore.rows`."""
        self.statements.append(statement)
        return self._store.rows(statement, parameters)

    def many(self, asked: Sequence[tuple[str, str]]) -> list[list[dict[str, Any]]]:
        """See `GraphStore.many`."""
        self.statements.append("; ".join(dict.fromkeys(statement for statement, _ in asked)))
        return self._store.many(asked)

    def ask(
        self, statement: str, parameters: Mapping[str, object] | None = None, *, seconds: float, rows: int
    ) -> CypherResult:
        """See `GraphStore.ask`."""
        self.statements.append(statement)
        return self._store.ask(statement, parameters, seconds=seconds, rows=rows)

    def close(self) -> None:
        """See `GraphStore.close`."""
        self._store.close()
