from pathlib import Path

import pytest

from kg_build.reconcile import Tally
from kg_build.sources.contract import Record, Source
from kg_build.sources.hp_zh import SOURCE
from ontology.document import Chunk, Document
from ontology.errors import ClewError, Code
from ontology.model import Name

HEADER = (
    "source_language\ttranslation_language\tsubject_id\tpredicate_id\tsource_value\ttranslation_value\t"
    "translation_status"
)
SHARED = Path(__file__).parents[3].parent / "shared" / "data" / "hp_zh.babelon.tsv.gz"


def row(
    term: str, english: str, chinese: str, predicate: str = "rdfs:label", status: str = "OFFICIAL", lang: str = "zh"
) -> str:
    return "\t".join(("en", lang, term, predicate, english, chinese, status))


def read(tmp_path: Path, *rows: str, header: str = HEADER) -> tuple[list[Record], Tally]:
    path = tmp_path / "hp-zh.babelon.tsv"
    path.write_text("\n".join((header, *rows)) + "\n", encoding="utf-8")
    tally = Tally(SOURCE.key)
    records = list(SOURCE.read({"hp_zh": path}, tally))
    tally.check()
    return records, tally


def names(records: list[Record]) -> list[tuple[str, str, str]]:
    return [(r.entity, r.text, r.kind) for r in records if isinstance(r, Name)]


def test_it_keeps_the_contract_and_brings_no_entity(tmp_path: Path) -> None:
    assert isinstance(SOURCE, Source)
    records, tally = read(tmp_path, row("HP:0001250", "Seizure", "癫痫发作"))
    assert records == [Name("HP:0001250", "zh", "癫痫发作", "label", "hp_zh", "HP:0001250")]
    assert tally.kept_rows["translation"] == 1


def test_quotes_around_a_value_with_a_comma_are_not_part_of_it(tmp_path: Path) -> None:
    records, _ = read(tmp_path, row("HP:0001256", '"Intellectual disability, mild"', '"轻度智力障碍"'))
    assert names(records) == [("HP:0001256", "轻度智力障碍", "label")]


def test_a_second_official_label_is_an_exact_name_and_a_repetition_is_dropped(tmp_path: Path) -> None:
    seizure = row("HP:0001250", "Seizure", "癫痫发作")
    records, tally = read(tmp_path, seizure, row("HP:0001250", "Seizure", "抽搐"), seizure)
    assert names(records) == [("HP:0001250", "癫痫发作", "label"), ("HP:0001250", "抽搐", "exact")]
    assert tally.dropped_rows["translation", "said twice"] == 1


def test_synonyms_keep_their_scope_and_candidates_are_related_names(tmp_path: Path) -> None:
    records, _ = read(
        tmp_path,
        row("HP:0001945", "Pyrexia", "体温升高", "oboInOwl:hasExactSynonym"),
        row("HP:0001945", "Heat", "热", "oboInOwl:hasBroadSynonym"),
        row("HP:0001945", "Fever", "发烧", status="CANDIDATE"),
        row("HP:0001945", "Fever", "发热"),
    )
    kinds = {text: kind for _, text, kind in names(records)}
    assert kinds == {"体温升高": "exact", "热": "broad", "发烧": "related", "发热": "label"}


def test_an_official_definition_is_a_chinese_document_titled_with_the_label(tmp_path: Path) -> None:
    text = "体温高于平时的范围。"
    records, tally = read(
        tmp_path,
        row("HP:0001945", "Body temperature above the usual range.", text, "IAO:0000115"),
        row("HP:0001945", "Body temperature above the usual range.", "体温高。", "IAO:0000115"),
        row("HP:0002315", "Pain in the head.", "头部的疼痛。", "IAO:0000115", "CANDIDATE"),
        row("HP:0001945", "Fever", "发热"),
    )
    (document,) = [r for r in records if isinstance(r, Document)]
    (chunk,) = [r for r in records if isinstance(r, Chunk)]
    assert (document.title, document.lang, document.kind, document.reference) == (
        "发热",
        "zh",
        "definition",
        "HP:0001945",
    )
    assert document.about == ("HP:0001945",)
    assert (chunk.document, chunk.text, chunk.end) == (document.id, text, len(text))
    assert tally.dropped_rows["translation", "another definition of the same term"] == 1
    assert tally.dropped_rows["translation", "definition is not official"] == 1


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (row("HP:125", "Seizure", "癫痫发作"), "id is not that of a term"),
        (row("MP:0001250", "Seizure", "癫痫发作"), "id is not that of a term"),
        (row("HP:0001250", "Seizure", " "), "not translated"),
        (row("HP:0001250", "Seizure", "seizure"), "translation is the English"),
        (row("HP:0001250", "", "癫痫发作"), "without the English it translates"),
        (row("HP:0001250", "Seizure", "Anfall", lang="de"), "not from English into Chinese"),
        (row("HP:0001250", "Seizure", "癫痫发作", status="NOT_TRANSLATED"), "unknown status"),
        (row("HP:0001250", "Seizure", "癫痫发作", "rdfs:comment"), "translates neither name nor definition"),
        ("en\tzh\tHP:0001250", "wrong number of columns"),
    ],
)
def test_a_row_that_cannot_be_used_is_dropped_with_its_reason(tmp_path: Path, line: str, reason: str) -> None:
    records, tally = read(tmp_path, line, row("HP:0002315", "Headache", "头痛"))
    assert names(records) == [("HP:0002315", "头痛", "label")]
    assert tally.dropped_rows["translation", reason] == 1


def test_a_file_without_the_columns_is_unreadable(tmp_path: Path) -> None:
    with pytest.raises(ClewError) as caught:
        read(tmp_path, header="subject_id\tlabel")
    assert caught.value.code is Code.UNREADABLE_SOURCE


@pytest.mark.skipif(not SHARED.exists(), reason="needs ../shared/data/hp_zh.babelon.tsv.gz")
def test_the_published_file_names_every_term_once() -> None:
    tally = Tally(SOURCE.key)
    records = list(SOURCE.read({"hp_zh": SHARED}, tally))
    tally.check()
    assert tally.read_rows["translation"] == tally.kept_rows["translation"] == len(records) == 18_988
    assert Name("HP:0001256", "zh", "轻度智力障碍", "label", "hp_zh", "HP:0001256") in records
