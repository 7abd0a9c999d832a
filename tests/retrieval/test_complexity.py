"""The router: what makes a question complex, and where it goes."""

import pytest

from retrieval.complexity import Complexity, channels_of, complexity, route
from retrieval.preset import Router, load_preset
from retrieval.question import Property, Question, Topic

SYMPTOMS, TREATMENT = Property("has_phenotype", "subject"), Property("treats", "object")


def topic(name: str, *asked: Property) -> Topic:
    return Topic(f"x:{name}", "Disease", name, name, ((f"x:{name}", "Disease"),), asked)


def question(
    *topics: Topic, compared: bool = False, negated: bool = False, constraints: tuple[str, ...] = (), hops: int = 0
) -> Question:
    return Question("?", "en", topics, compared, negated, constraints, hops)


@pytest.mark.parametrize(
    ("asked", "terms"),
    [
        (question(), Complexity(0, 0, 0, 0, 0, 0)),
        (question(topic("gout")), Complexity(1, 0, 0, 0, 0, 0)),
        (question(topic("gout", SYMPTOMS, TREATMENT)), Complexity(1, 2, 0, 0, 0, 0)),
        (question(topic("gout", SYMPTOMS), topic("感冒", SYMPTOMS)), Complexity(2, 2, 0, 0, 0, 0)),
        (question(topic("gout"), compared=True), Complexity(1, 0, 0, 2, 0, 0)),
        (question(topic("gout"), hops=2), Complexity(1, 0, 2, 0, 0, 0)),
        (question(topic("gout"), negated=True), Complexity(1, 0, 0, 0, 1, 0)),
        (question(topic("gout"), constraints=("孕妇", "急性")), Complexity(1, 0, 0, 0, 0, 2)),
    ],
)
def test_every_term_counts_what_an_answer_has_to_bring_together(asked: Question, terms: Complexity) -> None:
    assert complexity(asked) == terms


def test_the_total_is_the_sum_of_the_terms() -> None:
    assert Complexity(2, 3, 0, 2, 1, 4).total == 12


ROUTER = Router(threshold=5, below=("dense",), above=("dense", "graph"))


def test_a_question_without_an_entity_goes_to_passages_however_complex() -> None:
    asked = question(compared=True, negated=True, constraints=("a", "b", "c"))
    assert complexity(asked).total > ROUTER.threshold
    assert route(asked, ROUTER) == "passages"
    assert channels_of(asked, ROUTER) == ("dense",)


def test_by_default_any_entity_sends_a_question_to_the_graph_too() -> None:
    router = load_preset().values.router
    assert route(question(topic("gout")), router) == "graph and passages"
    assert channels_of(question(topic("gout")), router) == router.above
    assert channels_of(question(), router) == router.below


def test_the_threshold_is_the_least_complexity_that_reaches_the_graph() -> None:
    asked = question(topic("gout", SYMPTOMS), topic("感冒", SYMPTOMS), negated=True)
    assert complexity(asked).total == 5
    assert route(asked, ROUTER) == "graph and passages"
    assert channels_of(asked, ROUTER) == ("dense", "graph")
    assert route(asked, ROUTER.model_copy(update={"threshold": 6})) == "passages"
