"""Rows made column by column say what plain loops over the records say."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_build.frequency import parse_frequency
from kg_build.store.rows import CONFLICTS_WITH, conflict_rows, node_rows, relation_rows
from ontology.errors import ClewError, Code
from ontology.model import Assertion, Evidence, Name
from ontology.render import node_tables, relation_tables
from ontology.schema import load_domain, relation_name
from tests.kg_build.graphs import collect, entity, stated

DOMAIN = load_domain()
TYPES = {"OMIM:1": "Disease", "cmekg:感冒": "Disease", "HP:1": "PhenotypicFeature", "HP:2": "PhenotypicFeature"}
ENTITIES = [entity(curie, type_name) for curie, type_name in TYPES.items()]

assertions = st.builds(
    Assertion, st.sampled_from(("OMIM:1", "cmekg:感冒")), st.just("has_phenotype"), st.sampled_from(tuple(TYPES)),
    st.booleans(), st.sampled_from(({}, {"population": "新生儿"})),
)  # fmt: skip
evidence = st.builds(
    Evidence,
    assertions,
    st.sampled_from(("hpo", "cmekg", "icd10")),
    st.lists(st.sampled_from(("PMID:1", "PMID:10", "PMID:2", "DOI:ü", "作者")), max_size=4).map(tuple),
    st.just("row 1"),
    st.just("knowledge_assertion"),
    st.just("manual_agent"),
    st.sampled_from(("", "PCS", "TAS", "编码")),
    frequency=st.sampled_from(("", "1/3", "2/7", "45%", "HP:0040283", "often", "3/2")),
)


def summary(rows: Sequence[Evidence]) -> dict[str, Any]:
    """What an edge says of its evidence."""
    said = [f for row in rows if (f := parse_frequency(row.frequency))]
    share = sum(f.share * f.weight for f in said) / sum(f.weight for f in said) if said else None
    return {
        "sources": sorted({row.source for row in rows}),
        "trust": max(DOMAIN.trust(row.source) for row in rows),
        "references": sorted({reference for row in rows for reference in row.references}),
        "codes": sorted({row.code for row in rows if row.code}),
        "frequency": share if share is None else pytest.approx(share, abs=1e-4),
    }


@given(st.lists(evidence, max_size=20))
def test_an_edge_sums_up_the_evidence_of_its_statement(given_rows: list[Evidence]) -> None:
    unique = {row.id: row for row in given_rows}.values()
    expected = {
        row.assertion.id: (
            relation_name(row.assertion.predicate, negated=row.assertion.negated),
            TYPES[row.assertion.subject],
            TYPES[row.assertion.object],
            row.assertion.subject,
            row.assertion.object,
            summary([other for other in unique if other.assertion.id == row.assertion.id]),
        )
        for row in unique
    }
    found = {}
    for kind, table in relation_rows(collect([*ENTITIES, *given_rows]), DOMAIN):
        for row in table.to_pylist() if "assertion_id" in table.column_names else ():
            one, other, identifier = (row.pop(name) for name in ("from", "to", "assertion_id"))
            found[identifier] = (kind.type, kind.start, kind.end, one, other, row)
    assert found == expected


@given(
    st.lists(
        st.tuples(st.sampled_from(tuple(TYPES)), st.sampled_from(("b", "a", "é", "感冒", "𠮷", "Ａ"))), max_size=12
    )
)
def test_an_entity_lists_its_names_once_in_one_order(pairs: list[tuple[str, str]]) -> None:
    names = [Name(owner, "en", text, kind, "hpo", "r") for owner, text in pairs for kind in ("exact", "lay")]
    found = {
        row["id"]: row["names"]
        for label, table in node_rows(collect([*ENTITIES, *names]), DOMAIN)
        for row in table.to_pylist()
        if label in DOMAIN.types
    }
    assert found == {curie: sorted({text for owner, text in pairs if owner == curie}) for curie in TYPES}


def test_columns_are_those_of_the_schema() -> None:
    tables = collect([*ENTITIES, stated("OMIM:1", "has_phenotype", "HP:1")])
    columns = {table.label: list(table.columns) for table in node_tables(DOMAIN)}
    assert {label: table.column_names for label, table in node_rows(tables, DOMAIN)} == columns
    properties = {table.type: list(table.columns) for table in relation_tables(DOMAIN)}
    ends = {table.type: table.ends for table in relation_tables(DOMAIN)}
    for kind, table in [*relation_rows(tables, DOMAIN), (CONFLICTS_WITH, conflict_rows(tables, DOMAIN))]:
        assert table.column_names == ["from", "to", *properties[kind.type]]
        assert (kind.start, kind.end) in ends[kind.type]


@pytest.mark.parametrize(
    ("name", "kept", "cause"),
    [("evidence", 1, "has no evidence"), ("entity", 0, "entity OMIM:1 is named"), ("assertion", 1, "assertion a.")],
)
def test_tables_that_do_not_hang_together_are_refused(name: str, kept: int, cause: str) -> None:
    said = [stated("OMIM:1", "has_phenotype", finding) for finding in ("HP:1", "HP:2")]
    tables = collect([*ENTITIES, *said])
    tables[name] = tables[name].slice(0, kept)
    with pytest.raises(ClewError, match=cause) as caught:
        list(relation_rows(tables, DOMAIN))
    assert caught.value.code is Code.CORRUPT_RELEASE
