"""Cases as the command line takes them: free text, a file or a phenopacket."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from api.compose import Clew
from api.inputs import decoded, file_bytes
from ontology.errors import ClewError, Code
from ontology.reading.linker import Link
from ontology.reading.reader import CERTAIN, FINDING_TYPES, Note
from ontology.reading.status import Reading
from reasoning.diagnosis.case import Case, Finding, case_from_phenopacket, read_cases

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
        return ReadCase(case_from_phenopacket(file_bytes(phenopacket)))
    content = text if text is not None else decoded(file_bytes(file or Path()), str(file))
    return read_text_case(opened, content)


def read_text_case(opened: Clew, text: str) -> ReadCase:
    """Find the findings of a free text, and of whom it speaks.

    Present findings are observed, absent ones excluded; what is uncertain, of a relative, past or supposed is
    shown but not used, nor is a link that is provisional. A value out of its range is an observed finding.

    Raises:
        ClewError: EMPTY_INPUT, BAD_INPUT (too long), NO_FINDINGS.
    """
    if not text.strip():
        raise ClewError(Code.EMPTY_INPUT, "the case is empty", remedy="describe the findings")
    if len(text) > _LONGEST_TEXT:
        raise ClewError(Code.BAD_INPUT, f"{len(text):,} characters; at most {_LONGEST_TEXT:,} are read")
    note = opened.reader.read(text)
    findings = _findings(opened, note)
    if not findings:
        raise ClewError(
            Code.NO_FINDINGS,
            "no finding of the graph is present or absent in the text",
            remedy="name the findings as a clinician would, or give a phenopacket",
        )
    sex = next((value.name for value in note.values if value.kind == "sex"), "")
    age = next((value.iso8601 for value in note.values if value.kind == "age"), "")
    return ReadCase(Case(id="text", lang=note.lang, findings=findings, sex=sex, age=age), note.readings)


def _findings(opened: Clew, note: Note) -> tuple[Finding, ...]:
    """What a note says is there or not; said both ways, it is there."""
    findings: dict[str, Finding] = {}
    for reading in note.readings:
        curie = _column(opened, reading.link) if reading.link.confidence >= CERTAIN else ""
        if curie and reading.status in ("present", "absent"):
            known = findings.get(curie)
            if known is None or known.excluded:
                findings[curie] = Finding(curie, reading.link.label, excluded=reading.status == "absent")
    for curie in (value.finding for value in note.values):
        if curie in opened.diagnosis.matrix.finding_index and (curie not in findings or findings[curie].excluded):
            findings[curie] = Finding(curie, opened.linker.resolve(curie).label)
    return tuple(findings.values())


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
