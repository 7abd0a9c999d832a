"""A corpus is indexed as a release is, once."""

import json
from pathlib import Path

import pytest

from api.compose import Clew
from reasoning.evaluation.retrieval.corpus import CorpusDocument, CorpusIndex, open_index, read_corpus
from retrieval.channels.topics import TopicPassages
from retrieval.preset import load_preset


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
    hits = index.search.lexical.ask(["house rules"]).best(10)  # the title goes with every passage
    assert {hit.chunk for hit in hits} == {"long#0", "long#1", "long#2"}


@pytest.mark.parametrize(
    ("question", "one", "other", "plain"),
    [
        ("Can cough come with headache?", "Cough", "Headache", "It may last for weeks."),
        ("高血压会头痛吗？", "高血压", "头痛", "可持续数周。"),
    ],
)
def test_passages_are_searched_by_topics_as_a_release_is(
    release: Clew, tmp_path: Path, question: str, one: str, other: str, plain: str
) -> None:
    documents = [
        {"id": "none", "title": "", "text": plain},
        {"id": "text", "title": "", "text": f"{other}. {plain}"},
        {"id": "title", "title": one, "text": plain},
        {"id": "both", "title": f"{one} › {other}", "text": f"{one}, {other}."},
    ]
    index = opened(release, tmp_path, documents, [])
    asked = index.search.alone(release.interpreter.interpret(question), "graph", load_preset())
    assert asked is not None
    found = [index.document[hit.chunk] for hit in asked.best(100)]
    assert found[0] == "both"
    assert set(found) == {"both", "title", "text"}
    assert isinstance(index.search.graph, TopicPassages)
    assert index.search.graph.adjacency.ids.tolist() == release.adjacency.ids.tolist()


def test_passages_are_read_from_memory_and_unknown_ones_are_missing(release: Clew, tmp_path: Path) -> None:
    reader = opened(release, tmp_path, [SHORT, LONG], []).search.reader
    found = reader.read(["long#1", "nowhere#0", "short#0"])
    assert list(found) == ["long#1", "short#0"]
    assert (found["long#1"].document, found["long#1"].title) == ("long", "House rules")
    assert "Wash hands." in found["long#1"].text
    assert reader.read([]) == {}


def test_a_document_without_text_is_its_title() -> None:
    assert CorpusDocument(id="1", title="Slit lamp", text="").whole == "Slit lamp\n"


def test_english_passages_have_the_encoder_of_the_release(english_home: Path, release: Clew, tmp_path: Path) -> None:
    documents = [SHORT, {"id": "zh", "title": "", "text": "高血压患者应低盐饮食。"}]
    index = opened(Clew.open(english_home), tmp_path, documents, [])
    dense = index.search.dense
    assert dense is not None
    assert dense.english is not None
    assert dense.english.index.ids == ["short#0"]
    assert sorted(hit.chunk for hit in dense.ask(["hypertension and cough"]).best(9)) == ["short#0", "zh#0"]
    without = opened(release, tmp_path, documents, []).search.dense
    assert without is not None
    assert without.english is None
