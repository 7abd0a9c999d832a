"""Many strings as two arrays, so that they can be memory-mapped and searched where they lie."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Strings(Sequence[bytes]):
    """UTF-8 strings in one blob, lone surrogates included.

    Args:
        blob: the strings one after the other; uint8.
        offsets: where each begins, and the end of the last; int64[n + 1].
    """

    def __init__(self, blob: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
        self._blob = blob.data  # indexed a few times faster than an array, and gives plain numbers
        self._offsets = offsets.data

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, index: Any) -> Any:
        return self._blob[self._offsets[index] : self._offsets[index + 1]].tobytes()

    def text(self, index: int) -> str:
        """One of the strings."""
        raw: bytes = self[index]
        return raw.decode("utf-8", "surrogatepass")

    def find(self, text: str) -> int | None:
        """Where a string stands among strings that are sorted by their code points, or None."""
        wanted = _utf8(text)
        index = bisect_left(self, wanted)
        return index if index < len(self) and self[index] == wanted else None


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
