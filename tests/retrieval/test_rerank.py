"""Re-ranking: the first passages in another order. The cross-encoder is a stub here."""

import sys
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontology.errors import ClewError, Code
from retrieval.rerank import CrossEncoderReranker, reranked
from tests.kg_build.index.encoders import stub


class ByLength:
    """Longer passages first; notes what it was given."""

    def __init__(self) -> None:
        self.given: list[str] = []

    def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        self.given += passages
        return [float(len(passage)) for passage in passages]


@given(st.lists(st.text(max_size=5), max_size=12), st.integers(0, 15))
def test_the_first_are_ordered_by_score_and_nobody_is_lost(texts: list[str], depth: int) -> None:
    reranker = ByLength()
    found = reranked("q", list(enumerate(texts)), reranker, depth)
    assert sorted(found) == list(range(len(texts)))
    assert reranker.given == texts[:depth]
    assert found[:depth] == sorted(range(len(texts[:depth])), key=lambda at: (-len(texts[at]), at))
    assert found[depth:] == list(range(len(texts)))[depth:]


def test_a_cross_encoder_reads_question_and_passage_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", stub.module())
    reranker = CrossEncoderReranker("some/cross-encoder")
    assert reranker.scores("what treats fever", ["cough", "this treats fever", "发热"]) == [0, 2, 0]
    assert reranker.scores("what treats fever", []) == []
    assert reranked("what treats fever", [("a", "cough"), ("b", "treats fever")], reranker, 2) == ["b", "a"]


def test_without_the_extra_and_without_the_model_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ClewError) as caught:
        CrossEncoderReranker("some/cross-encoder").scores("q", ["a"])
    assert (caught.value.code, "clew[transformers]" in caught.value.remedy) == (Code.MISSING_EXTRA, True)
    monkeypatch.setitem(sys.modules, "sentence_transformers", stub.module())
    with pytest.raises(ClewError) as caught:
        CrossEncoderReranker("nowhere").scores("q", ["a"])
    assert caught.value.code is Code.BAD_SETTINGS
