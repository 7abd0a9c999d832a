import json
from pathlib import Path

import pytest

from kg_build.reconcile import Tally
from kg_build.sources.contract import Record, Source
from kg_build.sources.encyclopaedia_zh import SOURCE
from ontology.curie import mint
from ontology.document import Chunk, Document
from ontology.model import Entity, Evidence
from ontology.reading.text import normal_form
from ontology.schema import load_domain

REAL = Path(__file__).parents[3].parent / "shared/data/disease_kb_zh/diseases.jsonl.gz"
FLAT = {
    "_id": {"$oid": "5bb57901831b973a137e6400"},
    "name": "痛风",
    "desc": "尿酸盐结晶沉积所致的关节病。",
    "cause": "嘌呤代谢紊乱。\n# 饮食因素也有关系。",
    "prevent": "少饮酒。",
    "get_prob": "1%",
    "easy_get": "中年男性",
    "symptom": ["关节疼痛", "红肿", "关节疼痛", "痛风"],
    "acompany": ["肾结石", "疖"],
    "check": ["血尿酸测定（UA，24小时）"],
    "cure_department": ["内科", "风湿免疫科"],
    "cure_way": ["药物治疗", "关节镜清理术", "，支持性治疗"],
    "cured_prob": "60%",
    "common_drug": ["秋水仙碱片"],
    "recommand_drug": ["别嘌醇片"],
    "drug_detail": ["某某制药别嘌醇片(别嘌醇片)"],
    "do_eat": ["黄瓜"],
}
NESTED = {
    "gaishu_info": {
        "name": "痛风",
        "desc": FLAT["desc"],
        "disease_ratio": "1%",
        "susceptible_people": "中年男性",
        "has_complication": FLAT["acompany"],
        "belongs_to_department": FLAT["cure_department"],
        "treat_way": FLAT["cure_way"],
        "cure_prob": "60%",
        "common_drug": FLAT["common_drug"],
    },
    "cause_info": FLAT["cause"],
    "prevent_info": FLAT["prevent"],
    "symptom_data": {"symptoms": FLAT["symptom"], "symptom_detail": ["急性发作。", "多在夜间。"]},
    "inspect_info": FLAT["check"],
    "food_info": {"good_food": ["黄瓜"]},
    "_id": "0-1",
}


def read(tmp_path: Path, *rows: object) -> tuple[list[Record], Tally]:
    path = tmp_path / "medical.json"
    lines = (row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows)
    path.write_text("\n".join(lines), encoding="utf-8")
    tally = Tally(SOURCE.key)
    records = list(SOURCE.read({"encyclopaedia_zh": path}, tally))
    tally.check()
    return records, tally


def curie(type_name: str, name: str) -> str:
    return mint("diseasekb", type_name, normal_form(name))


def statements(records: list[Record]) -> list[tuple[str, str, str]]:
    labels = {r.id: r.label for r in records if isinstance(r, Entity)}
    return [
        (labels[r.assertion.subject], r.assertion.predicate, labels[r.assertion.object])
        for r in records
        if isinstance(r, Evidence)
    ]


def sections(records: list[Record]) -> dict[str, str]:
    return {r.section.rpartition(" › ")[2]: r.text for r in records if isinstance(r, Chunk)}


def test_it_keeps_the_contract_and_is_not_passed_on() -> None:
    assert isinstance(SOURCE, Source)
    assert not SOURCE.redistributable
    assert SOURCE.licence == "NONE"
    assert "local use only" in SOURCE.title


def test_the_lists_of_a_row_become_statements(tmp_path: Path) -> None:
    records, _ = read(tmp_path, FLAT, {"name": "疖"})
    assert statements(records) == [
        ("痛风", "has_phenotype", "关节疼痛"),
        ("痛风", "has_phenotype", "红肿"),
        ("痛风", "has_complication", "肾结石"),
        ("痛风", "has_complication", "疖"),
        ("痛风", "is_diagnosed_by", "血尿酸测定（UA，24小时）"),
        ("秋水仙碱片", "treats", "痛风"),
        ("别嘌醇片", "treats", "痛风"),
        ("关节镜清理术", "treats", "痛风"),
        ("痛风", "managed_by", "内科"),
        ("痛风", "managed_by", "风湿免疫科"),
    ]


def test_both_layouts_say_the_same(tmp_path: Path) -> None:
    flat, _ = read(tmp_path, {key: value for key, value in FLAT.items() if key != "recommand_drug"})
    nested, _ = read(tmp_path, NESTED)
    assert statements(flat) == statements(nested)
    assert {r.id for r in flat if isinstance(r, Entity)} == {r.id for r in nested if isinstance(r, Entity)}


def test_every_statement_is_one_that_the_ontology_allows(tmp_path: Path) -> None:
    records, _ = read(tmp_path, FLAT, {"name": "疖"})
    types = {r.id: r.type for r in records if isinstance(r, Entity)}
    for record in records:
        if isinstance(record, Evidence):
            a = record.assertion
            load_domain().check_statement(types[a.subject], a.predicate, types[a.object])


def test_evidence_says_where_its_string_stands(tmp_path: Path) -> None:
    records, _ = read(tmp_path, FLAT)
    evidence = next(r for r in records if isinstance(r, Evidence))
    assert (evidence.record, evidence.code, evidence.quote) == ("1 痛风/symptom", "symptom", "关节疼痛")


def test_the_list_decides_whether_a_name_is_a_finding_or_a_disease(tmp_path: Path) -> None:
    records, _ = read(tmp_path, {"name": "腹痛"}, {"name": "胃炎", "symptom": ["腹痛"], "acompany": ["腹痛"]})
    types = [(r.label, r.type) for r in records if isinstance(r, Entity)]
    assert types == [("腹痛", "Disease"), ("胃炎", "Disease"), ("腹痛", "PhenotypicFeature")]


def test_causes_stay_text(tmp_path: Path) -> None:
    records, _ = read(tmp_path, NESTED)
    assert not any(predicate == "has_cause" for _, predicate, _ in statements(records))
    assert sections(records) == {
        "简介": "尿酸盐结晶沉积所致的关节病。\n- 发病率：1%\n- 易感人群：中年男性",
        "病因": "嘌呤代谢紊乱。\n\\# 饮食因素也有关系。",
        "临床表现": "急性发作。\n多在夜间。",
        "预防": "少饮酒。",
        "治疗": "- 治疗方式：药物治疗、关节镜清理术、，支持性治疗\n- 常用药物：秋水仙碱片\n- 治愈率：60%",
    }


def test_the_document_is_about_its_disease(tmp_path: Path) -> None:
    records, _ = read(tmp_path, FLAT)
    document = next(r for r in records if isinstance(r, Document))
    assert (document.title, document.lang, document.kind) == ("痛风", "zh", "article")
    assert document.reference == curie("Disease", "痛风")
    assert document.about == (document.reference,)


def test_strings_that_are_no_terms_are_dropped_with_the_reason(tmp_path: Path) -> None:
    row = {
        "name": "痛风",
        "symptom": ["湿", 7, " ", "红肿", "红 肿", "痛风", "的疼痛"],
        "cure_way": ["药物治疗", "针" * 21],
    }
    _, tally = read(tmp_path, row)
    assert tally.kept_rows["string"] == 1
    assert {reason for kind, reason in tally.dropped_rows if kind == "string"} == {
        "one character", "not a text", "empty or without letters", "said twice of a disease",
        "relates a disease to itself", "fragment of a sentence", "a heading: names nothing in particular",
        "longer than 20 characters: a sentence, not a term",
    }  # fmt: skip


def test_food_and_products_are_left_out_and_counted(tmp_path: Path) -> None:
    _, tally = read(tmp_path, FLAT)
    assert tally.dropped_rows["property", "advice on food"] == 1
    assert tally.dropped_rows["property", "product of a manufacturer: the drug is listed"] == 1


def test_a_disease_with_two_rows_has_one_document(tmp_path: Path) -> None:
    records, tally = read(tmp_path, FLAT, FLAT)
    assert sum(isinstance(r, Document) for r in records) == 1
    assert tally.dropped_rows["document", "of a disease that has one"] == 1


def test_rows_that_cannot_be_used_do_not_stop_the_others(tmp_path: Path) -> None:
    records, tally = read(
        tmp_path, "{", "[]", {}, {"name": "。"}, {"gaishu_info": "x"}, {"name": "痛风", "symptom": {}}
    )
    assert [r.label for r in records if isinstance(r, Entity)] == ["痛风"]
    assert tally.dropped_rows["disease", "without a name"] == 3


@pytest.mark.skipif(not REAL.is_file(), reason="needs ../shared/data/disease_kb_zh/diseases.jsonl.gz")
def test_the_real_file_keeps_all_its_diseases_and_most_of_its_strings() -> None:
    tally = Tally(SOURCE.key)
    phenotypes = sum(
        isinstance(r, Evidence) and r.assertion.predicate == "has_phenotype"
        for r in SOURCE.read({"encyclopaedia_zh": REAL}, tally)
    )
    tally.check()
    assert tally.kept_rows["disease"] == 8792
    assert phenotypes > 58_000
