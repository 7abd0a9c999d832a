import json
from pathlib import Path
from typing import Any, TypeVar
from zipfile import ZipFile

import pytest

from kg_build.reconcile import Tally
from kg_build.sources.contract import Record, Source
from kg_build.sources.open_medicine import SOURCE
from ontology.curie import is_curie, mint
from ontology.document import Chunk, Document
from ontology.errors import ClewError, Code
from ontology.model import Entity, Evidence, Name
from ontology.reading.text import normal_form
from ontology.schema import load_domain

GUIDELINE = {
    "id": "acme_gout_2021",
    "title": "Acme Guideline for Gout",
    "doi": "10.1000/gout.2021",
    "year": 2021,
    "organization": "Acme",
    "topics": ["gout", "urate lowering", "colchicine", "Serum urate", "GOUT", "toe pain"],
    "sections": ["flares"],
}
SECTION = "# Flares\n\n## First line\nColchicine early. 秋水仙碱应尽早使用。\n"
PRESENTATION = {
    "differential_id": "toe_pain",
    "title": "Toe Pain (Acute) Differential Diagnosis",
    "description": "Causes of a painful toe.",
    "source_doi": "10.1000/toe",
    "source_description": "Toes. Acme J 2020;1:1.",
    "diagnoses": [
        {
            "name": "Gout",
            "likelihood": "must_not_miss",
            "key_features": ["Red, hot toe"],
            "red_flags": [],
            "recommended_tests": ["Serum urate (between flares)", "calculate_toe_score", "Joint aspiration"],
            "age_modifier": "more_common_over_40",
            "sex_modifier": None,
        },
        {
            "name": "Stress Fracture",
            "likelihood": "common",
            "key_features": ["Runner"],
            "red_flags": ["Open wound"],
            "recommended_tests": ["serum urate"],
        },
    ],
    "also_consider": [{"name": "Ingrown nail", "rationale": "Look at the nail"}],
    "clinical_reasoning_prompt": "You are a model.",
}
DRUG = {
    "drug_name": "colchicine",
    "brand_names": ["Colcrys"],
    "drug_class": "anti-inflammatory",
    "route": "PO",
    "label_renal_metric": "crcl",
    "normal_dose": "0.6 mg daily",
    "requires_tdm": False,
    "monitoring_parameters": ["CBC"],
    "hepatic_interaction_flag": True,
    "source_doi": "10.1000/colchicine",
    "source_description": "Label.",
    "tiers": [
        {"min": 30, "max": None, "dose": "0.6 mg daily", "adjustment_type": "no_adjustment", "dialysis_note": None,
         "warnings": []},
        {"min": 0, "max": 29, "dose": "0.3 mg daily", "adjustment_type": "dose_reduction",
         "dialysis_note": "Not removed", "warnings": ["Myopathy"]},
    ],
}  # fmt: skip
REGISTRY = "open_medicine/guidelines/registry.json"
FLARES = "open_medicine/guidelines/content/acme_gout_2021/flares.md"
TOE_PAIN = "open_medicine/mcp/differentials/data/toe_pain.json"
DOSING = "open_medicine/mcp/calculators/data/renal_dose_adjustments.json"


def read(tmp_path: Path, **changes: Any) -> tuple[list[Record], Tally]:
    members: dict[str, Any] = {
        REGISTRY: changes.get("registry", [GUIDELINE]),
        FLARES: changes.get("section", SECTION.encode()),
        TOE_PAIN: changes.get("presentation", PRESENTATION),
        DOSING: changes.get("dosing", {"colchicine": DRUG}),
    } | changes.get("more", {})
    wheel = tmp_path / "open_medicine.whl"
    with ZipFile(wheel, "w") as archive:
        for name, content in members.items():
            if content is not None:
                archive.writestr(name, content if isinstance(content, bytes) else json.dumps(content))
    tally = Tally(SOURCE.key)
    records = list(SOURCE.read({"open-medicine": wheel}, tally))
    tally.check()
    return records, tally


T = TypeVar("T")


def kind(records: list[Record], wanted: type[T]) -> list[T]:
    return [record for record in records if isinstance(record, wanted)]


def minted(type_name: str, name: str) -> str:
    return mint("openmed", type_name, normal_form(name))


def test_it_is_a_source_with_a_pinned_artefact() -> None:
    assert isinstance(SOURCE, Source)
    assert len(SOURCE.artefacts[0].sha256) == 64


def test_a_section_of_a_guideline_is_a_document_with_verbatim_passages(tmp_path: Path) -> None:
    records, _ = read(tmp_path)
    document = next(d for d in kind(records, Document) if d.kind == "guideline")
    assert document == Document(
        "openmed:guideline.acme_gout_2021.flares", "Acme Guideline for Gout", "en", "open_medicine", "guideline",
        "DOI:10.1000/gout.2021", 2021, "Acme", ("DOI:10.1000/gout.2021", minted("Disease", "gout")),
    )  # fmt: skip
    (chunk,) = (c for c in kind(records, Chunk) if c.document == document.id)
    assert (chunk.section, chunk.text) == ("Flares › First line", "Colchicine early. 秋水仙碱应尽早使用。")
    assert SECTION[chunk.start : chunk.end] == chunk.text


def test_a_presentation_gives_phenotypes_and_tests_with_quotes_from_its_document(tmp_path: Path) -> None:
    records, _ = read(tmp_path)
    toe, gout, urate = (
        minted("PhenotypicFeature", "toe pain (acute)"), minted("Disease", "gout"), minted("Procedure", "serum urate")
    )  # fmt: skip
    stated = {(e.assertion.subject, e.assertion.predicate, e.assertion.object): e for e in kind(records, Evidence)}
    stated = {statement: evidence for statement, evidence in stated.items() if statement[1] != "covers"}
    assert len(stated) == 5
    assert stated[gout, "has_phenotype", toe].quote == "Gout"
    evidence = stated[gout, "is_diagnosed_by", urate]
    assert evidence.quote == "Serum urate (between flares)"
    assert evidence.references == ("DOI:10.1000/toe",)
    assert evidence.record == "toe_pain.json#/diagnoses/0/recommended_tests/0"
    assert (evidence.knowledge_level, evidence.agent_type, evidence.code) == ("knowledge_assertion", "manual_agent", "")
    texts = {c.document: "" for c in kind(records, Chunk)}
    for chunk in kind(records, Chunk):
        texts[chunk.document] += chunk.text
    assert all(e.quote in texts[e.document] for e in stated.values())


def covers(records: list[Record]) -> list[tuple[str, str]]:
    """What the guideline covers, with the code of the evidence."""
    found = [e for e in kind(records, Evidence) if e.assertion.predicate == "covers"]
    assert {e.assertion.subject for e in found} <= {"DOI:10.1000/gout.2021"}
    assert {e.references for e in found} <= {("DOI:10.1000/gout.2021",)}
    return [(e.assertion.object, e.code) for e in found]


def test_a_guideline_covers_its_main_topic_and_those_the_source_names_elsewhere(tmp_path: Path) -> None:
    records, tally = read(tmp_path)
    assert Entity("DOI:10.1000/gout.2021", "Guideline", "Acme Guideline for Gout", "en", "open_medicine") in records
    assert covers(records) == [
        (minted("Disease", "gout"), "main topic"),
        (minted("Drug", "colchicine"), "topic"),
        (minted("Procedure", "serum urate"), "topic"),
        (minted("PhenotypicFeature", "toe pain acute"), "topic"),
    ]
    assert tally.dropped_rows["topic", "a keyword whose type the source does not tell"] == 1
    assert tally.dropped_rows["topic", "said before"] == 1


def test_evidence_of_a_topic_leads_to_the_sections_that_name_it(tmp_path: Path) -> None:
    diet = {FLARES.replace("flares", "diet"): b"# Diet\n\nDrink water.\n"}
    guideline = GUIDELINE | {"sections": ["flares", "diet"], "topics": ["gout", "colchicine"]}
    records, _ = read(tmp_path, registry=[guideline], more=diet)
    found = [(e.quote, e.document) for e in kind(records, Evidence) if e.assertion.predicate == "covers"]
    flares, diet_id = (f"openmed:guideline.acme_gout_2021.{section}" for section in ("flares", "diet"))
    assert found == [("", flares), ("", diet_id), ("colchicine", flares)]  # neither section says gout


@pytest.mark.parametrize(
    ("topic", "expected"),
    [
        ("sepsis", ("Disease", "sepsis", ["label"])),
        ("copd", ("Disease", "chronic obstructive pulmonary disease", ["label", "exact"])),
        ("neonatal resuscitation", ("Procedure", "neonatal resuscitation", ["label"])),
        ("toe pain", ("PhenotypicFeature", "toe pain acute", ["label", "exact"])),
    ],
)
def test_the_first_topic_is_a_disease_unless_it_is_known_as_something_else(
    tmp_path: Path, topic: str, expected: tuple[str, str, list[str]]
) -> None:
    records, _ = read(tmp_path, registry=[GUIDELINE | {"topics": [topic]}])
    type_name, name, kinds = expected
    curie = minted(type_name, name)
    assert covers(records) == [(curie, "main topic")]
    assert sorted({n.kind for n in kind(records, Name) if n.entity == curie}, reverse=True) == sorted(
        kinds, reverse=True
    )


@pytest.mark.parametrize("topics", [[], ["cholesterol"], ["?"]])
def test_a_guideline_without_a_topic_that_has_a_type_covers_nothing_but_stays(
    tmp_path: Path, topics: list[str]
) -> None:
    records, _ = read(tmp_path, registry=[GUIDELINE | {"topics": topics}])
    assert covers(records) == []
    (document,) = (d for d in kind(records, Document) if d.kind == "guideline")
    assert document.about == ("DOI:10.1000/gout.2021",)


def test_every_statement_is_within_the_ontology(tmp_path: Path) -> None:
    records, _ = read(tmp_path)
    types = {entity.id: entity.type for entity in kind(records, Entity)}
    for evidence in kind(records, Evidence):
        stated = evidence.assertion
        load_domain().check_statement(types[stated.subject], stated.predicate, types[stated.object])
    assert all(is_curie(entity) for entity in types)


def test_one_name_is_one_entity_and_other_spellings_are_names(tmp_path: Path) -> None:
    records, _ = read(tmp_path)
    entities = kind(records, Entity)
    assert len({entity.id for entity in entities}) == len(entities)
    names = [(n.text, n.kind) for n in kind(records, Name) if n.entity == minted("Procedure", "Serum urate")]
    assert names == [("Serum urate", "label"), ("serum urate", "exact")]
    names = [(n.text, n.kind) for n in kind(records, Name) if n.entity == minted("PhenotypicFeature", "Toe pain acute")]
    assert names == [("Toe Pain (Acute)", "label"), ("toe pain", "exact")]


def test_each_diagnosis_is_one_passage_and_features_stay_text(tmp_path: Path) -> None:
    records, _ = read(tmp_path)
    chunks = [c for c in kind(records, Chunk) if c.document == "openmed:differential.toe_pain"]
    title = "Toe Pain (Acute) Differential Diagnosis"
    assert [c.section for c in chunks] == [
        title,
        f"{title} › Gout",
        f"{title} › Stress Fracture",
        f"{title} › Also consider",
    ]
    assert "Likelihood: must not miss" in chunks[1].text
    assert "- Red, hot toe" in chunks[1].text
    assert "calculate_" not in chunks[1].text
    assert "You are a model" not in "".join(c.text for c in chunks)


def test_calculators_are_dropped_with_a_reason(tmp_path: Path) -> None:
    _, tally = read(tmp_path)
    row = next(row for row in tally.as_list() if row["kind"] == "test")
    assert (row["in"], row["kept"]) == (4, 3)
    assert row["dropped"] == {"a calculator of the package, not a test": 1}


def test_renal_dosing_is_one_passage_per_drug_with_range_and_unit(tmp_path: Path) -> None:
    records, _ = read(tmp_path)
    (chunk,) = (c for c in kind(records, Chunk) if c.document == "openmed:renal_dosing.colchicine")
    assert "- CrCl ≥ 30 mL/min: 0.6 mg daily (no adjustment)" in chunk.text
    assert "- CrCl 0–29 mL/min: 0.3 mg daily (dose reduction; Not removed; Myopathy)" in chunk.text
    document = next(d for d in kind(records, Document) if d.id == chunk.document)
    assert (document.kind, document.reference) == ("article", "DOI:10.1000/colchicine")
    assert document.about == (minted("Drug", "colchicine"),)
    names = {(n.text, n.kind) for n in kind(records, Name) if n.entity == minted("Drug", "colchicine")}
    assert names == {("colchicine", "label"), ("Colcrys", "brand")}


@pytest.mark.parametrize(
    ("changes", "dropped"),
    [
        ({"section": b"\xff\xfe"}, ("section", "not UTF-8")),
        ({"section": None}, ("section", "without text")),
        ({"more": {FLARES.replace("flares", "stray"): b"# Stray"}}, ("section", "not in the registry of guidelines")),
        ({"registry": [GUIDELINE, {"id": "../evil"}]}, ("guideline", "malformed")),
        ({"registry": [GUIDELINE, GUIDELINE | {"doi": "<none>", "sections": []}]}, ("guideline", "without a DOI")),
        ({"presentation": b"{not json"}, ("presentation", "malformed")),
        ({"presentation": PRESENTATION | {"source_doi": "a b"}}, ("presentation", "without a DOI")),
        ({"presentation": PRESENTATION | {"diagnoses": [{"name": "Gout"}]}}, ("diagnosis", "malformed")),
        ({"dosing": b"["}, ("drug", "renal dosing is not a JSON object")),
        ({"dosing": {"colchicine": DRUG, "x": {}}}, ("drug", "malformed")),
        ({"dosing": {"two words": DRUG}}, ("drug", "without a DOI or an id")),
    ],
)
def test_what_cannot_be_used_is_dropped_with_a_reason_and_the_rest_is_read(
    tmp_path: Path, changes: dict[str, Any], dropped: tuple[str, str]
) -> None:
    records, tally = read(tmp_path, **changes)
    assert tally.dropped_rows[dropped] == 1
    assert kind(records, Document)


@pytest.mark.parametrize("registry", [None, b"{", {"not": "a list"}])
def test_without_a_registry_the_source_cannot_be_read(tmp_path: Path, registry: object) -> None:
    with pytest.raises(ClewError) as caught:
        read(tmp_path, registry=registry)
    assert caught.value.code is Code.UNREADABLE_SOURCE


def test_a_file_that_is_no_archive_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "w.whl").write_bytes(b"no zip")
    with pytest.raises(ClewError) as caught:
        list(SOURCE.read({"open-medicine": tmp_path / "w.whl"}, Tally(SOURCE.key)))
    assert caught.value.code is Code.UNREADABLE_SOURCE
