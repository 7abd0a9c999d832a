"""Full-width forms read as their ASCII forms, one code point for one, so that offsets stay."""

from __future__ import annotations

from typing import Final


def narrow(text: str) -> str:
    """The text with full-width letters, digits and signs as ASCII; as long as the text. The wide blank stays."""
    return text.translate(_NARROW)


_NARROW: Final[dict[int, int]] = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0xA0: 0x20, 0x2212: 0x2D}
