"""Drug interactions in English with mechanism and recommendation, as packaged with drug-interaction-mcp.

One Python module holds a list of calls with literal arguments. It is parsed, never executed: each call's keywords
are evaluated as literals, a severity is the name of an attribute.

Either side of a row is a group of names that mixes three things: other names of one drug (warfarin, coumadin),
several drugs (simvastatin, lovastatin), and a class with examples (ssri, fluoxetine). The package does not say
which is which; the tables below do. A row holds for every drug of one side with every drug or class of the other;
that two classes interact cannot be said of drugs, so it is said of their examples only. Examples are not taken for
members of the class: `anticoagulant` stands beside aspirin.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BaseModel, Field, ValidationError

from kg_build.reconcile import Tally
from kg_build.sources.contract import CONTRACT, Artefact, Original, Record
from kg_build.sources.files import archive_member, unreadable
from kg_build.sources.texts import MOST_EXPANDED, NOT_TEXT, is_name, only_texts
from ontology.curie import mint
from ontology.model import Assertion, Entity, Evidence, Name
from ontology.reading.text import normal_form

_KEY: Final = "interactions"
_PREFIX: Final = "ddi"
_MEMBER: Final = "drug_interaction_mcp/interactions.py"
_LIST: Final = "INTERACTIONS"
_ROW: Final = "interaction"

_CLASSES: Final = frozenset(
    (
        "ace inhibitor|alpha blocker|antacid|anticholinergic|anticoagulant|benzodiazepine|beta blocker|"
        "bisphosphonate|calcium channel blocker|corticosteroid|fluoroquinolone|hepatotoxic drug|"
        "hiv protease inhibitor|iodinated contrast|loop diuretic|maoi|nitrate|nsaid|opioid|oral contraceptive|"
        "potassium-sparing diuretic|proton pump inhibitor|sglt2 inhibitor|snri|ssri|statin|sulfonylurea|thiazide|"
        "thyroid hormone|triptans|tyramine-rich food"
    ).split("|")
)
_BRANDS: Final = {
    "alendronate": "fosamax", "allopurinol": "zyloprim", "acetaminophen": "tylenol", "alprazolam": "xanax",
    "amiodarone": "cordarone|pacerone", "amlodipine": "norvasc", "apixaban": "eliquis", "atazanavir": "reyataz",
    "atorvastatin": "lipitor", "azathioprine": "imuran", "azithromycin": "zithromax|z-pack",
    "bupropion": "wellbutrin", "buspirone": "buspar", "calcium carbonate": "tums", "carbamazepine": "tegretol",
    "cimetidine": "tagamet", "ciprofloxacin": "cipro", "citalopram": "celexa", "clarithromycin": "biaxin",
    "clonidine": "catapres", "clopidogrel": "plavix", "clozapine": "clozaril", "cyclosporine": "neoral|sandimmune",
    "dabigatran": "pradaxa", "dapagliflozin": "farxiga", "dextromethorphan": "robitussin", "diazepam": "valium",
    "digoxin": "lanoxin", "diltiazem": "cardizem", "diphenhydramine": "benadryl", "donepezil": "aricept",
    "dronedarone": "multaq", "duloxetine": "cymbalta", "empagliflozin": "jardiance", "enoxaparin": "lovenox",
    "eplerenone": "inspra", "escitalopram": "lexapro", "esomeprazole": "nexium", "finasteride": "propecia|proscar",
    "fluconazole": "diflucan", "fluoxetine": "prozac", "fluvoxamine": "luvox", "furosemide": "lasix",
    "gabapentin": "neurontin", "gemfibrozil": "lopid", "haloperidol": "haldol", "ibuprofen": "advil|motrin",
    "insulin glargine": "lantus", "insulin lispro": "humalog", "isocarboxazid": "marplan",
    "isotretinoin": "accutane", "ivabradine": "corlanor", "ketoconazole": "nizoral", "lamotrigine": "lamictal",
    "levofloxacin": "levaquin", "levothyroxine": "synthroid", "linezolid": "zyvox", "lithium": "lithobid|eskalith",
    "lovastatin": "mevacor", "meperidine": "demerol", "metformin": "glucophage", "metoclopramide": "reglan",
    "metronidazole": "flagyl", "midazolam": "versed", "mycophenolate": "cellcept", "naproxen": "aleve|naprosyn",
    "olanzapine": "zyprexa", "omeprazole": "prilosec", "paroxetine": "paxil", "phenelzine": "nardil",
    "phenytoin": "dilantin", "pimozide": "orap", "pregabalin": "lyrica", "quetiapine": "seroquel",
    "ranolazine": "ranexa", "rasagiline": "azilect", "ritonavir": "norvir", "rivaroxaban": "xarelto",
    "rizatriptan": "maxalt", "sertraline": "zoloft", "sildenafil": "viagra", "simvastatin": "zocor",
    "sirolimus": "rapamune", "spironolactone": "aldactone", "sulfasalazine": "azulfidine",
    "sumatriptan": "imitrex", "tacrolimus": "prograf", "tadalafil": "cialis", "tamoxifen": "nolvadex",
    "ticagrelor": "brilinta", "ticlopidine": "ticlid", "tizanidine": "zanaflex", "topiramate": "topamax",
    "tramadol": "ultram", "tranylcypromine": "parnate", "trazodone": "desyrel", "triazolam": "halcion",
    "valproic acid": "depakote", "venlafaxine": "effexor", "verapamil": "calan|isoptin", "voriconazole": "vfend",
    "warfarin": "coumadin", "zolpidem": "ambien", "sulfamethoxazole and trimethoprim": "bactrim",
    "carbidopa and levodopa": "sinemet",
}  # fmt: skip
_SYNONYMS: Final = {
    "acetaminophen": "paracetamol", "alcohol": "ethanol", "aspirin": "acetylsalicylic acid",
    "calcium": "calcium supplement", "coenzyme q10": "coq10", "dextromethorphan": "dxm", "folic acid": "folate",
    "fish oil": "omega-3|omega-3 fatty acids", "ginkgo": "ginkgo biloba", "grapefruit": "grapefruit juice",
    "cranberry": "cranberry juice", "green tea": "green tea extract", "hydrochlorothiazide": "hctz",
    "iodinated contrast": "contrast dye|iv contrast", "iron": "iron supplement", "isoniazid": "inh",
    "kava": "kava kava", "magnesium": "magnesium supplement", "mercaptopurine": "6-mp",
    "oral contraceptive": "birth control pill", "potassium": "potassium supplement", "rifampin": "rifampicin",
    "sirolimus": "rapamycin", "soy": "soy supplement|soy protein", "st. john's wort": "st john's wort|hypericum",
    "sulfamethoxazole and trimethoprim": "tmp-smx",
    "tryptophan": "l-tryptophan", "valproic acid": "valproate", "vitamin d": "cholecalciferol",
    "vitamin e": "alpha-tocopherol", "vitamin k": "phytonadione",
}  # fmt: skip
"""Other names of a drug or class, by its first name. Salts, active constituents of herbs and several drugs of one
class are things of their own."""
_NEIGHBOURS: Final = {"tobacco": "smoking|cigarettes"}

_OTHER_NAMES: Final = {
    other: (first, kind)
    for table, kind in ((_BRANDS, "brand"), (_SYNONYMS, "exact"), (_NEIGHBOURS, "related"))
    for first, others in table.items()
    for other in others.split("|")
}

_LARGEST: Final = 2 * 2**20
"""Bytes of the module (our choice: twenty times what it has; its tree takes a hundred times the memory)."""

_Word = Annotated[str, Field(min_length=1, pattern=r"\w")]


class _Interaction(BaseModel):
    drug_a: tuple[str, ...] = Field(min_length=1)
    drug_b: tuple[str, ...] = Field(min_length=1)
    severity: str = Field(pattern="^[A-Z]+$")
    description: str
    mechanism: _Word
    recommendation: _Word
    source: str

    @property
    def quote(self) -> str:
        """What the row says."""
        return f"{self.description} {self.mechanism} {self.recommendation}".strip()


class Interactions:
    """The source; see the module's text."""

    contract = CONTRACT
    key = _KEY
    title = "Drug interactions from labels, with mechanism and recommendation"
    release = "0.1.0"
    licence = "MIT"
    attribution = "drug-interaction-mcp 0.1.0 by Pillright; the named label or article is the authority for each row"
    redistributable = True
    artefacts: tuple[Artefact, ...] = (
        Artefact(
            "drug-interaction-mcp",
            "0.1.0",
            "drug_interaction_mcp-0.1.0-py3-none-any.whl",
            "890c3b362b60af6cdcf79dbd43e7c325dcfc144cd1c41be91cee2a9f77fd706e",
            31_043,
        ),
    )
    originals: tuple[Original, ...] = ()

    def read(self, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        """Yield drugs, classes, their names and interactions; see `contract.Source.read`."""
        named: set[tuple[str, str]] = set()
        stated: set[str] = set()
        expanded = 0
        for call in _calls(files["drug-interaction-mcp"]):
            tally.read(_ROW)
            row = _interaction(call)
            if isinstance(row, str):
                tally.dropped(_ROW, row)
                continue
            expanded += len(row.drug_a) * len(row.drug_b) * len(row.quote)
            if expanded > MOST_EXPANDED:
                tally.dropped(_ROW, "would expand the list beyond measure")
                continue
            evidence = [e for e in _evidence(row, f"interactions.py:{call.lineno}", tally) if e.id not in stated]
            if not evidence:
                tally.dropped(_ROW, "states nothing new of two drugs, or of a drug and a class")
                continue
            tally.kept(_ROW)
            stated.update(e.id for e in evidence)
            ends = {end for e in evidence for end in (e.assertion.subject, e.assertion.object)}
            for text in (*row.drug_a, *row.drug_b):
                yield from _named(text, ends, named)
            yield from evidence


def _calls(wheel: Path) -> list[ast.expr]:
    """The elements of the list that the module assigns."""
    try:
        tree = ast.parse(archive_member(wheel, _MEMBER, largest=_LARGEST))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise unreadable(wheel.name, f"{_MEMBER}: {error}") from error
    for node in tree.body:
        targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
        value = getattr(node, "value", None)
        if isinstance(value, ast.List) and any(isinstance(t, ast.Name) and t.id == _LIST for t in targets):
            return value.elts
    raise unreadable(wheel.name, f"{_MEMBER} assigns no list to {_LIST}")


def _interaction(call: ast.expr) -> _Interaction | str:
    """The row of a call, or the reason why there is none."""
    if not isinstance(call, ast.Call) or call.args:
        return "not a call with keywords"
    try:
        row = {k.arg: _literal(k.value) for k in call.keywords if k.arg}
        if not only_texts(row):
            return NOT_TEXT
        found = _Interaction.model_validate(row)
        return found if all(map(is_name, (*found.drug_a, *found.drug_b))) else "malformed"
    except ValidationError:
        return "malformed"
    except (ValueError, TypeError, RecursionError, MemoryError):
        return "not a literal"


def _literal(value: ast.expr) -> Any:
    return value.attr if isinstance(value, ast.Attribute) else ast.literal_eval(value)


def _evidence(row: _Interaction, record: str, tally: Tally) -> Iterator[Evidence]:
    """One row of evidence per pair, in one direction: drugs ordered by id, a class second."""
    seen: set[tuple[str, str]] = set()
    for one, other in product(_things(row.drug_a), _things(row.drug_b)):
        tally.read("pair")
        (type_name, subject), (_, object_) = sorted([one, other])
        if type_name == "DrugClass":
            tally.dropped("pair", "two classes")
        elif subject == object_:
            tally.dropped("pair", "a drug with itself")
        elif (subject, object_) in seen:
            tally.dropped("pair", "the same pair the other way round")
        else:
            seen.add((subject, object_))
            tally.kept("pair")
            yield Evidence(
                Assertion(subject, "interacts_with", object_),
                _KEY,
                (),
                record,
                "knowledge_assertion",
                "manual_agent",
                code=row.severity.lower(),
                quote=row.quote,
                agent=row.source,
            )


def _things(names: tuple[str, ...]) -> list[tuple[str, str]]:
    """The types and ids a group of names speaks of, each once."""
    return list(dict.fromkeys(_thing(name) for name in names))


def _thing(name: str) -> tuple[str, str]:
    first, _ = _OTHER_NAMES.get(name, (name, ""))
    type_name = "DrugClass" if first in _CLASSES else "Drug"
    return type_name, mint(_PREFIX, type_name, normal_form(first))


def _named(text: str, ends: set[str], named: set[tuple[str, str]]) -> Iterator[Record]:
    """The entity of a name with its label when it is new and spoken of, and each other name once."""
    first, kind = _OTHER_NAMES.get(text, (text, "label"))
    type_name, entity = _thing(text)
    if entity not in ends:
        return
    if (entity, first) not in named:
        yield Entity(entity, type_name, first, "en", _KEY)
        yield Name(entity, "en", first, "label", _KEY, entity)
    if text != first and (entity, text) not in named:
        yield Name(entity, "en", text, kind, _KEY, entity)
    named |= {(entity, first), (entity, text)}


SOURCE: Final = Interactions()
