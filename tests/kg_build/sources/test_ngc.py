import json
from pathlib import Path

import pytest

from kg_build.reconcile import Tally
from kg_build.sources.contract import Record, Source
from kg_build.sources.ngc import SOURCE
from ontology.curie import mint
from ontology.document import Chunk, Document
from ontology.model import Entity, Evidence, Name
from ontology.reading.text import normal_form
from ontology.schema import load_domain

REAL = Path(__file__).parents[3].parent / "shared/data/guidelines/ngc_open.jsonl.gz"
FIELDS = {
    "Disease/Condition(s)": "Gout",
    "Intended Users": "Nurses\nPhysicians",
    "Major Recommendations": "Offer urate lowering after two flares. (A recommendation)",
    "Guideline Developer(s)": "Acme Society - Medical Specialty Society\nState of Acme - State/Local Government Agency",
}


def summary(fields: dict[str, str] = FIELDS, **changes: object) -> dict[str, object]:
    return {"id": "ngc-12", "title": "Gout in <i>adults</i>.", "year": 2016, "lang": "en", "fields": fields} | changes


def recommending(text: str) -> dict[str, object]:
    return summary({"Major Recommendations": text})


def read(tmp_path: Path, *rows: object) -> tuple[list[Record], Tally]:
    path = tmp_path / "ngc_open.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")
    tally = Tally(SOURCE.key)
    records = list(SOURCE.read({"ngc": path}, tally))
    tally.check()
    return records, tally


def conditions(text: str, **fields: str) -> dict[str, object]:
    return summary({"Disease/Condition(s)": text, "Major Recommendations": "Rest."} | fields)


def covered(records: list[Record], type_name: str = "Disease") -> list[str]:
    """Labels of what the guidelines cover, in order."""
    entities = {r.id: r for r in records if isinstance(r, Entity)}
    found = [entities[e.assertion.object] for e in records if isinstance(e, Evidence)]
    return list(dict.fromkeys(entity.label for entity in found if entity.type == type_name))


def strengths(records: list[Record], disease: str) -> list[tuple[str, str]]:
    """Code and quote of the recommendations that are evidence of a guideline covering a disease."""
    curie = mint("ngc", "Disease", normal_form(disease))
    evidence = [e for e in records if isinstance(e, Evidence) and e.assertion.object == curie]
    return [(e.code, e.quote) for e in evidence if e.code not in FIELDS]


def passages(records: list[Record]) -> list[tuple[str, str]]:
    return [(r.section.partition(" › ")[2], r.text) for r in records if isinstance(r, Chunk)]


def test_it_keeps_the_contract_of_sources() -> None:
    assert isinstance(SOURCE, Source)


def test_a_summary_is_a_guideline_with_its_year_and_developers(tmp_path: Path) -> None:
    records, _ = read(tmp_path, summary())
    assert Entity("NGC:12", "Guideline", "Gout in adults", "en", "ngc") in records
    (document,) = [record for record in records if isinstance(record, Document)]
    assert document == Document(
        "ngc:12", "Gout in adults", "en", "ngc", "guideline", "NGC:12", 2016, "Acme Society; State of Acme",
        ("NGC:12", mint("ngc", "Disease", "gout")),
    )  # fmt: skip


def test_clinical_fields_are_sections_and_the_others_are_counted(tmp_path: Path) -> None:
    records, tally = read(tmp_path, summary())
    assert passages(records) == [
        ("Disease/Condition(s)", "Gout"),
        ("Major Recommendations › A recommendation", FIELDS["Major Recommendations"]),
    ]
    assert tally.dropped_rows["field", "about the record, not clinical text"] == 2


def test_a_field_that_states_nothing_is_dropped(tmp_path: Path) -> None:
    _, tally = read(tmp_path, summary(FIELDS | {"Potential Harms": "Not stated", "Contraindications": " \n "}))
    assert tally.dropped_rows["field", "empty or not stated"] == 2


@pytest.mark.parametrize(
    "strength",
    [
        "(B recommendation)", "(I statement).", "[EO]", "(Weak For; Not Reviewed, Amended)", "(N/A; Reviewed, Amended)",
        "(Strong against)", "(Strong Recommendation, Low-Quality Evidence); and", "(Consensus–Panel Expertise)",
        "(IIB)", "(Category IC)", "(recommendation category: A, evidence type: 4)",
        "(A recommendation) See the table below.", "(D recommendation). This recommendation applies to adults.",
    ],
)  # fmt: skip
def test_a_recommendation_with_its_strength_is_a_passage_of_its_own(tmp_path: Path, strength: str) -> None:
    graded = f"- Give colchicine early. 秋水仙碱应尽早使用。 {strength}"
    records, _ = read(tmp_path, recommending(f"Advice.\nFlares of Gout\nFlares hurt.\n{graded}\nThey pass."))
    stated = strength.partition(")")[0].partition("]")[0][1:]
    assert passages(records) == [
        ("Major Recommendations", "Advice."),
        ("Major Recommendations › Flares of Gout", "Flares hurt."),
        (f"Major Recommendations › Flares of Gout › {stated}", graded),
        ("Major Recommendations › Flares of Gout", "They pass."),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "The strength of recommendation grading (Strong For, Weak For) is defined below.",
        "Screen children (B recommendation). It also says that adults need it (A recommendation).",
        "Another guideline advises it (I statement). These recommendations are on the Web site.",
        "Advised on the basis of strong evidence.",
        "Doses (a) and (i) are given by vein (IV).",
    ],
)
def test_a_strength_that_is_not_said_of_one_recommendation_stays_text(tmp_path: Path, text: str) -> None:
    records, tally = read(tmp_path, recommending(text))
    assert passages(records) == [("Major Recommendations", text)]
    assert not tally.read_rows["graded recommendation"]


def test_a_recommendation_has_its_lead_in_and_a_strength_alone_its_list(tmp_path: Path) -> None:
    lead = ["- In adults with gout", "- Rest. (Consensus–Adapted)"]
    listed = ["- The group recommends one of", "- Colchicine", "- Naproxen", "(Modified) (Strong For)"]
    records, _ = read(tmp_path, recommending("\n".join(["Advice.", *lead, *listed])))
    assert [text.splitlines() for _, text in passages(records)] == [["Advice."], lead, listed]


def test_a_recommendation_is_evidence_of_the_one_condition_of_its_guideline(tmp_path: Path) -> None:
    records, tally = read(tmp_path, summary())
    assert strengths(records, "Gout") == [("A recommendation", FIELDS["Major Recommendations"])]
    assert tally.kept_rows["graded recommendation"] == 1


def test_among_several_conditions_a_recommendation_is_evidence_of_those_it_names(tmp_path: Path) -> None:
    advice = "- Rest in CVD. (Strong For)\n- Stop smoking. (Weak For)\n- Treat gout. (Strong For)"
    fields = {"Disease/Condition(s)": "- Gout\n - Cardiovascular disease (CVD)", "Major Recommendations": advice}
    records, tally = read(tmp_path, summary(fields))
    assert strengths(records, "Gout") == [("Strong For", "- Treat gout. (Strong For)")]
    assert strengths(records, "Cardiovascular disease") == [("Strong For", "- Rest in CVD. (Strong For)")]
    assert tally.dropped_rows["graded recommendation", "names none of several conditions: only in the text"] == 1
    (document,) = [record for record in records if isinstance(record, Document)]
    assert document.about == ("NGC:12",)


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("Peripheral artery disease (PAD)", ["Peripheral artery disease"]),
        ("Overweight and obesity", ["Overweight", "obesity"]),
        ("Breast cancer, carcinoma in situ (CIS), or other carcinoma", ["Breast cancer", "carcinoma in situ",
                                                                        "other carcinoma"]),
        ("Neural tube defects, including spina bifida and anencephaly", ["Neural tube defects"]),
        ("Skin cancer:\n - Melanoma \n - Basal cell carcinoma", ["Skin cancer", "Melanoma", "Basal cell carcinoma"]),
        ("Chronic pain (i.e., pain, that lasts >3 months)\nNote: Not for children.", ["Chronic pain"]),
        ("Acute, subacute, or chronic back pain", []),
        ("Behaviour of people that is directed against themselves or others", []),
        ("Infant health/nutrition", []),
        ("?", []),
    ],
)  # fmt: skip
def test_lines_of_conditions_that_are_terms_are_covered(tmp_path: Path, text: str, labels: list[str]) -> None:
    records, _ = read(tmp_path, conditions(text))
    assert covered(records) == labels


def test_an_abbreviation_in_brackets_is_a_name(tmp_path: Path) -> None:
    records, _ = read(
        tmp_path, conditions("- Human immunodeficiency virus (HIV) infection\n - Sickle cell disease (SCD)")
    )
    names = {(n.text, n.kind) for n in records if isinstance(n, Name) and n.entity.startswith("ngc:")}
    assert names == {
        ("Human immunodeficiency virus infection", "label"), ("HIV infection", "exact"),
        ("Sickle cell disease", "label"), ("SCD", "abbreviation"),
    }  # fmt: skip


def test_items_that_end_like_tests_and_procedures_are_covered(tmp_path: Path) -> None:
    text = (
        "Screening\n - Chest radiography (not recommended) \n - Lithium \n - Treatment \n - Combination therapy \n"
        " - Smoking, diet and exercise \n - Sputum testing*\nNote: See below."
    )
    records, tally = read(tmp_path, conditions("Gout", **{"Interventions and Practices Considered": text}))
    assert covered(records, "Procedure") == ["Chest radiography", "Sputum testing"]
    field = "Interventions and Practices Considered"
    assert (tally.read_rows[field], tally.kept_rows[field]) == (8, 2)
    quotes = {e.quote for e in records if isinstance(e, Evidence) and e.code == field}
    assert quotes == {"Chest radiography (not recommended)", "Sputum testing*"}


def test_every_statement_is_within_the_ontology_and_leads_to_the_text(tmp_path: Path) -> None:
    records, _ = read(tmp_path, summary())
    types = {record.id: record.type for record in records if isinstance(record, Entity)}
    evidence = [record for record in records if isinstance(record, Evidence)]
    for stated in evidence:
        load_domain().check_statement(types[stated.assertion.subject], "covers", types[stated.assertion.object])
        assert (stated.document, stated.references, stated.record) == ("ngc:12", ("NGC:12",), "ngc_open.jsonl:1")
    assert len(evidence) == 2


def test_a_line_in_title_case_is_a_heading(tmp_path: Path) -> None:
    records, _ = read(
        tmp_path, recommending("Advice.\nFlares of Gout\nGive colchicine.\nLong Term\nDiet\nEat less meat.")
    )
    assert passages(records) == [
        ("Major Recommendations", "Advice."),
        ("Major Recommendations › Flares of Gout", "Give colchicine."),
        ("Major Recommendations › Long Term › Diet", "Eat less meat."),
    ]


def test_a_list_of_names_is_no_row_of_headings(tmp_path: Path) -> None:
    records, _ = read(tmp_path, recommending("Colchicine\nAllopurinol\nFebuxostat\nthese are in use."))
    assert passages(records) == [("Major Recommendations", "Colchicine\nAllopurinol\nFebuxostat\nthese are in use.")]


def test_a_grade_stays_on_the_line_of_its_definition(tmp_path: Path) -> None:
    cells = " Grade | \n Definition | \n A | \n Large benefit\n for most. | \n I Statement | \n Unclear. | \n"
    table = f"The grades\n{cells}End."
    records, _ = read(tmp_path, recommending(table))
    assert passages(records)[0][1].splitlines() == [
        "The grades", "Grade | Definition", "A | Large benefit for most.", "I Statement | Unclear.", "End.",
    ]  # fmt: skip


def test_a_list_after_a_table_is_no_cell_of_it(tmp_path: Path) -> None:
    text = " An indication | \n - Gout \n - Fever \nEnd.\n Low | \n The evidence has\n - few patients |"
    records, _ = read(tmp_path, recommending(text))
    assert passages(records)[0][1].splitlines() == [
        "An indication", "- Gout", "- Fever", "End.", "Low | The evidence has - few patients",
    ]  # fmt: skip


def test_remnants_of_the_web_page_go_but_comparisons_stay(tmp_path: Path) -> None:
    records, _ = read(tmp_path, recommending("If eGFR &lt; 30 and K > 5, <b>stop</b>.<br/>\nAcme J. 2016. PubMed |"))
    assert passages(records)[0][1] == "If eGFR < 30 and K > 5, stop.\nAcme J. 2016."


def test_a_field_cannot_smuggle_in_headings_or_tables(tmp_path: Path) -> None:
    records, _ = read(tmp_path, recommending("# not a heading\n```\n| cell"))
    assert passages(records) == [("Major Recommendations", "\\# not a heading\n\\```\n\\| cell")]


def test_summaries_that_cannot_be_used_do_not_stop_the_others(tmp_path: Path) -> None:
    rows = (
        "{",
        "7",
        summary(id="x"),
        summary(title=""),
        summary(fields={"Potential Harms": 7}),
        summary({}, id="ngc-1"),
    )
    records, tally = read(tmp_path, *rows, summary(), summary())
    assert sum(isinstance(r, Document) for r in records) == 1
    assert {reason: n for (kind, reason), n in tally.dropped_rows.items() if kind == "guideline"} == {
        "not JSON": 1, "not a JSON object": 1, "malformed": 3, "without clinical text": 1, "same id again": 1,
    }  # fmt: skip


@pytest.mark.skipif(not REAL.is_file(), reason="needs ../shared/data/guidelines/ngc_open.jsonl.gz")
def test_the_real_file_gives_a_guideline_for_each_summary() -> None:
    tally = Tally(SOURCE.key)
    records = list(SOURCE.read({"ngc": REAL}, tally))
    tally.check()
    documents = [r for r in records if isinstance(r, Document)]
    assert len(documents) == 106
    assert all(document.year and document.organisation for document in documents)
    assert (tally.read_rows["graded recommendation"], tally.kept_rows["graded recommendation"]) == (869, 620)
    stated = [record for record in records if isinstance(record, Evidence)]
    assert len({evidence.assertion.id for evidence in stated}) == 522
