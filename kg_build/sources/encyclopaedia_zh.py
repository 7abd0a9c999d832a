"""A Chinese disease encyclopaedia: the JSON Lines that many Chinese medical graphs are built from ('medical.json').

Two layouts are read: the flat one of QASystemOnMedicalKG, and a nested one with the same content. A row is a disease
with lists of terms and with running text:

    lists (symptoms, complications, tests, drugs, treatments, departments) ──▶ evidence, one a string
    texts (description, causes, clinical picture, prevention, treatment)   ──▶ a document about the disease

Causes are sentences here and stay text. There are no ids, citations or frequencies: ids are minted from type and
normalised name, and the list decides the type: abdominal pain has an entry of its own, but in a list of symptoms it
is a finding, so that it meets the findings of other sources. Headings that name nothing in particular ('drug
treatment') and fragments of sentences are left out and counted. So is the advice on food, which is a filler: nearly
every disease has exactly four foods to eat and four to avoid, hundreds have one on both sides, and what most are told
to eat others are told to avoid.

The source states no licence: a graph that holds it is for use on one's own machine and is not passed on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kg_build.chunk import chunk_markdown, escape_markup
from kg_build.reconcile import Tally
from kg_build.sources.contract import CONTRACT, Artefact, Original, Record
from kg_build.sources.files import json_lines
from kg_build.sources.texts import LONGEST_NAME, is_name
from ontology.curie import mint
from ontology.document import Document
from ontology.model import Assertion, Entity, Evidence, Name
from ontology.reading.text import normal_form

_KEY: Final = "encyclopaedia_zh"
_PREFIX: Final = "diseasekb"
_ROW: Final = "disease"
_STRING: Final = "string"
_TEXT: Final = "text"

_NAME: Final = ("name", "gaishu_info.name")


@dataclass(frozen=True)
class _Relation:
    """How a list of strings is read.

    Attributes:
        predicate: ours.
        type: of what the string names.
        places: where the list stands in either layout.
        reverse: whether the string is the subject of the assertion.
    """

    predicate: str
    type: str
    places: tuple[str, ...]
    reverse: bool = False


_RELATIONS: Final = (
    _Relation("has_phenotype", "PhenotypicFeature", ("symptom", "symptom_data.symptoms")),
    _Relation("has_complication", "Disease", ("acompany", "gaishu_info.has_complication")),
    _Relation("is_diagnosed_by", "Procedure", ("check", "inspect_info")),
    _Relation("treats", "Drug", ("common_drug", "gaishu_info.common_drug"), reverse=True),
    _Relation("treats", "Drug", ("recommand_drug",), reverse=True),
    _Relation("treats", "Procedure", ("cure_way", "gaishu_info.treat_way"), reverse=True),
    _Relation("managed_by", "Department", ("cure_department", "gaishu_info.belongs_to_department")),
)

_SECTIONS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "简介": {
        "": ("desc", "gaishu_info.desc"),
        "发病率": ("get_prob", "gaishu_info.disease_ratio"),
        "易感人群": ("easy_get", "gaishu_info.susceptible_people"),
        "传播方式": ("get_way", "gaishu_info.transmission_way"),
    },
    "病因": {"": ("cause", "cause_info")},
    "临床表现": {"": ("symptom_data.symptom_detail",)},
    "预防": {"": ("prevent", "prevent_info")},
    "治疗": {
        "治疗方式": ("cure_way", "gaishu_info.treat_way"),
        "常用药物": ("common_drug", "gaishu_info.common_drug"),
        "治疗周期": ("cure_lasttime", "gaishu_info.treat_cycle"),
        "治愈率": ("cured_prob", "gaishu_info.cure_prob"),
    },
}
"""Sections of a document: for each, the label of a fact (none for running text) and where its text stands."""

_IGNORED: Final = {
    "advice on food": (
        "do_eat", "not_eat", "recommand_eat", "food_info.good_food", "food_info.avoid_food",
        "food_info.recommand_recipes", "food_info.good_diet_text", "food_info.avoid_diet_text",
    ),
    "nursing, insurance and costs": (
        "nursing_info", "yibao_status", "cost_money", "gaishu_info.medical_insurance", "gaishu_info.treat_cost",
    ),
    "product of a manufacturer: the drug is listed": ("drug_detail",),
    "repeats the departments": ("category",),
}  # fmt: skip

_UNSPECIFIC: Final = frozenset(
    """
    治疗 药物治疗 支持治疗 支持性治疗 支持性 对症治疗 对症支持治疗 对症支持性治疗 手术治疗 手术 外科治疗 内科治疗
    非手术治疗 一般治疗 病因治疗 综合治疗 保守治疗 其他治疗 中医治疗 中药治疗 中医中药 西医治疗 中西医结合治疗 康复治疗
    特殊治疗 检查 实验室检查 影像学检查 体格检查 其他检查 其他 其它 无 不详 暂无 未知 并发症 症状
    """.split()
)
"""Headings that stand where a particular treatment, test or finding should."""

_FRAGMENT: Final = re.compile(r"^[的伴及和可或而且因与但]|[的和及或等]$|[；;。，,：:？?！!]")
_LONGEST_TERM: Final = 20


class EncyclopaediaZh:
    """The source; see the module's text."""

    contract = CONTRACT
    key = _KEY
    title = "Chinese disease encyclopaedia (for local use only: no licence is stated)"
    release = "2018-10"
    licence = "NONE"
    attribution = "medical.json, compiled by the QASystemOnMedicalKG project from a public web site"
    redistributable = False
    artefacts: tuple[Artefact, ...] = ()
    originals: tuple[Original, ...] = (
        Original(
            "encyclopaedia_zh",
            ("medical.json", "disease_kb_zh/diseases.jsonl"),
            "https://github.com/liuhuanyong/QASystemOnMedicalKG/blob/master/data/medical.json",
        ),
    )

    def read(self, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        """Yield entities, names, evidence, documents and passages; see `contract.Source.read`."""
        rows = []
        for number, row in json_lines(files[_KEY], tally, _ROW):
            name = _one(row, _NAME)
            if is_name(name):
                rows.append((number, name.strip(), row))
            else:
                tally.dropped(_ROW, "without a name")
        yield from _Reader({normal_form(name) for _, name, _ in rows}, tally).records(rows)


class _Reader:
    """One pass over the rows, with the names of all diseases known."""

    def __init__(self, diseases: set[str], tally: Tally) -> None:
        self.diseases = diseases
        self.tally = tally
        self.introduced: set[str] = set()
        self.described: set[str] = set()

    def records(self, rows: list[tuple[int, str, dict[str, Any]]]) -> Iterator[Record]:
        """All records, row by row."""
        for number, name, row in rows:
            disease = _mint("Disease", name)
            self.tally.kept(_ROW)
            yield from self._introduce(disease, "Disease", name)
            for relation in _RELATIONS:
                yield from self._relate(number, name, relation, row)
            yield from self._document(disease, name, row)
            self._ignore(row)

    def _introduce(self, curie: str, type_name: str, text: str) -> Iterator[Record]:
        """The entity and its label, once."""
        if curie not in self.introduced:
            self.introduced.add(curie)
            yield Entity(curie, type_name, text, "zh", _KEY)
            yield Name(curie, "zh", text, "label", _KEY, text)

    def _relate(self, number: int, name: str, relation: _Relation, row: Mapping[str, Any]) -> Iterator[Record]:
        disease = _mint("Disease", name)
        place, values = _found(row, relation.places)
        stated = {normal_form(name): "relates a disease to itself"}
        for value in _items(values):
            self.tally.read(_STRING)
            term = value.strip() if isinstance(value, str) else ""
            form = normal_form(term)
            if fault := self._fault(value, relation) or stated.get(form, ""):
                self.tally.dropped(_STRING, fault, example=f"{number} {name}/{place}: {term[:LONGEST_NAME]}")
                continue
            self.tally.kept(_STRING)
            stated[form] = "said twice of a disease"
            other = _mint(relation.type, term)
            yield from self._introduce(other, relation.type, term)
            ends = (other, disease) if relation.reverse else (disease, other)
            yield Evidence(
                assertion=Assertion(ends[0], relation.predicate, ends[1]),
                source=_KEY,
                references=(),
                record=f"{number} {name}/{place}",
                knowledge_level="knowledge_assertion",
                agent_type="not_provided",
                code=place.rpartition(".")[2],
                quote=term,
            )

    def _fault(self, value: object, relation: _Relation) -> str:
        """Why a string is not a term; empty when it is one."""
        if not isinstance(value, str):
            return "not a text"
        term = value.strip()
        known = normal_form(term) in self.diseases
        # The names of tests and drugs are long and have punctuation of their own; treatments and findings do not.
        product = relation.type == "Drug" or relation.predicate == "is_diagnosed_by"
        faults = {
            "empty or without letters": not normal_form(term),
            "not a name": not is_name(term),
            "one character": len(term) == 1 and not known,
            "a heading: names nothing in particular": term in _UNSPECIFIC,
            f"longer than {_LONGEST_TERM} characters: a sentence, not a term": len(term) > _LONGEST_TERM
            and not product,
            "fragment of a sentence": not product and not known and _FRAGMENT.search(term) is not None,
        }
        return next((reason for reason, applies in faults.items() if applies), "")

    def _document(self, disease: str, name: str, row: Mapping[str, Any]) -> Iterator[Record]:
        """What is written about a disease, under headings."""
        parts = []
        for heading, facts in _SECTIONS.items():
            texts = [self._fact(label, _found(row, places)[1]) for label, places in facts.items()]
            if body := "\n".join(text for text in texts if text):
                parts.append(f"## {heading}\n\n{body}\n")
        if disease in self.described and parts:
            self.tally.read("document")
            self.tally.dropped("document", "of a disease that has one")
        elif parts:
            self.tally.read("document")
            self.tally.kept("document")
            self.described.add(disease)
            document = f"clew.doc:{disease.replace(':', '/')}"
            yield Document(document, name, "zh", _KEY, "article", disease, about=(disease,))
            yield from chunk_markdown(document, f"# {name}\n\n" + "\n".join(parts), "zh")

    def _fact(self, label: str, value: object) -> str:
        """A text of a row as lines, or as one line with its label; empty when there is none."""
        if value is None:
            return ""
        self.tally.read(_TEXT)
        items = [item.strip() for item in _items(value) if isinstance(item, str) and item.strip()]
        lines = [escape_markup(line.strip()) for item in items for line in item.splitlines() if line.strip()]
        if not lines:
            self.tally.dropped(_TEXT, "empty")
            return ""
        self.tally.kept(_TEXT)
        return f"- {label}：{'、'.join(lines)}" if label else "\n".join(lines)

    def _ignore(self, row: Mapping[str, Any]) -> None:
        """Count what is left out."""
        for reason, places in _IGNORED.items():
            if number := sum(_found(row, (place,))[1] is not None for place in places):
                self.tally.read("property", number)
                self.tally.dropped("property", reason, number)


def _mint(type_name: str, text: str) -> str:
    return mint(_PREFIX, type_name, normal_form(text))


def _found(row: Mapping[str, Any], places: tuple[str, ...]) -> tuple[str, object]:
    """The first of the places that the row has, and what stands there."""
    for place in places:
        value: object = row
        for key in place.split("."):
            value = value.get(key) if isinstance(value, dict) else None
        if value is not None:
            return place, value
    return "", None


def _one(row: Mapping[str, Any], places: tuple[str, ...]) -> object:
    return _found(row, places)[1]


def _items(value: object) -> list[object]:
    """The items of a list; a single value is a list of one."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


SOURCE: Final = EncyclopaediaZh()
