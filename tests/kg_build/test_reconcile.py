import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_build.reconcile import Tally
from ontology.errors import ClewError, Code

COUNTS = st.integers(0, 50)


def test_a_kind_balances_when_every_row_is_kept_or_dropped_for_a_reason() -> None:
    tally = Tally("hpo")
    tally.read("annotation", 3)
    tally.kept("annotation", 2)
    tally.dropped("annotation", "unknown aspect", example="line 7")
    tally.check()
    assert tally.as_list() == [
        {
            "kind": "annotation",
            "in": 3,
            "kept": 2,
            "dropped": {"unknown aspect": 1},
            "examples": {"unknown aspect": "line 7"},
        }
    ]


@given(kept=COUNTS, reasons=st.dictionaries(st.sampled_from(["a", "b", "病"]), COUNTS))
def test_what_is_counted_in_and_out_alike_always_balances(kept: int, reasons: dict[str, int]) -> None:
    tally = Tally("s")
    tally.read("row", kept + sum(reasons.values()))
    tally.kept("row", kept)
    for reason, n in reasons.items():
        tally.dropped("row", reason, n)
    tally.check()


@given(read=COUNTS, kept=COUNTS, dropped=COUNTS)
def test_anything_else_is_unreconciled(read: int, kept: int, dropped: int) -> None:
    tally = Tally("cmekg")
    tally.read("三元组", read)
    tally.kept("三元组", kept)
    tally.dropped("三元组", "fragment", dropped)
    if read == kept + dropped:
        tally.check()
        return
    with pytest.raises(ClewError, match=r"source cmekg: .* 三元组") as caught:
        tally.check()
    assert caught.value.code is Code.UNRECONCILED


def test_one_kind_never_makes_up_for_another() -> None:
    tally = Tally("s")
    tally.read("term")
    tally.kept("name")
    with pytest.raises(ClewError):
        tally.check()


def test_rows_that_leave_without_having_come_in_do_not_balance() -> None:
    tally = Tally("s")
    tally.dropped("term", "why")
    with pytest.raises(ClewError):
        tally.check()


def test_the_balance_is_listed_in_the_same_order_however_it_was_counted() -> None:
    one, other = Tally("s"), Tally("s")
    for tally, kinds in ((one, "ab"), (other, "ba")):
        for kind in kinds:
            tally.read(kind, 2)
            for reason in kinds:
                tally.dropped(kind, reason)
    assert one.as_list() == other.as_list()
    assert [list(entry["dropped"]) for entry in one.as_list()] == [["a", "b"]] * 2  # type: ignore[call-overload]
