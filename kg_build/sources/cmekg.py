"""CMeKG: the Chinese medical knowledge graph, as packaged in 2019.

One pickle holds {subject: {Chinese predicate: [strings]}}. It is read with an unpickler that refuses every
class, from an archive member that is never unpacked to disk. There are no ids, no citations and no
frequencies, and many strings are fragments of sentences: so ids are minted from type and normalised name,
the trust is the lowest, and strings that are not terms are dropped with the reason. Properties whose values
are sentences (dosage, cautions, treatment plans, grounds of a diagnosis) become a document of their subject.

    subject ──type by its predicates──▶ Disease | Drug | Procedure
    string  ──first type of the relation's range that knows the name, else the relation's default──▶ object
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kg_build.chunk import chunk_markdown, escape_markup
from kg_build.reconcile import Tally
from kg_build.sources.contract import CONTRACT, Artefact, Original, Record
from kg_build.sources.files import archive_member, unreadable
from kg_build.sources.pickled import plain_pickle
from kg_build.sources.texts import is_name, is_text
from ontology.curie import mint
from ontology.document import Document
from ontology.model import Assertion, Entity, Evidence, Name
from ontology.model import Mapping as TermMapping
from ontology.reading.text import normal_form

_MEMBER: Final = "PyCMeKG-0.2.5/pyCMeKG/model/cmekg.pkl"
_ROW: Final = "triple"
_LARGEST: Final = 128 * 2**20
"""Bytes of the pickle (our choice: three times what it has)."""


@dataclass(frozen=True)
class _Relation:
    """How a Chinese predicate is read.

    Attributes:
        predicate: ours.
        objects: types tried in this order for the string; the last one is minted when none knows it.
        reverse: whether the string is the subject of the assertion.
        known_only: keep only strings that name something the graph already knows (noisy relations).
    """

    predicate: str
    objects: tuple[str, ...]
    reverse: bool = False
    known_only: bool = False


_CONDITION: Final = ("Disease", "PhenotypicFeature")
_RELATIONS: Final[dict[str, dict[tuple[str, ...], _Relation]]] = {
    "Disease": {
        ("常见症状", "临床症状及体征", "相关症状", "主要症状"): _Relation("has_phenotype", _CONDITION),
        ("并发症", "药物引起的并发症", "手术引起的并发症", "治疗引起的并发症"): _Relation(
            "has_complication", ("PhenotypicFeature", "Disease")
        ),
        ("鉴别诊断",): _Relation("has_differential", ("PhenotypicFeature", "Disease")),
        ("病因", "常见病因", "主要病因", "高危因素", "诱发因素"): _Relation("has_cause", ("Factor",)),
        (
            "检查",
            "辅助检查",
            "实验室检查",
            "影像学检查",
            "内窥镜检查",
            "组织学检查",
            "筛查",
            "其他检查",
        ): _Relation("is_diagnosed_by", ("Procedure",)),
        ("药物治疗", "主要用药"): _Relation("treats", ("Drug",), reverse=True),
        ("治疗", "手术治疗", "辅助治疗", "放射治疗"): _Relation("treats", ("Drug", "Procedure"), reverse=True),
        ("化疗",): _Relation("treats", ("Procedure", "Drug"), reverse=True),
        ("常见发病部位", "发病部位"): _Relation("located_in", ("AnatomicalEntity",)),
        ("多发群体", "发病人群"): _Relation("affects_population", ("Population",)),
        ("就诊科室", "所属科室"): _Relation("managed_by", ("Department",)),
        ("上位关系",): _Relation("subclass_of", ("Disease",)),
        ("下位关系",): _Relation("subclass_of", ("Disease",), reverse=True),
    },
    "Drug": {
        ("适应症", "适应证", "主要适用症"): _Relation("treats", ("PhenotypicFeature", "Disease")),
        ("主治", "功能主治", "主要适用", "主治病症", "病症"): _Relation("treats", _CONDITION, known_only=True),
        ("不良反应", "用药后不良反应"): _Relation("has_adverse_event", _CONDITION),
        ("禁忌", "禁忌证", "主要用药禁忌"): _Relation(
            "contraindicated_in", ("Disease", "PhenotypicFeature", "Population")
        ),
        ("药物相互作用",): _Relation("interacts_with", ("DrugClass", "Drug")),
        ("成份", "组成"): _Relation("has_ingredient", ("Drug",)),
        ("分类", "用途分类"): _Relation("in_drug_class", ("DrugClass",)),
        ("通用名",): _Relation("subclass_of", ("Drug",)),
    },
    "Procedure": {
        ("相关疾病",): _Relation("is_diagnosed_by", ("Disease",), reverse=True),
        ("相关症状",): _Relation("is_diagnosed_by", ("Disease", "PhenotypicFeature"), reverse=True),
    },
}
_NAMES: Final = {
    **dict.fromkeys(("英文名", "英文名称", "英文别名", "英文别称", "外文名"), ("en", "exact")),
    **dict.fromkeys(("别称", "又称", "同义词", "其他名称", "中文名", "名称", "中文学名"), ("zh", "exact")),
    "商品名": ("zh", "brand"),
}
_TEXTS: Final = frozenset(
    "用法用量 注意事项 警示语 治疗方案 选择治疗方案的依据 进入路径标准 出院标准 预防 预后状况 传播途径".split()
)
_GROUNDS: Final = "诊断依据_"
"""Properties whose values are sentences: they become the subject's document instead of statements."""
_SUBJECT_MARKS: Final = {
    "Disease": "就诊科室 常见症状 ICD10 常见病因 上位关系 下位关系 常见发病部位 多发群体 传染性 病因 英文名称 "
    "并发症 临床症状及体征 病理分型 高危因素 药物治疗 手术治疗",
    "Drug": "成份 适应症 OTC类型 药品类型 通用名 药品监管分级 不良反应 用法用量 功能主治 规格 用途分类 主治 "
    "组成 入药部位 功效 性味 英文名 科 界",
    "Procedure": "相关疾病 相关症状 所属分类",
}
_CAUTION: Final = re.compile(r"慎[用服]|遵医嘱")
_PROHIBITION: Final = re.compile(
    r"^(?:禁用于|忌用于)|(?:的?(?:患者|病人)|者)?(?:禁用|忌用|禁服|忌服|禁止使用|不得使用|不宜使用|不宜服用)[。.]?$"
)
_INDICATION: Final = re.compile(r"^(?:适?用于|主治|治疗?)(?=.{2})|(?<=.{2})的(?:辅助|对症)?治疗$")
_FRAGMENT: Final = re.compile(r"^[的伴及和可或而且因与但]|[的和及或]$|[；;。，,：:？?！!]")
_ICD10: Final = re.compile(r"(?P<who>[A-Z]\d{2}(?:\.\d)?)(?P<extension>\d{0,3})\Z")
_LONGEST_TERM: Final = 20
_UNSPECIFIC: Final = frozenset(
    """
    治疗 药物治疗 药物治疗方案 治疗原则 治疗方法 病因治疗 对症治疗 对症支持治疗 支持治疗 支持疗法 一般治疗
    其他治疗 综合治疗 保守治疗 手术治疗 手术 非手术治疗 中医治疗 西医治疗 预防 预防治疗
    检查 实验室检查 影像学检查 辅助检查 体格检查 物理检查 其他检查 基础检查 常规检查 特殊检查
    症状 体征 临床表现 并发症 疾病 病因 诊断 诊断标准 预后 护理 饮食 注意事项 适应症 禁忌 禁忌症 用法用量 不良反应
    尚不明确 不详 其他 无
    """.split()
)
"""Headings that stand where a particular treatment, test or finding should."""


class Cmekg:
    """The source; see the module's text."""

    contract = CONTRACT
    key = "cmekg"
    title = "CMeKG, Chinese medical knowledge graph"
    release = "2019-01-29"
    licence = "MIT"
    attribution = "CMeKG, packaged as PyCMeKG 0.2.5 by Yunfei Yang"
    redistributable = True
    artefacts: tuple[Artefact, ...] = (
        Artefact(
            "PyCMeKG",
            "0.2.5",
            "PyCMeKG-0.2.5.tar.gz",
            "f9ef3704c19b767973f58f4c3bd50bf46ea175b4859184f4b2777e328d8b90a9",
            11_671_134,
        ),
    )
    originals: tuple[Original, ...] = ()

    def read(self, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        """Yield entities, names, evidence and codes; see `contract.Source.read`."""
        yield from _Reader(self.key, _load(files["PyCMeKG"]), tally).records()


class _Reader:
    """One pass over the triples, with the names that are known by type."""

    def __init__(self, key: str, triples: dict[str, Any], tally: Tally) -> None:
        self.key = key
        self.triples: dict[str, dict[str, Any]] = {s: p for s, p in triples.items() if p and isinstance(p, dict)}
        self.tally = tally
        if surplus := len(triples) - len(self.triples):
            tally.read(_ROW, surplus)
            tally.dropped(_ROW, "subject without properties", surplus)
        self.types = {s: _subject_type(properties) if is_name(s) else "" for s, properties in self.triples.items()}
        self.known: dict[str, set[str]] = {}
        for subject, type_name in self.types.items():
            if type_name:
                self.known.setdefault(type_name, set()).add(normal_form(subject))
        self._know_findings()
        self._know_drugs()
        self.minted: set[str] = set()
        self.notes: dict[str, list[str]] = {}
        self.stated: set[str] = set()

    def records(self) -> Iterator[Record]:
        """All records, subject by subject."""
        relations = {
            type_name: {word: relation for words, relation in table.items() for word in words}
            for type_name, table in _RELATIONS.items()
        }
        for subject, properties in self.triples.items():
            type_name = self.types[subject]
            for word, values in properties.items():
                if not isinstance(values, list) or not is_text(word):
                    self.tally.read(_ROW)
                    self.tally.dropped(_ROW, "value is not a list" if is_text(word) else "property is not a text")
                    continue
                self.tally.read(_ROW, len(values))
                if type_name and (word in _TEXTS or word.startswith(_GROUNDS)):
                    self._note(subject, word, values)
                elif not type_name:
                    reason = "neither disease, drug nor procedure" if is_name(subject) else "not a name"
                    self.tally.dropped(_ROW, f"subject is {reason}", len(values))
                elif relation := relations[type_name].get(word):
                    yield from self._relate(subject, type_name, word, relation, values)
                else:
                    yield from self._describe(subject, type_name, word, values)
            yield from self._document(subject, type_name)

    def _know_findings(self) -> None:
        """Symptom strings are findings, unless a disease has the name."""
        words = ("常见症状", "临床症状及体征", "主要症状")
        diseases = self.known.get("Disease", set())
        findings = self.known.setdefault("PhenotypicFeature", set())
        for subject, properties in self.triples.items():
            if self.types[subject] == "Disease":
                strings = (value for word in words for value in _strings(properties.get(word)) if not _fault(value))
                findings.update(form for value in strings if (form := normal_form(value)) not in diseases)

    def _know_drugs(self) -> None:
        """Ingredients and generic names are drugs, also where they have no entry of their own."""
        words = {"Drug": ("成份", "通用名"), "Disease": ("药物治疗", "主要用药")}
        drugs = self.known.setdefault("Drug", set())
        for subject, properties in self.triples.items():
            for word in words.get(self.types[subject], ()):
                drugs.update(normal_form(value) for value in _strings(properties.get(word)) if not _fault(value))

    def _curie(self, type_name: str, text: str) -> str:
        return mint(self.key, type_name, normal_form(text))

    def _introduce(self, curie: str, type_name: str, text: str) -> Iterator[Record]:
        """The entity and its label, once, as soon as something that is kept speaks of it."""
        if curie not in self.minted:
            self.minted.add(curie)
            label = text.strip()
            yield Entity(curie, type_name, label, "zh", self.key)
            yield Name(curie, "zh", label, "label", self.key, label)

    def _relate(
        self, subject: str, type_name: str, word: str, relation: _Relation, values: list[str]
    ) -> Iterator[Record]:
        subject_id = self._curie(type_name, subject)
        for value in values:
            resolved = self._object(relation, value)
            if resolved[0] is None:
                self.tally.dropped(_ROW, resolved[1])
                continue
            object_id = self._curie(*resolved)
            ends = (object_id, subject_id) if relation.reverse else (subject_id, object_id)
            evidence = self._evidence(Assertion(ends[0], relation.predicate, ends[1]), subject, word, value)
            if object_id == subject_id:
                self.tally.dropped(_ROW, "relates a thing to itself")
            elif evidence.id in self.stated:
                self.tally.dropped(_ROW, "repeats a triple")
            else:
                self.stated.add(evidence.id)
                self.tally.kept(_ROW)
                yield from self._introduce(subject_id, type_name, subject)
                yield from self._introduce(object_id, *resolved)
                yield evidence

    def _evidence(self, assertion: Assertion, subject: str, word: str, value: str) -> Evidence:
        return Evidence(
            assertion=assertion,
            source=self.key,
            references=(),
            record=f"{subject}/{word}",
            knowledge_level="knowledge_assertion",
            agent_type="not_provided",
            quote=value,
        )

    def _object(self, relation: _Relation, value: object) -> tuple[str, str] | tuple[None, str]:
        """Type and term of a string, or None and the reason why it is left out."""
        if fault := _no_text(value):
            return None, fault
        term = str(value).strip()
        if relation.predicate == "contraindicated_in":
            if _CAUTION.search(term):
                return None, "a caution, not a contraindication"
            term = _PROHIBITION.sub("", term)
        elif relation.predicate == "treats" and not relation.reverse:
            term = _INDICATION.sub("", term)
        if fault := _fault(term):
            return None, fault
        form = normal_form(term)
        for type_name in relation.objects:
            if form in self.known.get(type_name, ()):
                return type_name, term
        if relation.known_only:
            return None, "phrase names no known disease or finding"
        return relation.objects[-1], term

    def _note(self, subject: str, word: str, values: list[Any]) -> None:
        """Keep the sentences of a property for the subject's document."""
        written = []
        for value in values:
            if fault := _no_text(value):
                self.tally.dropped(_ROW, fault)
            else:
                self.tally.kept(_ROW)
                written.append(value.strip())
        if written:
            heading = " ".join(word.removeprefix(_GROUNDS).split())
            text = escape_markup("；".join(written))
            self.notes.setdefault(subject, []).append(f"## {heading}\n\n{text}\n")

    def _document(self, subject: str, type_name: str) -> Iterator[Record]:
        """The document of a subject: the properties that are sentences, under their headings."""
        if notes := self.notes.pop(subject, []):
            curie = self._curie(type_name, subject)
            document = f"clew.doc:{curie.replace(':', '/')}"
            text = f"# {' '.join(subject.split())}\n\n" + "\n".join(notes)
            yield from self._introduce(curie, type_name, subject)
            yield Document(document, subject, "zh", self.key, "article", curie, about=(curie,))
            yield from chunk_markdown(document, text, "zh")

    def _describe(self, subject: str, type_name: str, word: str, values: list[str]) -> Iterator[Record]:
        """Names and codes of a subject; anything else is outside the ontology."""
        curie = self._curie(type_name, subject)
        for value in values:
            if word in _NAMES and not is_name(value):
                self.tally.dropped(_ROW, _no_text(value) or "not a name")
            elif word in _NAMES:
                lang, kind = _NAMES[word]
                self.tally.kept(_ROW)
                yield from self._introduce(curie, type_name, subject)
                yield Name(curie, lang, value.strip(), kind, self.key, subject)
            elif word == "ICD10" and type_name == "Disease":
                yield from self._code(curie, subject, value)
            elif word == "相关药物":
                self.tally.dropped(_ROW, "inverse of an indication triple")
            else:
                self.tally.dropped(_ROW, "predicate outside the ontology")

    def _code(self, curie: str, subject: str, value: str) -> Iterator[Record]:
        """The ICD-10 code of a disease; national extensions count as narrower than their WHO code."""
        match = _ICD10.match(value.strip()) if is_text(value) else None
        if not match:
            self.tally.dropped(_ROW, "not an ICD-10 code")
            return
        code = f"ICD10:{match['who']}"
        predicate = "skos:broadMatch" if match["extension"] else "skos:closeMatch"
        self.tally.kept(_ROW)
        yield from self._introduce(curie, "Disease", subject)
        yield TermMapping(curie, predicate, code, self.key, "semapv:UnspecifiedMatching")
        yield self._evidence(Assertion(curie, "subclass_of", code), subject, "ICD10", value)


def _subject_type(properties: Mapping[str, object]) -> str:
    """The type whose marking predicates the subject has most of; empty when it has none."""
    counts = Counter(
        {type_name: sum(mark in properties for mark in marks.split()) for type_name, marks in _SUBJECT_MARKS.items()}
    )
    best, hits = counts.most_common(1)[0]
    return best if hits else ""


def _fault(term: str) -> str:
    """Why a string is not a term; empty when it is one."""
    if len(term) < 2:
        return "one character"
    if term in _UNSPECIFIC:
        return "a heading: names nothing in particular"
    if len(term) > _LONGEST_TERM:
        return f"longer than {_LONGEST_TERM} characters: a sentence, not a term"
    if _FRAGMENT.search(term):
        return "fragment of a sentence"
    return "" if is_name(term) else "without letters"


def _no_text(value: object) -> str:
    """Why a value says nothing; empty when it does."""
    if not is_text(value):
        return "not a text"
    return "" if value.strip() else "empty string"


def _strings(value: object) -> list[str]:
    """The texts of a property that is a list; what else it holds is counted when it is read."""
    return [item for item in value if is_text(item)] if isinstance(value, list) else []


def _load(path: Path) -> dict[str, Any]:
    data = plain_pickle(archive_member(path, _MEMBER, largest=_LARGEST), "cmekg")
    if not isinstance(data, dict) or not any(isinstance(properties, dict) for properties in data.values()):
        raise unreadable("cmekg", "the pickle does not hold subjects with properties")
    return data


SOURCE = Cmekg()
