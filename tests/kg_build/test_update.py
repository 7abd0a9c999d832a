"""A release whose documents changed is updated, and is then what a build from nothing gives."""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from api.compose import Clew
from kg_build.index.vector import VectorIndex
from kg_build.pipeline import BuildReport
from kg_build.release import TABLES, Release, values
from kg_build.sources.documents import SOURCE as DOCUMENTS
from ontology.model import Name
from tests.kg_build.graphs import entity, stated
from tests.kg_build.tiny import Tiny, build_tiny

MARFAN, FEVER = entity("OMIM:154700", label="Marfan syndrome"), entity("HP:0001945", "PhenotypicFeature", "Fever")
NAMES = (
    Name("OMIM:154700", "en", "Marfan syndrome", "label", "hpo", "r"),
    Name("OMIM:154700", "zh", "马凡综合征", "exact", "hpo", "r"),
    Name("HP:0001945", "en", "Fever", "label", "hpo", "r"),
    Name("HP:0001945", "zh", "发热", "exact", "hpo", "r"),
)
KNOWN = Tiny("hpo", (MARFAN, FEVER, *NAMES, stated("OMIM:154700", "has_phenotype", "HP:0001945", "PMID:1")))
TEXTS = (
    "# Clinic\n\nAsk about Marfan syndrome.\n",
    "# Clinic\n\n## Fever\n\nFever for three days.\n\n## Later\n\nNo more fever.\n",
    "马凡综合征患者出现发热。",
    "Nothing that is known.",
    "",
)
FILES = ("a.md", "b.txt", "内科/c.md", "d.md")

OF_TEXTS = (
    "MATCH (d:Document) RETURN d.id AS id, d.title AS title, d.lang AS lang ORDER BY id",
    """MATCH (d:Document)-[:HAS_CHUNK]->(c:Chunk)
    RETURN d.id AS document, c.id AS chunk, c.section AS section, c.text AS text ORDER BY chunk""",
    """MATCH (c:Chunk)-[m:MENTIONS]->(n)
    RETURN c.id AS chunk, n.id AS entity, label(n) AS type, m.start AS start, m.stop AS stop, m.method AS method
    ORDER BY chunk, start, entity""",
)

folders = st.dictionaries(st.sampled_from(FILES), st.sampled_from(TEXTS), max_size=4)


def write(folder: Path, texts: Mapping[str, str]) -> None:
    """Make the folder hold these files and no others."""
    for old in (path for path in folder.rglob("*") if path.is_file()):
        old.unlink()
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def build(home: Path, texts: Mapping[str, str]) -> BuildReport:
    folder = home / "data" / "documents"
    folder.mkdir(parents=True, exist_ok=True)
    write(folder, texts)
    return build_tiny(home / "home", KNOWN, DOCUMENTS, data=[home / "data"])


def content(release: Release) -> dict[str, bytes]:
    files = {name: (release.path / "tables" / f"{name}.parquet").read_bytes() for name in TABLES}
    files |= {path.name: path.read_bytes() for path in release.derived("mentions").iterdir()}
    return files | {"manifest": (release.path / "manifest.json").read_bytes()}


def graph_of_texts(clew: Clew) -> list[list[dict[str, object]]]:
    """Everything the store says of documents."""
    return [clew.store.rows(statement) for statement in OF_TEXTS]


@settings(max_examples=8, deadline=None, phases=[Phase.explicit, Phase.generate])  # a build takes long to shrink
@given(st.lists(folders, min_size=2, max_size=4))
def test_an_updated_release_is_the_one_a_build_from_nothing_gives(states: list[dict[str, str]]) -> None:
    with TemporaryDirectory() as one, TemporaryDirectory() as other:
        for texts in states:
            updated = build(Path(one), texts)
        fresh = build(Path(other), texts)
        assert content(updated.release) == content(fresh.release)
        left, right = Clew(updated.release), Clew(fresh.release)
        assert graph_of_texts(left) == graph_of_texts(right)
        ids = sorted(VectorIndex(updated.release.derived("vectors")).ids)
        assert ids == sorted(values(fresh.release.table("chunk"), "id"))
        for word in ("fever", "发热", "Marfan"):
            found = [
                {hit.chunk for hit in clew.retriever.passages.lexical.ask([word]).best(99)} for clew in (left, right)
            ]
            assert found[0] == found[1]


def test_one_changed_document_is_visible_everywhere_and_the_pinned_release_stays(tmp_path: Path) -> None:
    before = build(tmp_path, {"a.md": TEXTS[0], "b.txt": TEXTS[3]})
    pinned = Clew(before.release)
    after = build(tmp_path, {"a.md": TEXTS[1], "b.txt": TEXTS[3]})
    assert (before.updated, after.updated) == (False, True)
    clew = Clew(after.release)
    fevers = "MATCH (c:Chunk)-[:MENTIONS]->(:PhenotypicFeature) RETURN DISTINCT c.id AS id ORDER BY id"
    passages = clew.store.rows(fevers)
    assert [row["id"] for row in passages] == ["documents:a.md#0", "documents:a.md#1"]
    assert clew.retriever.passages.lexical.ask(["fever"]).best(9)
    assert not pinned.retriever.passages.lexical.ask(["fever"]).best(9)
    assert pinned.store.rows("MATCH (c:Chunk)-[:MENTIONS]->(d:Disease) RETURN d.id AS id") == [{"id": "OMIM:154700"}]
    assert clew.store.rows("MATCH (c:Chunk)-[:MENTIONS]->(d:Disease) RETURN d.id AS id") == []


def test_a_document_that_is_gone_takes_only_its_own_rows(tmp_path: Path) -> None:
    before = build(tmp_path, {"a.md": TEXTS[1], "内科/c.md": TEXTS[2]}).release
    after = build(tmp_path, {"a.md": TEXTS[1]}).release
    for table, owner in (("document", "id"), ("chunk", "id"), ("mention", "chunk")):
        rows = before.table(table).to_pylist()
        left = [row for row in rows if not row[owner].startswith("documents:内科/c.md")]
        assert left == after.table(table).to_pylist() != rows
    for table in set(TABLES) - {"document", "chunk", "mention"}:
        assert before.table(table) == after.table(table)


def test_knowledge_that_changed_is_not_an_update(tmp_path: Path) -> None:
    build(tmp_path, {"a.md": TEXTS[1]})
    other = Tiny("hpo", KNOWN.records[:-1])
    assert not build_tiny(tmp_path / "home", other, DOCUMENTS, data=[tmp_path / "data"]).updated


@pytest.mark.parametrize("lost", ["graph.lbug", "vectors", "terms"])
def test_a_release_that_is_not_whole_is_built_anew(tmp_path: Path, lost: str) -> None:
    target = build(tmp_path, {"a.md": TEXTS[1]}).release.derived(lost)
    target.rename(target.with_name("elsewhere"))
    report = build(tmp_path, {"a.md": TEXTS[0]})
    assert not report.updated
    assert Clew(report.release).answerer.ask("What are the symptoms of Marfan syndrome?").citations
