"""Names are compared by their normal form, which leads back to the text; sentences in two languages."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ontology.reading.text import language, normal_form, normalise, sentences

MIXED = st.text(alphabet="aB1.- '’_/,，。;、（）头痛é\u0301ß½ﬁ\u200b\n", max_size=40)
ANY = st.text(max_size=40) | MIXED


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Alzheimer's disease", "alzheimers  disease"),
        ("Alzheimer’s disease", "Alzheimer's disease"),
        ("T-cell lymphoma", "t cell lymphoma"),
        ("Ménière disease", "Meniere disease"),
        ("Seizures, febrile", "seizures febrile"),
        ("pain/ache", "pain ache"),
        ("HIV 感染", "HIV感染"),
        ("头 痛", "头痛"),
        ("高血压（原发性）", "高血压(原发性)"),
        ("２型糖尿病", "2型糖尿病"),
        ("fi\u200bbrosis", "ﬁbrosis"),
    ],
)
def test_ways_of_writing_one_name_are_equal(one: str, other: str) -> None:
    assert normal_form(one) == normal_form(other)


@pytest.mark.parametrize(("one", "other"), [("CD4+", "CD4"), ("1.5", "1 5"), ("Factor V", "Factor X")])
def test_different_names_differ(one: str, other: str) -> None:
    assert normal_form(one) != normal_form(other)


@given(ANY)
@example("㏠:#0")
def test_the_normal_form_is_its_own_normal_form(text: str) -> None:
    assert normal_form(normal_form(text)) == normal_form(text)


@given(ANY)
def test_the_way_back_covers_the_normal_form(text: str) -> None:
    norm = normalise(text)
    assert norm.text == normal_form(text)
    starts = [norm.start(i) for i in range(len(norm.text))]
    ends = [norm.end(i + 1) for i in range(len(norm.text))]
    assert starts == sorted(starts)
    assert all(0 <= start < end <= len(text) for start, end in zip(starts, ends, strict=True))


@given(MIXED)
def test_a_slice_of_the_way_back_has_the_same_normal_form(text: str) -> None:
    norm = normalise(text)
    if norm.text:
        assert normal_form(text[norm.start(0) : norm.end(len(norm.text))]) == norm.text


def test_an_accent_of_its_own_belongs_to_its_letter() -> None:
    norm = normalise("cafe\u0301 noir")
    assert norm.source[norm.start(0) : norm.end(4)] == "cafe\u0301"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The patient has fever.", "en"),
        ("患者发热3天。", "zh"),
        ("HIV感染", "zh"),
        ("the Chinese word 头痛 means headache", "en"),
        ("患者服用 Metformin 后出现 lactic acidosis", "zh"),
        ("", "en"),
    ],
)
def test_the_language_is_that_of_most_words(text: str, expected: str) -> None:
    assert language(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No fever. Cough persists!", ["No fever.", "Cough persists!"]),
        ("Dr. Smith saw J. Doe.", ["Dr. Smith saw J. Doe."]),
        ("A mass of 3.5 cm. It hurts.", ["A mass of 3.5 cm.", "It hurts."]),
        ("Anaemia, e.g. of iron. See Fig. 2.", ["Anaemia, e.g. of iron.", "See Fig. 2."]),
        ("1. Fever\n2. Cough", ["1. Fever", "2. Cough"]),
        ("Is he ill? No.", ["Is he ill?", "No."]),
        ("发热3天。无咳嗽；头痛！", ["发热3天。", "无咳嗽；", "头痛！"]),
        ("他说：“头痛。”随后入院", ["他说：“头痛。”", "随后入院"]),
        ("体温38.5度，咳嗽", ["体温38.5度，咳嗽"]),
    ],
)
def test_sentences_end_where_readers_end_them(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in sentences(text)] == expected


@given(ANY)
def test_sentences_are_in_order_and_leave_out_only_blanks(text: str) -> None:
    spans = sentences(text)
    reached, left = 0, ""
    for start, end in spans:
        assert reached <= start < end
        assert text[start:end] == text[start:end].strip()
        left += text[reached:start]
        reached = end
    assert not (left + text[reached:]).strip()
