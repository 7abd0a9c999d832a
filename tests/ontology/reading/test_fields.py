"""The field of a form that a mention stands in; everything else is no field."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontology.reading.fields import field_around


def field(text: str, name: str) -> str:
    start = text.index(name)
    begin, end = field_around(text, 0, len(text), start, start + len(name))
    return text[begin:end].strip()


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("跌倒:否  吞咽困难:是  压疮:否", "吞咽困难", "吞咽困难:是"),
        ("水肿：0，腹水：1+，扑翼样震颤：0", "腹水", "腹水：1+，"),
        ("恶心（+）呕吐（-）腹泻（-）", "呕吐", "呕吐（-）"),
        ("高血压√ 糖尿病× 冠心病×", "糖尿病", "糖尿病×"),
        ("吸烟：有☑ 无□  饮酒：有□ 无☑", "饮酒", "饮酒：有□ 无☑"),
        ("咳嗽☑ 咯血□ 胸痛□", "咯血", "咯血□"),
        ("☑咳嗽 □咯血 □胸痛", "咯血", "□咯血"),
        ("症状：☑咳嗽 □咯血", "咳嗽", "☑咳嗽"),
    ],
)
def test_an_answer_is_of_the_name_beside_it(text: str, name: str, expected: str) -> None:
    assert field(text, name) == expected


@pytest.mark.parametrize("text", ["无发热，咳嗽", "咳嗽:是", "诊断：咳嗽", "咳嗽☑", "有☑ 无□ 咳嗽 有□"])
def test_what_is_in_no_field_is_read_with_all_that_is_around(text: str) -> None:
    assert field(text, "咳嗽") == text


@given(st.text(alphabet="咳嗽:：是否无☑□（+-） ，、√×", max_size=60), st.data())
def test_a_field_holds_its_mention(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, len(text)))
    begin, end = field_around(text, 0, len(text), start, stop)
    assert 0 <= begin <= start <= stop <= end <= len(text)
