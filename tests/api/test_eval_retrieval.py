"""`clew eval retrieval` as a command."""

import json
from pathlib import Path

from tests.api.conftest import Run

CORPUS = [
    {"id": "a", "title": "", "text": "Scoliosis is seen from behind."},
    {"id": "b", "title": "", "text": "散步。"},
]
QUESTION = {"id": "1", "question": "How is scoliosis seen?", "gold_docs": ["a"]}


def files(folder: Path) -> tuple[str, str, str, str]:
    questions, corpus = folder / "questions.jsonl", folder / "corpus.jsonl"
    questions.write_text(json.dumps(QUESTION) + "\n", encoding="utf-8")
    corpus.write_text("".join(json.dumps(line) + "\n" for line in CORPUS), encoding="utf-8")
    return "--questions", str(questions), "--corpus", str(corpus)


def test_the_last_line_is_the_object_of_the_formats(run: Run, miniature_home: Path, tmp_path: Path) -> None:
    status, out, _ = run(miniature_home, "eval", "retrieval", *files(tmp_path), "--arms", "lexical,hybrid")
    figures = json.loads(out.splitlines()[-1])
    assert status == 0
    assert (figures["task"], figures["n"]) == ("retrieval", 1)
    assert list(figures["arms"]) == ["lexical", "hybrid"]
    assert figures["arms"]["hybrid"]["mrr@10"] == 1.0


def test_a_run_is_kept(run: Run, miniature_home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    arguments = (*files(tmp_path), "--arms", "lexical", "--peer", "bm25s", "--run", str(folder))
    status, out, _ = run(miniature_home, "eval", "retrieval", *arguments)
    assert status == 0
    assert len((folder / "records.jsonl").read_text(encoding="utf-8").splitlines()) == 2
    assert json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["identity"]["arms"] == ["lexical"]
    assert json.loads(out.splitlines()[-1])["peers"]["bm25s"]["recall@10"] == 1.0


def test_an_unknown_arm_and_an_empty_corpus_end_with_status_2(run: Run, miniature_home: Path, tmp_path: Path) -> None:
    named = files(tmp_path)
    status, _, err = run(miniature_home, "eval", "retrieval", *named, "--arms", "magic")
    assert (status, "E101" in err) == (2, True)
    Path(named[3]).write_text("", encoding="utf-8")
    status, _, err = run(miniature_home, "eval", "retrieval", *named)
    assert (status, "E102" in err) == (2, True)
