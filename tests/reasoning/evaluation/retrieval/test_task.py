"""Retrieval as it is measured: metrics against hand-worked rankings, and what becomes of bad input."""

import gzip
import json
from collections.abc import Iterable, Sequence
from math import log2
from pathlib import Path
from typing import Any

import pytest

from api.compose import Clew
from ontology.errors import ClewError, Code
from reasoning.evaluation.peers import open_peers
from reasoning.evaluation.peers.bm25 import plain_tokens
from reasoning.evaluation.retrieval.corpus import Corpus, open_index, read_corpus
from reasoning.evaluation.retrieval.task import (
    ARMS,
    RetrievalTask,
    check_arms,
    preset_of,
    rank_scores,
    read_questions,
)
from reasoning.evaluation.run import Run, evaluate
from retrieval.preset import load_preset

DOCUMENTS = [
    {"id": "press", "title": "At home", "text": "People with hypertension write down their values every morning."},
    {"id": "cold", "title": "", "text": "A runny nose and a sore throat pass within a week."},
    {"id": "lens", "title": "Eyes", "text": "Ectopia lentis is looked for with a slit lamp."},
    {"id": "tall", "title": "", "text": "Some people with Marfan syndrome are very tall."},
    {"id": "zh-press", "title": "", "text": "高血压患者应当少吃盐，每天散步。"},
    {"id": "zh-cold", "title": "", "text": "感冒时多喝水，注意休息。"},
]
QUESTIONS = [
    {"id": "1", "question": "Who writes down values every morning?", "gold_docs": ["press"], "kind": "en"},
    {"id": "2", "question": "How is ectopia lentis found?", "gold_docs": ["lens"], "kind": "en", "group": "HP:0001083"},
    {"id": "3", "question": "感冒时应该怎么休息？", "gold_docs": ["zh-cold"], "kind": "zh"},
    {"id": "4", "question": "高血压患者可以吃盐吗？", "gold_docs": ["zh-press"], "kind": "zh"},
]


@pytest.fixture(scope="module")
def release(miniature_home: Path) -> Clew:
    return Clew.open(miniature_home)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def write(path: Path, lines: Iterable[Any]) -> Path:
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def corpus_of(tmp_path: Path, cache: Path, documents: Iterable[Any] = DOCUMENTS) -> Corpus:
    return read_corpus(write(tmp_path / "corpus.jsonl.gz", documents), cache)


def measured(
    release: Clew,
    corpus: Corpus,
    tmp_path: Path,
    questions: Iterable[Any] = QUESTIONS,
    *,
    arms: Sequence[str] = ARMS,
    peers: Sequence[str] = (),
) -> Run:
    interpret = release.interpreter.interpret
    index = open_index(corpus, release.release, release.terminology, lambda _: None)
    lines = read_questions(write(tmp_path / "questions.jsonl", questions), interpret)
    opened = open_peers("retrieval", peers, corpus)
    return evaluate(RetrievalTask(lines, corpus, index, interpret, arms=arms, peers=opened))


def test_one_right_document_in_third_place() -> None:
    found = rank_scores(["x", "y", "gold", "z"], ["gold"])
    assert found == pytest.approx({"recall@10": 1, "recall@100": 1, "ndcg@10": 1 / log2(4), "mrr@10": 1 / 3})


def test_two_right_documents_one_of_them_beyond_the_tenth_place() -> None:
    ranking = ["x", "a", *(f"x{i}" for i in range(9)), "b"]
    ideal = 1 / log2(2) + 1 / log2(3)
    wanted = {"recall@10": 0.5, "recall@100": 1, "ndcg@10": (1 / log2(3)) / ideal, "mrr@10": 0.5}
    assert rank_scores(ranking, ["a", "b"]) == pytest.approx(wanted)


def test_nothing_found_is_nothing() -> None:
    nothing = dict.fromkeys(("recall@10", "recall@100", "ndcg@10", "mrr@10"), 0.0)
    assert rank_scores(["x"], ["gold"]) == rank_scores([], ["gold"]) == rank_scores(["x"], []) == nothing


def test_the_object_has_the_promised_fields(release: Clew, tmp_path: Path, cache: Path) -> None:
    figures = measured(release, corpus_of(tmp_path, cache), tmp_path, peers=["bm25s", "plain_dense"]).figures
    assert (figures["task"], figures["n"], figures["counted"]) == ("retrieval", 4, 4)
    assert list(figures["arms"]) == ["lexical", "dense", "graph", "hybrid"]
    assert list(figures["arms"]["lexical"]) == ["recall@10", "recall@100", "ndcg@10", "mrr@10", "ms_per_query"]
    assert list(figures["peers"]) == ["bm25s", "plain_dense"]
    assert set(figures["kinds"]) == {"en", "zh"}
    assert figures["kinds"]["zh"]["hybrid"]["n"] == 2


def test_words_find_the_document_that_has_them_in_both_languages(release: Clew, tmp_path: Path, cache: Path) -> None:
    figures = measured(release, corpus_of(tmp_path, cache), tmp_path, peers=["bm25s"]).figures
    for arm in (figures["arms"]["lexical"], figures["arms"]["hybrid"], figures["peers"]["bm25s"]):
        assert arm["mrr@10"] == 1.0


def test_the_graph_finds_what_mentions_the_topic_whatever_the_language(
    release: Clew, tmp_path: Path, cache: Path
) -> None:
    asked = [{"id": "1", "question": "马凡综合征有什么表现？", "gold_docs": ["tall"]}]
    run = measured(release, corpus_of(tmp_path, cache), tmp_path, asked, arms=["graph"], peers=["bm25s"])
    assert run.figures["arms"]["graph"]["recall@10"] == 1.0
    assert run.figures["peers"]["bm25s"]["recall@10"] == 0.0
    top = run.records[0].detail["top"]
    assert top[0] == "tall"  # then what it leads to: its findings
    assert "lens" in top
    assert not {"cold", "zh-cold"} & set(top)


def test_shuffled_gold_destroys_the_score(release: Clew, tmp_path: Path, cache: Path) -> None:
    corpus = corpus_of(tmp_path, cache)
    gold = [question["gold_docs"] for question in QUESTIONS]
    shuffled = [{**q, "gold_docs": other} for q, other in zip(QUESTIONS, [*gold[1:], gold[0]], strict=True)]
    right, wrong = (measured(release, corpus, tmp_path, q, arms=["hybrid"]).figures for q in (QUESTIONS, shuffled))
    assert wrong["arms"]["hybrid"]["ndcg@10"] < right["arms"]["hybrid"]["ndcg@10"] / 1.5


def test_gold_that_is_not_in_the_corpus_is_named_and_not_asked_for(release: Clew, tmp_path: Path, cache: Path) -> None:
    asked = [
        {"id": "half", "question": "slit lamp", "gold_docs": ["lens", "lost"]},
        {"id": "none", "question": "slit lamp", "gold_docs": ["lost"]},
    ]
    run = measured(release, corpus_of(tmp_path, cache), tmp_path, asked, arms=["lexical"])
    assert run.figures["problems"] == {"gold not in the corpus": 2}
    assert [problem.cause for problem in run.problems] == ["half: lost", "none: lost"]
    assert [record.counted for record in run.records] == [True, False]
    assert (run.figures["n"], run.figures["counted"], run.figures["arms"]["lexical"]["recall@10"]) == (2, 1, 1.0)


def test_duplicates_and_malformed_lines_are_counted_and_named(release: Clew, tmp_path: Path, cache: Path) -> None:
    again = {"id": "cold", "title": "", "text": "again"}
    blank, surrogate = {"id": "blank", "title": " ", "text": ""}, {"id": "s", "title": "", "text": "\ud800"}
    corpus = corpus_of(tmp_path, cache, [*DOCUMENTS, again, blank, surrogate])
    bad = [
        "not json", {"id": "5", "question": "What?"}, {"id": "6", "question": "?", "gold_docs": []},
        {"id": "7", "question": "x" * 3000, "gold_docs": ["cold"]}, QUESTIONS[0],
    ]  # fmt: skip
    run = measured(release, corpus, tmp_path, [*QUESTIONS, *bad], arms=["lexical"])
    assert run.figures["n"] == 4
    assert run.figures["problems"] == {"duplicate id": 2, "malformed": 6}
    causes = [problem.cause for problem in run.problems]
    assert causes[0] == "corpus: cold: the id again"
    assert "blank: neither title nor text" in causes[1]
    assert "lone surrogate" in causes[2]
    assert any("3,000 characters" in cause for cause in causes)


def test_an_empty_corpus_is_an_error(tmp_path: Path, cache: Path) -> None:
    for lines in ([], ["not json"]):
        with pytest.raises(ClewError) as error:
            read_corpus(write(tmp_path / "corpus.jsonl", lines), cache)
        assert error.value.code is Code.EMPTY_INPUT


def test_what_nobody_judged_is_neither_right_nor_wrong(release: Clew, tmp_path: Path, cache: Path) -> None:
    asked = {"id": "1", "question": "ectopia lentis, values every morning", "gold_docs": ["lens"]}
    corpus = corpus_of(tmp_path, cache)
    run = measured(release, corpus, tmp_path, [asked], arms=["lexical"])
    assert run.records[0].scores["mrr@10"] == 0.5
    run = measured(release, corpus, tmp_path, [{**asked, "unjudged": ["press"]}], arms=["lexical"])
    assert run.records[0].scores["mrr@10"] == 1.0
    assert "press" not in run.records[0].detail["top"]


def test_numbers_as_ids_are_the_same_ids(release: Clew, tmp_path: Path, cache: Path) -> None:
    corpus = corpus_of(tmp_path, cache, [{"id": 7, "title": "", "text": "slit lamp"}])
    run = measured(release, corpus, tmp_path, [{"id": 1, "question": "slit lamp", "gold_docs": ["7"]}], arms=["hybrid"])
    assert run.figures["arms"]["hybrid"]["recall@10"] == 1.0


def test_an_arm_that_there_is_not_is_an_error_with_those_there_are() -> None:
    assert check_arms(["graph", " lexical", "graph"]) == ("graph", "lexical")
    with pytest.raises(ClewError) as error:
        check_arms(["lexicl"])
    assert error.value.choices == ("lexical",)


@pytest.mark.parametrize("arm", ["ihrag", "hybrid - graph", "hybrid - graph - feedback", "sema-rag - query form"])
def test_a_preset_is_an_arm_and_so_is_one_without_some_of_its_components(
    release: Clew, tmp_path: Path, cache: Path, arm: str
) -> None:
    assert check_arms([arm]) == (arm,)
    name, *without = arm.split(" - ")
    preset = load_preset("default" if name == "hybrid" else name)
    for component in without:
        preset = preset.without(component)
    assert preset_of(arm) == preset
    run = measured(release, corpus_of(tmp_path, cache), tmp_path, arms=[arm])
    assert list(run.figures["arms"]) == [arm]
    assert run.figures["arms"][arm]["recall@10"] > 0


@pytest.mark.parametrize("arm", ["default", "hybrid - grph", "lexical - graph", "hybrid -", "", "hybrid - "])
def test_what_is_no_arm_is_refused_with_what_there_is(arm: str) -> None:
    with pytest.raises(ClewError) as error:
        check_arms([arm])
    assert error.value.code is Code.BAD_INPUT
    assert error.value.choices


def test_tokens_of_the_plain_peer() -> None:
    assert plain_tokens("HPV-16 阳性, β-Blocker") == ["hpv", "16", "阳", "性", "β", "blocker"]
