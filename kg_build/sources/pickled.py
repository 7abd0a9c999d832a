"""Pickles as data: containers, strings and numbers, and nothing else.

Some packages carry their data as pickles. They are read with an unpickler that refuses every class and function, so
that reading one can run nothing; the unpickler checks little else, so whatever it trips over means damage.
"""

from __future__ import annotations

import bz2
import io
import pickle
from typing import Any, Final

from ontology.errors import ClewError, Code

_DAMAGE: Final = (
    OSError, EOFError, LookupError, ValueError, TypeError, AttributeError, OverflowError, MemoryError,
    pickle.UnpicklingError,
)  # fmt: skip


class _NoClasses(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"the pickle asks for {module}.{name}")


def plain_pickle(content: bytes, name: str) -> Any:
    """The value of a pickle that holds plain data only.

    Args:
        content: the pickle.
        name: what it is called in errors.

    Raises:
        ClewError: UNREADABLE_SOURCE when it is damaged or asks for a class.
    """
    try:
        return _NoClasses(io.BytesIO(content)).load()
    except _DAMAGE as error:
        raise unreadable(name, str(error)) from error


def unpacked_bz2(packed: bytes, name: str, *, largest: int) -> bytes:
    """What a bzip2 stream holds, if that is no more than `largest` bytes.

    Raises:
        ClewError: UNREADABLE_SOURCE.
    """
    unpacker = bz2.BZ2Decompressor()
    try:
        content = unpacker.decompress(packed, max_length=largest)
    except (OSError, EOFError, ValueError) as error:
        raise unreadable(name, str(error)) from error
    if not unpacker.eof:
        raise unreadable(name, f"cut short, or unpacks to more than {largest:,} bytes")
    return content


def unreadable(name: str, cause: str) -> ClewError:
    """The error of a carrier file that cannot be read."""
    return ClewError(Code.UNREADABLE_SOURCE, f"{name}: {cause}", remedy="delete the artefact and build again")
