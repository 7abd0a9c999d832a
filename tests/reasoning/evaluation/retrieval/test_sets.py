"""Retrieval sets from the miniature release: fair by construction."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from kg_build.release import open_release
from reasoning.evaluation.retrieval.kinds import MOST_ANSWERS
from reasoning.evaluation.retrieval.material import Material
from reasoning.evaluation.retrieval.sets import MOST_GOLD, MOST_UNJUDGED, SPLITS, chosen, make_sets, split_of

KINDS = {"lay", "zh-en", "en-zh", "alias", "hop1", "hop2"}


@pytest.fixture(scope="module")
def material(miniature_home: Path) -> Material:
    return Material(open_release(miniature_home))


@pytest.fixture(scope="module")
def folder(miniature_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("sets")
    make_sets(open_release(miniature_home), made, distractors=10)
    return made


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def questions(folder: Path) -> list[dict[str, Any]]:
    return [question for split in SPLITS for question in lines(folder / f"questions-{split}.jsonl.gz")]


def corpus(folder: Path, name: str = "corpus") -> dict[str, dict[str, Any]]:
    return {document["id"]: document for document in lines(folder / f"{name}.jsonl.gz")}


def test_there_are_questions_of_every_kind(folder: Path) -> None:
    assert {question["kind"] for question in questions(folder)} == KINDS


def test_the_asked_name_is_in_the_question_and_nowhere_in_its_gold(folder: Path) -> None:
    documents = corpus(folder)
    for question in questions(folder):
        assert question["asked"] in question["question"]
        for gold in question["gold_docs"]:
            shown = f"{documents[gold]['title']}\n{documents[gold]['text']}"
            assert question["asked"].casefold() not in shown.casefold()


def test_a_passage_with_the_asked_name_is_unjudged(folder: Path) -> None:
    documents = corpus(folder, "corpus-large")
    for question in questions(folder):
        for identifier, document in documents.items():
            if question["asked"].casefold() in f"{document['title']}\n{document['text']}".casefold():
                assert identifier in question["unjudged"]


def test_what_mentions_the_thing_is_gold_or_unjudged_never_wrong(folder: Path) -> None:
    (asked,) = (q for q in questions(folder) if q["asked"] == "Pyrexia")
    assert asked["gold_docs"] == ["clew.doc:hpo/HP:0001945#0"]
    assert asked["unjudged"] == ["openmed:differential.chest_pain#2"]  # says fever


def test_gold_and_unjudged_leave_room_in_a_ranking(folder: Path) -> None:
    for question in questions(folder):
        assert 1 <= len(question["gold_docs"]) <= MOST_GOLD
        assert len(question["unjudged"]) <= MOST_UNJUDGED
        assert not set(question["gold_docs"]) & set(question["unjudged"])


def test_languages_are_what_the_kind_says(folder: Path) -> None:
    by_kind = {question["kind"]: question for question in questions(folder)}
    documents = corpus(folder)
    assert "高血压" in by_kind["zh-en"]["question"]
    assert all(documents[gold]["text"].isascii() for gold in by_kind["zh-en"]["gold_docs"])
    assert by_kind["en-zh"]["question"].isascii()
    assert not any(documents[gold]["text"].isascii() for gold in by_kind["en-zh"]["gold_docs"])


def test_a_hop_follows_stated_links(folder: Path) -> None:
    (asked,) = (q for q in questions(folder) if q["kind"] == "hop1" and q["asked"] == "布洛芬")
    assert asked["gold_docs"] == ["clew.doc:cmekg/uicbptwvjhayoppr#0"]  # the article on the common cold
    (two,) = (q for q in questions(folder) if q["kind"] == "hop2" and q["asked"] == "咳痰")
    assert two["stratum"] == "has_complication/has_phenotype zh"


def test_a_hop_leads_to_few_articles(material: Material) -> None:
    hops = [question for question in chosen(material) if question.candidate.kind in {"hop1", "hop2"}]
    assert hops
    for question in hops:
        answers = {int(material.kin[row]) for row in question.candidate.answers}
        assert len(answers) <= MOST_ANSWERS
        assert int(material.kin[question.candidate.entity]) not in answers


def test_no_entity_is_on_both_sides(material: Material) -> None:
    sides: dict[int, set[str]] = {}
    for question in chosen(material):
        for row in (question.candidate.entity, *question.candidate.answers):
            sides.setdefault(int(material.kin[row]), set()).add(question.split)
    assert sides
    assert all(len(found) == 1 for found in sides.values())


def test_an_entity_is_asked_for_once_in_a_kind(folder: Path) -> None:
    asked = [(question["kind"], question["group"]) for question in questions(folder)]
    assert len(asked) == len(set(asked))


def test_the_number_of_questions_is_bounded(material: Material) -> None:
    few = chosen(material, most=1)
    assert len({(question.candidate.kind, question.split) for question in few}) == len(few)


def test_splits_are_about_even() -> None:
    assert 400 < sum(split_of(f"HP:{number:07}") == "dev" for number in range(1000)) < 600


def test_the_large_corpus_is_the_small_one_and_others(folder: Path) -> None:
    small, large = corpus(folder), corpus(folder, "corpus-large")
    assert small.items() <= large.items()
    assert len(large) == len(small) + 10
    assert {gold for question in questions(folder) for gold in question["gold_docs"]} <= set(small)


def test_equal_releases_give_equal_bytes(miniature_home: Path, folder: Path, tmp_path: Path) -> None:
    make_sets(open_release(miniature_home), tmp_path, distractors=10)
    for path in sorted(folder.iterdir()):
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()
