"""Cases as the command line takes them: free text, a file or a phenopacket."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from api.compose import Clew
from ontology.errors import ClewError, Code
from ontology.reading.linker import Link
from ontology.reading.status import Reading, read_findings
from ontology.reading.text import language
from reasoning.diagnosis.case import Case, Finding, case_from_phenopacket, read_cases

FINDING_TYPES: Final = ("PhenotypicFeature", "Disease")
"""Types whose names are read as findings in free text: the graph has diseases among the findings of diseases."""

_LONGEST_TEXT: Final = 200_000


@dataclass(frozen=True)
class ReadCase:
    """A case and, for free text, what was read in it.

    Attributes:
        case: findings with ids.
        readings: mentions with their status; empty for coded cases.
    """

    case: Case
    readings: tuple[Reading, ...] = ()


def read_case(opened: Clew, *, text: str | None, file: Path | None, phenopacket: Path | None) -> ReadCase:
    """Read the one input that was given.

    Raises:
        ClewError: BAD_INPUT, EMPTY_INPUT, BAD_PHENOPACKET, NO_FINDINGS.
    """
    given = [item for item in (text, file, phenopacket) if item is not None]
    if len(given) != 1:
        raise ClewError(
            Code.BAD_INPUT,
            f"{len(given)} inputs given",
            remedy="give exactly one",
            choices=["TEXT", "--file", "--phenopacket"],
        )
    if phenopacket is not None:
        return ReadCase(case_from_phenopacket(_read(phenopacket)))
    content = text if text is not None else _decode(_read(file or Path()), file)
    return read_text_case(opened, content)


def read_text_case(opened: Clew, text: str) -> ReadCase:
    """Find the findings of a free text.

    Present findings are observed, absent ones excluded; what is uncertain, of a relative, past or supposed is
    shown but not used.

    Raises:
        ClewError: EMPTY_INPUT, BAD_INPUT (too long), NO_FINDINGS.
    """
    if not text.strip():
        raise ClewError(Code.EMPTY_INPUT, "the case is empty", remedy="describe the findings")
    if len(text) > _LONGEST_TEXT:
        raise ClewError(Code.BAD_INPUT, f"{len(text):,} characters; at most {_LONGEST_TEXT:,} are read")
    readings = read_findings(text, opened.linker, types=FINDING_TYPES)
    findings: dict[str, Finding] = {}
    for reading in readings:
        curie = _column(opened, reading.link)
        if curie and reading.status in ("present", "absent"):
            known = findings.get(curie)
            if known is None or known.excluded:  # said both ways, it is there
                findings[curie] = Finding(curie, reading.link.label, excluded=reading.status == "absent")
    if not findings:
        raise ClewError(
            Code.NO_FINDINGS,
            "no finding of the graph is present or absent in the text",
            remedy="name the findings as a clinician would, or give a phenopacket",
        )
    return ReadCase(Case(id="text", lang=language(text), findings=tuple(findings.values())), tuple(readings))


def diagnosis_cases(opened: Clew, path: Path) -> Iterator[tuple[int, Case | ClewError]]:
    """The cases of a file, findings without ids linked by the names of the release.

    Raises:
        ClewError: BAD_INPUT when the file cannot be read.
    """
    if not path.is_file():
        raise ClewError(Code.BAD_INPUT, f"{path}: no such file", remedy="give a JSON Lines file, plain or .gz")
    for number, case in read_cases(path):
        yield number, case if isinstance(case, ClewError) else _linked(opened, case)


def disease_names(opened: Clew) -> Callable[[str], Sequence[str]]:
    """Finds the diseases that bear a name, as label or accepted synonym."""
    return lambda name: [sense.entity for sense in opened.terminology.lookup(name) if sense.type == "Disease"]


def _linked(opened: Clew, case: Case) -> Case:
    """A case with an id for every finding whose label, or whose text, names one of the graph."""
    if not case.findings and case.text.strip():
        try:
            return replace(case, findings=read_text_case(opened, case.text).case.findings)
        except ClewError:  # nothing understood: the case stays without findings, and is counted so
            return case
    return replace(case, findings=tuple(_linked_finding(opened, finding) for finding in case.findings))


def _linked_finding(opened: Clew, finding: Finding) -> Finding:
    """A finding with the id that its label names: as a whole, else the longest name in it."""
    if finding.id or not finding.label.strip():
        return finding
    try:
        links = [opened.linker.resolve(finding.label, types=FINDING_TYPES)]
    except ClewError:
        links = sorted(opened.linker.link(finding.label, types=FINDING_TYPES), key=lambda link: link.start - link.end)
    curies = (_column(opened, link) for link in links)
    return replace(finding, id=next((curie for curie in curies if curie), ""))


def _column(opened: Clew, link: Link) -> str:
    """The first of the entities with a name that is a finding of the differential; empty when none is."""
    columns = opened.diagnosis.matrix.finding_index
    return next((curie for curie in (link.entity, *link.alternatives) if curie in columns), "")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ClewError(Code.BAD_INPUT, f"{path}: {error.strerror}", remedy="name a readable file") from error


def _decode(content: bytes, path: Path | None) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ClewError(Code.BAD_INPUT, f"{path}: not UTF-8 text", remedy="convert the file to UTF-8") from error
