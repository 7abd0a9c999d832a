"""A corpus is indexed as a release is, once."""

import json
from pathlib import Path

import pytest

from api.compose import Clew
from reasoning.evaluation.retrieval.corpus import CorpusDocument, CorpusIndex, MentionTable, open_index, read_corpus
from retrieval.hit import Hit


@pytest.fixture(scope="module")
def release(miniature_home: Path) -> Clew:
    return Clew.open(miniature_home)


def opened(release: Clew, tmp_path: Path, documents: list[dict[str, str]], said: list[str]) -> CorpusIndex:
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps(document) + "\n" for document in documents), encoding="utf-8")
    return open_index(read_corpus(path, tmp_path), release.release, release.terminology, said.append)


LONG = {
    "id": "long",
    "title": "House rules",
    "text": "\n\n".join(f"Rule {i}. " + "Wash hands. " * 40 for i in range(3)),
}
SHORT = {"id": "short", "title": "", "text": "Hypertension and cough; cough again."}


def test_it_is_built_once_and_again_when_it_changes(release: Clew, tmp_path: Path) -> None:
    first: list[str] = []
    again: list[str] = []
    other: list[str] = []
    opened(release, tmp_path, [SHORT], first)
    opened(release, tmp_path, [SHORT], again)
    opened(release, tmp_path, [SHORT, LONG], other)
    assert first
    assert again == []
    assert other
    kept = [path.name for path in tmp_path.glob("**/corpora/*") if path.is_dir()]
    assert len(kept) == 2
    assert not any("unfinished" in name for name in kept)


def test_long_documents_are_cut_as_the_build_cuts_them(release: Clew, tmp_path: Path) -> None:
    index = opened(release, tmp_path, [SHORT, LONG], [])
    assert index.document == {"short#0": "short", "long#0": "long", "long#1": "long", "long#2": "long"}
    hits = index.channels.lexical.search("house rules", 10)  # the title goes with every passage
    assert {hit.chunk for hit in hits} == {"long#0", "long#1", "long#2"}


def test_mentions_are_scored_as_in_the_release(release: Clew, tmp_path: Path) -> None:
    rows = release.store.rows("MATCH (c:Chunk) RETURN c.id AS id, c.text AS text")
    index = opened(release, tmp_path, [{"id": row["id"], "title": "", "text": row["text"]} for row in rows], [])
    question = release.interpreter.interpret("Can cough come with headache?")
    found = {index.document[hit.chunk]: hit.score for hit in index.channels.hits("graph", question, 100)}
    of_release = {hit.chunk: hit.score for hit in release.retriever.graph.passages(question.topics, 100)}
    assert len(found) > 1
    named = {i: score for i, score in of_release.items() if not i.startswith("clew.doc:")}  # those know their subject
    assert {i: score for i, score in found.items() if i in named} == pytest.approx(named)


def test_the_surest_mentions_of_several_topics_add_up(release: Clew) -> None:
    (cough, headache) = release.interpreter.interpret("cough and headache").topics
    table = MentionTable({cough.id: [("a", 0.9), ("b", 0.5)], headache.id: [("b", 1.0)]})
    assert table.passages((cough, headache), 1) == [Hit("b", 1.5, "graph")]


def test_a_document_without_text_is_its_title() -> None:
    assert CorpusDocument(id="1", title="Slit lamp", text="").whole == "Slit lamp\n"


def test_english_passages_have_the_encoder_of_the_release(english_home: Path, release: Clew, tmp_path: Path) -> None:
    documents = [SHORT, {"id": "zh", "title": "", "text": "高血压患者应低盐饮食。"}]
    index = opened(Clew.open(english_home), tmp_path, documents, [])
    dense = index.channels.dense
    assert dense is not None
    assert dense.english is not None
    assert dense.english.index.ids == ["short#0"]
    assert sorted(hit.chunk for hit in dense.search("hypertension and cough", 9)) == ["short#0", "zh#0"]
    without = opened(release, tmp_path, documents, []).channels.dense
    assert without is not None
    assert without.english is None
