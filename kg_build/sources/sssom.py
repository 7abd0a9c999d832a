"""Reading cross-vocabulary mappings in SSSOM/TSV, the Simple Standard for Sharing Ontological Mappings.

    lines ──mapping_rows──▶ MappingRow ──mapping_records──▶ Mapping (+ Entity, Name, Evidence of `same_as`)

* Prefixes are written in many ways (`mesh`, `MSH`, `orphanet.ordo`): `vocabulary_curie` writes them as the graph does.
* A statement says that two entities are the same when it is exact, was curated by people, and both sides are of
  vocabularies of the graph that hold one and the same type of entity. With the modifier NOT it says they are not.
* Every other positive statement between known vocabularies is a mapping, from the vocabulary that the graph is more
  likely to hold: exact and close matches are read either way, narrow matches are turned into broad ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from kg_build.reconcile import Tally
from kg_build.sources.files import unreadable
from kg_build.sources.texts import LONGEST_NAME, is_id, is_name
from ontology.model import Assertion, Entity, Evidence, Name
from ontology.model import Mapping as TermMapping

Record = Entity | Name | Evidence | TermMapping

_NEEDED: Final = ("subject_id", "predicate_id", "object_id", "mapping_justification")
_VOCABULARIES: Final = {
    "HP": ("hp", "hpo"),
    "DOID": ("doid", "do"),
    "ORPHA": ("orpha", "orphanet", "orphanet.ordo", "ordo"),
    "OMIM": ("omim", "mim"),
    "DRUGBANK": ("drugbank",),
    "CHEBI": ("chebi",),
    "UBERON": ("uberon",),
    "NCBIGene": ("ncbigene", "entrez"),
    "MESH": ("mesh", "msh", "mesh.2012"),
    "ICD10": ("icd10", "icd10who"),
    "ICD10CM": ("icd10cm",),
    "MONDO": ("mondo",),
    "UMLS": ("umls", "umls_cui"),
    "NCIT": ("ncit",),
    "EFO": ("efo",),
    "HGNC": ("hgnc",),
    "SNOMEDCT_US": ("snomedct", "snomedct_us", "sctid"),
    "UNII": ("unii",),
    "CAS": ("cas",),
}
"""How prefixes are written, by how the graph writes them; first the vocabularies the graph is likeliest to hold."""
_CANONICAL: Final = {spelling: prefix for prefix, spellings in _VOCABULARIES.items() for spelling in spellings}
_RANK: Final = {prefix: rank for rank, prefix in enumerate(_VOCABULARIES)}
_TYPES: Final = {
    "HP": "PhenotypicFeature",
    "DOID": "Disease",
    "MESH": "Disease",
    "OMIM": "Disease",
    "ORPHA": "Disease",
    "DRUGBANK": "Drug",
    "CHEBI": "Drug",
}
"""The type of the graph's entities in a vocabulary; MeSH's other branches are not in the graph."""
_SHAPES: Final = {
    "HP": re.compile(r"[0-9]{7}\Z"),
    "DOID": re.compile(r"[0-9]+\Z"),
    "MESH": re.compile(r"[CD][0-9]{6,9}\Z"),
    "OMIM": re.compile(r"[0-9]{6}\Z"),
    "DRUGBANK": re.compile(r"DB[0-9]{5}\Z"),
    "CHEBI": re.compile(r"[0-9]+\Z"),
}
_PREDICATES: Final = frozenset({"skos:exactMatch", "skos:closeMatch", "skos:broadMatch", "oboInOwl:hasDbXref"})
_EITHER_WAY: Final = frozenset({"skos:exactMatch", "skos:closeMatch"})
_NARROW: Final = "skos:narrowMatch"
_CURATED: Final = frozenset({"semapv:ManualMappingCuration", "semapv:MappingReview"})


@dataclass(frozen=True)
class MappingRow:
    """One statement.

    Attributes:
        line: number of its line.
        subject: CURIE as the graph writes it; empty when its vocabulary is unknown or the id has another shape.
        predicate: as written.
        object: like the subject.
        negated: whether the statement is that this does not hold.
        justification: `semapv:` term.
        subject_label: as written, may be empty.
        object_label: like the subject's.
        authors: CURIEs of who states it.
        date: as written, may be empty.
        text: the row, verbatim.
    """

    line: int
    subject: str
    predicate: str
    object: str
    negated: bool
    justification: str
    subject_label: str
    object_label: str
    authors: tuple[str, ...]
    date: str
    text: str


def vocabulary_curie(text: str) -> str:
    """A CURIE as the graph writes it; empty when the vocabulary is unknown or the id does not have its shape."""
    prefix, _, identifier = text.strip().partition(":")
    canonical = _CANONICAL.get(prefix.lower(), "")
    curie = f"{canonical}:{identifier}"
    shape = _SHAPES.get(canonical)
    return curie if canonical and is_id(curie) and (shape is None or shape.match(identifier)) else ""


def mapping_rows(lines: Iterable[tuple[int, str]], name: str, tally: Tally, kind: str) -> Iterator[MappingRow]:
    """The statements of a file in SSSOM/TSV. Every row is counted as read, malformed ones as dropped.

    Args:
        lines: numbered, without line ends; the metadata block of lines that begin with `#` is read over.
        name: of the file, for errors.
        tally: where rows are counted.
        kind: what the rows are called there.

    Raises:
        ClewError: UNREADABLE_SOURCE when there is no header line with the columns that SSSOM asks for.
    """
    header: list[str] = []
    for number, line in lines:
        if not line.strip() or (not header and line.startswith("#")):
            continue
        fields = line.split("\t")
        if not header:
            header = [column.strip() for column in fields]
            if absent := [column for column in _NEEDED if column not in header]:
                raise unreadable(name, f"no column {', '.join(absent)}")
            continue
        tally.read(kind)
        if len(fields) != len(header):
            tally.dropped(kind, "wrong number of columns", example=line[:LONGEST_NAME])
            continue
        cells = {column: field.strip() for column, field in zip(header, fields, strict=True)}
        modifier = cells.get("predicate_modifier", "")
        if modifier.lower() not in {"", "not"}:
            tally.dropped(kind, "unknown modifier", example=line[:LONGEST_NAME])
        elif not all(cells[column] for column in _NEEDED):
            tally.dropped(kind, "without subject, predicate, object or justification", example=line[:LONGEST_NAME])
        else:
            yield _row(number, line, cells, negated=bool(modifier))
    if not header:
        raise unreadable(name, "no header line")


def mapping_records(rows: Iterable[MappingRow], source: str, file: str, tally: Tally, kind: str) -> Iterator[Record]:
    """The records of statements; each row is counted as kept or dropped.

    Args:
        rows: of `mapping_rows`.
        source: key of the source.
        file: name of the file, for the evidence's record.
        tally: where rows are counted.
        kind: what the rows are called there.
    """
    labels: dict[str, str] = {}
    said: set[tuple[str, str, str, bool]] = set()
    for row in rows:
        mapping = _mapping(row, source)
        if isinstance(mapping, str):
            tally.dropped(kind, mapping, example=row.text[:LONGEST_NAME])
            continue
        statement = (mapping.subject, mapping.predicate, mapping.object, row.negated)
        same = _same_type(row)
        if statement in said:
            tally.dropped(kind, "said twice", example=row.text[:LONGEST_NAME])
            continue
        if row.negated and not same:
            tally.dropped(kind, "denies what the graph would not say", example=row.text[:LONGEST_NAME])
            continue
        said.add(statement)
        tally.kept(kind)
        if not row.negated:
            yield mapping
        if same and not row.negated:  # what was mistaken for a disease and rejected may be anything
            for curie, label in ((row.subject, row.subject_label), (row.object, row.object_label)):
                yield from _named(curie, label, same, source, labels)
        if same:
            yield _same_as(row, source, file)


def _row(number: int, line: str, cells: dict[str, str], *, negated: bool) -> MappingRow:
    authors = [author.strip() for author in cells.get("author_id", "").split("|")]
    return MappingRow(
        line=number,
        subject=vocabulary_curie(cells["subject_id"]),
        predicate=cells["predicate_id"],
        object=vocabulary_curie(cells["object_id"]),
        negated=negated,
        justification=cells["mapping_justification"],
        subject_label=cells.get("subject_label", ""),
        object_label=cells.get("object_label", ""),
        authors=tuple(re.sub("^orcid:", "ORCID:", author) for author in authors if is_id(author)),
        date=cells.get("mapping_date", ""),
        text=line,
    )


def _mapping(row: MappingRow, source: str) -> TermMapping | str:
    """The mapping that a row states or denies, or the reason why there is none."""
    if not row.subject or not row.object:
        return "a vocabulary outside the graph, or an id it does not have"
    if row.subject == row.object:
        return "relates a thing to itself"
    subject, predicate, object_ = row.subject, row.predicate, row.object
    if predicate == _NARROW:
        subject, predicate, object_ = object_, "skos:broadMatch", subject
    elif predicate in _EITHER_WAY and (_rank(object_), object_) < (_rank(subject), subject):
        subject, object_ = object_, subject
    if predicate not in _PREDICATES:
        return "predicate is not that of a mapping"
    return TermMapping(subject, predicate, object_, source, row.justification)


def _same_type(row: MappingRow) -> str:
    """The type of two entities that a row states or denies to be the same; empty when it says something else."""
    if row.predicate != "skos:exactMatch" or row.justification not in _CURATED:
        return ""
    one, other = (_TYPES.get(_vocabulary(curie), "") for curie in (row.subject, row.object))
    return one if one == other and is_name(row.subject_label) and is_name(row.object_label) else ""


def _same_as(row: MappingRow, source: str, file: str) -> Evidence:
    one, other = sorted((row.subject, row.object))
    return Evidence(
        assertion=Assertion(one, "same_as", other, negated=row.negated),
        source=source,
        references=row.authors,
        record=f"{file}:{row.line}",
        knowledge_level="knowledge_assertion",
        agent_type="manual_agent",
        code=row.justification,
        quote=row.text,
        agent=row.date,
    )


def _named(curie: str, label: str, type_name: str, source: str, labels: dict[str, str]) -> Iterator[Record]:
    """The entity when it is new; another label of a known one is an exact name."""
    if curie not in labels:
        labels[curie] = label
        yield Entity(curie, type_name, label, "en", source)
        yield Name(curie, "en", label, "label", source, curie)
    elif labels[curie] != label:
        yield Name(curie, "en", label, "exact", source, curie)


def _vocabulary(curie: str) -> str:
    return curie.partition(":")[0]


def _rank(curie: str) -> int:
    return _RANK[_vocabulary(curie)]
