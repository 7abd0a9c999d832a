"""Phrases are found as units: the longest one, never within a finding, in both scripts, in linear time."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontology.reading.status import status_of, statuses
from ontology.reading.triggers import Trigger, Unit, expand, find_triggers, units_of

HOSTILE = st.text(alphabet="xX√□☑(）no无未见@#%*<>[]$^,，:?。and 1年前\u202e\u200d\ud800\x00\U0001f600", max_size=80)


def triggers(text: str, *findings: tuple[int, int]) -> list[tuple[str, str]]:
    units = units_of(text, 0, len(text), findings)
    said = find_triggers(units)
    return [(found.role, "".join(unit.text for unit in units[found.first : found.last])) for found in said]


def test_a_choice_is_written_in_brackets() -> None:
    assert set(expand("[no|without] sign of")) == {("no", "sign", "of"), ("without", "sign", "of")}
    assert set(expand("未见[明显|]好转")) == {tuple("未见明显好转"), tuple("未见好转")}


def test_the_longest_phrase_counts() -> None:
    assert triggers("cannot be excluded") == [("uncertain", "cannotbeexcluded")]
    assert triggers("未见好转") == [("none", "未见好转")]


def test_a_finding_is_one_unit_and_no_phrase_is_found_within_it() -> None:
    assert units_of("a 无痛性血尿", 0, 7, [(2, 7)])[1] == Unit("@", 2, 7, 0)
    assert triggers("无痛性血尿", (0, 5)) == []


@pytest.mark.parametrize("box", ["□", "☐", "[ ]", "( )", "（ ）", "【】"])
def test_an_empty_box_is_one_unit_however_it_is_drawn(box: str) -> None:
    assert [unit.text for unit in units_of(f"a {box}", 0, 2 + len(box), [(0, 1)])] == ["@", "□"]
    assert [unit.text for unit in units_of(f"{box} a", 0, 2 + len(box), [(1 + len(box), 2 + len(box))])] == ["▢", "@"]


@pytest.mark.parametrize("box", ["☑", "[x]", "[X]", "(√)", "（ √ ）", "■"])
def test_a_ticked_box_is_one_unit_however_it_is_drawn(box: str) -> None:
    assert [unit.text for unit in units_of(f"a {box}", 0, 2 + len(box), [(0, 1)])] == ["@", "☑"]


def test_a_phrase_may_be_of_events_alone() -> None:
    assert triggers("骨折史10年", (0, 2)) == [("historical", "史10年")]
    assert triggers("头痛史10年", (0, 2)) == [("lasting", "史10年")]


def test_traditional_and_full_width_characters_are_read() -> None:
    assert triggers("無發熱（－）", (1, 3)) == [("absent", "无"), ("absent", "(-)")]


@given(HOSTILE, st.data())
def test_phrases_are_in_order_and_apart_whatever_the_text(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    units = units_of(text, 0, len(text), [(start, end)])
    found: list[Trigger] = find_triggers(units)
    assert all(trigger.first < trigger.last <= len(units) for trigger in found)
    assert all(one.last <= other.first for one, other in pairwise(found))
    assert all(text[unit.start : unit.end] for unit in units if unit.finding < 0)


@pytest.mark.parametrize("unit", ["not ", "未见", "excluded ", "no fever, ", "? ", "家族史：", "x", "\ud800\u202e"])
def test_time_is_proportional_to_the_text(unit: str) -> None:
    def seconds(length: int) -> float:
        text = unit * (length // len(unit))
        spans = [(at, at + 3) for at in range(0, len(text) - 3, 200)]
        started = time.process_time()
        statuses(text, spans)
        return time.process_time() - started

    status_of("no fever", 3, 8)
    assert seconds(40_000) < 12 * seconds(10_000) + 0.1
