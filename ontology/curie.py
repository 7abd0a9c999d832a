"""CURIEs: the only identity an entity has.

An id is `prefix:local`. Sources without ids of their own mint one in their prefix from the type and the
normalised name, so that the same string of the same type is the same entity on every build.
"""

from __future__ import annotations

import re
from base64 import b32encode
from hashlib import blake2b

from ontology.errors import ClewError, Code

_CURIE = re.compile(r"[A-Za-z][A-Za-z0-9._-]*:[^\s\x00-\x1f<>\"{}|\\^`]+\Z")
_MINTED = re.compile(r":[a-z2-7]{16}\Z")


def is_curie(text: str) -> bool:
    """Whether `text` has the shape of a CURIE."""
    return _CURIE.match(text) is not None


def check_curie(text: str) -> str:
    """Return `text` if it is a CURIE.

    Raises:
        ClewError: BAD_CURIE.
    """
    if not is_curie(text):
        raise ClewError(Code.BAD_CURIE, repr(text), remedy="write it as prefix:local, such as HP:0001250")
    return text


def digest(*parts: str) -> str:
    """An 80-bit digest of the parts as 16 lower-case letters and digits.

    80 bits keep the chance of any collision below 1e-6 up to a billion hashed records.
    """
    hashed = blake2b("\x1f".join(parts).encode(), digest_size=10).digest()
    return b32encode(hashed).decode().lower()


def is_minted(curie: str) -> bool:
    """Whether a CURIE was made by `mint`: its source has no ids of its own."""
    return _MINTED.search(curie) is not None


def mint(prefix: str, type_name: str, normalised_name: str) -> str:
    """The CURIE of a name from a source without ids: a function of type and normalised name only."""
    return f"{prefix}:{digest(type_name, normalised_name)}"
