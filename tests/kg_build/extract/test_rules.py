"""What passages state: by what stands between two mentions, and by the section they are in."""

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kg_build.extract.phrases import PHRASES
from kg_build.extract.relations import relations
from ontology.schema import load_domain
from tests.kg_build.extract.conftest import ENGLISH, Extract, Said

SENTENCES = [
    ("Marfan syndrome can cause scoliosis.", "Marfan syndrome", "has_phenotype", "scoliosis"),
    ("Scoliosis is often caused by Marfan syndrome.", "Marfan syndrome", "has_phenotype", "scoliosis"),
    ("Hypertension may lead to stroke.", "hypertension", "has_complication", "stroke"),
    ("Stroke is a complication of hypertension.", "hypertension", "has_complication", "stroke"),
    ("Marfan syndrome presents with severe scoliosis.", "Marfan syndrome", "has_phenotype", "scoliosis"),
    ("People with asthma may have a cough.", "asthma", "has_phenotype", "cough"),
    ("Cough is a common symptom of asthma.", "asthma", "has_phenotype", "cough"),
    ("Symptoms of asthma include cough.", "asthma", "has_phenotype", "cough"),
    ("Hypertension is usually treated with amlodipine.", "amlodipine", "treats", "hypertension"),
    ("Amlodipine is indicated for the treatment of hypertension.", "amlodipine", "treats", "hypertension"),
    ("Captopril is contraindicated in pregnancy.", "captopril", "contraindicated_in", "pregnancy"),
    ("Captopril should not be used in patients with asthma.", "captopril", "contraindicated_in", "asthma"),
    ("Side effects of captopril include cough.", "captopril", "has_adverse_event", "cough"),
    ("Captopril can cause cough.", "captopril", "has_adverse_event", "cough"),
    ("Marfan syndrome is diagnosed with echocardiography.", "Marfan syndrome", "is_diagnosed_by", "echocardiography"),
    ("Mutations in the FBN1 gene cause Marfan syndrome.", "FBN1", "gene_associated_with_condition", "Marfan syndrome"),
    ("Marfan syndrome is caused by mutations in the FBN1 gene.", "FBN1", "gene_associated_with_condition",
     "Marfan syndrome"),
    ("Amlodipine prevents stroke.", "amlodipine", "prevents", "stroke"),
    ("马凡综合征可引起脊柱侧弯。", "马凡综合征", "has_phenotype", "脊柱侧弯"),
    ("高血压可导致脑卒中。", "高血压", "has_complication", "脑卒中"),
    ("哮喘的主要症状包括咳嗽。", "哮喘", "has_phenotype", "咳嗽"),
    ("哮喘常表现为反复咳嗽。", "哮喘", "has_phenotype", "咳嗽"),
    ("咳嗽常见于哮喘。", "哮喘", "has_phenotype", "咳嗽"),
    ("咳嗽多由哮喘引起。", "哮喘", "has_phenotype", "咳嗽"),
    ("咳嗽是哮喘的常见症状。", "哮喘", "has_phenotype", "咳嗽"),
    ("马凡综合征以脊柱侧弯为特征。", "马凡综合征", "has_phenotype", "脊柱侧弯"),
    ("脑卒中是高血压的常见并发症。", "高血压", "has_complication", "脑卒中"),
    ("氨氯地平用于治疗高血压。", "氨氯地平", "treats", "高血压"),
    ("高血压患者可用氨氯地平治疗。", "氨氯地平", "treats", "高血压"),
    ("妊娠禁用卡托普利。", "卡托普利", "contraindicated_in", "妊娠"),
    ("哮喘患者禁用卡托普利。", "卡托普利", "contraindicated_in", "哮喘"),
    ("卡托普利的不良反应包括咳嗽。", "卡托普利", "has_adverse_event", "咳嗽"),
    ("马凡综合征的诊断主要依靠超声心动图。", "马凡综合征", "is_diagnosed_by", "超声心动图"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "subject", "predicate", "object_"), SENTENCES)
def test_a_phrase_states_it_in_this_direction_only(
    said: Said, text: str, subject: str, predicate: str, object_: str
) -> None:
    assert said(text) == {(ENGLISH[subject], predicate, ENGLISH[object_])}


@pytest.mark.parametrize(
    ("text", "subject", "objects"),
    [
        ("Asthma can cause cough, headache and a severe fever.", "asthma", ["cough", "headache", "fever"]),
        ("哮喘可引起咳嗽、头痛和发热。", "哮喘", ["咳嗽", "头痛", "发热"]),
    ],
)
def test_an_enumeration_states_it_of_each_member(said: Said, text: str, subject: str, objects: list[str]) -> None:
    assert said(text) == {(ENGLISH[subject], "has_phenotype", ENGLISH[name]) for name in objects}


@pytest.mark.parametrize(
    "text",
    [
        "Asthma does not cause fever.",
        "Amlodipine is not used to treat asthma.",
        "Fever is not caused by asthma.",
        "Fever is not a symptom of asthma.",
        "哮喘不引起发热。",
        "氨氯地平不用于治疗哮喘。",
    ],
)
def test_what_the_text_denies_is_dropped_and_counted(extracted: Extract, text: str) -> None:
    found = extracted(text)
    assert not found.candidates
    assert found.tally.dropped_rows["statement", "the text denies it"] == 1


@pytest.mark.parametrize(
    "text",
    [
        "Drugs for asthma cause tremor.",  # the drugs do
        "Asthma causes fever blisters.",  # not fever
        "Amlodipine and asthma.",
        "Scoliosis can cause FBN1.",  # the ontology has no such statement
        "Asthma causes asthma.",
        "治疗哮喘的药可引起震颤。",
        "发热可引起超声心动图。",
        "哮喘，咳嗽。",
        "哮喘可引起时间。",  # a word that some source took for a finding
    ],
)
def test_other_sentences_state_nothing(said: Said, text: str) -> None:
    assert said(text) == set()


def test_a_section_states_what_it_mentions_of_its_subject(extracted: Extract) -> None:
    text = "# Marfan syndrome\n\n## Symptoms\n\nOften scoliosis but no fever.\n\n## Diagnosis\n\n- echocardiography\n"
    found = extracted(text)
    said = {(c.assertion.subject, c.assertion.predicate, c.assertion.object) for c in found.candidates}
    assert said == {("OMIM:1", "has_phenotype", "HP:1"), ("OMIM:1", "is_diagnosed_by", "ICD9:1")}
    assert found.tally.dropped_rows["statement", "the text says: absent"] == 1


def test_a_section_in_chinese_states_items_and_not_parts_of_words(said: Said) -> None:
    assert said("# 哮喘\n\n## 临床表现\n\n常有咳嗽、头痛。\n") == {
        ("asthma", "has_phenotype", "cough"),
        ("asthma", "has_phenotype", "headache"),
    }
    assert said("# 哮喘\n\n## 临床表现\n\n无咳嗽，头痛粉可能有害。\n") == set()


@pytest.mark.parametrize(
    "text",
    [
        "# Asthma\n\n## Symptoms\n\nCall a doctor if fever develops.\n",
        "# Asthma\n\n## Symptoms\n\nStroke, in contrast, causes a headache soon.\n",  # another subject
        "# Asthma\n\n## Differential diagnosis\n\nFever.\n",
        "# Asthma\n\n## Symptoms and treatment\n\nFever.\n",
        "# Asthma\n\n## Treatment\n\nAvoid amlodipine.\n",
        "# Asthma\n\n## Treatment\n\nA diet of corn.\n",  # a drug by name, which treats nothing in the graph
        "# Clinic\n\n## Symptoms\n\nFever.\n",  # of nothing that is known
        "# Asthma and stroke\n\n## Symptoms\n\nFever.\n",  # of which?
        "# 哮喘\n\n## 鉴别诊断\n\n发热。\n",
    ],
)
def test_a_section_does_not_state_what_it_only_mentions(said: Said, text: str) -> None:
    assert {row for row in said(text) if "asthma" in (row[0], row[2])} == set()


def test_the_evidence_is_the_sentence_at_its_place(extracted: Extract) -> None:
    text = "# Notes\n\n😀 First. Hypertension may lead to stroke. Last.\n"
    (candidate,) = extracted(text).candidates
    (statement,) = candidate.statements
    evidence = statement.evidence
    assert evidence.quote == statement.passage[statement.start : statement.end] == "Hypertension may lead to stroke."
    assert evidence.record == f"{statement.chunk}:{statement.start}-{statement.end}"
    assert (evidence.agent_type, evidence.knowledge_level) == ("text_mining_agent", "not_provided")
    assert (evidence.document, evidence.source) == ("documents:text.md", "documents")
    assert statement.rule == "pattern cause"


def test_what_may_happen_is_stated_with_less_confidence(extracted: Extract) -> None:
    (does,) = extracted("# Asthma\n\n## Symptoms\n\nA cough.\n").candidates
    (may,) = extracted("# Asthma\n\n## Symptoms\n\nThere may be cough, possibly cough.\n").candidates
    assert may.confidence < does.confidence
    assert may.statements[0].status == "uncertain"


def test_every_relation_is_one_of_the_ontology() -> None:
    domain = load_domain()
    for phrases in PHRASES.values():
        assert {phrase.relation for phrase in phrases} <= relations().keys()
    for relation in relations().values():
        assert relation.meanings
        for meaning in relation.meanings:
            domain.check_statement(meaning.subject, meaning.predicate, meaning.object)


WORDS = [*"asthma|cough|哮喘|咳嗽|causes|引起|、|, | |\n|可|常见|and|not|的|。|😀|\u202e|\x07".split("|"), "a" * 50]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.lists(st.sampled_from(WORDS), max_size=40))
def test_quotes_are_slices_and_everything_is_counted(extracted: Extract, words: list[str]) -> None:
    try:
        found = extracted("x " + "".join(words))
    except UnicodeError:  # nothing here is no text
        raise AssertionError from None
    found.tally.check()
    for candidate in found.candidates:
        for statement in candidate.statements:
            assert statement.passage[statement.start : statement.end] == statement.evidence.quote


@pytest.mark.parametrize(
    "piece",
    ["常见", "可", "严重的", "often ", "severe ", "(", "asthma ", "哮喘、", "asthma, ", "asthma causes ", "哮喘引起"],
)
def test_the_time_grows_with_the_text_only(extracted: Extract, piece: str) -> None:
    def seconds(size: int) -> float:
        started = time.perf_counter()
        extracted("Asthma " + piece * (size // len(piece)) + " cough")
        return time.perf_counter() - started

    seconds(1000)
    assert seconds(200_000) < 20
