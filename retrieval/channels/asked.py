"""What every channel offers: a question is asked once, and then answered as often as the search needs.

    channel.ask(…) ──▶ Asked ──best(limit)──▶ hits        what the channel finds
                            └──scores(chunks)──▶ scores   what it thinks of passages that others found

The scores of a channel do not depend on how many passages it was asked for, and 0 is a passage that it has nothing to
say for. So scores of several channels can be added, whatever else was found. Those of the two text channels mean the
same for every question; those of the graph are shares of the best passage's.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from retrieval.hit import Hit


class Asked(Protocol):
    """A question as one channel understood it."""

    def best(self, limit: int) -> list[Hit]:
        """At most `limit` passages, best first, equal scores in a fixed order."""
        ...

    def scores(self, chunks: Collection[str]) -> dict[str, float]:
        """The scores of given passages, as `best` has them; passages that are missing have 0."""
        ...
