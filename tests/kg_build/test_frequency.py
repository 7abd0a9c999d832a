import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_build.frequency import parse_frequency


@pytest.mark.parametrize(
    ("text", "share", "weight", "counted"),
    [
        ("3/7", 3 / 7, 7, True),
        (" 0 / 20 ", 0, 20, True),
        ("5/5", 1, 5, True),
        ("45%", 0.45, 10, False),
        ("12.5 %", 0.125, 10, False),
        ("HP:0040280", 1, 10, False),
        ("HP:0040281", 0.895, 10, False),
        ("HP:0040282", 0.545, 10, False),
        ("HP:0040283", 0.17, 10, False),
        ("HP:0040284", 0.025, 10, False),
        ("HP:0040285", 0, 10, False),
        (" HP:0040285 ", 0, 10, False),
    ],
)
def test_counts_percentages_and_classes_are_read(text: str, share: float, weight: float, counted: bool) -> None:
    read = parse_frequency(text)
    assert read is not None
    assert read.share == pytest.approx(share)
    assert (read.weight, read.counted) == (weight, counted)


@pytest.mark.parametrize(
    "text", ["", "0/0", "8/7", "101%", "-5%", "3/", "常见", "HP:0040279", "HP:0001250", "1e9%", "3/7/9", "nan%", "½"]
)
def test_what_is_empty_impossible_or_not_understood_is_none(text: str) -> None:
    assert parse_frequency(text) is None


@given(st.text(max_size=12) | st.from_regex(r"\A\d{1,4} ?(/ ?\d{1,4}|(\.\d+)?%)\Z"))
def test_a_share_is_always_within_its_bounds(text: str) -> None:
    read = parse_frequency(text)
    assert read is None or (0 <= read.low <= read.share <= read.high <= 1 and read.weight > 0)


@pytest.mark.parametrize(
    ("text", "low", "high"), [("3/4", 0.75, 0.75), ("45%", 0.45, 0.45), ("HP:0040281", 0.8, 0.99), ("HP:0040285", 0, 0)]
)
def test_a_class_allows_a_range_and_anything_else_one_share(text: str, low: float, high: float) -> None:
    read = parse_frequency(text)
    assert read is not None
    assert (read.low, read.high) == (low, high)
