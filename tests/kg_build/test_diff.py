"""What differs between two releases, against plain set arithmetic over their rows."""

import tempfile
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kg_build.diff import diff_releases
from kg_build.publish import building_folder, publish, write_manifest, write_tables
from kg_build.release import TABLES, Release, open_release
from kg_build.sources.contract import Record
from ontology.document import Chunk, Document, Mention
from ontology.model import Name
from tests.kg_build.graphs import collect, entity, stated

BASE: list[Record | Mention] = [
    entity("OMIM:154700", label="Marfan syndrome"),
    entity("cmekg:1", label="感冒", source="cmekg"),
    entity("HP:1", "PhenotypicFeature", "Fever"),
    entity("HP:2", "PhenotypicFeature", "Cough"),
    Name("cmekg:1", "zh", "伤风", "exact", "cmekg", "x"),
    Document("clew.doc:指南", "指南", "zh", "cmekg", "guideline", "", 2024, ""),
    Chunk("clew.doc:指南#0", "clew.doc:指南", 0, "甲", "感冒可有发热。", "zh", 0, 7),
    Mention("clew.doc:指南#0", "cmekg:1", 0, 2, "感冒", "exact", 0.9),
]
FACTS = [
    stated("OMIM:154700", "has_phenotype", "HP:1", "PMID:1"),
    stated("OMIM:154700", "has_phenotype", "HP:1", "PMID:2"),
    stated("cmekg:1", "has_phenotype", "HP:1", source="cmekg", quote="感冒可有发热"),
    stated("cmekg:1", "has_phenotype", "HP:2", source="cmekg"),
    stated("cmekg:1", "has_phenotype", "HP:2", negated=True),
]


def release(home: Path, identifier: str, records: Iterable[Record | Mention]) -> Release:
    folder = building_folder(home, "inputs")
    written = write_tables(folder, collect(records))
    write_manifest(folder, {"id": identifier, "tables": written})
    return publish(home, folder, identifier)


def keys(found: pa.Array) -> list[str]:
    return sorted(found.to_pylist())


def test_a_release_does_not_differ_from_itself_nor_from_its_equal(tmp_path: Path) -> None:
    one = release(tmp_path, "one", [*BASE, *FACTS])
    other = release(tmp_path, "other", [*FACTS, *BASE])
    for found in (diff_releases(one, one), diff_releases(one, other)):
        assert found.same
        assert found.as_dict()["assertions"]["evidence_changed"] == 0


def test_without_hashes_in_the_manifest_the_tables_themselves_are_compared(tmp_path: Path) -> None:
    for name in ("one", "other"):
        release(tmp_path, name, [*BASE, *FACTS])
        write_manifest(tmp_path / "releases" / name, {"id": name})
    assert diff_releases(open_release(tmp_path, "one"), open_release(tmp_path, "other")).same


def test_statements_appear_vanish_or_stand_on_other_evidence(tmp_path: Path) -> None:
    old = release(tmp_path, "old", [*BASE, *FACTS[:1], FACTS[3]])
    new = release(tmp_path, "new", [*BASE, FACTS[1], FACTS[2], FACTS[3]])
    found = diff_releases(old, new).as_dict()["assertions"]
    assert (found["appeared"], found["vanished"], found["evidence_changed"]) == (1, 0, 1)
    (appeared,) = found["appeared_statements"]
    assert (appeared["subject"], appeared["predicate"], appeared["object"]) == ("cmekg:1", "has_phenotype", "HP:1")
    assert found["evidence_changes"] == [
        {"id": FACTS[0].assertion.id, "added": [FACTS[1].id], "removed": [FACTS[0].id]}
    ]
    assert (appeared["subject_label"], appeared["object_label"]) == ("感冒", "Fever")
    back = diff_releases(new, old).as_dict()["assertions"]
    assert back["vanished_statements"] == found["appeared_statements"]
    assert back["evidence_changes"] == [{"id": FACTS[0].assertion.id, "added": [FACTS[0].id], "removed": [FACTS[1].id]}]


def test_a_denied_statement_is_another_statement(tmp_path: Path) -> None:
    found = diff_releases(release(tmp_path, "a", [*BASE, FACTS[3]]), release(tmp_path, "b", [*BASE, FACTS[4]]))
    assert found.assertions.appeared["negated"].to_pylist() == [True]
    assert found.assertions.vanished["negated"].to_pylist() == [False]


def test_an_entity_that_says_something_else_is_changed_in_the_columns_named(tmp_path: Path) -> None:
    renamed = [entity("OMIM:154700", label="Marfan's syndrome"), entity("OMIM:1", label="新"), *BASE[1:]]
    change = diff_releases(release(tmp_path, "old", BASE), release(tmp_path, "new", renamed)).tables["entity"]
    assert keys(change.added) == ["OMIM:1"]
    assert keys(change.removed) == []
    assert keys(change.changed) == ["OMIM:154700"]
    assert change.columns == {"label": 1}


def test_rows_without_ids_are_told_in_full(tmp_path: Path) -> None:
    other = [r for r in BASE if not isinstance(r, Name)] + [Name("cmekg:1", "zh", "着凉", "exact", "cmekg", "x")]
    found = diff_releases(release(tmp_path, "old", BASE), release(tmp_path, "new", other)).as_dict()["tables"]["name"]
    assert found["added_keys"] == ["cmekg:1 | zh | 着凉 | exact | cmekg | x"]
    assert found["removed_keys"] == ["cmekg:1 | zh | 伤风 | exact | cmekg | x"]


def test_a_changed_passage_and_year_are_seen_and_so_is_a_year_that_is_gone(tmp_path: Path) -> None:
    other = [
        Document("clew.doc:指南", "指南", "zh", "cmekg", "guideline", "", None, ""),
        Chunk("clew.doc:指南#0", "clew.doc:指南", 0, "甲", "感冒无发热。", "zh", 0, 6),
    ]
    kept = [record for record in BASE if not isinstance(record, Document | Chunk)]
    found = diff_releases(release(tmp_path, "old", BASE), release(tmp_path, "new", [*kept, *other])).tables
    assert found["document"].columns == {"year": 1}
    assert found["chunk"].columns == {"text": 1, "end": 1}


def test_the_limit_bounds_what_is_listed_not_what_is_counted(tmp_path: Path) -> None:
    many = [entity(f"OMIM:{n}") for n in range(50)]
    facts = [stated(f"OMIM:{n}", "has_phenotype", "HP:1") for n in range(50)]
    found = diff_releases(release(tmp_path, "old", BASE), release(tmp_path, "new", [*BASE, *many, *facts]))
    values = found.as_dict(limit=3)
    assert values["tables"]["entity"]["added"] == values["assertions"]["appeared"] == 50
    assert len(values["tables"]["entity"]["added_keys"]) == len(values["assertions"]["appeared_statements"]) == 3
    assert found.as_dict(limit=0)["tables"]["entity"]["added_keys"] == []


def test_an_empty_release_differs_by_everything(tmp_path: Path) -> None:
    empty, full = release(tmp_path, "empty", []), release(tmp_path, "full", [*BASE, *FACTS])
    found = diff_releases(empty, full)
    assert {name: len(change.added) for name, change in found.tables.items()} == {
        name: full.table(name).num_rows for name in TABLES
    }
    assert found.assertions.appeared.num_rows == 4
    assert len(found.assertions.regrounded) == 0


some_facts = st.sets(st.integers(0, len(FACTS) - 1)).map(lambda chosen: [FACTS[n] for n in sorted(chosen)])


@given(before=some_facts, after=some_facts)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_difference_is_that_of_the_sets_of_rows(before: list[Record], after: list[Record]) -> None:
    with tempfile.TemporaryDirectory() as home:
        old = release(Path(home), "old", [*BASE, *before])
        new = release(Path(home), "new", [*BASE, *after])
        found = diff_releases(old, new)
        for name in ("assertion", "evidence"):
            ids = [set(r.table(name, ["id"])["id"].to_pylist()) for r in (old, new)]
            assert keys(found.tables[name].added) == sorted(ids[1] - ids[0])
            assert keys(found.tables[name].removed) == sorted(ids[0] - ids[1])
        sets = [support(r) for r in (old, new)]
        standing = sets[0].keys() & sets[1].keys()
        assert keys(found.assertions.regrounded) == sorted(a for a in standing if sets[0][a] != sets[1][a])


def support(opened: Release) -> dict[str, set[str]]:
    """The evidence of each assertion."""
    found: dict[str, set[str]] = {}
    for row in opened.table("evidence", ["assertion", "id"]).to_pylist():
        found.setdefault(row["assertion"], set()).add(row["id"])
    return found
