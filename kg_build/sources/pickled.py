"""Pickles as data: lists, dictionaries, strings and numbers, and nothing else.

Some packages carry their data as pickles. A pickle is a program, so it is looked through before it is run: it may only
use instructions that make plain data (no classes, functions, extension codes or ids of persistent objects, so that
reading one can run nothing), not many more than the known ones, and may not reserve memory for what it does not hold.
Tuples and sets are not among the plain data: one nested a million times brings the program down when it is hashed.
The unpickler refuses every class once more, and checks little else, so whatever it trips over means damage.
"""

from __future__ import annotations

import bz2
import io
import pickle
import pickletools
from typing import Any, Final

from kg_build.sources.files import unreadable

MOST_STEPS: Final = 10_000_000
"""Instructions of a pickle (our choice: twice the longest known; each may make an object of 70 bytes)."""

_PLAIN: Final = frozenset(
    """
    PROTO FRAME STOP MARK POP POP_MARK DUP PUT BINPUT LONG_BINPUT MEMOIZE GET BINGET LONG_BINGET
    NONE NEWTRUE NEWFALSE INT BININT BININT1 BININT2 LONG LONG1 LONG4 FLOAT BINFLOAT
    STRING BINSTRING SHORT_BINSTRING UNICODE BINUNICODE SHORT_BINUNICODE BINUNICODE8 BINBYTES SHORT_BINBYTES BINBYTES8
    EMPTY_LIST LIST APPEND APPENDS EMPTY_DICT DICT SETITEM SETITEMS
    """.split()
)
"""Names of the instructions that make plain data."""
_KEEP: Final = frozenset({"PUT", "BINPUT", "LONG_BINPUT"})
"""Those that keep a value under a number; a table as long as the number is made for it."""
_DAMAGE: Final = (
    OSError, EOFError, LookupError, ValueError, TypeError, AttributeError, OverflowError, MemoryError, RecursionError,
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
        ClewError: UNREADABLE_SOURCE when it is damaged or asks for anything but plain data.
    """
    try:
        _look_through(content)
        return _NoClasses(io.BytesIO(content)).load()
    except _DAMAGE as error:
        raise unreadable(name, str(error)) from error


def _look_through(content: bytes) -> None:
    """Raise ValueError for an instruction that does anything but make plain data."""
    for step, (instruction, argument, _) in enumerate(pickletools.genops(content)):
        if instruction.name not in _PLAIN:
            raise ValueError(f"the pickle asks for {instruction.name} {argument or ''}".rstrip())
        if instruction.name in _KEEP and int(argument or 0) > step:
            raise ValueError(f"the pickle keeps a value under the number {argument}")
        if step >= MOST_STEPS:
            raise ValueError(f"the pickle has more than {MOST_STEPS:,} instructions")


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
