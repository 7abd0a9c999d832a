"""A plan is read for what it would do, not for the words in it."""

from kg_build.store.plan import foreign_operators

PLAN = """
┌────────────────────┐
│┌──────────────────┐│
││  Physical Plan   ││
│└──────────────────┘│
└────────────────────┘
┌────────────────────┐
│ RESULT_COLLECTOR[3]│
│   Expressions: a   │
└─────────┬──────────┘
┌─────────┴──────────┐ ┌────────────────────┐
│ HASH_JOIN_PROBE[2] │ │{}│
│{}│ │   Tables: Disease  │
└────────────────────┘ └────────────────────┘
"""


def test_a_plan_that_only_reads_has_nothing_foreign() -> None:
    assert foreign_operators(PLAN.format(" SCAN_NODE_TABLE[0] ", " Keys: a ")) == []
    assert foreign_operators(PLAN.format(" TABLE_FUNCTION_CALL[0] ", " Function: READ_FTABLE ")) == []


def test_operators_and_functions_that_do_more_are_named() -> None:
    assert foreign_operators(PLAN.format(" COPY_TO[0] ", " Export: 1 ")) == ["COPY_TO"]
    assert foreign_operators(PLAN.format(" TABLE_FUNCTION_CALL[0] ", " Function: READ_CSV ")) == ["READ_CSV"]
    assert foreign_operators(PLAN.format(" SCAN_NODE_TABLE[0] ", " x ").replace("HASH_JOIN_PROBE", "INSERT")) == [
        "INSERT"
    ]


def test_words_in_the_body_of_a_box_are_no_operators() -> None:
    assert foreign_operators(PLAN.format(" SCAN_NODE_TABLE[0] ", " Expressions: 'COPY_TO[1]' ")) == []


def test_what_is_no_plan_is_not_trusted() -> None:
    assert foreign_operators("")
    assert foreign_operators("done")
