"""Every error that clew raises on purpose.

One root class, `ClewError`, and one table of codes. A code names the situation, the message names the
cause, the remedy says what to do next, and the choices list what would have been valid. The exit status
of the command line derives from the code.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from enum import Enum


class Code(Enum):
    """The coded situations: (code, title, exit status of the command line)."""

    BAD_INPUT = ("E101", "input cannot be used", 2)
    EMPTY_INPUT = ("E102", "input is empty", 2)
    BAD_PHENOPACKET = ("E103", "malformed phenopacket", 2)
    BAD_CURIE = ("E104", "not a CURIE", 2)
    BAD_SETTINGS = ("E105", "settings cannot be used", 2)
    UNKNOWN_ENTITY = ("E201", "unknown entity", 3)
    AMBIGUOUS_ENTITY = ("E202", "ambiguous entity", 3)
    NO_PATH = ("E203", "no evidence chain", 3)
    NO_FINDINGS = ("E204", "no finding understood", 3)
    NO_RELEASE = ("E301", "no release", 4)
    CORRUPT_RELEASE = ("E302", "release cannot be read", 4)
    BUSY = ("E303", "another build is running", 4)
    UNREACHABLE_ARTEFACT = ("E401", "artefact cannot be had", 5)
    CORRUPT_ARTEFACT = ("E402", "artefact does not match its pinned hash", 5)
    UNREADABLE_SOURCE = ("E403", "source cannot be read", 5)
    UNRECONCILED = ("E404", "rows unaccounted for", 5)
    BAD_SCHEMA = ("E405", "record outside the ontology", 5)
    REFUSED_CYPHER = ("E501", "Cypher refused", 6)
    FAILED_CYPHER = ("E502", "Cypher failed", 6)
    TIMEOUT = ("E503", "time limit reached", 6)
    BAD_SOURCE = ("E406", "source does not keep the contract", 5)
    LICENCE = ("E407", "licence forbids passing on", 5)
    MISSING_EXTRA = ("E601", "optional part not installed", 7)

    @property
    def number(self) -> str:
        """The short code, such as `E201`."""
        return self.value[0]

    @property
    def title(self) -> str:
        """What kind of situation it is."""
        return self.value[1]

    @property
    def exit_status(self) -> int:
        """The exit status the command line ends with."""
        return self.value[2]


class ClewError(Exception):
    """An error with a code, its cause, a remedy and the valid choices.

    Args:
        code: the situation.
        cause: what exactly is wrong, naming the offending value.
        remedy: what the reader can do about it.
        choices: values that would have been valid, best first.
    """

    def __init__(self, code: Code, cause: str, *, remedy: str = "", choices: Iterable[str] = ()) -> None:
        self.code = code
        self.cause = cause
        self.remedy = remedy
        self.choices = tuple(choices)
        super().__init__(self.render())

    def render(self) -> str:
        """The message as people read it: one line for each part that is there."""
        lines = [f"{self.code.number} {self.code.title}: {self.cause}"]
        if self.choices:
            lines.append("  choices: " + " · ".join(self.choices))
        if self.remedy:
            lines.append(f"  remedy: {self.remedy}")
        return "\n".join(lines)

    def as_dict(self) -> dict[str, object]:
        """The error as plain values for JSON output."""
        return {
            "code": self.code.number,
            "title": self.code.title,
            "cause": self.cause,
            "remedy": self.remedy,
            "choices": list(self.choices),
        }


def nearest(word: str, valid: Iterable[str], limit: int = 5) -> tuple[str, ...]:
    """The valid values that look most like `word`, best first."""
    return tuple(get_close_matches(word, list(valid), n=limit, cutoff=0.5))
