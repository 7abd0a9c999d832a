"""What became of every passage."""

from retrieval.journal import Fallen, Journal


def test_stages_stand_in_the_order_in_which_they_ran_with_what_each_kept_best_first() -> None:
    journal = Journal()
    journal.note("lexical", [("b#0", 2.0), ("痛风#0", 1.0)])
    journal.note("ranking", [("b#0", 2.0)], [Fallen("痛风#0", 1.0, 2.0, "the first 1 are kept")])
    first, second = journal.stages
    assert (first.name, list(first.kept.items()), first.fallen) == ("lexical", [("b#0", 2.0), ("痛风#0", 1.0)], {})
    assert second.fallen["痛风#0"].cut == 2.0


def test_a_stage_is_written_down_though_it_keeps_nothing() -> None:
    journal = Journal()
    journal.note("fusion", iter(()))
    assert [(stage.name, stage.kept, stage.fallen) for stage in journal.stages] == [("fusion", {}, {})]
