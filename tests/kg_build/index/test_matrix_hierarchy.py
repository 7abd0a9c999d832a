"""A finding is under itself and under all that are more general."""

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from kg_build.index.matrix_hierarchy import close, is_a
from kg_build.release import TABLES
from ontology.model import Assertion
from tests.reasoning.diagnosis.graph import IS_A, tables

EDGES = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)))


@given(EDGES)
def test_the_ancestors_are_what_is_reached_upwards_even_in_circles(edges: list[tuple[int, int]]) -> None:
    special, general = (np.array([edge[end] for edge in edges], dtype=np.int32) for end in (0, 1))
    hierarchy = close(special, general, 7)
    for finding in range(7):
        reached = {finding}
        while further := {up for low, up in edges if low in reached} - reached:
            reached |= further
        assert hierarchy.ancestors(finding).tolist() == sorted(reached)


def test_only_positive_statements_between_findings_count() -> None:
    entity, assertion, _ = tables()
    added = [
        Assertion("OMIM:1", "subclass_of", "OMIM:2"),
        Assertion("HP:0000988", "subclass_of", "HP:0001250", negated=True),
    ]
    rows = [
        {"id": a.id, "subject": a.subject, "predicate": a.predicate, "object": a.object, "negated": a.negated,
         "qualifiers": ""}
        for a in added
    ]  # fmt: skip
    more = pa.concat_tables([assertion, pa.Table.from_pylist(rows, schema=TABLES["assertion"])])
    special, general = is_a(entity, more)
    assert sorted(zip(special.to_pylist(), general.to_pylist(), strict=True)) == sorted(IS_A)
