from pathlib import Path
from typing import TypeVar
from zipfile import ZipFile

import pytest

from kg_build.reconcile import Tally
from kg_build.sources.contract import Record, Source
from kg_build.sources.interactions import SOURCE
from ontology.curie import mint
from ontology.errors import ClewError, Code
from ontology.model import Entity, Evidence, Name
from ontology.reading.text import normal_form
from ontology.schema import load_domain

ROW = """
    Interaction(
        drug_a={a},
        drug_b={b},
        severity=Severity.{severity},
        description="Both thin the blood.",
        mechanism="Two steps of clotting fail.",
        recommendation="Check the INR.",
        source="Label of Acme",
    ),"""


def row(a: str, b: str, severity: str = "DANGER") -> str:
    return ROW.format(a=a, b=b, severity=severity)


def read(
    tmp_path: Path, rows: str, module: str = "INTERACTIONS: list[Interaction] = [{}\n]\n"
) -> tuple[list[Record], Tally]:
    wheel = tmp_path / "ddi.whl"
    with ZipFile(wheel, "w") as archive:
        archive.writestr("drug_interaction_mcp/interactions.py", "raise SystemExit\n" + module.replace("{}", rows))
    tally = Tally(SOURCE.key)
    records = list(SOURCE.read({"drug-interaction-mcp": wheel}, tally))
    tally.check()
    return records, tally


T = TypeVar("T")


def kind(records: list[Record], wanted: type[T]) -> list[T]:
    return [record for record in records if isinstance(record, wanted)]


def minted(name: str, type_name: str = "Drug") -> str:
    return mint("ddi", type_name, normal_form(name))


def pairs(records: list[Record]) -> list[set[str]]:
    return [{e.assertion.subject, e.assertion.object} for e in kind(records, Evidence)]


def test_it_is_a_source_with_a_pinned_artefact() -> None:
    assert isinstance(SOURCE, Source)
    assert len(SOURCE.artefacts[0].sha256) == 64


def test_a_row_is_an_interaction_with_its_text_and_never_runs(tmp_path: Path) -> None:
    records, _ = read(tmp_path, row('("warfarin", "coumadin")', '("aspirin",)'))
    (evidence,) = kind(records, Evidence)
    assert {evidence.assertion.subject, evidence.assertion.object} == {minted("warfarin"), minted("aspirin")}
    assert evidence.assertion.subject < evidence.assertion.object
    assert evidence.quote == "Both thin the blood. Two steps of clotting fail. Check the INR."
    assert (evidence.code, evidence.agent, evidence.record) == ("danger", "Label of Acme", "interactions.py:3")


def test_a_brand_is_a_name_of_its_drug(tmp_path: Path) -> None:
    records, _ = read(tmp_path, row('("warfarin", "coumadin")', '("aspirin", "acetylsalicylic acid")'))
    names = {(n.entity, n.text, n.kind) for n in kind(records, Name)}
    assert names == {
        (minted("warfarin"), "warfarin", "label"),
        (minted("warfarin"), "coumadin", "brand"),
        (minted("aspirin"), "aspirin", "label"),
        (minted("aspirin"), "acetylsalicylic acid", "exact"),
    }


def test_several_drugs_of_a_group_are_drugs_of_their_own(tmp_path: Path) -> None:
    records, _ = read(tmp_path, row('("simvastatin", "lovastatin", "statin")', '("gemfibrozil",)'))
    assert pairs(records) == [
        {minted("gemfibrozil"), minted("simvastatin")},
        {minted("gemfibrozil"), minted("lovastatin")},
        {minted("gemfibrozil"), minted("statin", "DrugClass")},
    ]
    types = {entity.id: entity.type for entity in kind(records, Entity)}
    for evidence in kind(records, Evidence):
        stated = evidence.assertion
        load_domain().check_statement(types[stated.subject], stated.predicate, types[stated.object])


def test_two_classes_are_not_said_to_interact_but_their_examples_are(tmp_path: Path) -> None:
    records, tally = read(tmp_path, row('("nsaid", "ibuprofen")', '("ssri", "sertraline")'))
    assert len(pairs(records)) == 3
    assert tally.dropped_rows["pair", "two classes"] == 1
    records, tally = read(tmp_path, row('("nsaid",)', '("ssri",)'))
    assert records == []
    assert tally.dropped_rows["interaction", "states nothing new of two drugs, or of a drug and a class"] == 1


def test_a_pair_within_one_group_is_stated_once(tmp_path: Path) -> None:
    records, tally = read(tmp_path, row('("aspirin", "warfarin")', '("warfarin", "aspirin")'))
    assert len(pairs(records)) == 1
    assert tally.dropped_rows["pair", "a drug with itself"] == 2
    assert tally.dropped_rows["pair", "the same pair the other way round"] == 1


def test_bad_rows_are_counted_and_the_others_read(tmp_path: Path) -> None:
    rows = [
        row('("warfarin",)', '("aspirin",)'),
        row('("warfarin",)', "()"),
        row('("warfarin",)', "open('x')"),
        "Interaction('warfarin', 'aspirin'),",
        "3,",
        row('("warfarin",)', '("aspirin",)'),
    ]
    records, tally = read(tmp_path, "".join(rows))
    assert len(pairs(records)) == 1
    assert {reason: n for (kind, reason), n in tally.dropped_rows.items() if kind == "interaction"} == {
        "malformed": 1,
        "not a literal": 1,
        "not a call with keywords": 2,
        "states nothing new of two drugs, or of a drug and a class": 1,
    }


@pytest.mark.parametrize("module", ["INTERACTIONS = [", "OTHER = []", "INTERACTIONS = list()"])
def test_a_module_without_the_list_is_unreadable(tmp_path: Path, module: str) -> None:
    with pytest.raises(ClewError) as error:
        read(tmp_path, "", module)
    assert error.value.code == Code.UNREADABLE_SOURCE
