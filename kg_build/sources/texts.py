"""What a text of a source may be.

A source may hold text that no file and no index can take: half of a surrogate pair (JSON and pickles can say it), a
NUL character, a name of a megabyte; or a name that is not what it looks like on a screen. What holds one is dropped by
the reader, with the reason.
"""

from __future__ import annotations

import re
from typing import Any, Final, TypeGuard

from ontology.curie import is_curie
from ontology.reading.text import normal_form

LONGEST_ID: Final = 300
"""Characters an id may have (our choice: twice the longest known). The indices of a release give every id as much room
as the longest one needs."""

LONGEST_NAME: Final = 2000
"""Characters a name may have (our choice: the longest of the known sources has a quarter of it). The dictionary of a
release is a tree as deep as its longest name, and a tree of a million levels brings the program down."""

MOST_EXPANDED: Final = 2**28
"""Characters of the quotes that the rules of a source may be expanded to (our choice: ten times the known): two groups
of ten thousand names make a hundred million pairs, and each has the whole rule as its quote."""

NOT_TEXT: Final = "holds half of a surrogate pair or a NUL character"
"""The reason for what `is_text` or `only_texts` refuses."""

_NO_TEXT: Final = re.compile("[\0\ud800-\udfff]")
_NOT_SHOWN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters, with those that turn the direction of writing: a screen obeys them instead of showing them."""


def is_text(value: object) -> TypeGuard[str]:
    """Whether a value is text that can be kept."""
    return isinstance(value, str) and _NO_TEXT.search(value) is None


def is_name(value: object) -> TypeGuard[str]:
    """Whether a value can name something.

    It can if it is text with something to compare by, no longer than `LONGEST_NAME`, without control characters.
    """
    return is_text(value) and len(value) <= LONGEST_NAME and not _NOT_SHOWN.search(value) and normal_form(value) != ""


def is_id(text: str) -> bool:
    """Whether a text can be an id: a CURIE no longer than `LONGEST_ID`."""
    return len(text) <= LONGEST_ID and is_curie(text)


def only_texts(value: Any) -> bool:
    """Whether every string of a JSON value is text that can be kept, keys included."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            if not is_text(item):
                return False
        elif isinstance(item, dict):
            pending += [*item, *item.values()]
        elif isinstance(item, list | tuple | set):
            pending += item
    return True
