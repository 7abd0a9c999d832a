"""The neighbourhood of a hub: what is sorted first for speed changes nothing of what is found."""

from pathlib import Path

import numpy as np
import pytest

from api.compose import Clew
from kg_build.index.adjacency import Adjacency
from retrieval.channels import pagerank


@pytest.fixture(scope="module")
def adjacency(miniature_home: Path) -> Adjacency:
    return Clew.open(miniature_home).adjacency


@pytest.mark.parametrize("most", [2, 5, 1000])
def test_looking_at_the_heaviest_edges_first_finds_the_same_entities(
    adjacency: Adjacency, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    hubs = np.argsort(-adjacency.degrees, kind="stable")[:20].astype(np.int64)
    monkeypatch.setattr(pagerank, "MOST_ENTITIES", most)
    found = {}
    for first in (1, 3, 10**9):
        monkeypatch.setattr(pagerank, "_SORTED", first)
        found[first] = [pagerank.neighbourhood(adjacency, hub[None]).tolist() for hub in hubs]
    assert found[1] == found[3] == found[10**9]
    assert all(len(set(rows)) == len(rows) <= most for rows in found[1])
