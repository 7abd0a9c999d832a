"""Chinese clinical versions of ICD-10: Beijing 601 and the national version 2.0, as lists of code and name.

Both extend the codes of WHO by digits of their own, each in its way: most codes that stand in both lists mean different
things. So each list has a prefix, and what they share is the code of WHO:

    ICD10BJ:A00.901 霍乱 ──subclass_of──▶ ICD10:A00.9        ICD10CN:A00.900 霍乱 ──exactMatch──▶ ICD10:A00.9

* `A00`, `A00.9`, `A38.x` and, in the national version, `A00.900` and `A38.x00` are the codes of WHO themselves:
  exact matches. Anything longer is a kind of the WHO code that it begins with.
* A code with a dagger names two WHO codes: aetiology, then manifestation (`A01.003+G01*`). It is a kind of both.
* Codes that WHO's edition of 2019 does not have fall back to its category: for accidents, the fourth character
  that the lists print is WHO's place of occurrence. Where there is no category either (A90, I84), no link is made.
* Morphology of neoplasms (`M800000/3`) is no category: left out. (Read carelessly it would be osteoporosis, M80.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kg_build.reconcile import Tally
from kg_build.sources.contract import CONTRACT, Artefact, Original, Record
from kg_build.sources.files import text_lines
from kg_build.sources.icd10 import SOURCE as WHO
from kg_build.sources.texts import is_name
from ontology.errors import ClewError, Code
from ontology.model import Assertion, Entity, Evidence, Name
from ontology.model import Mapping as TermMapping

_ROW: Final = "code"
_LINK: Final = "WHO code"
_MORPHOLOGY: Final = re.compile(r"M[0-9]{4,6}/[0-9]\Z")


def _part(name: str) -> str:
    """The pattern of one code, its groups named after which one it is."""
    return (
        rf"(?P<{name}_category>[A-Z][0-9]{{2}})"
        rf"(?:\.(?P<{name}_digit>[0-9xX])(?P<{name}_extension>[0-9]{{0,9}}(?:x[0-9]{{1,9}})?(?:[A-Z][0-9]?)?)|"
        rf"(?P<{name}_filled>xx[0-9]{{1,9}}))?"
    )


_CODE: Final = re.compile(rf"{_part('first')}(?:M[0-9]{{5}}/[0-9])?[+*]?(?:{_part('second')}\*?)?\Z")
"""A code; with a dagger, two of them. A few lack the plus sign, or have the morphology appended."""


@dataclass(frozen=True)
class _List:
    """One of the lists.

    Attributes:
        original: key of its file.
        prefix: of its CURIEs.
        whole: what follows the fourth character of a code that is WHO's own.
    """

    original: str
    prefix: str
    whole: frozenset[str]


_LISTS: Final = (
    _List("icd10_beijing", "ICD10BJ", frozenset({""})),
    _List("icd10_national", "ICD10CN", frozenset({"", "00"})),
)


class Icd10Zh:
    """The source; see the module's text."""

    contract = CONTRACT
    key = "icd10_zh"
    title = "ICD-10 in Chinese: Beijing clinical version 601, national clinical version 2.0"
    release = "Beijing 601; national 2.0"
    licence = "public lists of Chinese health authorities"
    attribution = (
        "ICD-10 Beijing clinical version 601 and national clinical version 2.0, published for coding in Chinese "
        "hospitals; based on ICD-10, © World Health Organization"
    )
    redistributable = False
    artefacts: tuple[Artefact, ...] = WHO.artefacts
    originals: tuple[Original, ...] = (
        Original(
            "icd10_beijing",
            ("国际疾病分类 ICD-10北京临床版v601.tsv", "beijing_v601.tsv"),
            "https://tianchi.aliyun.com/dataset/95414",
            optional=True,
        ),
        Original(
            "icd10_national",
            ("国家临床版2.0疾病诊断编码(ICD-10).tsv", "clinical_v2.tsv"),
            "https://www.nhc.gov.cn",
            optional=True,
        ),
    )

    def read(self, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        """Yield the codes of the lists that are there; see `contract.Source.read`.

        The files are tables of two columns, saved with tabs between them, with or without a header line.

        Raises:
            ClewError: UNREADABLE_SOURCE; UNREACHABLE_ARTEFACT when neither list is there.
        """
        found = [a_list for a_list in _LISTS if a_list.original in files]
        if not found:
            raise ClewError(
                Code.UNREACHABLE_ARTEFACT,
                f"{self.key}: neither list is there",
                remedy="save a list as tab-separated text and name its folder with --data",
                choices=[name for original in self.originals for name in original.names],
            )
        who = {record.id for record in WHO.read(files, tally) if isinstance(record, Entity)}
        for a_list in found:
            yield from _codes(a_list, files[a_list.original], who, tally)


def _codes(a_list: _List, path: Path, who: set[str], tally: Tally) -> Iterator[Record]:
    labels: dict[str, str] = {}
    for number, line in text_lines(path, tally, _ROW):
        fields = [field.strip() for field in line.split("\t")]
        if not line.strip() or (number == 1 and not any(character.isdigit() for character in fields[0])):
            continue
        tally.read(_ROW)
        if fault := _fault(fields):
            tally.dropped(_ROW, fault)
            continue
        code, name = fields
        curie = f"{a_list.prefix}:{code}"
        if labels.get(curie) == name:
            tally.dropped(_ROW, "said twice")
            continue
        tally.kept(_ROW)
        if curie in labels:
            yield Name(curie, "zh", name, "exact", Icd10Zh.key, curie)
            continue
        labels[curie] = name
        yield Entity(curie, "CodedCategory", name, "zh", Icd10Zh.key)
        yield Name(curie, "zh", name, "label", Icd10Zh.key, curie)
        yield from _links(a_list, code, f"{path.name}:{number}", line, who, tally)


def _fault(fields: list[str]) -> str:
    if len(fields) != 2:
        return "wrong number of columns"
    if not fields[0] or not is_name(fields[1]):
        return "without a code or a name"
    if _MORPHOLOGY.match(fields[0]):
        return "morphology of a neoplasm"
    return "" if _CODE.match(fields[0]) else "not an ICD-10 code"


def _links(a_list: _List, code: str, record: str, line: str, who: set[str], tally: Tally) -> Iterator[Record]:
    """Where a code belongs in WHO's classification."""
    match = _CODE.match(code)
    assert match is not None  # noqa: S101 - `_fault` has seen to it
    curie = f"{a_list.prefix}:{code}"
    parts = [part for part in ("first", "second") if match[f"{part}_category"]]
    for part in parts:
        tally.read(_LINK)
        category, digit = f"ICD10:{match[f'{part}_category']}", match[f"{part}_digit"]
        own = f"{category}.{digit}" if digit and digit.isdigit() else category
        target = own if own in who else category
        if target not in who:
            tally.dropped(_LINK, "not in WHO's edition of 2019")
            continue
        tally.kept(_LINK)
        extension = match[f"{part}_filled"] or match[f"{part}_extension"] or ""
        exact = len(parts) == 1 and target == own and extension in a_list.whole
        predicate = "skos:exactMatch" if exact else "skos:broadMatch"
        yield TermMapping(curie, predicate, target, Icd10Zh.key, "semapv:UnspecifiedMatching")
        if not exact:
            yield Evidence(
                assertion=Assertion(curie, "subclass_of", target),
                source=Icd10Zh.key,
                references=(curie,),
                record=record,
                knowledge_level="knowledge_assertion",
                agent_type="manual_agent",
                code="manifestation" if part == "second" else "",
                quote=line,
            )


SOURCE: Final = Icd10Zh()
