"""What is made from the ontology file: tables that the engine takes, and a page for people."""

from pathlib import Path
from typing import Any

import ladybug
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_build.conflicts import KINDS
from kg_build.release import TABLES
from ontology.render import (
    ASSERTION_COLUMNS,
    CHUNK_COLUMNS,
    DOCUMENT_COLUMNS,
    EVIDENCE_COLUMNS,
    literal,
    node_tables,
    relation_tables,
    schema_page,
)
from ontology.schema import Domain, load_domain

DOMAIN = load_domain()


@pytest.fixture
def connection(tmp_path: Path) -> Any:
    database = ladybug.Database(str(tmp_path / "graph.lbug"), buffer_pool_size=64 * 2**20)
    connection = ladybug.Connection(database)
    yield connection
    connection.close()
    database.close()


@pytest.fixture
def widened() -> Domain:
    """The file with one relation more: one edit, in one place."""
    data = DOMAIN.model_dump()
    data["predicates"]["is_vaccine_for"] = {
        "biolink": "biolink:prevents", "domain": ["Drug"], "range": ["Disease"], "inverse": "has_vaccine",
        "en": "is a vaccine for", "zh": "预防", "cues": {},
        "ask": {"subject": {"en": "What does {entity} prevent?", "zh": "{entity}预防什么？"}},
        "say": {"subject": {"en": "{entity} prevents {others}.", "zh": "{entity}预防{others}。"}},
    }  # fmt: skip
    return Domain.model_validate(data)


def tables_of(connection: Any) -> dict[str, str]:
    return {row[1]: row[2] for row in connection.execute("CALL show_tables() RETURN *").get_all()}


def load(connection: Any, domain: Domain) -> None:
    for table in [*node_tables(domain), *relation_tables(domain)]:
        connection.execute(table.ddl())


def test_the_engine_takes_the_whole_schema(connection: Any) -> None:
    load(connection, DOMAIN)
    tables = tables_of(connection)
    assert {name for name, kind in tables.items() if kind == "NODE"} == {
        *DOMAIN.types, "Assertion", "Evidence", "Document", "Chunk",
    }  # fmt: skip
    assert {name for name, kind in tables.items() if kind == "REL"} == {
        *DOMAIN.predicates, *(f"not_{name}" for name in DOMAIN.predicates),
        "SUBJECT_OF", "HAS_OBJECT", "CONFLICTS_WITH", "HAS_EVIDENCE", "FROM_DOCUMENT", "HAS_CHUNK", "MENTIONS",
    }  # fmt: skip


def test_adding_a_relation_is_one_edit_in_one_place(connection: Any, widened: Domain) -> None:
    load(connection, widened)
    assert tables_of(connection).keys() >= {"is_vaccine_for", "not_is_vaccine_for"}
    assert "`[:is_vaccine_for]` is a vaccine for / 预防 — (:Drug)→(:Disease)" in schema_page(widened)
    assert "is_vaccine_for" not in schema_page(DOMAIN)


def test_the_page_names_every_type_relation_and_column_in_both_languages() -> None:
    page = schema_page(DOMAIN)
    for name, entity_type in DOMAIN.types.items():
        assert f"`(:{name})` {entity_type.en} / {entity_type.zh}" in page
    for name, predicate in DOMAIN.predicates.items():
        assert f"`[:{name}]` {predicate.en} / {predicate.zh}" in page
    for table in [*node_tables(DOMAIN), *relation_tables(DOMAIN)]:
        assert all(column in page for column in table.columns)


def test_the_page_names_the_conflicts_that_are_found() -> None:
    page = schema_page(DOMAIN)
    assert "`(:Assertion)-[:CONFLICTS_WITH]->(:Assertion)`" in page
    assert all(f"kind `{kind}`" in page for kind in KINDS)


@pytest.mark.parametrize(
    ("table", "columns"),
    [
        ("assertion", ASSERTION_COLUMNS),
        ("evidence", EVIDENCE_COLUMNS),
        ("document", DOCUMENT_COLUMNS),
        ("chunk", CHUNK_COLUMNS),
    ],
)
def test_the_columns_of_the_store_are_columns_of_the_canonical_tables(table: str, columns: dict[str, str]) -> None:
    assert columns.keys() <= set(TABLES[table].names)


@given(st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=20))
def test_a_string_written_as_cypher_is_read_back_unchanged(text: str) -> None:
    assert _engine().execute(f"RETURN {literal(text)} AS text").get_all() == [[text]]


@pytest.mark.parametrize("text", ["o'clock", "\\", "\\'", "'; DROP TABLE Disease; //", "马凡综合征", "${x}", "\n\t"])
def test_quotes_and_backslashes_cannot_leave_a_string(text: str) -> None:
    assert _engine().execute(f"RETURN {literal(text)} AS text").get_all() == [[text]]


def _engine(kept: list[Any] = []) -> Any:  # noqa: B006  (one engine in memory for all examples)
    if not kept:
        kept.append(ladybug.Connection(ladybug.Database(":memory:", buffer_pool_size=64 * 2**20)))
    return kept[0]
