"""What is known of a patient: findings, observed and excluded, from a phenopacket or a diagnosis case.

    case_from_phenopacket   GA4GH phenopacket v2
    case_from_record        clew's own diagnosis case
    read_cases              a JSON Lines file of either, plain or .gz

The gold diagnosis of an evaluation case is kept apart in `gold_ids` and `gold_labels`; nothing that ranks
reads it.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ontology.errors import ClewError, Code

_Model = TypeVar("_Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding by id, by label or both.

    Attributes:
        id: CURIE, or empty when only a label is known.
        label: as written, or empty.
        excluded: whether the patient was found not to have it.
        onset: CURIE or ISO 8601 duration, or empty.
        modifiers: CURIEs.
    """

    id: str
    label: str = ""
    excluded: bool = False
    onset: str = ""
    modifiers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """A patient.

    Attributes:
        id: of the case.
        lang: BCP-47 language of text and labels.
        findings: observed and excluded.
        sex: `MALE`, `FEMALE`, or empty.
        age: ISO 8601 duration or as written, or empty.
        text: free text, or empty.
        candidates: when given, the task is to rank exactly these names.
        references: publications the case comes from.
        gold_ids, gold_labels: the diagnosis, for evaluation only.
    """

    id: str
    lang: str = "en"
    findings: tuple[Finding, ...] = ()
    sex: str = ""
    age: str = ""
    text: str = ""
    candidates: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    gold_ids: tuple[str, ...] = ()
    gold_labels: tuple[str, ...] = ()


def case_from_phenopacket(data: dict[str, Any] | str | bytes) -> Case:
    """Read a phenopacket v2; unknown fields are ignored.

    Raises:
        ClewError: BAD_PHENOPACKET, naming the field.
    """
    packet = _validate(_Phenopacket, data, Code.BAD_PHENOPACKET)
    return Case(
        id=packet.id,
        findings=tuple(
            Finding(f.type.id, f.type.label, f.excluded, _onset(f.onset), tuple(m.id for m in f.modifiers))
            for f in packet.features
        ),
        sex=_sex(packet.subject.sex),
        age=_duration(packet.subject.time_at_last_encounter),
        references=tuple(item.id for item in packet.meta.references if item.id),
        gold_ids=tuple(item.term.id for item in packet.diseases if not item.excluded),
        gold_labels=tuple(item.term.label for item in packet.diseases if item.term.label and not item.excluded),
    )


def case_from_record(data: dict[str, Any] | str | bytes) -> Case:
    """Read a diagnosis case; unknown fields are ignored.

    Raises:
        ClewError: BAD_INPUT, naming the field.
    """
    record = _validate(_Record, data, Code.BAD_INPUT)
    return Case(
        id=record.id,
        lang=record.lang,
        findings=tuple(Finding(f.id, f.label, f.excluded) for f in record.findings),
        sex=_sex(record.sex),
        age=str(record.age),
        text=record.text,
        candidates=tuple(record.candidates),
        references=tuple(record.references),
        gold_ids=tuple(record.gold.ids),
        gold_labels=tuple(record.gold.labels),
    )


def read_cases(path: Path) -> Iterator[tuple[int, Case | ClewError]]:
    """The cases of a JSON Lines file with their line numbers, from 1; a malformed line gives its error.

    Empty lines are passed over. A line with `phenotypicFeatures` or `metaData` is a phenopacket.

    Raises:
        ClewError: BAD_INPUT when the file cannot be read.
    """
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rb") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield number, _read_line(line, number)
    except (OSError, EOFError, zlib.error) as error:
        raise ClewError(Code.BAD_INPUT, f"{path}: {error}", remedy="give a JSON Lines file, plain or .gz") from error


def _read_line(line: bytes, number: int) -> Case | ClewError:
    try:
        data = json.loads(line)
        packet = isinstance(data, dict) and not data.keys().isdisjoint(("phenotypicFeatures", "metaData"))
        return case_from_phenopacket(data) if packet else case_from_record(data)
    except (ValueError, RecursionError) as error:
        return ClewError(Code.BAD_INPUT, f"line {number}: not JSON: {error}")
    except ClewError as error:
        return ClewError(error.code, f"line {number}: {error.cause}", remedy=error.remedy)


class _Tolerant(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Term(_Tolerant):
    id: str = Field(min_length=1)
    label: str = ""


class _Feature(_Tolerant):
    type: _Term
    excluded: bool = False
    modifiers: list[_Term] = []
    onset: dict[str, Any] | None = None


class _Subject(_Tolerant):
    sex: str | int = ""
    time_at_last_encounter: dict[str, Any] | None = Field(None, alias="timeAtLastEncounter")


class _DiseaseEntry(_Tolerant):
    term: _Term
    excluded: bool = False


class _Reference(_Tolerant):
    id: str = ""


class _Meta(_Tolerant):
    references: list[_Reference] = Field([], alias="externalReferences")


class _Phenopacket(_Tolerant):
    id: str = Field(min_length=1)
    subject: _Subject = Field(default_factory=lambda: _Subject.model_validate({}))
    features: list[_Feature] = Field([], alias="phenotypicFeatures")
    diseases: list[_DiseaseEntry] = []
    meta: _Meta = Field(default_factory=lambda: _Meta.model_validate({}), alias="metaData")


class _RecordFinding(_Tolerant):
    id: str = ""
    label: str = ""
    excluded: bool = False


class _Gold(_Tolerant):
    ids: list[str] = []
    labels: list[str] = []


class _Record(_Tolerant):
    id: str = Field(min_length=1)
    lang: Literal["en", "zh"] = "en"
    text: str = ""
    findings: list[_RecordFinding] = []
    candidates: list[str] = []
    sex: str = ""
    age: str | float = ""
    references: list[str] = []
    gold: _Gold = _Gold()


def _validate(model: type[_Model], data: dict[str, Any] | str | bytes, code: Code) -> _Model:
    try:
        return model.model_validate_json(data) if isinstance(data, str | bytes) else model.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the whole record"
        raise ClewError(code, f"{place}: {first['msg']}", remedy="correct the field and try again") from error


def _sex(value: str | int) -> str:
    """Phenopackets also write the enum's number: 2 is MALE, 1 is FEMALE."""
    word = {"2": "MALE", "1": "FEMALE", "M": "MALE", "F": "FEMALE", "男": "MALE", "女": "FEMALE"}
    text = str(value).strip().upper()
    text = word.get(text, text)
    return text if text in ("MALE", "FEMALE") else ""


def _duration(element: dict[str, Any] | None) -> str:
    """The age of a TimeElement when it is written as one duration."""
    age = (element or {}).get("age")
    duration = age.get("iso8601duration", "") if isinstance(age, dict) else ""
    return duration if isinstance(duration, str) else ""


def _onset(element: dict[str, Any] | None) -> str:
    """Onset when it is simple: an ontology class or one duration."""
    term = (element or {}).get("ontologyClass")
    curie = term.get("id", "") if isinstance(term, dict) else ""
    return curie if isinstance(curie, str) and curie else _duration(element)
