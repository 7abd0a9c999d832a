"""Reading the files of sources: plain, compressed or in an archive, whatever they hold.

Files come from elsewhere, so nothing about them is trusted: a line may be two gigabytes long, an archive may unpack
to more than the disk holds, text may be in another encoding. What is wrong with a row is counted and the others are
read; what is wrong with a file raises UNREADABLE_SOURCE. Memory is bounded by one line, or by one member of an
archive. Nothing is ever unpacked to disk: what an archive calls its members is compared with, never used as a path.
"""

from __future__ import annotations

import csv
import gzip
import json
import lzma
import re
import struct
import tarfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path
from typing import IO, Any, Final, cast
from xml.etree.ElementTree import Element, ParseError
from zipfile import BadZipFile, ZipFile, ZipInfo

from defusedxml.ElementTree import fromstring

from kg_build.reconcile import Tally
from kg_build.sources.texts import NOT_TEXT, only_texts
from ontology.errors import ClewError, Code

LONGEST_LINE: Final = 16 * 2**20
"""Bytes (our choice: the longest line of the known sources has a tenth of it)."""

MOST_LINES: Final = 20_000_000
"""Lines of a file (our choice: nine times the largest known table)."""

LARGEST_TEXT: Final = 2**30
"""Bytes of the lines of a file that are read, or of the members of an archive (our choice: four times the known)."""

LARGEST_FILE: Final = 16 * 2**30
"""Bytes after decompression, with lines that are passed over (our choice: a bomb is noticed before a day is spent)."""

LARGEST_MEMBER: Final = 128 * 2**20
"""Bytes of one member of an archive after decompression (our choice: three times the largest known)."""

LARGEST_TREE: Final = 32 * 2**20
"""The same where it is parsed into a tree, which takes many times the memory (our choice: three times the known)."""

_DAMAGE: Final = (
    OSError, EOFError, LookupError, ValueError, RuntimeError, OverflowError, MemoryError, struct.error, zlib.error,
    lzma.LZMAError, BadZipFile, tarfile.TarError,
)  # fmt: skip
"""What a damaged file makes of the libraries that read it."""

_ESCAPED: Final = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
"""How JSON says a NUL character or half of a surrogate pair."""


@dataclass(frozen=True)
class Member:
    """A member of an archive.

    Attributes:
        name: as the archive has it.
        content: what it holds; empty where it cannot be read.
        fault: why it cannot be read, or empty.
    """

    name: str
    content: bytes
    fault: str = ""


def text_lines(path: Path, tally: Tally, kind: str, *, member: str = "") -> Iterator[tuple[int, str]]:
    """The lines of a UTF-8 file with their numbers from 1 and without line ends.

    Lines that are too long, not UTF-8 or hold NUL characters are counted as rows of `kind` that were read and dropped;
    the caller counts the others. A byte-order mark is passed over.

    Args:
        path: plain or `.gz`; a wheel or zip where a member is named.
        tally: where lines are counted.
        kind: what they are called there.
        member: exact name of a member of the archive; one that ends in `.gz` is unpacked.

    Raises:
        ClewError: UNREADABLE_SOURCE when the file cannot be opened, is damaged, unpacks without end or holds nothing.
    """
    try:
        with _opened(path, member) as stream:
            yield from _lines(stream, _named(path, member), tally, kind)
    except _DAMAGE as error:
        raise unreadable(_named(path, member), str(error)) from error


def table_rows(
    path: Path,
    tally: Tally,
    kind: str,
    columns: Sequence[str],
    *,
    member: str = "",
    delimiter: str = "\t",
    quoted: bool = False,
) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a delimited file with a header line, as mappings, with their line numbers.

    Every row is counted as read. A row with too few or too many fields is dropped with that reason; the caller
    counts the others as kept or dropped.

    Args:
        path: plain or `.gz`; a wheel or zip where a member is named.
        tally: where rows are counted.
        kind: what the rows are called there.
        columns: columns that have to be there.
        member: exact name of a member of the archive.
        delimiter: between fields.
        quoted: whether fields may stand in double quotes.

    Raises:
        ClewError: UNREADABLE_SOURCE, also when a column is missing.
    """
    header: list[str] = []
    for number, line in text_lines(path, tally, kind, member=member):
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
                cause = f"no column {', '.join(absent)}; it has {', '.join(header)[:200]}"
                raise unreadable(_named(path, member), cause)
            continue
        tally.read(kind)
        if len(fields) == len(header):
            yield number, dict(zip(header, fields, strict=True))
        else:
            tally.dropped(kind, "wrong number of columns")
    if not header:
        raise unreadable(_named(path, member), "no header line")


def json_lines(path: Path, tally: Tally, kind: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON Lines file, with their line numbers.

    Every line is counted as read; what is not a JSON object, or holds what is no text, is dropped with that reason,
    the caller counts the rest.

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
        if not isinstance(value, dict):
            tally.dropped(kind, "not a JSON object")
        elif _ESCAPED.search(line) and not only_texts(value):
            tally.dropped(kind, NOT_TEXT)
        else:
            yield number, value


def archive_member(path: Path, member: str, *, largest: int | None = None) -> bytes:
    """The content of one member of an archive, never unpacked to disk.

    Args:
        path: a wheel or zip, or a tar archive compressed with gzip.
        member: its exact name.
        largest: bytes it may have after decompression; by default `LARGEST_MEMBER`.

    Raises:
        ClewError: UNREADABLE_SOURCE.
    """
    largest = LARGEST_MEMBER if largest is None else largest
    try:
        with _open_member(path, member) as stream:
            content = stream.read(largest + 1)
    except _DAMAGE as error:
        raise unreadable(_named(path, member), str(error)) from error
    if len(content) > largest:
        raise unreadable(_named(path, member), f"unpacks to more than {largest:,} bytes")
    return content


def archive_members(path: Path, wanted: Callable[[str], bool], *, largest: int) -> Iterator[Member]:
    """The wanted members of a wheel or zip in order of their names; one that cannot be read says why.

    Args:
        path: the archive.
        wanted: whether a member of this name is read.
        largest: bytes each may have after decompression.

    Raises:
        ClewError: UNREADABLE_SOURCE when the archive itself is damaged, or they unpack to more than `LARGEST_TEXT`.
    """
    total, seen = 0, set[str]()
    try:
        with ZipFile(path) as archive:
            for info in sorted(archive.infolist(), key=lambda info: info.filename):
                if not wanted(info.filename):
                    continue
                again = info.filename in seen
                seen.add(info.filename)
                found = Member(info.filename, b"", "name again") if again else _zip_member(archive, info, largest)
                total += len(found.content)
                if total > LARGEST_TEXT:
                    raise unreadable(path.name, f"unpacks to more than {LARGEST_TEXT:,} bytes")
                yield found
    except _DAMAGE as error:
        raise unreadable(path.name, str(error)) from error


def archive_json(path: Path, member: str) -> Any:
    """What a member of an archive says in JSON.

    Raises:
        ClewError: UNREADABLE_SOURCE.
    """
    try:
        return json.loads(archive_member(path, member, largest=LARGEST_TREE))
    except (ValueError, RecursionError) as error:
        raise unreadable(_named(path, member), str(error)) from error


def archive_xml(path: Path, member: str) -> Element:
    """The root of a member of an archive in XML.

    Raises:
        ClewError: UNREADABLE_SOURCE, also for entities, which are not expanded.
    """
    try:
        root: Element = fromstring(archive_member(path, member, largest=LARGEST_TREE))
    except (ParseError, ValueError, LookupError) as error:  # what defusedxml refuses is a ValueError
        raise unreadable(_named(path, member), str(error)) from error
    return root


def unreadable(name: str, cause: str) -> ClewError:
    """The error of a file that cannot be read."""
    remedy = "delete the file and get it again from where it is published"
    return ClewError(Code.UNREADABLE_SOURCE, f"{name}: {cause}", remedy=remedy)


@contextmanager
def _opened(path: Path, member: str) -> Iterator[BufferedIOBase]:
    if member:
        with _open_member(path, member) as stream:
            yield cast("BufferedIOBase", stream)
    else:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as stream:
            yield stream


@contextmanager
def _open_member(path: Path, member: str) -> Iterator[IO[bytes]]:
    if path.name.endswith(".tar.gz"):
        with _open_tar_member(path, member) as stream:
            yield stream
    else:
        with ZipFile(path) as archive, archive.open(member) as stream:
            yield cast("IO[bytes]", gzip.GzipFile(fileobj=stream)) if member.endswith(".gz") else stream


@contextmanager
def _open_tar_member(path: Path, member: str) -> Iterator[IO[bytes]]:
    """A member of a tar archive, which is read from its beginning up to there and no further.

    As a stream an archive can neither be sought in without end nor follow its links.
    """
    with gzip.open(path, "rb") as unpacked:
        bounded = cast("IO[bytes]", _Bounded(unpacked))
        with tarfile.open(fileobj=bounded, mode="r|") as archive:
            found = next((item for item in archive if item.name == member and item.isreg()), None)
            stream = archive.extractfile(found) if found else None
            if stream is None:
                raise KeyError("not in the archive")
            yield stream


class _Bounded:
    """A stream that ends with an error where it has given `LARGEST_TEXT` bytes."""

    def __init__(self, stream: gzip.GzipFile) -> None:
        self._stream = stream
        self._left = LARGEST_TEXT

    def read(self, size: int) -> bytes:
        block = self._stream.read(size)
        self._left -= len(block)
        if self._left < 0:
            raise ValueError(f"unpacks to more than {LARGEST_TEXT:,} bytes")
        return block


def _zip_member(archive: ZipFile, info: ZipInfo, largest: int) -> Member:
    try:
        with archive.open(info) as stream:
            content = stream.read(largest + 1)
    except _DAMAGE:
        return Member(info.filename, b"", "damaged in the archive")
    if len(content) > largest:
        return Member(info.filename, b"", f"larger than {largest:,} bytes")
    return Member(info.filename, content)


def _lines(stream: BufferedIOBase, name: str, tally: Tally, kind: str) -> Iterator[tuple[int, str]]:
    number = total = skipped = 0
    blank = True
    while line := stream.readline(LONGEST_LINE + 1):
        number += 1
        total += len(line)
        blank = blank and line.isspace()
        if total > LARGEST_FILE or total - skipped > LARGEST_TEXT or number > MOST_LINES:
            raise _endless(name)
        if len(line) > LONGEST_LINE:
            rest = 0 if line.endswith(b"\n") else _skip_line(stream, name, total)
            total, skipped = total + rest, skipped + len(line) + rest
            _drop(tally, kind, f"line longer than {LONGEST_LINE:,} bytes")
            continue
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError:
            _drop(tally, kind, "not UTF-8")
            continue
        if "\0" in text:
            _drop(tally, kind, "holds NUL characters")
        else:
            yield number, text
    if blank:
        raise unreadable(name, "holds nothing")


def _skip_line(stream: BufferedIOBase, name: str, before: int) -> int:
    """Read to the end of an over-long line; returns how many bytes that took."""
    skipped = 0
    while part := stream.readline(LONGEST_LINE):
        skipped += len(part)
        if part.endswith(b"\n"):
            break
        if before + skipped > LARGEST_FILE:
            raise _endless(name)
    return skipped


def _endless(name: str) -> ClewError:
    return unreadable(
        name,
        f"has more than {MOST_LINES:,} lines, {LARGEST_TEXT:,} bytes in them, or {LARGEST_FILE:,} bytes in all",
    )


def _drop(tally: Tally, kind: str, reason: str) -> None:
    tally.read(kind)
    tally.dropped(kind, reason)


def _named(path: Path, member: str) -> str:
    return f"{path.name}: {member}" if member else path.name
