"""What fusing the channels is worth: the differences between two arms of one run, with 95 % intervals.

    hybrid - lexical                hybrid against a channel
    hybrid - best channel           against the one that is best alone in that measure, on the same questions
    hybrid - (hybrid - graph)       against itself without a component

Each is the mean of a paired difference over the questions that are counted, with the percentiles of a bootstrap that
draws groups of questions (`reasoning.evaluation.stats`). The best channel is chosen on the very questions that it is
compared on, which favours the channel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from reasoning.evaluation.record import Record
from reasoning.evaluation.stats import paired_bootstrap
from retrieval.hit import CHANNELS

BEST: Final = "best channel"

ByCase = Mapping[str, Record]
"""The counted records of an arm, by case."""


def by_arm(records: Sequence[Record]) -> dict[str, dict[str, Record]]:
    """The counted records of every arm, by case."""
    found: dict[str, dict[str, Record]] = {}
    for record in records:
        if record.counted:
            found.setdefault(record.arm, {})[record.case] = record
    return found


def contrasts(records: Sequence[Record], whole: str, measures: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The whole against every channel, the best of them, and the whole without each component.

    Args:
        records: of one run.
        whole: the arm that is compared with the others.
        measures: names of scores.

    Returns:
        By name of the contrast and by measure `{"difference", "low", "high"}`; empty without the arm.
    """
    arms = by_arm(records)
    if whole not in arms:
        return {}
    found = {
        f"{whole} - {arm}": {measure: _difference(arms[whole], arms[arm], measure) for measure in measures}
        for arm in arms
        if arm in CHANNELS
    }
    found |= against_best(records, whole, measures)
    for arm in arms:
        if arm.startswith(f"{whole} - "):
            found[f"{whole} - ({arm})"] = {m: _difference(arms[whole], arms[arm], m) for m in measures}
    return found


def against_best(records: Sequence[Record], whole: str, measures: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The whole against the channel that is best alone; `against` says which one it is."""
    arms = by_arm(records)
    channels = [arm for arm in CHANNELS if arm in arms]
    if whole not in arms or not channels:
        return {}
    found: dict[str, Any] = {}
    for measure in measures:
        best = max(channels, key=lambda arm: _total(arms[arm], arms[whole], measure))
        found[measure] = {"against": best, **_difference(arms[whole], arms[best], measure)}
    return {f"{whole} - {BEST}": found}


def _total(one: ByCase, among: ByCase, measure: str) -> float:
    return sum(record.scores.get(measure, 0.0) for case, record in one.items() if case in among)


def _difference(whole: ByCase, other: ByCase, measure: str) -> dict[str, float]:
    """Over the cases that both have."""
    cases = [case for case in whole if case in other]
    if not cases:
        return {"difference": 0.0, "low": 0.0, "high": 0.0}
    one, two = ([side[case].scores.get(measure, 0.0) for case in cases] for side in (other, whole))
    found = paired_bootstrap(one, two, groups=[whole[case].group or case for case in cases])
    return {"difference": round(found.mean, 4), "low": round(found.low, 4), "high": round(found.high, 4)}
