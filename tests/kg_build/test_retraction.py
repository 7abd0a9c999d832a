"""build(A+B) − B ≡ build(A), and a document takes only its own evidence with it."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kg_build import pipeline
from kg_build.release import TABLES, Release
from kg_build.sources.contract import Record
from ontology.document import Chunk, Document
from ontology.model import Assertion, Entity, Evidence, Mapping, Name
from tests.kg_build.tiny import Tiny, build_tiny

KEYS = ("cmekg", "hpo", "icd10")
IDS = ("HP:1", "HP:2", "OMIM:1", "cmekg:Disease.a", "cmekg:Drug.b", "ORPHA:1", "MESH:D1")
TYPES = ("Disease", "PhenotypicFeature", "Drug")
WORDS = ("Marfan syndrome", "马凡综合征", "chronic fatigue", "发热待查", "aspirin tablets")
REFERENCES = ("PMID:1", "PMID:2", "DOI:10.1/x")

ids, words = st.sampled_from(IDS), st.sampled_from(WORDS)


def lang(text: str) -> str:
    return "en" if text.isascii() else "zh"


@st.composite
def record(draw: st.DrawFn, source: str) -> Record:
    """Anything a source may say: right or wrong, about its own entities or those of another."""
    match draw(st.sampled_from(("entity", "name", "evidence", "evidence", "mapping", "text"))):
        case "entity":
            label = draw(words)
            return Entity(draw(ids), draw(st.sampled_from(TYPES)), label, lang(label), source)
        case "name":
            text = draw(words)
            return Name(draw(ids), lang(text), text, draw(st.sampled_from(("exact", "lay"))), source, "r")
        case "mapping":
            return Mapping(draw(ids), "skos:exactMatch", draw(st.sampled_from(("UMLS:1", "UMLS:2"))), source, "j")
        case "text":
            return draw(document(source))
    predicate = draw(st.sampled_from(("has_phenotype", "treats", "same_as", "interacts_with", "looks_like")))
    return Evidence(
        Assertion(draw(ids), predicate, draw(ids), draw(st.booleans())), source, (draw(st.sampled_from(REFERENCES)),),
        "row", "knowledge_assertion", "manual_agent", frequency=draw(st.sampled_from(("", "1/2", "3/4"))),
    )  # fmt: skip


def document(source: str) -> st.SearchStrategy[Record]:
    chosen = st.tuples(st.integers(0, 2), words)
    named = chosen.map(lambda c: Document(f"{source}:d{c[0]}", c[1], lang(c[1]), source, "article", "DOI:10.1/d"))
    passage = chosen.map(
        lambda c: Chunk(f"{source}:d{c[0]}#0", f"{source}:d{c[0]}", 0, "", f"on {c[1]}", lang(c[1]), 0, len(c[1]) + 3)
    )
    return st.one_of(named, passage)


def said_by(source: str) -> st.SearchStrategy[Tiny]:
    every = [Entity(curie, TYPES[i % 3], WORDS[i % 5], lang(WORDS[i % 5]), source) for i, curie in enumerate(IDS)]
    own = st.lists(st.sampled_from(every), max_size=4)
    more = st.lists(record(source), max_size=14)
    return st.tuples(own, more).map(lambda both: Tiny(source, tuple(both[0] + both[1])))


@pytest.fixture
def tables_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Builds write the canonical tables and derive nothing."""
    monkeypatch.setattr(pipeline, "derive", lambda *_, **__: None)


def content(release: Release) -> dict[str, bytes]:
    files = {name: (release.path / "tables" / f"{name}.parquet").read_bytes() for name in TABLES}
    return files | {"manifest": (release.path / "manifest.json").read_bytes()}


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.tuples(*(said_by(key) for key in KEYS)), st.integers(0, 2))
@pytest.mark.usefixtures("tables_only")
def test_taking_a_source_away_is_never_having_had_it(sources: tuple[Tiny, ...], removed: int) -> None:
    kept = [source for i, source in enumerate(sources) if i != removed]
    with TemporaryDirectory() as one, TemporaryDirectory() as other:
        everything = build_tiny(Path(one), *sources).release
        without = build_tiny(Path(one), *kept).release
        alone = build_tiny(Path(other), *kept).release
        assert content(without) == content(alone)
        assert without.id == alone.id != everything.id
        again = build_tiny(Path(one), *sources).release
        assert content(again) == content(everything)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, 3), ids, ids, words), min_size=1, max_size=12), st.integers(0, 3))
@pytest.mark.usefixtures("tables_only")
def test_a_document_that_goes_takes_its_own_evidence_and_nothing_else(
    stated: list[tuple[int, str, str, str]], gone: int
) -> None:
    entities = tuple(Entity(curie, TYPES[i % 3], curie, "en", "hpo") for i, curie in enumerate(IDS))
    of_documents = [
        (
            f"hpo:d{n}",
            (
                Document(f"hpo:d{n}", quote, lang(quote), "hpo", "article", "DOI:10.1/d"),
                Chunk(f"hpo:d{n}#0", f"hpo:d{n}", 0, "", quote, lang(quote), 0, len(quote)),
                Evidence(
                    Assertion(subject, "has_phenotype", object_), "hpo", ("DOI:10.1/d",), f"d{n}", "prediction",
                    "text_mining_agent", quote=quote, document=f"hpo:d{n}",
                ),
            ),
        )
        for n, subject, object_, quote in stated
    ]  # fmt: skip
    leaves = f"hpo:d{gone}"
    every = tuple(record for _, records in of_documents for record in records)
    rest = tuple(record for owner, records in of_documents for record in records if owner != leaves)
    with TemporaryDirectory() as home:
        before = build_tiny(Path(home), Tiny("hpo", entities + every)).release
        after = build_tiny(Path(home), Tiny("hpo", entities + rest)).release
        versions = {"source_release": ""}  # the version of the source is that of all it says
        for table, owner in (("evidence", "document"), ("document", "id"), ("chunk", "document")):
            left = [row | versions for row in before.table(table).to_pylist() if row[owner] != leaves]
            assert left == [row | versions for row in after.table(table).to_pylist()]
        supported = set(after.table("evidence")["assertion"].to_pylist())
        assert supported == set(after.table("assertion")["id"].to_pylist())
        left = [row for row in before.table("assertion").to_pylist() if row["id"] in supported]
        assert left == after.table("assertion").to_pylist()
