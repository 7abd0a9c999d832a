"""Question answering on the miniature release: arms, figures, and that position decides nothing."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from api.compose import Clew
from ontology.errors import ClewError, Code
from reasoning.evaluation.qa.case import Item, parse_item
from reasoning.evaluation.qa.model import Messages, Reply
from reasoning.evaluation.qa.task import ARMS, QaTask
from reasoning.evaluation.record import Problem, Record
from reasoning.evaluation.run import Run, evaluate

CHOICES = [
    ("Which gene is associated with Marfan syndrome?", "FBN1", "CFTR", "HTT", "TGFBR1"),
    ("Which gene is associated with cystic fibrosis?", "CFTR", "FBN1", "HTT", "TSC1"),
    ("What are the symptoms of Huntington disease?", "Chorea", "Fever", "Hematuria", "Myopia"),
    ("What are the symptoms of Alport syndrome 1, X-linked?", "Hematuria", "Chorea", "Ataxia", "Cortical tubers"),
    ("肺炎有什么症状？", "咳痰", "眩晕", "鼻塞", "皮疹"),
    ("高血压吃什么药？", "氨氯地平", "奥司他韦", "阿莫西林", "布洛芬"),
    ("感冒应该挂什么科？", "呼吸内科", "心血管内科", "影像学检查", "血管"),
]
STATEMENTS = [
    ("Marfan Syndrome associates Gene FBN1", True),
    ("Marfan syndrome is not associated with Gene FBN1", False),
    ("Marfan syndrome is associated with gene CFTR", False),
    ("Marfan syndrome is not associated with gene CFTR", True),
    ("Marfan syndrome has the symptom seizure", False),  # denied by a source
    ("CYSTIC FIBROSIS HAS THE SYMPTOM COUGH", True),
    ("Chorea is a abnormality of the nervous system", True),
    ("Chorea is not a abnormality of the eye", True),
    ("肺炎的症状有咳痰", True),
    ("肺炎的症状没有咳痰", False),
    ("肺炎的症状有鼻塞", False),
]
ENTITIES = [("CHOREA IS SEEN IN SOMEBODY", "chorea"), ("肺炎可以治好", "肺炎"), ("Nobody is named here", "Chorea")]


def choices(turn: int = 0) -> list[Item]:
    """The questions; with `turn` their options stand elsewhere in the file."""
    items = []
    for i, (question, *options) in enumerate(CHOICES):
        turned = options[turn:] + options[:turn]
        by_letter = dict(zip("ABCD", turned, strict=True))
        gold = "ABCD"[turned.index(options[0])]
        items.append(parse_item({"id": f"c{i}", "question": question, "options": by_letter, "answer": gold}))
    return items


def statements() -> list[Item]:
    return [parse_item({"id": f"s{i}", "text": text, "label": label}) for i, (text, label) in enumerate(STATEMENTS)]


def entities() -> list[Item]:
    return [parse_item({"id": f"e{i}", "text": text, "node_hits": node}) for i, (text, node) in enumerate(ENTITIES)]


@pytest.fixture(scope="module")
def release(miniature_home: Path) -> Clew:
    return Clew.open(miniature_home)


def answered(release: Clew, items: Sequence[Item | Problem], **options: Any) -> Run:
    task = QaTask(release.interpreter, release.retriever, list(enumerate(items, start=1)), **options)
    return evaluate(task)


def chosen(run: Run, arm: str) -> dict[str, list[str]]:
    return {record.case: record.detail["chosen"] for record in run.records if record.arm == arm}


def test_what_the_graph_states_is_answered_in_both_languages(release: Clew) -> None:
    found = chosen(answered(release, choices(), arms=["kg"]), "kg")
    assert found == {f"c{i}": [options[1]] for i, options in enumerate(CHOICES)}


@pytest.mark.parametrize("arm", ["hybrid", "ihrag"])
def test_passages_that_mention_something_else_tie_with_a_statement_at_most(release: Clew, arm: str) -> None:
    found = chosen(answered(release, choices(), arms=[arm]), arm)
    assert all(options[1] in found[f"c{i}"] for i, options in enumerate(CHOICES))
    assert found["c0"] == ["FBN1"]


@pytest.mark.parametrize("arm", ["kg", "ihrag"])
def test_a_statement_is_true_when_stated_and_false_when_denied_or_nowhere(release: Clew, arm: str) -> None:
    found = chosen(answered(release, statements(), arms=[arm]), arm)
    assert found == {f"s{i}": [str(label)] for i, (_, label) in enumerate(STATEMENTS)}


def test_without_retrieval_and_model_there_is_no_answer(release: Clew) -> None:
    figures = answered(release, [*choices(), *statements(), *entities()], arms=["none"]).figures
    count = len(CHOICES) + len(STATEMENTS) + len(ENTITIES)
    assert (figures["arms"]["none"]["accuracy"], figures["arms"]["none"]["no_answer"]) == (0.0, count)
    assert figures["guess"] == pytest.approx((len(CHOICES) / 4 + len(STATEMENTS) / 2) / count, abs=1e-4)


def test_the_prior_looks_at_wording_and_statements_in_all_but_at_no_relation(release: Clew) -> None:
    asked = [("c", question) for question in ("Which gene is it?", "Which gene is associated with cystic fibrosis?")]
    options = {"A": "CFTR", "B": "FBN1"}
    busy = max(options.values(), key=lambda name: release.adjacency.degree(release.interpreter.entities(name)[0]))
    items = [
        parse_item({"id": f"{name}{i}", "question": question, "options": options, "answer": "A"})
        for i, (name, question) in enumerate(asked)
    ]
    assert chosen(answered(release, items, arms=["prior"]), "prior") == {"c0": [busy], "c1": [busy]}
    said = chosen(answered(release, statements(), arms=["prior"]), "prior")
    assert [said[f"s{i}"] for i in range(4)] == [["True"], ["False"], ["True"], ["False"]]
    assert (said["s8"], said["s9"]) == (["True"], ["False"])


def test_passages_support_what_they_mention(release: Clew) -> None:
    found = parse_item(
        {
            "id": "p",
            "question": "Which calcium channel blocker is a first choice of drug in adults?",
            "options": {"A": "oseltamivir", "B": "amlodipine"},
            "answer": "B",
        }
    )
    record = answered(release, [found], arms=["vector"]).records[0]
    assert record.detail["chosen"] == ["amlodipine"]
    assert record.detail["evidence"]


def test_a_community_is_made_without_the_options(release: Clew) -> None:
    run = answered(release, choices(), arms=["graphrag"])
    assert chosen(run, "graphrag")["c0"] == ["FBN1"]
    assert all(record.detail["retrieval_queries"] == 1 for record in run.records)


def test_evidence_of_the_answer_is_named(release: Clew) -> None:
    records = answered(release, choices()[:1], arms=["kg", "vector"]).records
    (by_graph, _) = records
    assert by_graph.detail["evidence"]
    assert all(identifier.startswith("a.") for identifier in by_graph.detail["evidence"])


def test_an_entity_prompt_asks_what_was_linked(release: Clew) -> None:
    run = answered(release, entities(), arms=["kg", "vector"])
    for arm in ("kg", "vector"):
        scores = {r.case: r.scores["accuracy"] for r in run.records if r.arm == arm}
        assert scores == {"e0": 1.0, "e1": 1.0, "e2": 0.0}


def test_where_options_stand_changes_nothing(release: Clew) -> None:
    figures = [answered(release, choices(turn)).records for turn in range(4)]
    plain = [[(r.case, r.arm, r.scores, sorted(r.detail["chosen"])) for r in records] for records in figures]
    assert plain[0] == plain[1] == plain[2] == plain[3]


def test_shuffled_gold_destroys_the_score(release: Clew) -> None:
    """Over all ways to name another option gold, a decided arm hits one in as many as there are options."""
    every = [replace(item, id=f"{item.id}/{i}", gold=gold) for item in choices() for i, gold in enumerate(item.options)]
    right = answered(release, choices(), arms=["kg"]).figures["arms"]["kg"]["accuracy"]
    figures = answered(release, every, arms=["kg"]).figures
    assert right == 1.0
    assert figures["arms"]["kg"]["accuracy"] == figures["guess"] == 0.25


class Scripted:
    """A model that says what it is told to, and remembers what it was asked."""

    name = "scripted"

    def __init__(self, *replies: str) -> None:
        self.replies = list(replies)
        self.asked: list[str] = []

    def complete(self, messages: Messages) -> Reply:
        self.asked.append(messages[-1]["content"])
        return Reply(self.replies.pop(0) if len(self.replies) > 1 else self.replies[0], 10, 2)


def test_a_model_chooses_and_is_counted(release: Clew) -> None:
    item = choices()[0]
    letter = "ABCD"[item.options.index("FBN1")]
    model = Scripted(f"Answer: {letter}")
    arms = answered(release, [item], arms=["none", "kg"], model=model).figures["arms"]
    assert (arms["none"]["accuracy"], arms["kg"]["accuracy"]) == (1.0, 1.0)
    assert (arms["kg"]["llm_calls"], arms["kg"]["tokens"]) == (1.0, 12.0)
    without, by_graph = model.asked
    assert "Evidence" not in without
    assert "[1] FBN1" in by_graph


@pytest.mark.parametrize("arm", ["vector", "kg", "hybrid", "graphrag", "ihrag"])
def test_every_arm_that_retrieves_gives_the_model_evidence(release: Clew, arm: str) -> None:
    model = Scripted("A")
    answered(release, choices()[:1], arms=[arm], model=model)
    assert model.asked[0].startswith("Evidence:\n[1] ")
    assert arm == "vector" or "FBN1" in model.asked[0].partition("Options:")[0]  # no passage has the name


def test_unparseable_replies_are_counted_not_guessed(release: Clew) -> None:
    summary = answered(release, choices(), arms=["kg"], model=Scripted("It depends."))
    assert summary.figures["arms"]["kg"]["unparseable"] == len(CHOICES)
    assert summary.figures["arms"]["kg"]["accuracy"] == 0.0


def test_retrieval_that_harms_is_seen(release: Clew) -> None:
    item = choices()[0]
    place = item.options.index("FBN1")
    model = Scripted("ABCD"[place], "ABCD"[place - 1])
    arms = answered(release, [item], arms=["none", "vector"], model=model).figures["arms"]
    assert (arms["none"]["worse_than_none"], arms["vector"]["worse_than_none"]) == (0.0, 1.0)


def test_gold_that_the_graph_lacks_is_a_problem_and_still_counts(release: Clew) -> None:
    absent = parse_item(
        {
            "id": "x",
            "question": "Which gene causes Marfan syndrome?",
            "options": {"A": "QQQ9", "B": "FBN1"},
            "answer": "A",
        }
    )
    alone = parse_item({"id": "y", "text": "Somebody is a patient", "label": "False"})
    run = answered(release, [*choices()[:1], absent, alone], arms=["kg"])
    kg = run.figures["arms"]["kg"]
    assert run.figures["problems"] == {"gold not in the graph": 2}
    assert (run.figures["n"], kg["accuracy"], kg["no_answer"]) == (3, 0.3333, 1)
    assert kg["in_graph"] == {"n": 1, "accuracy": 1.0}


def test_the_interpreter_reads_the_end_of_a_long_case(release: Clew) -> None:
    long = parse_item(
        {
            "id": "long",
            "question": "Somebody came by. " * 300 + "Which gene is associated with Marfan syndrome?",
            "options": {"A": "HTT", "B": "FBN1"},
            "answer": "B",
        }
    )
    assert chosen(answered(release, [long], arms=["kg"]), "kg") == {"long": ["FBN1"]}


def test_unknown_arms_are_refused_with_the_known_ones(release: Clew) -> None:
    with pytest.raises(ClewError) as caught:
        QaTask(release.interpreter, release.retriever, [], arms=["kg", "magic"])
    assert (caught.value.code, caught.value.choices) == (Code.BAD_INPUT, ARMS)


def record(case: str, arm: str, accuracy: float, **detail: Any) -> Record:
    plain = {
        "kind": "multiple choice", "outcome": "answered", "guess": 0.25, "in_graph": True, "degree": 1, "rounds": 1,
        "retrieval_queries": 2, "llm_calls": 0, "tokens": 0,
    }  # fmt: skip
    return Record(case=case, arm=arm, scores={"accuracy": accuracy}, ms=500, detail={**plain, **detail})


def test_figures_worked_by_hand(release: Clew) -> None:
    """Three questions: one right, one tied between two, one without an answer: 1, 1/2, 0."""
    task = QaTask(release.interpreter, release.retriever, [], arms=["kg"])
    records = [
        record("1", "kg", 1.0, degree=10),
        record("2", "kg", 0.5, degree=20, kind="true/false", guess=0.5),
        record("3", "kg", 0.0, degree=None, outcome="no answer", in_graph=False),
        record("1", "none", 0.0, degree=10),
        record("2", "none", 1.0, degree=20, kind="true/false", guess=0.5),
        record("3", "none", 0.0, degree=None),
    ]
    figures = task.figures(records, [Problem(line=4, reason="malformed", cause="x")])
    kg = figures["arms"]["kg"]
    assert (figures["n"], figures["guess"], figures["problems"]) == (3, 0.3333, {"malformed": 1})
    assert kg["accuracy"] == 0.5
    assert kg["standard_error"] == pytest.approx(0.5 / 3**0.5, abs=1e-4)  # sample deviation of 0, 1/2, 1 is 1/2
    assert (kg["answered"], kg["no_answer"], kg["unparseable"]) == (2, 1, 0)
    assert kg["in_graph"] == {"n": 2, "accuracy": 0.75}
    assert (kg["worse_than_none"], kg["seconds_per_question"], kg["retrieval_queries"]) == (0.3333, 0.5, 2.0)
    assert figures["kinds"]["true/false"]["kg"]["accuracy"] == 0.5
    assert figures["degree"] == {
        "median": 15,
        "low": {"n": 1, "kg": 1.0, "none": 0.0},
        "high": {"n": 1, "kg": 0.5, "none": 1.0},
    }
