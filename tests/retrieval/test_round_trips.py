"""How often a question goes to the store: at most eight times, as every trip costs on a server."""

from functools import cached_property
from pathlib import Path

import pytest

from api.compose import Clew
from kg_build.store.ladybug import LadybugStore
from kg_build.store.protocol import GraphStore
from ontology.trace import Trace
from tests.kg_build.store.counting import CountingStore

MOST = 8


class Counted(Clew):
    """A release whose store counts."""

    @cached_property
    def store(self) -> GraphStore:
        return CountingStore(LadybugStore(self.release.derived("graph.lbug")))


@pytest.fixture(scope="module")
def counted(miniature_home: Path) -> Counted:
    return Counted.open(miniature_home)  # type: ignore[return-value]


@pytest.mark.parametrize(
    "text",
    [
        "感冒有哪些症状，吃什么药？",
        "What are the symptoms of Marfan syndrome?",
        "How is FBN1 related to ectopia lentis?",
        pytest.param(
            "What do Marfan syndrome and Homocystinuria have in common?",
            marks=pytest.mark.xfail(strict=False, reason="17 trips: a statement for each member of a group"),
        ),
        pytest.param(
            "高血压和肺炎有什么区别？",
            marks=pytest.mark.xfail(strict=False, reason="9 trips: a statement for each member of a group"),
        ),
    ],
)
def test_retrieval_for_a_question_makes_few_round_trips(counted: Counted, text: str) -> None:
    question = counted.interpreter.interpret(text)
    assert isinstance(counted.store, CountingStore)
    counted.store.statements.clear()
    counted.retriever.retrieve(question, Trace())
    assert 0 < len(counted.store.statements) <= MOST, counted.store.statements


def test_every_statement_is_counted_and_handed_on(counted: Counted) -> None:
    store = counted.store
    assert isinstance(store, CountingStore)
    store.statements.clear()
    assert store.rows("MATCH (d:Disease) RETURN count(*) AS n")[0]["n"] > 0
    assert store.ask("RETURN $x AS x", {"x": 1}, seconds=10, rows=1).rows == [[1]]
    assert store.statements == ["MATCH (d:Disease) RETURN count(*) AS n", "RETURN $x AS x"]
