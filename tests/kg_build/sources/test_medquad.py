import json
from pathlib import Path
from xml.sax.saxutils import escape
from zipfile import ZipFile

import pytest

from kg_build.reconcile import Tally
from kg_build.sources.contract import Record, Source
from kg_build.sources.medquad import MANY, SOURCE
from ontology.curie import mint
from ontology.document import Chunk, Document
from ontology.errors import ClewError, Code
from ontology.model import Entity, Mapping, Name

REAL = Path(__file__).parents[3].parent / "shared/data/medquad/docs.jsonl.gz"
GOUT = {
    "id": "2-0000007",
    "source": "GARD",
    "url": "https://example.org/gout",
    "title": "Gout",
    "umls_cuis": ["C0018099", None, "gout"],
    "synonyms": ["Podagra", "UA", "Gouty  arthritis", "gout", "Arthritis", "?"],
    "semantic_group": "Disorders",
    "sections": [
        {
            "question": "What is (are) Gout ?",
            "text": "Gout hurts. It comes in flares:   - A red toe.   - Fever. 痛风。",
        },
        {"question": "What are the treatments for Gout ?", "text": "  "},
    ],
}


def page(**changes: object) -> dict[str, object]:
    return GOUT | changes


def answered(text: str, number: int = 1) -> dict[str, object]:
    return page(id=f"2-{number}", title=f"Disease {number}", sections=[{"question": "Q ?", "text": text}])


def read_jsonl(tmp_path: Path, *rows: object) -> tuple[list[Record], Tally]:
    path = tmp_path / "docs.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")
    return read({"medquad_jsonl": path})


def read_zip(tmp_path: Path, members: dict[str, str | bytes]) -> tuple[list[Record], Tally]:
    path = tmp_path / "MedQuAD-master.zip"
    with ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return read({"medquad_xml": path})


def read(files: dict[str, Path]) -> tuple[list[Record], Tally]:
    tally = Tally(SOURCE.key)
    records = list(SOURCE.read(files, tally))
    tally.check()
    return records, tally


def as_xml(row: dict) -> str:
    cuis = "".join(f"<CUI>{cui}</CUI>" for cui in row["umls_cuis"] if cui)
    synonyms = "".join(f"<Synonym>{escape(s)}</Synonym>" for s in row["synonyms"])
    pairs = "".join(
        f'<QAPair pid="{i}"><Question qid="{i}" qtype="information">{escape(s["question"])}</Question>'
        f"<Answer>{escape(s['text'])}</Answer></QAPair>"
        for i, s in enumerate(row["sections"])
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<Document id="{row["id"].split("-")[1]}" source="{row["source"]}" '
        f'url="{row["url"]}"><Focus>{row["title"]}</Focus><FocusAnnotations><UMLS><CUIs>{cuis}</CUIs><SemanticGroup>'
        f"{row['semantic_group']}</SemanticGroup></UMLS><Synonyms>{synonyms}</Synonyms></FocusAnnotations>"
        f"<QAPairs>{pairs}</QAPairs></Document>"
    )


def texts(records: list[Record]) -> list[str]:
    return [record.text for record in records if isinstance(record, Chunk)]


def test_it_keeps_the_contract_of_sources() -> None:
    assert isinstance(SOURCE, Source)


def test_a_page_becomes_a_document_whose_sections_are_its_questions(tmp_path: Path) -> None:
    records, _ = read_jsonl(tmp_path, GOUT)
    assert records[0] == Document(
        "medquad:2-0000007", "Gout", "en", "medquad", "article", "https://example.org/gout", 0, "GARD",
        (mint("medquad", "Disease", "gout"),),
    )  # fmt: skip
    chunk = next(r for r in records if isinstance(r, Chunk))
    assert chunk.section == "Gout › What is (are) Gout ?"
    assert chunk.text == "Gout hurts. It comes in flares:\n- A red toe.\n- Fever. 痛风。"


def test_both_formats_give_the_same_records(tmp_path: Path) -> None:
    plain = page(umls_cuis=["C0018099"])
    from_jsonl, _ = read_jsonl(tmp_path, plain)
    from_zip, _ = read_zip(tmp_path, {"MedQuAD-master/2_GARD_QA/0000007.xml": as_xml(plain)})
    assert from_zip == from_jsonl


def test_a_disorder_becomes_a_disease_with_its_names_and_concepts(tmp_path: Path) -> None:
    records, tally = read_jsonl(tmp_path, GOUT)
    gout = mint("medquad", "Disease", "gout")
    assert [r for r in records if isinstance(r, Entity)] == [Entity(gout, "Disease", "Gout", "en", "medquad")]
    assert [(r.text, r.kind) for r in records if isinstance(r, Name)] == [
        ("Gout", "label"), ("Podagra", "exact"), ("UA", "abbreviation"), ("Gouty arthritis", "exact"),
        ("Arthritis", "exact"),
    ]  # fmt: skip
    assert [r.object for r in records if isinstance(r, Mapping)] == ["UMLS:C0018099"]
    assert tally.dropped_rows["concept", "not a UMLS concept identifier"] == 2
    assert tally.dropped_rows["synonym", "the focus itself"] == 1
    assert tally.dropped_rows["synonym", "without letters"] == 1


def test_a_synonym_that_two_foci_share_is_only_related(tmp_path: Path) -> None:
    records, _ = read_jsonl(tmp_path, GOUT, page(id="2-8", title="Arthritis", synonyms=["Joint inflammation"]))
    kinds = {(r.text, r.kind) for r in records if isinstance(r, Name)}
    assert {("Arthritis", "related"), ("Arthritis", "label"), ("Joint inflammation", "exact")} <= kinds


def test_a_focus_that_is_no_disorder_has_a_document_only(tmp_path: Path) -> None:
    records, tally = read_jsonl(tmp_path, page(semantic_group=None))
    assert {type(r) for r in records} == {Document, Chunk}
    assert tally.dropped_rows["focus", "not annotated as a disorder"] == 1


def test_two_foci_of_one_web_page_are_two_documents(tmp_path: Path) -> None:
    records, _ = read_jsonl(tmp_path, GOUT, page(title="Pseudogout"))
    assert [r.id for r in records if isinstance(r, Document)] == ["medquad:2-0000007", "medquad:2-0000007.2"]


def test_what_many_pages_say_of_themselves_is_removed_and_counted(tmp_path: Path) -> None:
    pages = [
        answered(f"Fact {n}. General information about clinical trials is on the website.", n) for n in range(MANY)
    ]
    records, tally = read_jsonl(tmp_path, *pages)
    assert texts(records)[:2] == ["Fact 0.", "Fact 1."]
    assert tally.dropped_rows["sentence", f"boilerplate of at least {MANY} pages"] == MANY


def test_what_few_pages_say_of_themselves_stays(tmp_path: Path) -> None:
    records, _ = read_jsonl(tmp_path, *(answered("Visit our website.", n) for n in range(MANY - 1)))
    assert texts(records) == ["Visit our website."] * (MANY - 1)


def test_a_fact_that_many_diseases_share_stays(tmp_path: Path) -> None:
    fact = "This condition is inherited in an autosomal recessive pattern."
    records, _ = read_jsonl(tmp_path, *(answered(fact, n) for n in range(MANY + 5)))
    assert texts(records) == [fact] * (MANY + 5)


def test_an_answer_of_boilerplate_alone_is_dropped_with_its_page(tmp_path: Path) -> None:
    _, tally = read_jsonl(tmp_path, *(answered("Key Points", n) for n in range(MANY)))
    assert tally.dropped_rows["answer", "nothing but boilerplate"] == MANY
    assert tally.dropped_rows["page", "without an answer"] == MANY


def test_key_points_that_are_headings_below_are_removed(tmp_path: Path) -> None:
    records, tally = read_jsonl(tmp_path, answered("Summary\n- Age matters. - Ask early.\nAge matters.\nIt does so."))
    assert texts(records) == ["Summary\n- Ask early.\nAge matters.\nIt does so."]
    assert tally.dropped_rows["sentence", "key point that is a heading below"] == 1


def test_a_table_of_findings_has_a_row_on_each_line(tmp_path: Path) -> None:
    table = "Signs and Symptoms Approximate number of patients (when available) Pes cavus 90% Ataxia 3/7 Motor delay - "
    note = "The Human Phenotype Ontology (HPO) has collected information."
    records, _ = read_jsonl(tmp_path, answered(table + note))
    assert texts(records)[0].splitlines()[1:] == ["- Pes cavus 90%", "- Ataxia 3/7", "- Motor delay", note]


def test_pages_that_cannot_be_used_do_not_stop_the_others(tmp_path: Path) -> None:
    records, tally = read_jsonl(
        tmp_path, "{", "[]", {"id": 7}, page(title=" "), page(id="a b"), page(url="javascript:alert(1)"), GOUT
    )
    assert sum(isinstance(r, Document) for r in records) == 1
    assert {reason for (kind, reason) in tally.dropped_rows if kind == "page"} == {
        "not JSON", "not a JSON object", "malformed", "without a focus", "without an id", "without an address",
    }  # fmt: skip


def test_files_of_the_collection_that_cannot_be_used_do_not_stop_the_others(tmp_path: Path) -> None:
    bomb = '<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><Document id="1"><Focus>&b;</Focus></Document>'
    records, tally = read_zip(
        tmp_path,
        {
            "MedQuAD-master/2_GARD_QA/0000001.xml": "<Document",
            "MedQuAD-master/2_GARD_QA/0000002.xml": bomb,
            "MedQuAD-master/2_GARD_QA/0000003.xml": b"\xff\xfe\x00",
            "MedQuAD-master/2_GARD_QA/0000007.xml": as_xml(GOUT),
            "MedQuAD-master/other.xml": as_xml(GOUT),
            "MedQuAD-master/readme.txt": "not a page",
        },
    )
    assert sum(isinstance(r, Document) for r in records) == 1
    assert tally.read_rows["page"] == 5
    assert tally.dropped_rows["page", "not well-formed XML"] == 3
    assert tally.dropped_rows["page", "outside the numbered folders of the collection"] == 1


def test_an_archive_that_is_none_is_an_unreadable_source(tmp_path: Path) -> None:
    path = tmp_path / "MedQuAD-master.zip"
    path.write_bytes(b"no archive")
    with pytest.raises(ClewError) as caught:
        read({"medquad_xml": path})
    assert caught.value.code is Code.UNREADABLE_SOURCE


def test_without_any_file_it_says_where_to_get_one() -> None:
    with pytest.raises(ClewError) as caught:
        read({})
    assert caught.value.code is Code.UNREACHABLE_ARTEFACT


@pytest.mark.skipif(not REAL.is_file(), reason="needs ../shared/data/medquad/docs.jsonl.gz")
def test_the_real_file_gives_a_document_for_each_of_its_pages_with_a_focus() -> None:
    records, tally = read({"medquad_jsonl": REAL})
    assert tally.read_rows["page"] == 5486
    assert tally.kept_rows["page"] == 5483
    assert sum(isinstance(r, Mapping) for r in records) == 7312
