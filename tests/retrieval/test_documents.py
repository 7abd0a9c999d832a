"""From chunks back to documents."""

from hypothesis import given
from hypothesis import strategies as st

from retrieval.documents import by_document
from retrieval.passage import Passage
from tests.retrieval.made import passage

ranked = st.lists(st.sampled_from(["gout", "痛风", "flu"]), max_size=15).map(
    lambda documents: [passage(f"c{at}", -at, document=document) for at, document in enumerate(documents)]
)


def test_the_document_with_most_passages_comes_first_and_its_best_one_leads() -> None:
    found = [passage("a1", 9, document="a"), passage("b1", 8, document="b"), passage("b2", 1, document="b")]
    assert [p.chunk for p in by_document(found)] == ["b1", "b2", "a1"]


def test_among_equally_many_the_best_score_decides() -> None:
    found = [passage("痛风1", 9, document="痛风"), passage("a1", 8, document="a")]
    assert [p.chunk for p in by_document(found)] == ["痛风1", "a1"]


@given(ranked)
def test_documents_stand_together_by_number_and_nobody_is_lost(found: list[Passage]) -> None:
    ordered = by_document(found)
    assert sorted(p.chunk for p in ordered) == sorted(p.chunk for p in found)
    seen = list(dict.fromkeys(p.document for p in ordered))
    assert [p.document for p in ordered] == [d for d in seen for p in found if p.document == d]
    counts = [sum(p.document == d for p in found) for d in seen]
    assert counts == sorted(counts, reverse=True)
    for document in seen:
        assert [p for p in ordered if p.document == document] == [p for p in found if p.document == document]


@given(ranked)
def test_doing_it_twice_changes_nothing(found: list[Passage]) -> None:
    assert by_document(by_document(found)) == by_document(found)
