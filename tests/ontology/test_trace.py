"""The trace: stages in order, timed, with what they found out."""

import time

import pytest

from ontology.trace import Trace


def test_stages_are_kept_in_order_with_their_details() -> None:
    trace = Trace()
    with trace.stage("interpret") as details:
        details["entities"] = ["感冒"]
    with trace.stage("graph"):
        time.sleep(0.002)
    assert [step.stage for step in trace.steps] == ["interpret", "graph"]
    assert trace.as_list()[0] == {"stage": "interpret", "ms": trace.steps[0].ms, "entities": ["感冒"]}
    assert trace.steps[1].ms >= 2
    assert trace.ms == pytest.approx(sum(step.ms for step in trace.steps), abs=0.001)


def test_a_stage_that_fails_is_still_timed() -> None:
    trace = Trace()

    def fail() -> None:
        with trace.stage("passages"):
            time.sleep(0.001)
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        fail()
    assert trace.steps[0].ms >= 1


def test_an_empty_trace_took_no_time() -> None:
    assert Trace().ms == 0
    assert Trace().as_list() == []
