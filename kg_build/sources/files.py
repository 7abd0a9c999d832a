"""Reading the files of sources: plain or compressed, line by line, whatever they hold.

Files come from elsewhere, so nothing about them is trusted: a line may be two gigabytes long, an archive may unpack
to more than the disk holds, text may be in another encoding. What is wrong with a row is counted and the others are
read; what is wrong with a file raises UNREADABLE_SOURCE. Memory is bounded by one line.
"""

from __future__ import annotations

import csv
import gzip
import json
import zlib
from collections.abc import Iterator, Sequence
from io import BufferedIOBase
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile, ZipFile

from kg_build.reconcile import Tally
from ontology.errors import ClewError, Code

LONGEST_LINE: Final = 16 * 2**20
"""Bytes (our choice: the longest line of the known sources has a tenth of it)."""

LARGEST_FILE: Final = 16 * 2**30
"""Bytes after decompression (our choice: a bomb is noticed before a day is spent on it)."""


def text_lines(path: Path, tally: Tally, kind: str) -> Iterator[tuple[int, str]]:
    """The lines of a UTF-8 file, plain or `.gz`, with their numbers from 1 and without line ends.

    Lines that are too long or not UTF-8 are counted as rows of `kind` that were read and dropped; the caller counts
    the others. A byte-order mark is passed over.

    Raises:
        ClewError: UNREADABLE_SOURCE when the file cannot be opened, is damaged or unpacks without end.
    """
    try:
        with _opened(path) as stream:
            yield from _lines(stream, path, tally, kind)
    except (OSError, EOFError, zlib.error) as error:
        raise _unreadable(path, str(error)) from error


def table_rows(
    path: Path, tally: Tally, kind: str, columns: Sequence[str], *, delimiter: str = "\t", quoted: bool = False
) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a delimited file with a header line, as mappings, with their line numbers.

    Every row is counted as read. A row with too few or too many fields is dropped with that reason; the caller
    counts the others as kept or dropped.

    Args:
        path: plain or `.gz`.
        tally: where rows are counted.
        kind: what the rows are called there.
        columns: columns that have to be there.
        delimiter: between fields.
        quoted: whether fields may stand in double quotes.

    Raises:
        ClewError: UNREADABLE_SOURCE, also when a column is missing.
    """
    header: list[str] = []
    for number, line in text_lines(path, tally, kind):
        if not line.strip() or (not header and line.startswith("#")):
            continue
        try:
            fields = next(csv.reader([line], delimiter=delimiter)) if quoted else line.split(delimiter)
        except csv.Error as error:
            _drop(tally, kind, f"not a row: {error}")
            continue
        if not header:
            header = [field.strip() for field in fields]
            if absent := [column for column in columns if column not in header]:
                raise _unreadable(path, f"no column {', '.join(absent)}; it has {', '.join(header)}")
            continue
        tally.read(kind)
        if len(fields) == len(header):
            yield number, dict(zip(header, fields, strict=True))
        else:
            tally.dropped(kind, "wrong number of columns")
    if not header:
        raise _unreadable(path, "no header line")


def json_lines(path: Path, tally: Tally, kind: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON Lines file, with their line numbers.

    Every line is counted as read; what is not a JSON object is dropped with that reason, the caller counts the rest.

    Raises:
        ClewError: UNREADABLE_SOURCE.
    """
    for number, line in text_lines(path, tally, kind):
        if not line.strip():
            continue
        tally.read(kind)
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            tally.dropped(kind, "not JSON")
            continue
        if isinstance(value, dict):
            yield number, value
        else:
            tally.dropped(kind, "not a JSON object")


def archive_member(path: Path, member: str, *, largest: int = 2**30) -> bytes:
    """The content of one member of a wheel or zip, never unpacked to disk.

    Args:
        path: the archive.
        member: its exact name.
        largest: bytes it may have after decompression.

    Raises:
        ClewError: UNREADABLE_SOURCE.
    """
    try:
        with ZipFile(path) as archive, archive.open(member) as stream:
            content = stream.read(largest + 1)
    except (OSError, KeyError, EOFError, BadZipFile, zlib.error, NotImplementedError) as error:
        raise _unreadable(path, f"{member}: {error}") from error
    if len(content) > largest:
        raise _unreadable(path, f"{member} unpacks to more than {largest:,} bytes")
    return content


def _opened(path: Path) -> BufferedIOBase:
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")


def _lines(stream: BufferedIOBase, path: Path, tally: Tally, kind: str) -> Iterator[tuple[int, str]]:
    number, total = 0, 0
    while line := stream.readline(LONGEST_LINE + 1):
        number += 1
        total += len(line)
        if len(line) > LONGEST_LINE:
            total += _skip_line(stream, path, total)
            _drop(tally, kind, f"line longer than {LONGEST_LINE:,} bytes")
        else:
            try:
                yield number, line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
            except UnicodeDecodeError:
                _drop(tally, kind, "not UTF-8")
        if total > LARGEST_FILE:
            raise _unreadable(path, f"unpacks to more than {LARGEST_FILE:,} bytes")


def _skip_line(stream: BufferedIOBase, path: Path, before: int) -> int:
    """Read to the end of an over-long line; returns how many bytes that took."""
    skipped = 0
    while part := stream.readline(LONGEST_LINE):
        skipped += len(part)
        if part.endswith(b"\n"):
            break
        if before + skipped > LARGEST_FILE:
            raise _unreadable(path, f"unpacks to more than {LARGEST_FILE:,} bytes")
    return skipped


def _drop(tally: Tally, kind: str, reason: str) -> None:
    tally.read(kind)
    tally.dropped(kind, reason)


def _unreadable(path: Path, cause: str) -> ClewError:
    return ClewError(
        Code.UNREADABLE_SOURCE, f"{path.name}: {cause}", remedy="get the file again from where it is published"
    )
