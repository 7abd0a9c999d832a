"""What two names say that cannot be said of one thing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_build.contradiction import contradictions, other_ages


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ("II型糖尿病", "Diabetes mellitus type 1", "the numbers differ (2 and 1)"),
        ("神经纤维瘤病", "Neurofibromatosis, type 1", "the numbers differ (none and 1)"),
        ("糖原贮积病Ⅳ型", "Glycogen storage disease III", "the numbers differ (4 and 3)"),
        ("三期梅毒", "Secondary syphilis", "the numbers differ (3 and none)"),
        ("高血压", "Hypotension", "one says high, the other low"),
        ("慢性支气管炎", "Acute bronchitis", "one says chronic, the other acute"),
        ("先天性耳聋", "Acquired deafness", "one says congenital, the other acquired"),
        ("乙型肝炎", "Hepatitis A", "one says b, the other a"),
        ("选择性IgA缺乏症", "Selective IgM deficiency", "one says a, the other m"),
        ("小儿马方综合征", "Marfan syndrome", "they speak of different ages (childhood and none)"),
        ("新生儿黄疸", "Jaundice of the elderly", "they speak of different ages (birth and old age)"),
    ],
)
def test_names_that_cannot_both_hold_say_why(one: str, other: str, reason: str) -> None:
    assert reason in contradictions(one, other)
    assert contradictions(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2型糖尿病", "Diabetes mellitus type II"),
        ("Ⅷ因子缺乏", "Factor VIII deficiency"),
        ("第三腰椎横突综合征", "Syndrome of the 3rd lumbar transverse process"),
        ("X连锁鱼鳞病", "X-linked ichthyosis"),
        ("低血糖", "Hyperinsulinemic hypoglycemia"),
        ("高位尿道下裂", "Hypospadias"),
        ("甲型肝炎", "Hepatitis A"),
        ("新生儿黄疸", "Neonatal jaundice"),
        ("支气管炎", "Acute bronchitis"),
        ("", ""),
    ],
)
def test_names_that_may_name_one_thing_have_nothing_against_them(one: str, other: str) -> None:
    assert contradictions(one, other) == []


@given(st.text(max_size=30))
def test_no_name_contradicts_itself(name: str) -> None:
    assert contradictions(name, name) == other_ages(name, name) == []
