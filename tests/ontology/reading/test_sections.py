"""Where the sections of a note begin, and what kind they are."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontology.reading.sections import find_sections

HEADINGS = [
    ("Chief Complaint: fever", "chief_complaint"),
    ("CC: fever", "chief_complaint"),
    ("History of Present Illness: he fell", "present_illness"),
    ("HISTORY OF PRESENT ILLNESS\nhe fell", "present_illness"),
    ("HPI - he fell", "present_illness"),
    ("hpi: he fell", "present_illness"),
    ("PMHx: gout", "past_history"),
    ("Past Medical History\ngout", "past_history"),
    ("PSH: none", "past_history"),
    ("FHx: stroke", "family_history"),
    ("Family history: stroke", "family_history"),
    ("Social History: smoker", "personal_history"),
    ("Home Medications:\n1. aspirin", "medications"),
    ("Allergies - none", "allergies"),
    ("ROS: negative", "review_of_systems"),
    ("Vital signs: T 37", "vital_signs"),
    ("O/E: clear lungs", "examination"),
    ("PHYSICAL EXAM:\nalert", "examination"),
    ("**Labs:** Na 140", "tests"),
    ("## Imaging\nnormal", "tests"),
    ("3. Impression: gout", "assessment"),
    ("A/P: rest", "assessment"),
    ("Plan – rest", "plan"),
    ("Hospital Course: stable", "course"),
    ("Discharge Instructions:\nrest", "instructions"),
    ("主诉：发热3天", "chief_complaint"),
    ("一、主诉\n发热3天", "chief_complaint"),
    ("【现病史】患者3天前发热", "present_illness"),
    ("现病史:患者3天前发热", "present_illness"),
    ("既往史　体健", "past_history"),
    ("既往史 体健", "past_history"),
    ("2、既往史：体健", "past_history"),
    ("个人史：无烟酒嗜好", "personal_history"),
    ("月经史：规律", "personal_history"),
    ("婚育史：已婚", "personal_history"),
    ("家族史：父亲高血压", "family_history"),
    ("过敏史：青霉素", "allergies"),
    ("用药史：阿司匹林", "medications"),
    ("查体：神清", "examination"),
    ("（三）体格检查\n神清", "examination"),
    ("专科检查：腹软", "examination"),
    ("辅助检查：WBC 15", "tests"),
    ("实验室检查：WBC 15", "tests"),
    ("检查：正常", "tests"),
    ("初步诊断：肺炎", "assessment"),
    ("诊断\n肺炎", "assessment"),
    ("印象：肺炎", "assessment"),
    ("诊疗经过：好转", "course"),
    ("处理：休息", "plan"),
    ("出院医嘱：休息", "instructions"),
    ("［诊断］肺炎", "assessment"),
]


@pytest.mark.parametrize(("text", "kind"), HEADINGS)
def test_a_heading_at_the_beginning_of_a_line(text: str, kind: str) -> None:
    (section,) = find_sections(text)
    assert section.kind == kind
    assert section.heading in text
    assert text[section.body :].strip()


PROSE = [
    "The patient's family history is unremarkable.",
    "We discussed the plan to discharge him.",
    "His family history: nothing known.",
    "Past medical history is significant for gout.",
    "The assessment of pain was difficult",
    "Ratio 3:1 was seen, see table: below.",
    "plan-based care",
    "否认家族史。",
    "患者既往史不详。",
    "诊断为肺炎，治疗后好转。",
    "检查未见异常：正常。",
    "家族史无特殊",
]


@pytest.mark.parametrize("text", PROSE)
def test_prose_with_the_same_words_has_no_heading(text: str) -> None:
    assert [section.kind for section in find_sections(text)] == [""]


def test_telegraphic_notes_have_several_headings_in_a_line() -> None:
    text = "45F chest pain. PMH: HTN, DM. FH: stroke. Meds: aspirin. Allergies: none"
    assert [(section.kind, text[section.body : section.end].strip()) for section in find_sections(text)] == [
        ("", "45F chest pain."),
        ("past_history", "HTN, DM."),
        ("family_history", "stroke."),
        ("medications", "aspirin."),
        ("allergies", "none"),
    ]


def test_chinese_notes_have_several_headings_in_a_line() -> None:
    text = "男，45岁。主诉：发热3天。现病史：患者受凉后发热；查体：T38℃ 辅助检查：WBC 15。【诊断】肺炎"
    assert [(section.kind, text[section.body : section.end].strip()) for section in find_sections(text)] == [
        ("", "男，45岁。"),
        ("chief_complaint", "发热3天。"),
        ("present_illness", "患者受凉后发热；"),
        ("examination", "T38℃"),
        ("tests", "WBC 15。"),
        ("assessment", "肺炎"),
    ]


def test_the_heading_starts_with_its_number_and_the_body_after_its_colon() -> None:
    text = "  二、 现病史 ： 患者\n"
    first, section = find_sections(text)
    assert (first.kind, first.start, first.end) == ("", 0, 2)
    assert (section.start, section.heading, text[section.body : section.end]) == (2, "现病史", "患者\n")


def test_an_empty_section_has_its_body_at_its_end() -> None:
    first, second = find_sections("PMH:\nFH: none")
    assert (first.body, first.end) == (second.start, second.start) == (5, 5)


def test_an_empty_text_has_no_sections() -> None:
    assert find_sections("") == []


PIECES = st.sampled_from(
    [*"：:【】[]。.- \n\t\u3000一、1)#*", "PMH", "plan", "Plan", "主诉", "既往史", "诊断", "x", "\ud800", "😀"]
)


@given(st.one_of(st.text(), st.lists(PIECES).map("".join)))
def test_sections_are_the_whole_text_in_order(text: str) -> None:
    sections = find_sections(text)
    assert "".join(text[section.start : section.end] for section in sections) == text
    for section in sections:
        assert section.start <= section.body <= section.end
        assert section.heading in text[section.start : section.body]
        assert bool(section.kind) == bool(section.heading)


@pytest.mark.parametrize("piece", ["PMH: ", "主诉", "\n", "【", ":", " ", "一、", "1. ", "#", "\n  ", "past ", "。："])
def test_time_is_linear_in_hostile_repeats(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    began = time.process_time()
    find_sections(text)
    assert time.process_time() - began < 4  # about 1 s on one core; anything quadratic takes hours
