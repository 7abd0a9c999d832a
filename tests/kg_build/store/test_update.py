"""An updated store holds what a store loaded from the changed tables holds."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from kg_build.release import TABLES
from kg_build.store.conformance import change_between
from kg_build.store.ladybug import LadybugStore, load_store
from kg_build.store.protocol import Change
from kg_build.store.update import update_store
from ontology.document import Chunk, Document, Mention
from ontology.errors import ClewError, Code
from ontology.model import Assertion, Entity, Evidence, Name
from ontology.schema import load_domain
from tests.kg_build.graphs import collect, entity, stated
from tests.kg_build.store.states import Content, content

Tables = Mapping[str, pa.Table]

DOMAIN = load_domain()
IDS = ("OMIM:1", "HP:o'neil/病", "cmekg:感冒", "ORPHA:4")
DOCUMENTS = ("clew.doc:指南", "clew.doc:two")
CHUNKS = tuple(f"{document}#{n}" for document in DOCUMENTS for n in (0, 1))
PREDICATES = ("has_phenotype", "has_phenotype", "treats", "contraindicated_in", "same_as")

ids = st.sampled_from(IDS)
sources = st.sampled_from(("hpo", "cmekg"))
KNOWN = (entity("OMIM:1"), entity("ORPHA:4", "PhenotypicFeature"))
"""Entities that are there where none of the same id was drawn: so that there is something to say."""

entities = st.builds(
    Entity,
    ids,
    st.sampled_from(("Disease", "Disease", "PhenotypicFeature", "Drug")),
    st.sampled_from(("Fever", "发热")),
    st.just("en"),
    sources,
    deprecated=st.booleans(),
)
names = st.builds(Name, ids, st.just("zh"), st.sampled_from(("热", "fever 'x'")), st.just("exact"), sources, ids)
assertions = st.builds(
    Assertion,
    st.sampled_from(IDS[:2]),
    st.sampled_from(PREDICATES),
    st.sampled_from(IDS[1:]),
    st.booleans(),
    st.sampled_from(({}, {}, {}, {"population": "新生儿"})),
)
rivals = st.sampled_from([
    stated("OMIM:1", "has_phenotype", "ORPHA:4", "PMID:1", frequency="1/50"),
    stated("OMIM:1", "has_phenotype", "ORPHA:4", "PMID:2", frequency="49/50"),
    stated("OMIM:1", "has_phenotype", "ORPHA:4", "PMID:3", negated=True),
])  # fmt: skip
evidence = rivals | st.builds(
    Evidence,
    assertions,
    sources,
    st.sampled_from((("PMID:1",), ("PMID:2",), ("PMID:2", "PMID:1"))),
    st.sampled_from(("row 1", "row 2")),
    st.just("knowledge_assertion"),
    st.just("manual_agent"),
    code=st.sampled_from(("", "PCS", "TAS")),
    frequency=st.sampled_from(("", "1/50", "49/50", "2/3", "many")),
    document=st.sampled_from(("", *DOCUMENTS)),
)
documents = st.builds(
    Document, st.sampled_from(DOCUMENTS), st.sampled_from(("one", "二")), st.just("zh"), sources, st.just("guideline"),
    st.just("DOI:1"), st.sampled_from((0, 2024)),
)  # fmt: skip
chunks = st.builds(
    lambda identifier, text, section: Chunk(
        identifier, identifier.partition("#")[0], int(identifier[-1]), section, text, "zh", 0, len(text)
    ),
    st.sampled_from(CHUNKS),
    st.sampled_from(("感冒发热", "感冒 o'clock")),
    st.sampled_from(("", "甲 › 乙")),
)
mentions = st.builds(
    Mention, st.sampled_from(CHUNKS), ids, st.sampled_from((0, 2)), st.just(4), st.just("发热"),
    st.sampled_from(("exact", "normalised")), st.sampled_from((0.5, 0.9)),
)  # fmt: skip


Groups = tuple[list[Any], ...]
GROUPS = (
    st.lists(entities, max_size=6).map(lambda found: [*found, *KNOWN]),
    st.lists(names, max_size=3),
    st.lists(evidence, min_size=1, max_size=12),
    st.lists(documents, max_size=3),
    st.lists(chunks, max_size=4),
    st.lists(mentions, max_size=6),
)


def tables_of(groups: Groups) -> Tables:
    """The canonical tables of what hangs together in these records."""
    records: list[Any] = [record for group in groups for record in group]
    there = {record.id for record in records if isinstance(record, Entity | Chunk | Document)}
    return collect(
        record
        for record in records
        if not isinstance(record, Mention) or {record.entity, record.chunk, record.chunk.partition("#")[0]} <= there
    )


def history_of(first: Groups, steps: list[tuple[list[Any] | None, ...]]) -> list[Tables]:
    """Releases one after the other; where a step says nothing of a kind of records, they stay."""
    states = [first]
    for step in steps:
        states.append(tuple(old if new is None else new for old, new in zip(states[-1], step, strict=True)))
    return [tables_of(groups) for groups in states]


histories = st.builds(
    history_of,
    st.tuples(*GROUPS),
    st.lists(st.tuples(*(st.none() | group | group for group in GROUPS)), min_size=1, max_size=2),
)


def loaded(tables: Tables, path: Path) -> Content:
    load_store(tables, DOMAIN, path)
    return read(path)


def read(path: Path) -> Content:
    store = LadybugStore(path)
    try:
        return content(store)
    finally:
        store.close()


@settings(max_examples=20, deadline=None)
@given(histories)
def test_an_updated_store_holds_what_a_loaded_one_holds(history: list[Tables]) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        load_store(history[0], DOMAIN, folder / "updated")
        for before, after in pairwise(history):
            change = change_between(before, after)
            event(f"changes {sorted(change.added)}")
            update_store(folder / "updated", change, after, DOMAIN)
            assert read(folder / "updated") == loaded(after, folder / "loaded")
            assert sorted(path.name for path in folder.iterdir()) == ["loaded", "updated"]


class Unread(dict[str, pa.Table]):
    """Tables of which some must not be read."""

    def __init__(self, tables: Tables, *unread: str) -> None:
        super().__init__({name: table for name, table in tables.items() if name not in unread})


MARFAN, FEVER = entity("OMIM:1", label="Marfan syndrome"), entity("HP:1", "PhenotypicFeature", "Fever")
TEXT = [
    Document("clew.doc:指南", "指南", "zh", "hpo", "guideline", "DOI:1"),
    Chunk("clew.doc:指南#0", "clew.doc:指南", 0, "", "马凡综合征", "zh", 0, 5),
    Mention("clew.doc:指南#0", "OMIM:1", 0, 5, "马凡综合征", "exact", 0.9),
]
QUOTED = stated("OMIM:1", "has_phenotype", "HP:1", "PMID:1", document="clew.doc:指南", quote="马凡综合征")
GRAPH = [MARFAN, FEVER, QUOTED, Name("OMIM:1", "zh", "马凡综合征", "exact", "hpo", "r")]


def updated(before: Sequence[Any], after: Sequence[Any], folder: Path, *unread: str) -> Content:
    """What a store of the first records holds, updated to the second; checked against a loaded one."""
    then, now = collect(before), collect(after)
    load_store(then, DOMAIN, folder / "updated")
    update_store(folder / "updated", change_between(then, now), Unread(now, *unread), DOMAIN)
    found = read(folder / "updated")
    assert found == loaded(now, folder / "loaded")
    return found


def test_a_document_that_comes_is_joined_to_what_quotes_it_and_large_tables_are_not_read(tmp_path: Path) -> None:
    _, relations = updated(GRAPH, [*GRAPH, *TEXT], tmp_path, "assertion", "evidence", "name")
    assert sum("'type': 'FROM_DOCUMENT'" in relation for relation in relations) == 1
    assert sum("'type': 'MENTIONS'" in relation for relation in relations) == 1


def test_a_document_that_goes_leaves_what_quoted_it(tmp_path: Path) -> None:
    nodes, relations = updated([*GRAPH, *TEXT], GRAPH, tmp_path, "assertion", "evidence", "name")
    assert sum("'document': 'clew.doc:指南'" in node for node in nodes) == 1
    assert not any("'type': 'FROM_DOCUMENT'" in relation for relation in relations)


def test_an_entity_of_another_type_takes_its_statements_and_mentions_along(tmp_path: Path) -> None:
    before, after = entity("HP:2", "PhenotypicFeature"), entity("HP:2", "Disease")
    said = [stated("OMIM:1", "has_phenotype", "HP:2"), Mention("clew.doc:指南#0", "HP:2", 2, 4, "综合", "exact", 0.5)]
    _, relations = updated([*GRAPH, *TEXT, before, *said], [*GRAPH, *TEXT, after, *said], tmp_path)
    of_it = [relation for relation in relations if "HP:2" in relation]
    assert len(of_it) == 3
    assert all("'target': 'Disease'" in relation for relation in of_it)


def test_a_conflict_that_is_settled_goes_and_one_that_stays_is_there_once(tmp_path: Path) -> None:
    rare, common = (stated("OMIM:1", "has_phenotype", "HP:1", f"PMID:{n}", frequency=f"{n}/50") for n in (2, 49))
    denied, made = (stated("OMIM:1", "has_phenotype", "HP:2", "PMID:1", negated=no) for no in (True, False))
    findings = [MARFAN, FEVER, entity("HP:2", "PhenotypicFeature")]
    before, after = [*findings, rare, common, denied, made], [*findings, rare, denied, made]
    _, relations = updated(before, after, tmp_path)
    (left,) = [relation for relation in relations if "CONFLICTS_WITH" in relation]
    assert "'kind': 'polarity'" in left


def test_a_change_of_nothing_changes_nothing(tmp_path: Path) -> None:
    updated(GRAPH, GRAPH, tmp_path, *TABLES)


def test_a_row_may_stand_on_both_sides_of_a_change(tmp_path: Path) -> None:
    tables = collect([*GRAPH, *TEXT])
    before = loaded(tables, tmp_path / "graph")
    update_store(tmp_path / "graph", Change(tables, tables), tables, DOMAIN)
    assert read(tmp_path / "graph") == before


def test_what_a_killed_update_left_does_not_reach_a_fresh_copy(tmp_path: Path) -> None:
    tables, after = collect(GRAPH), collect([*GRAPH, *TEXT])
    load_store(tables, DOMAIN, tmp_path / "graph")
    for name in ("graph.wal", "graph.shadow", "graph.wal.checkpoint"):
        (tmp_path / name).write_bytes(b"left over")
    (tmp_path / "graph.rows").mkdir()
    update_store(tmp_path / "graph", change_between(tables, after), after, DOMAIN)
    assert read(tmp_path / "graph") == loaded(after, tmp_path / "loaded")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["graph", "loaded"]


def test_a_change_of_another_store_is_refused_and_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    tables, after = collect(GRAPH), collect([*GRAPH, *TEXT])
    before = loaded(tables, tmp_path / "graph")
    twice = Change({}, {"entity": tables["entity"]})
    with pytest.raises(ClewError) as caught:
        update_store(tmp_path / "graph", twice, after, DOMAIN)
    assert caught.value.code is Code.CORRUPT_RELEASE
    assert read(tmp_path / "graph") == before


def test_tables_that_do_not_hang_together_are_refused(tmp_path: Path) -> None:
    tables, after = collect([MARFAN, FEVER]), collect(GRAPH)
    load_store(tables, DOMAIN, tmp_path / "graph")
    without = {**after, "evidence": after["evidence"].slice(0, 0)}
    with pytest.raises(ClewError) as caught:
        update_store(tmp_path / "graph", change_between(tables, without), without, DOMAIN)
    assert caught.value.code is Code.CORRUPT_RELEASE
    assert "has no evidence" in caught.value.cause


def test_a_store_that_is_not_there_is_no_release(tmp_path: Path) -> None:
    with pytest.raises(ClewError) as caught:
        update_store(tmp_path / "graph", Change({}, {}), {}, DOMAIN)
    assert caught.value.code is Code.NO_RELEASE
    assert list(tmp_path.iterdir()) == []
