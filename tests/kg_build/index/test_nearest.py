"""Nearest entities by their names' vectors: what one finds by looking at every pair."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_build.index import nearest as module
from kg_build.index.nearest import Named, nearest_entities, nearest_names


def named(prefix: str, *names: Sequence[Sequence[float]]) -> Named:
    """Entities given by the vectors of their names."""
    vectors = np.array([vector for entity in names for vector in entity], np.float32)
    return Named(
        ids=[f"{prefix}:{i}" for i in range(len(names))],
        texts=[f"{prefix}{i}.{j}" for i, entity in enumerate(names) for j in range(len(entity))],
        starts=np.cumsum([0, *map(len, names)]),
        vectors=vectors,
    )


def near(ones: Named, others: Named, one: int, other: int) -> float:
    return float((ones.vectors[ones.names(one)] @ others.vectors[others.names(other)].T).max())


sides = st.lists(
    st.lists(st.tuples(*[st.integers(-9, 9)] * 3), min_size=1, max_size=3), min_size=1, max_size=6
)  # whole numbers: their products are exact


@settings(max_examples=60, deadline=None)
@given(sides, sides, st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=4), st.integers(1, 4))
def test_it_is_what_looking_at_every_pair_finds(
    left: list[list[tuple[int, ...]]], right: list[list[tuple[int, ...]]], barred: set[tuple[int, int]], block: int
) -> None:
    ones, others = (
        named(name, *[[np.array(v) / 16 for v in entity] for entity in side])  # type: ignore[misc]
        for name, side in (("a", left), ("b", right))
    )
    barred = {(i, j) for i, j in barred if i < len(left) and j < len(right)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", block)
        found = nearest_entities(ones, others, barred)
    table = np.array(
        [[-2.0 if (i, j) in barred else near(ones, others, i, j) for j in range(len(right))] for i in range(len(left))]
    )
    assert found.best.tolist() == table.argmax(axis=1).tolist()
    assert found.cosine == pytest.approx(table.max(axis=1))
    assert found.back.tolist() == [int(c) if table[c, j] > -2 else 0 for j, c in enumerate(table.argmax(axis=0))]
    if len(right) > 1:
        assert found.second_cosine == pytest.approx(np.sort(table, axis=1)[:, -2])


def test_the_runner_up_is_another_entity_not_another_name_of_the_same() -> None:
    ones = named("a", [(1.0, 0.0)])
    others = named("b", [(1.0, 0.0), (0.99, 0.0)], [(0.5, 0.0)])
    found = nearest_entities(ones, others)
    assert (found.best[0], found.second[0], found.second_cosine[0]) == (0, 1, 0.5)
    assert found.mutual.tolist() == [True]
    assert nearest_names(ones, 0, others, 0) == ("a0.0", "b0.0")


def test_the_only_entity_has_no_runner_up() -> None:
    found = nearest_entities(named("a", [(1.0,)], [(0.5,)]), named("b", [(1.0,)]))
    assert found.second.tolist() == found.best.tolist() == [0, 0]
    assert found.mutual.tolist() == [True, False]
