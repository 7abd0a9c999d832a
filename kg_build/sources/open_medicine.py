"""Open Medicine: condensed clinical guidelines, differentials by presentation, and renal dosing, each with a DOI.

* A section of a guideline becomes a document with passages, verbatim. The guideline itself is an entity whose id is
  its DOI, and covers its topics. Topics are keywords without a type: the first one is what the guideline is about, a
  disease unless said otherwise here; of the others those are kept that the source names as a diagnosis, complaint, test
  or drug elsewhere.
* A presentation becomes a document that we render from its fields, one passage per diagnosis, and evidence:
  the diagnosis has the presentation as a phenotype, and is diagnosed by the tests. Key features and red flags
  are sentences, not findings: they stay text. So does the list of what else to consider. The prompt for
  language models that comes with each presentation is not taken over.
* A drug with renal dosing becomes a drug with its brand names, and a document that we render from its fields.

The source has no ids for diagnoses, presentations, tests and drugs: they are minted from the normalised name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BaseModel, Field, ValidationError

from kg_build.chunk import chunk_markdown, escape_markup
from kg_build.reconcile import Tally
from kg_build.sources.contract import CONTRACT, Artefact, Original, Record
from kg_build.sources.files import Member, archive_json, archive_members, unreadable
from kg_build.sources.texts import NOT_TEXT, is_id, is_name, is_text, only_texts
from ontology.curie import mint
from ontology.document import Document
from ontology.model import Assertion, Entity, Evidence, Name
from ontology.reading.text import normal_form

_KEY: Final = "open_medicine"
_PREFIX: Final = "openmed"
_REGISTRY: Final = "open_medicine/guidelines/registry.json"
_CONTENT: Final = "open_medicine/guidelines/content/"
_DIFFERENTIALS: Final = "open_medicine/mcp/differentials/data/"
_DOSING: Final = "open_medicine/mcp/calculators/data/renal_dose_adjustments.json"

_LARGEST_FILE: Final = 2**20
"""Bytes of a section, a presentation or the dosing (our choice: ten times the largest known)."""

_MOST: Final = 1000
"""Topics or sections of a guideline (our choice: ten times the known); each topic is looked for in each section."""

_RENDERED_SIZE: Final = 2500
"""Characters of a passage of a rendered document: a diagnosis or a drug stays in one piece."""

_TITLE_END = re.compile(r"\s+differential diagnosis\s*\Z", re.IGNORECASE)
_REMARK = re.compile(r"\s*\([^()]*\)\s*\Z")
_SUBJECTS: Final = {
    "ascvd": ("Disease", "atherosclerotic cardiovascular disease"),
    "copd": ("Disease", "chronic obstructive pulmonary disease"),
    "nafld": ("Disease", "nonalcoholic fatty liver disease"),
    "stemi": ("Disease", "ST-elevation myocardial infarction"),
    "timi risk score": ("Procedure", "TIMI risk score"),
    "news2": ("Procedure", "NEWS2"),
    "perioperative cardiovascular evaluation": ("Procedure", "perioperative cardiovascular evaluation"),
    "neonatal resuscitation": ("Procedure", "neonatal resuscitation"),
    "cholesterol": ("", "cholesterol"),
}
"""First topics of guidelines that are abbreviations, or no disease: type and name. Cholesterol has no type here."""
_METRICS: Final = {"crcl": ("CrCl", "mL/min"), "egfr": ("eGFR", "mL/min/1.73 m²")}

_Id = Annotated[str, Field(pattern="^[A-Za-z0-9_.-]+$", max_length=100)]
_Text = Annotated[str, Field(min_length=1)]


class _Guideline(BaseModel):
    id: _Id
    title: _Text
    doi: _Text
    year: int
    organization: str
    topics: list[_Text] = Field(default=[], max_length=_MOST)
    sections: list[_Id] = Field(max_length=_MOST)


class _Diagnosis(BaseModel):
    name: _Text
    likelihood: _Text
    key_features: list[_Text]
    red_flags: list[_Text]
    recommended_tests: list[_Text]
    age_modifier: str | None = None
    sex_modifier: str | None = None


class _Alternative(BaseModel):
    name: _Text
    rationale: _Text


class _Presentation(BaseModel):
    differential_id: _Id
    title: _Text
    description: _Text
    source_doi: _Text
    source_description: _Text
    diagnoses: list[Any]
    also_consider: list[_Alternative] = []


class _Tier(BaseModel):
    min: float
    max: float | None
    dose: _Text
    adjustment_type: _Text
    dialysis_note: str | None
    warnings: list[_Text]


class _Drug(BaseModel):
    drug_name: _Text
    brand_names: list[_Text]
    drug_class: _Text
    route: _Text
    label_renal_metric: str = Field(pattern="^(crcl|egfr)$")
    normal_dose: _Text
    requires_tdm: bool
    monitoring_parameters: list[_Text]
    hepatic_interaction_flag: bool
    source_doi: _Text
    source_description: _Text
    tiers: list[_Tier]


class OpenMedicine:
    """The source; see the module's text."""

    contract = CONTRACT
    key = _KEY
    title = "Open Medicine: clinical guidelines and differentials"
    release = "0.12.0"
    licence = "MIT"
    attribution = (
        "Guidelines, differentials and dosing condensed by the open-medicine project "
        "(https://github.com/RamosFBC/openmedicine); the cited DOI is the authority for each statement."
    )
    redistributable = True
    artefacts: tuple[Artefact, ...] = (
        Artefact(
            "open-medicine",
            "0.12.0",
            "open_medicine-0.12.0-py3-none-any.whl",
            "1256ddfd0b88398cf3391e39730bb2748716848049c8aef74a26934e86f37558",
            759_994,
        ),
    )
    originals: tuple[Original, ...] = ()

    def read(self, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        """Yield guidelines, differentials and dosing; see `contract.Source.read`."""
        path = files["open-medicine"]
        registry = archive_json(path, _REGISTRY)
        if not isinstance(registry, list):
            raise unreadable(path.name, f"{_REGISTRY} is not a list")
        wanted = (_DOSING, _CONTENT, _DIFFERENTIALS)
        found = archive_members(path, lambda name: name.startswith(wanted), largest=_LARGEST_FILE)
        members = {member.name: member for member in found}
        described = _Described()
        for name, member in members.items():
            if name.startswith(_DIFFERENTIALS) and name.endswith(".json"):
                yield from _differential(member, described, tally)
        yield from _dosing(members.get(_DOSING), described, tally)
        yield from _guidelines(registry, members, described, tally)  # last: their topics are known from the others


@dataclass(frozen=True)
class _Topic:
    """A topic of a guideline.

    Attributes:
        id: of what it names.
        type: of what it names.
        name: what it is called.
        text: as the registry writes it.
        number: its place; the first one is what the guideline is about.
    """

    id: str
    type: str
    name: str
    text: str
    number: int

    @property
    def main(self) -> bool:
        return self.number == 0


@dataclass
class _Described:
    """The entities that were described so far.

    Attributes:
        written: (id, spelling) of each name, and (id, "") of each entity.
        known: for the normal form of each name, with and without a remark at its end, type and id.
    """

    written: set[tuple[str, str]] = field(default_factory=set)
    known: dict[str, tuple[str, str]] = field(default_factory=dict)

    def named(self, type_name: str, text: str, reference: str) -> Iterator[Record]:
        """The entity when it is new (its first spelling is the label), and each spelling once."""
        entity = _mint(type_name, text)
        first = (entity, "") not in self.written
        if first:
            self.written.add((entity, ""))
            yield Entity(entity, type_name, text, "en", _KEY)
        yield from self.also(entity, text, reference, "label" if first else "exact")
        for form in (normal_form(text), normal_form(_REMARK.sub("", text))):
            self.known.setdefault(form, (type_name, entity))

    def also(self, entity: str, text: str, reference: str, kind: str = "exact") -> Iterator[Record]:
        """Another name of an entity, once."""
        if (entity, text) not in self.written:
            self.written.add((entity, text))
            yield Name(entity, "en", text, kind, _KEY, reference)

    def introduce(self, topic: _Topic, reference: str) -> Iterator[Record]:
        """What a topic names, with what the topic calls it."""
        if (topic.id, "") not in self.written:
            yield from self.named(topic.type, topic.name, reference)
        yield from self.also(topic.id, topic.name, reference)
        yield from self.also(topic.id, topic.text, reference)
        self.known.setdefault(normal_form(topic.text), (topic.type, topic.id))


def _guidelines(
    registry: list[Any], members: Mapping[str, Member], described: _Described, tally: Tally
) -> Iterator[Record]:
    registered: set[str] = set()
    for number, entry in enumerate(registry):
        tally.read("guideline")
        try:
            guideline = _Guideline.model_validate(entry if only_texts(entry) else None)
        except ValidationError:
            tally.dropped("guideline", "malformed")
            continue
        if not is_id(f"DOI:{guideline.doi}") or not is_name(guideline.title):
            tally.dropped("guideline", "title is not a name" if is_id(f"DOI:{guideline.doi}") else "without a DOI")
            continue
        tally.kept("guideline")
        curie = f"DOI:{guideline.doi}"
        yield Entity(curie, "Guideline", guideline.title, "en", _KEY)
        yield Name(curie, "en", guideline.title, "label", _KEY, guideline.id)
        topics = list(_topics(guideline, described, tally))
        about = (curie, *(topic.id for topic in topics if topic.main))
        texts: dict[str, str] = {}
        for section in guideline.sections:
            name = f"{_CONTENT}{guideline.id}/{section}.md"
            registered.add(name)
            document, text = _section(guideline, section, about, members.get(name), tally)
            if document is not None:
                texts[document.id] = text
                yield document
                yield from chunk_markdown(document.id, text, "en")
        for topic in topics:
            yield from described.introduce(topic, curie)
            yield from _covers(curie, topic, f"registry.json#/{number}/topics/{topic.number}", texts)
    surplus = [name for name in members if name.startswith(_CONTENT) and name.endswith(".md")]
    for _ in set(surplus) - registered:
        tally.read("section")
        tally.dropped("section", "not in the registry of guidelines")


def _section(
    guideline: _Guideline, section: str, about: tuple[str, ...], member: Member | None, tally: Tally
) -> tuple[Document | None, str]:
    """The document of a section and its text; none when there is nothing to read."""
    tally.read("section")
    member = member or Member(section, b"")
    try:
        text = member.content.decode("utf-8")
    except UnicodeDecodeError:
        tally.dropped("section", "not UTF-8")
        return None, ""
    if member.fault or not is_text(text):
        tally.dropped("section", member.fault or NOT_TEXT)
        return None, ""
    document = Document(
        f"{_PREFIX}:guideline.{guideline.id}.{section}", guideline.title, "en", _KEY, "guideline",
        f"DOI:{guideline.doi}", guideline.year, guideline.organization, about,
    )  # fmt: skip
    if not chunk_markdown(document.id, text, "en"):
        tally.dropped("section", "without text")
        return None, ""
    tally.kept("section")
    return document, text


def _topics(guideline: _Guideline, described: _Described, tally: Tally) -> Iterator[_Topic]:
    """The topics of a guideline whose type is known."""
    seen: set[str] = set()
    for number, text in enumerate(guideline.topics):
        tally.read("topic")
        kind, name = _SUBJECTS.get(normal_form(text), ("Disease", text)) if number == 0 else ("", text)
        form = normal_form(name)
        type_name, curie = described.known.get(form, (kind, _mint(kind, name)))
        if not is_name(name) or not is_name(text) or not type_name or curie in seen:
            reason = "said before" if curie in seen else "a keyword whose type the source does not tell"
            tally.dropped("topic", reason, example=f"{guideline.id}: {text}")
            continue
        seen.add(curie)
        tally.kept("topic")
        yield _Topic(curie, type_name, name, text, number)


def _covers(guideline: str, topic: _Topic, record: str, texts: Mapping[str, str]) -> Iterator[Record]:
    """Evidence from each section that names the topic; from all sections, without a quote, if none does."""
    naming = [document for document, text in texts.items() if topic.text.casefold() in text.casefold()]
    for document in naming or texts:
        yield Evidence(
            Assertion(guideline, "covers", topic.id), _KEY, (guideline,), record, "knowledge_assertion", "manual_agent",
            code="main topic" if topic.main else "topic", quote=topic.text if naming else "", document=document,
        )  # fmt: skip


def _differential(member: Member, described: _Described, tally: Tally) -> Iterator[Record]:
    tally.read("presentation")
    try:
        presentation = _Presentation.model_validate(_parsed(member.content))
    except ValidationError:
        tally.dropped("presentation", member.fault or "malformed")
        return
    reference = f"DOI:{presentation.source_doi}"
    complaint = _TITLE_END.sub("", presentation.title) if is_name(presentation.title) else ""
    if not is_id(reference) or not is_name(complaint):
        tally.dropped("presentation", "title is not a name" if is_id(reference) else "without a DOI")
        return
    if not only_texts(presentation.model_dump(exclude={"diagnoses"})):
        tally.dropped("presentation", NOT_TEXT)
        return
    tally.kept("presentation")
    diagnoses = list(_diagnoses(presentation, tally))
    complaint_id = _mint("PhenotypicFeature", complaint)
    document = Document(
        f"{_PREFIX}:differential.{presentation.differential_id}", presentation.title, "en", _KEY, "differential",
        reference, about=(complaint_id,),
    )  # fmt: skip
    yield document
    text = _render_presentation(presentation, [diagnosis for _, diagnosis in diagnoses])
    yield from chunk_markdown(document.id, text, "en", size=_RENDERED_SIZE)
    yield from described.named("PhenotypicFeature", complaint, reference)
    yield from described.also(complaint_id, _words(presentation.differential_id), reference)
    for number, diagnosis in diagnoses:
        disease = _mint("Disease", diagnosis.name)
        yield from described.named("Disease", diagnosis.name, reference)
        where = f"{member.name.rpartition('/')[2]}#/diagnoses/{number}"
        yield _evidence(disease, "has_phenotype", complaint_id, document, f"{where}/name", diagnosis.name)
        yield from _tests(diagnosis, disease, document, where, described, tally)


def _diagnoses(presentation: _Presentation, tally: Tally) -> Iterator[tuple[int, _Diagnosis]]:
    for number, entry in enumerate(presentation.diagnoses):
        tally.read("diagnosis")
        try:
            diagnosis = _Diagnosis.model_validate(entry if only_texts(entry) else None)
        except ValidationError:
            tally.dropped("diagnosis", "malformed")
            continue
        if not is_name(diagnosis.name):
            tally.dropped("diagnosis", "not a name")
            continue
        tally.kept("diagnosis")
        yield number, diagnosis


def _tests(
    diagnosis: _Diagnosis, disease: str, document: Document, where: str, described: _Described, tally: Tally
) -> Iterator[Record]:
    for number, test in enumerate(diagnosis.recommended_tests):
        tally.read("test")
        # What stands in brackets says when or what for; the quote keeps it.
        procedure = _REMARK.sub("", test)
        if test.startswith("calculate_"):
            tally.dropped("test", "a calculator of the package, not a test")
        elif not is_name(procedure):
            tally.dropped("test", "not a name")
        else:
            tally.kept("test")
            yield from described.named("Procedure", procedure, document.reference)
            place = f"{where}/recommended_tests/{number}"
            yield _evidence(disease, "is_diagnosed_by", _mint("Procedure", procedure), document, place, test)


def _mint(type_name: str, text: str) -> str:
    return mint(_PREFIX, type_name, normal_form(text))


def _evidence(subject: str, predicate: str, object_: str, document: Document, record: str, quote: str) -> Evidence:
    return Evidence(
        Assertion(subject, predicate, object_),
        _KEY,
        (document.reference,),
        record,
        "knowledge_assertion",
        "manual_agent",
        quote=quote,
        document=document.id,
    )


def _render_presentation(presentation: _Presentation, diagnoses: list[_Diagnosis]) -> str:
    about = f"{presentation.description}\n\nSource: {presentation.source_description}"
    parts = [f"# {_one_line(presentation.title)}", escape_markup(about)]
    for diagnosis in diagnoses:
        facts = [f"Diagnosis: {diagnosis.name}", f"Likelihood: {_words(diagnosis.likelihood)}"]
        facts += [f"Age: {_words(diagnosis.age_modifier)}"] if diagnosis.age_modifier else []
        facts += [f"Sex: {_words(diagnosis.sex_modifier)}"] if diagnosis.sex_modifier else []
        tests = [test for test in diagnosis.recommended_tests if not test.startswith("calculate_")]
        parts += [f"## {_one_line(diagnosis.name)}", escape_markup("\n".join(facts))]
        parts += _list("Key features", diagnosis.key_features)
        parts += _list("Red flags", diagnosis.red_flags)
        parts += _list("Recommended tests", tests)
    if presentation.also_consider:
        parts += ["## Also consider"]
        others = "\n".join(f"- {other.name}: {other.rationale}" for other in presentation.also_consider)
        parts += [escape_markup(others)]
    return "\n\n".join(parts) + "\n"


def _parsed(content: bytes) -> Any:
    """What a file says in JSON; None when that is nothing."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _dosing(member: Member | None, described: _Described, tally: Tally) -> Iterator[Record]:
    member = member or Member(_DOSING, b"")
    drugs = _parsed(member.content)
    if not isinstance(drugs, dict):
        tally.read("drug")
        tally.dropped("drug", member.fault or "renal dosing is not a JSON object")
        return
    for key, entry in drugs.items():
        tally.read("drug")
        try:
            drug = _Drug.model_validate(entry if only_texts([key, entry]) else None)
        except ValidationError:
            tally.dropped("drug", "malformed")
            continue
        document_id, reference = f"{_PREFIX}:renal_dosing.{key}", f"DOI:{drug.source_doi}"
        if not is_id(reference) or not is_id(document_id):
            tally.dropped("drug", "without a DOI or an id")
            continue
        name = _words(drug.drug_name)
        if not is_name(name):
            tally.dropped("drug", "not a name")
            continue
        tally.kept("drug")
        yield from described.named("Drug", name, reference)
        curie = _mint("Drug", name)
        for brand in drug.brand_names:
            tally.read("brand name")
            if is_name(brand):
                tally.kept("brand name")
                yield from described.also(curie, brand, reference, "brand")
            else:
                tally.dropped("brand name", "not a name")
        yield Document(document_id, f"Renal dosing of {name}", "en", _KEY, "article", reference, about=(curie,))
        yield from chunk_markdown(document_id, _render_drug(drug), "en", size=_RENDERED_SIZE)


def _render_drug(drug: _Drug) -> str:
    facts = [
        f"Drug: {_words(drug.drug_name)}",
        f"Brand names: {', '.join(drug.brand_names)}",
        f"Class: {drug.drug_class}",
        f"Route: {drug.route}",
        f"Normal dose: {drug.normal_dose}",
        f"Therapeutic drug monitoring: {'required' if drug.requires_tdm else 'not required'}",
        f"Monitoring: {'; '.join(drug.monitoring_parameters)}",
        f"Liver function matters: {'yes' if drug.hepatic_interaction_flag else 'no'}",
        f"Source: {drug.source_description}",
    ]
    facts = [fact for fact in facts if not fact.endswith(": ")]
    tiers = [_render_tier(tier, drug) for tier in drug.tiers]
    text = escape_markup("\n".join(facts) + "\n\n" + "\n".join(tiers))
    return f"# Renal dosing of {_one_line(_words(drug.drug_name))}\n\n{text}\n"


def _render_tier(tier: _Tier, drug: _Drug) -> str:
    metric, unit = _METRICS[drug.label_renal_metric]
    span = f"≥ {tier.min:g}" if tier.max is None else f"{tier.min:g}–{tier.max:g}"
    notes = [_words(tier.adjustment_type), *([tier.dialysis_note] if tier.dialysis_note else []), *tier.warnings]
    return f"- {metric} {span} {unit}: {tier.dose} ({'; '.join(notes)})"


def _list(title: str, items: list[str]) -> list[str]:
    return [escape_markup(f"{title}:\n" + "\n".join(f"- {item}" for item in items))] if items else []


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _words(identifier: str) -> str:
    return identifier.replace("_", " ")


SOURCE: Final = OpenMedicine()
