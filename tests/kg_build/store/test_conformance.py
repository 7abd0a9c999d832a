"""The conformance suite, run against the embedded store; and the suite itself: it sees a store that is wrong."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from kg_build import publish
from kg_build.release import open_release, release_ids
from kg_build.store import conformance
from kg_build.store.conformance import CHECKS, ConformanceError
from kg_build.store.ladybug import LadybugStore, load_store
from kg_build.store.protocol import Change, GraphStore, StoreFactory
from kg_build.store.update import update_store
from ontology.errors import ClewError, Code
from ontology.schema import Domain


class Published:
    """Makes each store in a release of its own and publishes it; the release before is removed at once."""

    def __init__(self, home: Path, opened: Callable[[Path], GraphStore] = LadybugStore) -> None:
        self.home, self.opened, self.numbers = home, opened, count()

    def __call__(self, tables: Mapping[str, pa.Table], domain: Domain) -> GraphStore:
        folder = publish.building_folder(self.home, "inputs")
        load_store(tables, domain, folder / "derived" / "graph.lbug")
        return self._published(folder)

    def update(self, change: Change, tables: Mapping[str, pa.Table], domain: Domain) -> GraphStore:
        folder = publish.building_folder(self.home, "inputs")
        copy = folder / "derived" / "graph.lbug"
        shutil.copyfile(open_release(self.home).derived("graph.lbug"), copy)
        update_store(copy, change, tables, domain)
        return self._published(folder)

    def _published(self, folder: Path) -> GraphStore:
        publish.write_manifest(folder, {})
        publish.publish(self.home, folder, f"r{next(self.numbers)}", keep=0)
        return self.opened(open_release(self.home).derived("graph.lbug"))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_embedded_store_keeps_the_protocol(check: Callable[[StoreFactory], None], tmp_path: Path) -> None:
    check(Published(tmp_path / "家"))
    assert len(release_ids(tmp_path / "家")) == 1


def test_every_check_of_the_suite_is_listed() -> None:
    defined = {name for name in vars(conformance) if name.startswith("check_")}
    assert {check.__name__ for check in CHECKS} == defined


class Forgetful(LadybugStore):
    """Loses the last row of every answer."""

    def rows(self, statement: str, parameters: Mapping[str, object] | None = None) -> list[dict[str, Any]]:
        return super().rows(statement, parameters)[:-1]

    def many(self, asked: Sequence[tuple[str, str]]) -> list[list[dict[str, Any]]]:
        return [rows[:-1] for rows in super().many(asked)]


class Failing(LadybugStore):
    """Understands nothing."""

    def rows(self, statement: str, parameters: Mapping[str, object] | None = None) -> list[dict[str, Any]]:
        raise ClewError(Code.FAILED_CYPHER, "not today")

    def many(self, asked: Sequence[tuple[str, str]]) -> list[list[dict[str, Any]]]:
        raise ClewError(Code.FAILED_CYPHER, "not today")


class Unordered(LadybugStore):
    """Answers for each id, in an order of its own."""

    def many(self, asked: Sequence[tuple[str, str]]) -> list[list[dict[str, Any]]]:
        return super().many(sorted(set(asked)))


class Reckless(LadybugStore):
    """Answers free Cypher without the guard and without limits."""

    def ask(self, statement: str, parameters: Mapping[str, object] | None = None, *, seconds: float, rows: int) -> Any:
        return super().ask("UNWIND [1, 2, 3] AS a RETURN a", {}, seconds=10, rows=100)


class Stale(Published):
    """Forgets what changed."""

    def update(self, change: Change, tables: Mapping[str, pa.Table], domain: Domain) -> GraphStore:
        return self.opened(open_release(self.home).derived("graph.lbug"))


def test_a_store_that_answers_for_each_id_in_another_order_is_found(tmp_path: Path) -> None:
    with pytest.raises(ConformanceError) as caught:
        conformance.check_each(Published(tmp_path, Unordered))
    assert {mismatch.what for mismatch in caught.value.mismatches} >= {"rows by id"}


@pytest.mark.parametrize("check", [conformance.check_upsert, conformance.check_retract, conformance.check_switch])
def test_a_store_that_is_not_updated_is_found(check: Callable[[StoreFactory], None], tmp_path: Path) -> None:
    with pytest.raises(ConformanceError):
        check(Stale(tmp_path))


@pytest.mark.parametrize("check", [c for c in CHECKS if c.__name__ != "check_schema"], ids=lambda c: c.__name__)
def test_a_store_that_loses_rows_is_found_by_every_check(check: Callable[[StoreFactory], None], tmp_path: Path) -> None:
    with pytest.raises(ConformanceError) as caught:
        check(Published(tmp_path, Forgetful))
    assert caught.value.mismatches


def test_a_store_that_knows_no_label_is_told_all_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ConformanceError) as caught:
        conformance.check_schema(Published(tmp_path, Failing))
    assert len(caught.value.mismatches) > 50
    assert "not today" in str(caught.value)


def test_a_store_without_guard_and_limits_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConformanceError) as caught:
        conformance.check_limits(Published(tmp_path, Reckless))
    named = {mismatch.what for mismatch in caught.value.mismatches}
    assert {"time", "2 rows of 3", "CREATE (:Disease {id: 'X:1'})"} <= named
