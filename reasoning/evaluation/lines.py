"""JSON Lines files of cases: plain or .gz, a malformed line is a problem that names its number."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from ontology.errors import ClewError, Code
from reasoning.evaluation.record import Problem

_T = TypeVar("_T")


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers from 1.

    Raises:
        ClewError: BAD_INPUT when the file cannot be read, EMPTY_INPUT when it holds no line.
    """
    opener = gzip.open if path.suffix == ".gz" else open
    found = False
    try:
        with opener(path, "rb") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    found = True
                    yield number, line
    except (OSError, EOFError, zlib.error) as error:
        raise ClewError(Code.BAD_INPUT, f"{path}: {error}", remedy="give a JSON Lines file, plain or .gz") from error
    if not found:
        raise ClewError(Code.EMPTY_INPUT, f"{path}: no line in it", remedy="give a file with a case a line")


def read_cases(path: Path, parse: Callable[[Any], _T]) -> Iterator[tuple[int, _T | Problem]]:
    """What `parse` makes of each line.

    Args:
        path: the file.
        parse: a JSON value -> a case; what it raises for a value of another shape becomes the problem's cause.

    Raises:
        ClewError: as `read_lines`.
    """
    for number, line in read_lines(path):
        try:
            yield number, parse(json.loads(line))
        except ClewError as error:
            yield number, malformed(number, error.cause)
        except ValidationError as error:
            yield number, malformed(number, described(error))
        except KeyError as error:
            yield number, malformed(number, f"field {error} is missing")
        except (TypeError, AttributeError) as error:
            yield number, malformed(number, f"not of the expected shape: {error}")
        except (ValueError, RecursionError) as error:
            yield number, malformed(number, f"not JSON: {error}")


def malformed(number: int, cause: str) -> Problem:
    """The problem of a line that is no case."""
    return Problem(line=number, reason="malformed", cause=cause)


def described(error: ValidationError) -> str:
    """The first field that is wrong, in words."""
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"]) or "the whole line"
    return f"{place}: {first['msg']}"
