"""Which entity a mention is: names that several entities have, words that are none, and patients for their disease."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Final

from kg_build.extract.asserted import Asserted
from kg_build.extract.passages import Found
from ontology.reading.linker import Linker

LEAST_LINK: Final = 0.6
"""Confidence below which a name is another entity's too, and the id decided."""

_LIKELIEST: Final = ("PhenotypicFeature", "Disease", "Procedure", "Drug", "Gene")
"""Which type a name has that is used for several: drugs are called by what they are for, findings not by drugs."""

_GENERIC: Final = frozenset(
    "disease diseases disorder disorders condition conditions syndrome symptom symptoms sign signs finding findings "
    "treatment treatments therapy surgery drug drugs medicine test tests examination diagnosis infection infections "
    "injury injuries trauma complication complications patient patients illness cause effect "
    "引起 导致 疾病 症状 体征 表现 治疗 检查 诊断 药物 手术 并发症 综合征 综合症 患者 病人 感染 炎症 病变 功能 异常 "
    "不良反应 副作用 用药 病 痛 不适 年龄 化验 疗法 中毒 损伤 病儿".split()
) | {"signs and symptoms", "adverse effects", "side effects"}
"""Names of the graph that say too little to be an end of a statement, or are the words of phrases (our choice)."""


class Names:
    """Looks names up again, where a rule knows what type of thing it needs.

    Args:
        linker: finds the other meanings of a name: `hypertension` is a finding and a disease.
        asserted: what the graph says.

    Attributes:
        linked: (text, types) -> the mentions in a short text.
    """

    def __init__(self, linker: Linker, asserted: Asserted) -> None:
        self._linker = linker
        self._asserted = asserted
        self.linked = lru_cache(maxsize=1 << 14)(self._link)

    def _link(self, text: str, types: tuple[str, ...]) -> tuple[Found, ...]:
        """The mentions in a short text; a name of several entities that are the same is not ambiguous."""
        found = []
        for link in self._linker.link(text, types=types):
            certain = link.confidence >= LEAST_LINK or not link.alternatives
            if not certain and all(self._asserted.same(link.entity, other) for other in link.alternatives):
                link = replace(link, confidence=min(2 * link.confidence, 1.0))  # noqa: PLW2901
            found.append(Found(link.entity, link.type, link.start, link.end, link.text, link.confidence))
        return tuple(found)

    def means_something(self, found: Found) -> bool:
        """Whether a mention is no mere word: Chinese vocabularies of strings hold 时间 and 严重 as findings."""
        if found.text.lower() in _GENERIC:
            return False
        return found.text.isascii() or self._asserted.is_established(found.entity)

    def likeliest(self, found: Found) -> Found:
        """The disease of its patients, as some vocabularies have 高血压患者; the likeliest type of an unclear name."""
        if found.text.endswith(("患者", "病人")) and (shorter := self._named(found.text[:-2], found.type)):
            return replace(shorter, start=found.start, end=found.end - 2)
        if found.confidence < LEAST_LINK:
            clear = (self._named(found.text, type_name) for type_name in _LIKELIEST)
            if (other := next(filter(None, clear), None)) is not None:
                return replace(other, start=found.start, end=found.end)
        return found

    def _named(self, name: str, type_name: str) -> Found | None:
        """The entity of a type that a whole name means, unless that is unclear."""
        found = self.linked(name, (type_name,))
        return found[0] if len(found) == 1 and found[0].text == name and found[0].confidence >= LEAST_LINK else None

    def as_type(self, found: Found, type_name: str) -> Found | None:
        """A mention as an entity of a type: itself, or another entity of that name."""
        if found.type == type_name and found.confidence >= LEAST_LINK:
            return found
        named = self._named(found.text, type_name) if found.end > found.start else None
        return None if named is None else replace(named, start=found.start, end=found.end)
