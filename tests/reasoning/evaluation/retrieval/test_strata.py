"""What sort of question a question is, and what fusing is worth on questions of one sort."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontology.schema import Lang
from reasoning.evaluation.record import Record
from reasoning.evaluation.retrieval.contrasts import contrasts
from reasoning.evaluation.retrieval.strata import THIRDS, strata_of, thirds
from reasoning.evaluation.retrieval.task import RetrievalTask
from retrieval.question import Question, Topic


def topic(*group: str, ones: Sequence[tuple[str, ...]] = ()) -> Topic:
    return Topic(group[0], "Disease", "x", "x", tuple((curie, "Disease") for curie in group), (), tuple(ones))


def asked(text: str, lang: Lang = "en", *topics: Topic, hops: int = 0) -> Question:
    return Question(text, lang, topics, compared=False, negated=False, constraints=(), hops=hops)


def record(case: str, arm: str, value: float, **more: object) -> Record:
    detail = {"kind": "", "gold": ["g"], "top": [], "strata": ["en"], "degree": None} | more
    return Record(case=case, arm=arm, scores={"ndcg@10": value, "recall@10": value}, detail=detail)


def test_a_plain_question_is_of_its_language_only() -> None:
    assert strata_of(asked("What is gout?", "en", topic("a")), "", {"en"}) == ["en"]
    assert strata_of(asked("痛风是什么？", "zh", topic("a")), "", {"zh", "en"}) == ["zh"]


def test_a_name_of_two_things_is_ambiguous_and_of_one_thing_in_two_sources_is_not() -> None:
    assert "ambiguous" in strata_of(asked("?", "en", topic("a", "b")), "", {"en"})
    assert "ambiguous" not in strata_of(asked("?", "en", topic("a", "b", ones=[("a", "b")])), "", {"en"})


def test_what_is_in_another_language_only_is_cross_lingual() -> None:
    assert "cross-lingual" in strata_of(asked("痛风？", "zh"), "", {"en"})
    assert "cross-lingual" not in strata_of(asked("Gout?"), "", set())


def test_long_questions_are_verbose_by_the_words_of_their_language() -> None:
    assert "verbose" in strata_of(asked("word " * 15), "", {"en"})
    assert "verbose" not in strata_of(asked("word " * 14), "", {"en"})
    assert "verbose" in strata_of(asked("痛" * 25, "zh"), "", {"zh"})
    assert "verbose" not in strata_of(asked("痛" * 24, "zh"), "", {"zh"})


@pytest.mark.parametrize(
    ("kind", "hops", "stratum"), [("lay", 0, "lay"), ("hop2", 0, "multi-hop"), ("", 1, "multi-hop")]
)
def test_the_kind_of_a_question_or_its_wording_says_the_rest(kind: str, hops: int, stratum: str) -> None:
    assert strata_of(asked("?", "en", hops=hops), kind, {"en"}) == ["en", "none linked", stratum]


@given(st.dictionaries(st.text(max_size=3), st.none() | st.integers(0, 9)))
def test_thirds_follow_the_degree_and_leave_out_what_has_none(degrees: dict[str, int | None]) -> None:
    found = thirds(degrees)
    assert found.keys() == {case for case, degree in degrees.items() if degree is not None}
    order = sorted(found, key=lambda case: (degrees[case], case))
    assert [THIRDS.index(found[case]) for case in order] == sorted(THIRDS.index(found[case]) for case in order)


def test_a_difference_is_that_of_the_means_and_lies_in_its_interval() -> None:
    records = [record(str(i), arm, value) for i in range(40) for arm, value in (("lexical", i % 2), ("hybrid", 0.75))]
    found = contrasts(records, "hybrid", ["ndcg@10"])["hybrid - lexical"]["ndcg@10"]
    assert found["difference"] == 0.25
    assert found["low"] < 0.25 < found["high"]


def test_the_best_channel_is_the_best_in_each_measure() -> None:
    values = {"lexical": 0.25, "dense": 0.5, "graph": 0.0, "hybrid": 0.75, "hybrid - graph": 0.625}
    records = [record(str(i), arm, value) for i in range(4) for arm, value in values.items()]
    found = contrasts(records, "hybrid", ["ndcg@10"])
    assert found["hybrid - best channel"]["ndcg@10"] == {
        "against": "dense",
        "difference": 0.25,
        "low": 0.25,
        "high": 0.25,
    }
    assert found["hybrid - (hybrid - graph)"]["ndcg@10"]["difference"] == 0.125
    assert found["hybrid - graph"]["ndcg@10"]["difference"] == 0.75


def test_questions_that_do_not_count_change_no_difference() -> None:
    records = [record("1", "lexical", 0.5), record("1", "hybrid", 1.0)]
    uncounted = [one.model_copy(update={"case": "2", "counted": False, "scores": {"ndcg@10": 0.0}}) for one in records]
    assert contrasts([*records, *uncounted], "hybrid", ["ndcg@10"]) == contrasts(records, "hybrid", ["ndcg@10"])


def test_without_the_whole_there_is_nothing_to_compare() -> None:
    assert contrasts([record("1", "lexical", 1.0)], "hybrid", ["ndcg@10"]) == {}


def test_figures_have_strata_with_their_own_means_and_differences() -> None:
    task = RetrievalTask([], None, None, None)  # type: ignore[arg-type]  (figures are made from records alone)
    lay = {"strata": ["zh", "lay"], "degree": 3}
    records = [record("1", "lexical", 0.5), record("1", "hybrid", 0.5)]
    records += [record("2", "lexical", 0.0, **lay), record("2", "hybrid", 1.0, **lay)]
    figures = task.figures(records, [])
    assert set(figures["strata"]) == {"en", "zh", "degree: low", "lay"}
    assert figures["strata"]["lay"]["n"] == 1
    assert figures["strata"]["lay"]["hybrid"]["ndcg@10"] == 1.0
    assert figures["strata"]["lay"]["contrasts"]["hybrid - best channel"]["recall@10"]["difference"] == 1.0
    assert figures["contrasts"]["hybrid - lexical"]["ndcg@10"]["difference"] == 0.5
