"""What may be said: entities, their names, and assertions with the evidence that carries them.

The records are plain frozen dataclasses, because a build makes millions of them; what is allowed in them
is checked against the ontology file (`ontology.schema`) when they are collected.

A source never emits an assertion by itself: it emits `Evidence`, which holds the assertion that it
supports. So an assertion without evidence cannot be written down.
"""

from __future__ import annotations

import json
from collections.abc import Mapping as MappingType
from dataclasses import dataclass, field
from functools import cached_property

from ontology.curie import digest


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing with an id.

    Attributes:
        id: CURIE.
        type: an entity type of the ontology file.
        label: preferred name, in the language of the source.
        lang: BCP-47 language of the label.
        source: key of the source that defines it.
        definition: the source's definition, or empty.
        deprecated: whether the source has withdrawn it.
        replaced_by: CURIE of its successor, or empty.
    """

    id: str
    type: str
    label: str
    lang: str
    source: str
    definition: str = ""
    deprecated: bool = False
    replaced_by: str = ""


@dataclass(frozen=True, slots=True)
class Name:
    """One name of an entity as one source record gives it.

    Attributes:
        entity: CURIE.
        lang: BCP-47 language.
        text: the name.
        kind: label, exact, lay, abbreviation, narrow, broad, related or brand.
        source: key of the source; with `reference` the evidence of the name.
        reference: the record in the source that gives the name.
    """

    entity: str
    lang: str
    text: str
    kind: str
    source: str
    reference: str


@dataclass(frozen=True, slots=True)
class Gloss:
    """What a word of one language means in another, as a bilingual dictionary gives it; it names no entity.

    Attributes:
        lang: BCP-47 language of the word.
        text: the word.
        into: BCP-47 language of its meaning.
        meaning: a word or a few.
        source: key of the source.
        reference: the record in the source that gives it.
        rank: place among the meanings of the record, from 0: the usual one comes first.
    """

    lang: str
    text: str
    into: str
    meaning: str
    source: str
    reference: str
    rank: int


@dataclass(frozen=True)
class Assertion:
    """Subject, predicate, object, polarity and identity qualifiers: the identity of a statement.

    Frequency, onset, sex and modifiers do not identify it: they live on its evidence.
    """

    subject: str
    predicate: str
    object: str
    negated: bool = False
    qualifiers: MappingType[str, str] = field(default_factory=dict)

    @cached_property
    def id(self) -> str:
        """`a.` and a digest of the identifying fields."""
        return "a." + digest(
            self.subject, self.predicate, self.object, "NOT" if self.negated else "", self.qualifier_text
        )

    @property
    def qualifier_text(self) -> str:
        """The qualifiers as canonical JSON, empty when there are none."""
        return json.dumps(dict(self.qualifiers), sort_keys=True, ensure_ascii=False) if self.qualifiers else ""


@dataclass(frozen=True)
class Evidence:
    """Why an assertion is in the graph: one source record.

    Attributes:
        assertion: what it supports.
        source: key of the source.
        references: CURIEs or URLs of what the source itself cites for it (`PMID:…`, `DOI:…`, `OMIM:…`).
        record: where the row stands in the source (file and line, or key); not part of the identity.
        code: evidence code of the source (`PCS`, `TAS`, `IEA`), or empty.
        knowledge_level: Biolink `KnowledgeLevelEnum`.
        agent_type: Biolink `AgentTypeEnum`.
        quote: verbatim text of the source, or empty.
        document: id of the document that the quote is in, or empty.
        frequency: the source's frequency as written (`3/7`, `45%`, `HP:0040281`), or empty.
        onset: CURIE of an onset term, or empty.
        sex: `MALE`, `FEMALE`, or empty.
        modifiers: CURIEs of modifier terms.
        agent: who stated it and when, as the source writes it, or empty.
    """

    assertion: Assertion
    source: str
    references: tuple[str, ...]
    record: str
    knowledge_level: str
    agent_type: str
    code: str = ""
    quote: str = ""
    document: str = ""
    frequency: str = ""
    onset: str = ""
    sex: str = ""
    modifiers: tuple[str, ...] = ()
    agent: str = ""

    @cached_property
    def id(self) -> str:
        """`e.` and a digest of everything but where the row stands."""
        return "e." + digest(
            self.assertion.id, self.source, ",".join(self.references), self.code, self.quote, self.document,
            self.frequency, self.onset, self.sex, ",".join(self.modifiers), self.agent,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mapping:
    """A cross-vocabulary statement in SSSOM's terms.

    Attributes:
        subject: CURIE in the graph.
        predicate: `skos:exactMatch`, `skos:closeMatch`, `skos:broadMatch` or `oboInOwl:hasDbXref`.
        object: CURIE in the other vocabulary.
        source: key of the source that states it.
        justification: `semapv:` term.
    """

    subject: str
    predicate: str
    object: str
    source: str
    justification: str
