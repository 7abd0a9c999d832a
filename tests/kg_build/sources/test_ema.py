"""EMA register: only human, authorised medicines treat; every passage says what its medicine's status is."""

import gzip
import json
from pathlib import Path

import pytest

from kg_build.reconcile import Tally
from kg_build.sources.contract import Record, Source
from kg_build.sources.ema import SOURCE
from ontology.curie import is_curie, mint
from ontology.document import Chunk, Document
from ontology.errors import ClewError, Code
from ontology.model import Entity, Evidence, Name

INN = "International non-proprietary name (INN) / common name"
ROW = {
    "Category": "Human",
    "Name of medicine": "Examplix",
    "EMA product number": "EMEA/H/C/000001",
    "Medicine status": "Authorised",
    INN: "sorafenib",
    "Active substance": "sorafenib tosilate",
    "Therapeutic area (MeSH)": "Carcinoma, Hepatocellular;Carcinoma, Renal Cell",
    "ATC code (human)": "L01EX02",
    "Therapeutic indication": "Examplix is indicated for the treatment of hepatocellular carcinoma in adults.",
    "First published date": "01/02/2019",
    "Last updated date": "03/04/2025",
    "Medicine URL": "https://www.ema.europa.eu/en/medicines/human/EPAR/examplix",
}
REAL = Path(__file__).parents[3].parent / "shared/data/drugs/ema_medicines.jsonl.gz"


def read(tmp_path: Path, *rows: object) -> tuple[list[Record], Tally]:
    path = tmp_path / "ema_medicines.jsonl.gz"
    path.write_bytes(gzip.compress("".join(f"{json.dumps(row)}\n" for row in rows).encode()))
    return read_file(path)


def read_file(path: Path) -> tuple[list[Record], Tally]:
    tally = Tally(SOURCE.key)
    records = list(SOURCE.read({"ema_medicines": path}, tally))
    tally.check()
    return records, tally


def statements(records: list[Record], predicate: str) -> list[Evidence]:
    return [r for r in records if isinstance(r, Evidence) and r.assertion.predicate == predicate]


def labels(records: list[Record]) -> dict[str, str]:
    return {record.id: record.label for record in records if isinstance(record, Entity)}


def treated(records: list[Record]) -> list[str]:
    return [labels(records)[evidence.assertion.object] for evidence in statements(records, "treats")]


def prevented(records: list[Record]) -> list[str]:
    return [labels(records)[evidence.assertion.object] for evidence in statements(records, "prevents")]


def test_it_is_a_source_of_a_file_the_user_provides() -> None:
    assert isinstance(SOURCE, Source)
    assert "ema_medicines.jsonl" in SOURCE.originals[0].names
    assert "European Medicines Agency" in SOURCE.attribution


def test_a_medicine_is_a_drug_with_its_product_number_and_brand(tmp_path: Path) -> None:
    records, _ = read(tmp_path, ROW)
    medicine = "ema:EMEA.H.C.000001"
    assert is_curie(medicine)
    assert Entity(medicine, "Drug", "Examplix", "en", "ema") in records
    names = {name.text: name.kind for name in records if isinstance(name, Name) and name.entity == medicine}
    assert names == {"Examplix": "brand", "sorafenib": "related"}


def test_areas_of_an_authorised_human_medicine_are_treated_and_the_indication_is_quoted(tmp_path: Path) -> None:
    records, _ = read(tmp_path, ROW)
    assert treated(records) == ["Carcinoma, Hepatocellular", "Carcinoma, Renal Cell"]
    evidence = statements(records, "treats")[0]
    assert evidence.assertion.object == mint("ema", "Disease", "carcinoma hepatocellular")
    assert evidence.quote == ROW["Therapeutic indication"]
    assert evidence.references == (ROW["Medicine URL"],)
    assert evidence.document in {r.id for r in records if isinstance(r, Document)}


@pytest.mark.parametrize(
    "status",
    ["Refused", "Withdrawn", "Application withdrawn", "Lapsed", "Expired", "Revoked", "Suspended", "Opinion"],
)
def test_a_medicine_that_is_not_authorised_treats_nothing_but_stays(tmp_path: Path, status: str) -> None:
    records, tally = read(tmp_path, ROW | {"Medicine status": status})
    assert treated(records) == []
    assert tally.dropped_rows["therapeutic area", f"of a medicine that is not authorised: {status}"] == 2
    assert "Examplix" in labels(records).values()


def test_a_veterinary_medicine_treats_nothing_but_stays(tmp_path: Path) -> None:
    records, _ = read(tmp_path, ROW | {"Category": "Veterinary", "EMA product number": "EMEA/V/C/000001"})
    assert treated(records) == []
    assert "ema:EMEA.V.C.000001" in labels(records)


def test_every_passage_says_category_and_status(tmp_path: Path) -> None:
    long = ROW | {"Medicine status": "Refused", "Therapeutic indication": "It was meant to treat a thing. " * 80}
    records, _ = read(tmp_path, long)
    sections = [record.section for record in records if isinstance(record, Chunk)]
    assert len(sections) > 3
    assert all(section.startswith("Examplix (human medicine, refused)") for section in sections)
    assert any("Status: Refused" in record.text for record in records if isinstance(record, Chunk))


def test_a_document_carries_the_indication_verbatim_and_its_page(tmp_path: Path) -> None:
    records, _ = read(tmp_path, ROW)
    (document,) = [record for record in records if isinstance(record, Document)]
    assert (document.kind, document.reference, document.year) == ("article", ROW["Medicine URL"], 2025)
    assert document.about == ("ema:EMEA.H.C.000001",)
    assert any(ROW["Therapeutic indication"] == record.text for record in records if isinstance(record, Chunk))


def test_a_medicine_contains_its_active_substances_and_the_common_name_of_a_salt(tmp_path: Path) -> None:
    records, _ = read(tmp_path, ROW)
    contained = {labels(records)[e.assertion.object]: e.code for e in statements(records, "has_ingredient")}
    assert contained == {"sorafenib tosilate": "Active substance", "sorafenib": INN}


def test_several_substances_are_several_ingredients(tmp_path: Path) -> None:
    records, tally = read(tmp_path, ROW | {"Active substance": "irbesartan;hydrochlorothiazide; Irbesartan", INN: ""})
    contained = [labels(records)[e.assertion.object] for e in statements(records, "has_ingredient")]
    assert contained == ["irbesartan", "hydrochlorothiazide"]
    assert tally.dropped_rows["active substance", "repeats a substance"] == 1


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            {"Therapeutic indication": "Indicated for the prevention of stroke in medically treated adults."},
            "not what the indication says is prevented",
        ),
        ({"Therapeutic indication": None}, "without the text of the indication"),
        (
            {"Therapeutic area (MeSH)": "Radionuclide Imaging;Ovulation Induction"},
            "a procedure, physiology or organism, not a disease",
        ),
        (
            {"Therapeutic area (MeSH)": "Cancer;Multiple Myeloma", "ATC code (human)": "A04AA05"},
            "the cancer beside which a supportive medicine is given",
        ),
    ],
)
def test_an_area_of_which_nothing_can_be_said_is_left_out_with_the_reason(
    tmp_path: Path, change: dict[str, str], reason: str
) -> None:
    records, tally = read(tmp_path, ROW | change)
    assert treated(records) == prevented(records) == []
    assert tally.dropped_rows["therapeutic area", reason] == 2


def test_a_vaccine_prevents_its_areas(tmp_path: Path) -> None:
    vaccine = {"ATC code (human)": "J07BD54", "Therapeutic indication": "Simultaneous vaccination of infants."}
    areas = {"Therapeutic area (MeSH)": "Measles;Mumps;Immunization;Disease Outbreaks"}
    records, tally = read(tmp_path, ROW | vaccine | areas)
    assert prevented(records) == ["Measles", "Mumps"]
    assert treated(records) == []
    assert tally.dropped_rows["therapeutic area", "a procedure, physiology or organism, not a disease"] == 2


@pytest.mark.parametrize(
    ("text", "areas", "expected"),
    [
        ("Prophylaxis of migraine in adults.", "Migraine Disorders", ["Migraine Disorders"]),
        (
            "Prevention of acute nausea and vomiting associated with chemotherapy.",
            "Vomiting;Nausea",
            ["Vomiting", "Nausea"],
        ),
        ("Prevention of venous thromboembolic events", "Venous Thromboembolism", ["Venous Thromboembolism"]),
        ("Prevention of early myocardial infarction in unstable angina.", "Angina, Unstable", []),
        ("Prevention of atherothrombotic events in patients after a stroke.", "Stroke", []),
        ("Routine prophylaxis of bleeding episodes in patients with haemophilia B.", "Hemophilia B", []),
        ("Routine prevention of recurrent attacks of hereditary angioedema.", "Angioedemas, Hereditary", []),
    ],
)
def test_a_medicine_for_prevention_prevents_what_its_indication_says(
    tmp_path: Path, text: str, areas: str, expected: list[str]
) -> None:
    records, _ = read(tmp_path, ROW | {"Therapeutic indication": text, "Therapeutic area (MeSH)": areas})
    assert prevented(records) == expected
    assert treated(records) == []


@pytest.mark.parametrize(
    "change",
    [
        {"ATC code (human)": "V09IX05"},
        {"Therapeutic indication": "This medicinal product is for diagnostic use only."},
    ],
)
def test_a_disease_is_examined_with_a_diagnostic_agent(tmp_path: Path, change: dict[str, str]) -> None:
    records, _ = read(tmp_path, ROW | change)
    found = [(labels(records)[e.assertion.subject], e.assertion.object) for e in statements(records, "is_diagnosed_by")]
    assert found == [(area, "ema:EMEA.H.C.000001") for area in ("Carcinoma, Hepatocellular", "Carcinoma, Renal Cell")]
    assert treated(records) == prevented(records) == []


@pytest.mark.parametrize("text", ["Treatment and prophylaxis of bleeding.", "Prevention and treatment of thrombosis."])
def test_treatment_beside_prevention_is_treatment(tmp_path: Path, text: str) -> None:
    records, _ = read(tmp_path, ROW | {"Therapeutic indication": text, "Therapeutic area (MeSH)": "Hemophilia A"})
    assert treated(records) == ["Hemophilia A"]


def test_a_disease_whose_name_has_a_word_of_procedures_or_organisms_is_a_disease(tmp_path: Path) -> None:
    records, _ = read(
        tmp_path, ROW | {"Therapeutic area (MeSH)": "COVID-19 virus infection;Obstetric Labor, Premature"}
    )
    assert treated(records) == ["COVID-19 virus infection", "Obstetric Labor, Premature"]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (ROW | {"EMA product number": "1"}, "not an EMA product number"),
        (ROW, "product number again"),
        (ROW | {"EMA product number": "EMEA/H/C/000003", "Name of medicine": None}, "without a name"),
        (ROW | {"EMA product number": "EMEA/H/C/000003", "Medicine status": ""}, "without category or status"),
        (ROW | {"EMA product number": "EMEA/H/C/000003", "Medicine URL": "examplix"}, "without its page"),
        ({}, "not an EMA product number"),
        ([], "not a JSON object"),
    ],
)
def test_a_bad_row_is_dropped_with_a_reason_and_the_others_are_read(tmp_path: Path, row: object, reason: str) -> None:
    other = ROW | {"EMA product number": "EMEA/H/C/000002", "Name of medicine": "Otherix"}
    records, tally = read(tmp_path, ROW, row, other)
    assert tally.dropped_rows["medicine", reason] == 1
    assert {"Examplix", "Otherix"} <= set(labels(records).values())


def test_the_spreadsheet_itself_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "medicines-output-medicines-report_en.xlsx"
    path.write_bytes(b"PK")
    with pytest.raises(ClewError) as error:
        read_file(path)
    assert error.value.code is Code.UNREADABLE_SOURCE
    assert "JSON Lines" in (error.value.remedy or "")


@pytest.mark.skipif(not REAL.exists(), reason="needs ../shared/data/drugs/ema_medicines.jsonl.gz")
def test_in_the_real_register_2576_medicines_stay_and_only_authorised_human_ones_treat() -> None:
    records, tally = read_file(REAL)
    assert tally.kept_rows["medicine"] == 2_576
    assert sum(r.id.startswith("ema:EMEA.V.") for r in records if isinstance(r, Entity)) == 366
    with gzip.open(REAL, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    assert sum(bool(row["Therapeutic indication"]) for row in rows) == 2_290
    allowed = {
        "ema:" + row["EMA product number"].replace("/", ".")
        for row in rows
        if row["Category"] == "Human" and row["Medicine status"] == "Authorised"
    }
    subjects = {e.assertion.subject for p in ("treats", "prevents") for e in statements(records, p)}
    assert len(subjects) > 1_000
    assert subjects <= allowed
    assert {e.assertion.object for e in statements(records, "is_diagnosed_by")} <= allowed
    assert [len(statements(records, p)) for p in ("treats", "prevents", "is_diagnosed_by")] == [2_174, 114, 18]
