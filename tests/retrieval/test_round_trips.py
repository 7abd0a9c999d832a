"""How often a question goes to the store: at most eight times, as every trip costs on a server."""

from functools import cached_property
from pathlib import Path

import pytest

from api.compose import Clew
from kg_build.store.ladybug import LadybugStore
from kg_build.store.protocol import GraphStore, each
from ontology.trace import Trace
from retrieval.preset import load_preset, preset_names
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
        "What do Marfan syndrome and Homocystinuria have in common?",
        "高血压和肺炎有什么区别？",
        "Compare hypertension, cough, headache, captopril and Marfan syndrome",
    ],
)
def test_retrieval_for_a_question_makes_few_round_trips(counted: Counted, text: str) -> None:
    question = counted.interpreter.interpret(text)
    assert isinstance(counted.store, CountingStore)
    counted.store.statements.clear()
    counted.retriever.retrieve(question, Trace())
    assert 0 < len(counted.store.statements) <= MOST, counted.store.statements


def test_every_preset_stays_within_it(counted: Counted) -> None:
    question = counted.interpreter.interpret("高血压和肺炎有什么区别？")
    assert isinstance(counted.store, CountingStore)
    for name in preset_names():
        counted.store.statements.clear()
        counted.retriever.retrieve(question, Trace(), load_preset(name))
        assert 0 < len(counted.store.statements) <= MOST, name


def test_every_statement_is_counted_and_handed_on(counted: Counted) -> None:
    store = counted.store
    assert isinstance(store, CountingStore)
    store.statements.clear()
    assert store.rows("MATCH (d:Disease) RETURN count(*) AS n")[0]["n"] > 0
    assert store.ask("RETURN $x AS x", {"x": 1}, seconds=10, rows=1).rows == [[1]]
    assert each(store, "RETURN $id AS id", ["a", "b"]) == [{"id": "a"}, {"id": "b"}]
    assert store.statements == ["MATCH (d:Disease) RETURN count(*) AS n", "RETURN $x AS x", "RETURN $id AS id"]
