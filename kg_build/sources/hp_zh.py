"""Chinese names of the Human Phenotype Ontology, in the Babelon format of its translation project.

One row translates one value of one term: its label, a synonym or its definition. Whose names they are, the ontology
says: no entity comes from here, and names of terms that the graph lacks are dropped when it is collected.

* An official label is the Chinese label of its term, another official label of it an exact name.
* An official synonym keeps its scope. What no translator has made official yet is a related name.
* An official definition becomes a definition document in Chinese; one that is not official is not shown to anybody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from kg_build.reconcile import Tally
from kg_build.sources.contract import CONTRACT, Artefact, Original, Record
from kg_build.sources.files import table_rows
from kg_build.sources.texts import is_name
from ontology.document import Chunk, Document
from ontology.model import Name

_ROW: Final = "translation"
_COLUMNS: Final = (
    "source_language", "translation_language", "subject_id", "predicate_id", "source_value", "translation_value",
    "translation_status",
)  # fmt: skip
_TERM: Final = re.compile(r"HP:[0-9]{7}\Z")
_LABEL: Final = "rdfs:label"
_DEFINITION: Final = "IAO:0000115"
_SYNONYMS: Final = {
    f"{prefix}:{name}": kind
    for prefix in ("oboInOwl", "oio")
    for name, kind in (
        ("hasExactSynonym", "exact"),
        ("hasNarrowSynonym", "narrow"),
        ("hasBroadSynonym", "broad"),
        ("hasRelatedSynonym", "related"),
        ("exactSynonym", "exact"),
    )
}
_OFFICIAL: Final = "OFFICIAL"
_UNOFFICIAL: Final = frozenset({"CANDIDATE", "UNDER_REVIEW"})


class HpZh:
    """The source; see the module's text."""

    contract = CONTRACT
    key = "hp_zh"
    title = "Human Phenotype Ontology in Chinese"
    release = "as downloaded"
    licence = "HPO licence"
    attribution = (
        "Chinese translation of the Human Phenotype Ontology "
        "(https://github.com/obophenotype/hpo-translations). "
        "Find out more at https://www.human-phenotype-ontology.org"
    )
    redistributable = True
    artefacts: tuple[Artefact, ...] = ()
    originals: tuple[Original, ...] = (
        Original(
            "hp_zh",
            ("hp-zh.babelon.tsv", "hp_zh.babelon.tsv"),
            "https://github.com/obophenotype/hpo-translations/blob/main/babelon/hp-zh.babelon.tsv",
        ),
    )

    def read(self, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        """Yield Chinese names and definitions; see `contract.Source.read`."""
        labels: dict[str, str] = {}
        definitions: dict[str, str] = {}
        said: set[tuple[str, str]] = set()
        for _, row in table_rows(files["hp_zh"], tally, _ROW, _COLUMNS, quoted=True):
            if fault := _fault(row):
                tally.dropped(_ROW, fault)
                continue
            term, text = row["subject_id"], row["translation_value"].strip()
            if row["predicate_id"] == _DEFINITION:
                fault = _definition_fault(row, definitions)
                if not fault:
                    definitions[term] = text
            elif (term, text) in said:
                fault = "said twice"
            else:
                said.add((term, text))
                yield Name(term, "zh", text, _kind(row, labels), self.key, term)
            if fault:
                tally.dropped(_ROW, fault)
            else:
                tally.kept(_ROW)
        for term, text in definitions.items():
            yield from _definition_document(term, labels.get(term, term), text)


def _fault(row: Mapping[str, str]) -> str:
    """Why a row cannot be used, whatever it translates; empty when it can."""
    english, translation = row["source_value"].strip(), row["translation_value"].strip()
    known_predicates = {_LABEL, _DEFINITION, *_SYNONYMS}
    faults = (
        ((row["source_language"], row["translation_language"]) != ("en", "zh"), "not from English into Chinese"),
        (not _TERM.match(row["subject_id"]), "id is not that of a term"),
        (not english, "without the English it translates"),
        (not translation, "not translated"),
        (row["predicate_id"] != _DEFINITION and not is_name(translation), "translation is not a name"),
        (translation.casefold() == english.casefold(), "translation is the English"),
        (row["translation_status"] not in {_OFFICIAL, *_UNOFFICIAL}, "unknown status"),
        (row["predicate_id"] not in known_predicates, "translates neither name nor definition"),
    )
    return next((reason for fails, reason in faults if fails), "")


def _definition_fault(row: Mapping[str, str], definitions: Mapping[str, str]) -> str:
    if row["translation_status"] != _OFFICIAL:
        return "definition is not official"
    return "another definition of the same term" if row["subject_id"] in definitions else ""


def _kind(row: Mapping[str, str], labels: dict[str, str]) -> str:
    """The kind of a name; the first official label of a term is remembered as its label."""
    if row["translation_status"] != _OFFICIAL:
        return "related"
    if row["predicate_id"] != _LABEL:
        return _SYNONYMS[row["predicate_id"]]
    if row["subject_id"] in labels:
        return "exact"
    labels[row["subject_id"]] = row["translation_value"].strip()
    return "label"


def _definition_document(term: str, title: str, text: str) -> Iterator[Record]:
    document = f"clew.doc:hp_zh/{term}"
    yield Document(document, title, "zh", HpZh.key, "definition", term, organisation="HPO translations", about=(term,))
    yield Chunk(f"{document}#0", document, 0, title, text, "zh", 0, len(text))


SOURCE: Final = HpZh()
