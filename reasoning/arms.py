"""The arms of a question: ways to look for evidence, after the arms that IHRAG compares.

    none      no evidence, and so no answer
    vector    passages of the dense channel
    kg        facts, and chains where there are none; no passages
    hybrid    the preset `default`: facts, and passages of all channels
    graphrag  the communities of the question's entities (`retrieval.communities`); no preset
    ihrag     the preset `ihrag`

`vector` and `kg` are the default without what makes the others, so that arms differ in nothing else.
"""

from __future__ import annotations

from typing import Final, Literal, get_args

from retrieval.preset import Preset, load_preset

Arm = Literal["none", "vector", "kg", "hybrid", "graphrag", "ihrag"]

ARMS: Final[tuple[Arm, ...]] = get_args(Arm)

_LEFT_OUT: Final[dict[Arm, tuple[str, ...]]] = {
    "vector": ("lexical", "graph", "decomposition"),
    "kg": ("lexical", "dense", "graph"),
}
"""Components of the default that an arm leaves out; `graph` is the channel that finds passages."""


def preset_of(arm: Arm) -> Preset | None:
    """The preset of an arm; None for one that has none."""
    if arm in ("none", "graphrag"):
        return None
    preset = load_preset("ihrag" if arm == "ihrag" else "default")
    for component in _LEFT_OUT.get(arm, ()):
        preset = preset.without(component)
    return preset
