"""ICD-10-CM, the clinical modification used in the United States, edition of April 2026, from the tabular list in XML.

    chapter ▶ block ▶ category ▶ subcategory … ▶ code with a seventh character

* The XML holds codes up to six or seven characters, and for some of them the seventh characters that extend them.
  A code with fewer than six is filled up with X first. Not every combination exists: the list of all codes that
  comes with the XML says which do.
* Inclusion terms are synonyms of their code, except under a code that collects what has none of its own ('other …'):
  there they are the conditions collected, so related names. The notes for coders (excludes, code first) are not read.
* A block of one category has that category's id: the category stands for it.

The classification is large, so it is not part of the default build.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import Final
from xml.etree.ElementTree import Element

from kg_build.reconcile import Tally
from kg_build.sources.contract import CONTRACT, Artefact, Original, Record
from kg_build.sources.files import archive_xml, text_lines, unreadable
from kg_build.sources.texts import is_id, is_name
from ontology.model import Assertion, Entity, Evidence, Name

_PROJECT: Final = "simple-icd-10-cm"
_FOLDER: Final = "simple_icd_10_cm/data/"
_TABULAR: Final = "icd10c-tabular-April-1-2026.xml"
_LIST: Final = "code-list-April-2026.txt"
_ITEM: Final = "item"
_LISTED: Final = "listed code"
_COLLECTS: Final = re.compile(r"\bother\b", re.IGNORECASE)
"""What the label of a code says that collects conditions without a code of their own."""


class Icd10Cm:
    """The source; see the module's text."""

    contract = CONTRACT
    key = "icd10cm"
    title = "ICD-10-CM, April 2026"
    release = "2026-04-01"
    licence = "public domain (US government); packaged under MIT"
    attribution = "ICD-10-CM, U.S. National Center for Health Statistics, CDC; packaged as simple-icd-10-cm 1.5.0"
    redistributable = True
    artefacts: tuple[Artefact, ...] = (
        Artefact(
            _PROJECT,
            "1.5.0",
            "simple_icd_10_cm-1.5.0-py3-none-any.whl",
            "6d461d71dc26aedc530ae65f02cfb578a154e49507c32e8241e75f701d4b7e42",
            1_076_390,
        ),
    )
    originals: tuple[Original, ...] = ()

    def read(self, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        """Yield the classification; see `contract.Source.read`."""
        path = files[_PROJECT]
        root = archive_xml(path, _FOLDER + _TABULAR)
        lines = text_lines(path, tally, _LISTED, member=_FOLDER + _LIST)
        listed = [code for _, line in lines if (code := line.strip())]
        if not listed:
            raise unreadable(path.name, f"{_FOLDER}{_LIST}: holds no code")
        reader = _Reader(listed, tally)
        pending: list[_Place] = [(chapter, "", {}) for chapter in reversed(root.findall("chapter"))]
        while pending:
            place = pending.pop()
            below = yield from reader.item(*place)
            pending += reversed(below)
        reader.compare()


_Place = tuple[Element, str, dict[str, str]]
"""An element, what it stands under and the seventh characters that hold there; see `_Reader.item`."""


class _Reader:
    """One pass over the tree, with the codes that exist and those met so far."""

    def __init__(self, listed: list[str], tally: Tally) -> None:
        self.listed = set(listed)
        tally.read(_LISTED, len(listed))
        if again := len(listed) - len(self.listed):
            tally.dropped(_LISTED, "listed again", again)
        self.tally = tally
        self.seen: set[str] = set()

    def item(self, element: Element, parent: str, sevenths: dict[str, str]) -> Generator[Record, None, list[_Place]]:
        """A chapter, block or code; returns what stands below it.

        Args:
            element: of the tabular list.
            parent: CURIE of what it stands under; empty for a chapter.
            sevenths: the seventh characters that hold here, with their meaning.
        """
        self.tally.read(_ITEM)
        code = (element.get("id") or element.findtext("name") or "").strip()
        label = (element.findtext("desc") or "").strip()
        curie = f"ICD10CM:{code}"
        below = [*element.findall("section"), *element.findall("diag")]
        sevenths = _sevenths(element) or sevenths
        terms = [(note.text or "").strip() for note in element.findall("inclusionTerm/note")]
        self.tally.read("inclusion term", len(terms))
        if fault := self._fault(code, label, below):
            self.tally.dropped(_ITEM, fault)
            if terms:
                self.tally.dropped("inclusion term", "of an item that is left out", len(terms))
            curie = parent
        else:
            self.tally.kept(_ITEM)
            yield from self._records(code, label, parent)
            yield from self._terms(curie, label, terms)
            if element.tag == "diag" and not below:
                yield from self._extended(code, label, sevenths)
        return [(child, curie, sevenths) for child in below]

    def compare(self) -> None:
        """Balance the list of all codes with what came out of the tree."""
        made = {code.replace(".", "") for code in self.seen}
        self.tally.kept(_LISTED, len(self.listed & made))
        if missing := len(self.listed - made):
            self.tally.dropped(_LISTED, "not in the tabular list", missing)

    def _fault(self, code: str, label: str, below: list[Element]) -> str:
        if not is_name(label) or not is_id(f"ICD10CM:{code}"):
            return "without a code or a description"
        if code in self.seen:
            return "code again"
        if any((child.findtext("name") or "").strip() == code for child in below):
            return "block of one category, which stands for it"
        return ""

    def _records(self, code: str, label: str, parent: str) -> Iterator[Record]:
        self.seen.add(code)
        curie = f"ICD10CM:{code}"
        yield Entity(curie, "CodedCategory", label, "en", Icd10Cm.key)
        yield Name(curie, "en", label, "label", Icd10Cm.key, curie)
        if parent:
            yield Evidence(
                assertion=Assertion(curie, "subclass_of", parent),
                source=Icd10Cm.key,
                references=(curie,),
                record=f"{_TABULAR}/{code}",
                knowledge_level="knowledge_assertion",
                agent_type="manual_agent",
            )

    def _terms(self, curie: str, label: str, terms: list[str]) -> Iterator[Record]:
        kind = "related" if _COLLECTS.search(label) else "exact"
        said = {label}
        for term in terms:
            if term in said or not is_name(term):
                self.tally.dropped("inclusion term", "said twice" if term in said else "not a name")
                continue
            said.add(term)
            self.tally.kept("inclusion term")
            yield Name(curie, "en", term, kind, Icd10Cm.key, curie)

    def _extended(self, code: str, label: str, sevenths: dict[str, str]) -> Iterator[Record]:
        """The codes that a seventh character makes of a code without parts."""
        category, _, rest = code.partition(".")
        for character, meaning in sevenths.items():
            self.tally.read("seventh character")
            extended = f"{category}.{rest:X<3}{character}"
            if extended.replace(".", "") not in self.listed:
                self.tally.dropped("seventh character", "no such code")
            elif extended in self.seen:
                self.tally.dropped("seventh character", "code again")
            elif not is_name(f"{label}, {meaning}"):
                self.tally.dropped("seventh character", "meaning is not a name")
            else:
                self.tally.kept("seventh character")
                yield from self._records(extended, f"{label}, {meaning}", f"ICD10CM:{code}")


def _sevenths(element: Element) -> dict[str, str]:
    """The seventh characters that an element defines, with their meaning."""
    found = {}
    for extension in element.findall("sevenChrDef/extension"):
        character, meaning = extension.get("char", ""), (extension.text or "").strip()
        if len(character) == 1 and character.isascii() and character.isalnum() and meaning:
            found[character] = meaning
    return found


SOURCE: Final = Icd10Cm()
