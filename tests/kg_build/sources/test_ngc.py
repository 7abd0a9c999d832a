import json
from pathlib import Path

import pytest

from kg_build.reconcile import Tally
from kg_build.sources.contract import Record, Source
from kg_build.sources.ngc import SOURCE
from ontology.document import Chunk, Document

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


def passages(records: list[Record]) -> list[tuple[str, str]]:
    return [(r.section.partition(" › ")[2], r.text) for r in records if isinstance(r, Chunk)]


def test_it_keeps_the_contract_of_sources() -> None:
    assert isinstance(SOURCE, Source)


def test_a_summary_is_a_guideline_with_its_year_and_developers(tmp_path: Path) -> None:
    records, _ = read(tmp_path, summary())
    assert records[0] == Document(
        "ngc:12", "Gout in adults.", "en", "ngc", "guideline", "NGC:12", 2016, "Acme Society; State of Acme"
    )


def test_clinical_fields_are_sections_and_the_others_are_counted(tmp_path: Path) -> None:
    records, tally = read(tmp_path, summary())
    assert passages(records) == [
        ("Disease/Condition(s)", "Gout"),
        ("Major Recommendations", FIELDS["Major Recommendations"]),
    ]
    assert tally.dropped_rows["field", "about the record, not clinical text"] == 2


def test_a_field_that_states_nothing_is_dropped(tmp_path: Path) -> None:
    _, tally = read(tmp_path, summary(FIELDS | {"Potential Harms": "Not stated", "Contraindications": " \n "}))
    assert tally.dropped_rows["field", "empty or not stated"] == 2


def test_the_strength_of_a_recommendation_stays_where_it_was(tmp_path: Path) -> None:
    text = "- Give colchicine early. (Strong Recommendation, Low-Quality Evidence)\n - 秋水仙碱应尽早使用。(B)"
    records, _ = read(tmp_path, recommending(text))
    assert passages(records)[0][1] == text.replace("\n ", "\n")


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
