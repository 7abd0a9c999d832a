"""Texts as the command line takes them: an argument, a file, standard input; only text, and not without end."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import BinaryIO, Final

from ontology.errors import ClewError, Code

MOST_BYTES: Final = 10_000_000
"""Of a text (our choice: some thousand pages)."""


def one_text(text: str | None, file: Path | None) -> str:
    """The one text that was given, untouched; `-` is standard input.

    Raises:
        ClewError: BAD_INPUT (none or both given, unreadable, too long, not UTF-8, binary), EMPTY_INPUT.
    """
    if (text is None) == (file is None):
        given = "no text" if text is None else "a text and a file"
        raise ClewError(Code.BAD_INPUT, f"{given} given", remedy="give exactly one", choices=["TEXT", "-", "--file"])
    if file is not None:
        content = decoded(_limited(file), str(file))
    elif text == "-":
        content = decoded(_within(sys.stdin.buffer, "standard input"), "standard input")
    else:
        content = text or ""
        _check_size(len(content.encode("utf-8", "replace")), "the text")
    if not content.strip():
        raise ClewError(Code.EMPTY_INPUT, "the text is empty", remedy="give the text of a note")
    return content


def file_bytes(path: Path) -> bytes:
    """What is in a file.

    Raises:
        ClewError: BAD_INPUT when it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from error


def decoded(content: bytes, name: str) -> str:
    """Bytes as text, without a byte order mark.

    Raises:
        ClewError: BAD_INPUT when they are not UTF-8, or hold NUL, as no text does.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ClewError(Code.BAD_INPUT, f"{name}: not UTF-8 text", remedy="convert it to UTF-8") from error
    if "\0" in text:
        raise ClewError(Code.BAD_INPUT, f"{name}: binary, not text", remedy="give plain text in UTF-8")
    return text


def _limited(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return _within(stream, str(path))
    except OSError as error:
        raise _unreadable(path, error) from error


def _within(stream: BinaryIO, name: str) -> bytes:
    content = stream.read(MOST_BYTES + 1)
    _check_size(len(content), name)
    return content


def _check_size(size: int, name: str) -> None:
    if size > MOST_BYTES:
        raise ClewError(Code.BAD_INPUT, f"{name}: more than {MOST_BYTES // 10**6} MB", remedy="give it in parts")


def _unreadable(path: Path, error: OSError) -> ClewError:
    return ClewError(Code.BAD_INPUT, f"{path}: {error.strerror}", remedy="name a readable file")
