"""Numbers in digits and words, and units in their many spellings."""

import re

import pytest

from ontology.reading.quantities import CHINESE, ENGLISH, NUMBER, find_unit, read_number, unit_key

NUMBERS = [
    ("38.5", 38.5),
    ("45,000", 45000),
    ("1,200,000", 1200000),
    ("three", 3),
    ("Twenty-one", 21),
    ("forty five", 45),
    ("half a", 0.5),
    ("a couple of", 2),
    ("an", 1),
    ("三", 3),
    ("两", 2),
    ("十", 10),
    ("十五", 15),
    ("二十", 20),
    ("三十六", 36),
    ("廿三", 23),
    ("一百零五", 105),
    ("半", 0.5),
]


@pytest.mark.parametrize(("text", "number"), NUMBERS)
def test_numbers(text: str, number: float) -> None:
    assert re.fullmatch(rf"{NUMBER}|{ENGLISH}|{CHINESE}", text, re.IGNORECASE)
    assert read_number(text) == number


SPELLINGS = [
    ("10^9/l", ["10^9/L", "×10^9/L", "x10^9/L", "x 10^9/L", "*10^9/L", "×10⁹/L", "10E9/L", "x109/L", "10**9/L"]),
    ("10^3/ul", ["K/uL", "k/µL", "10^3/uL", "×10³/μL", "thou/mm3"]),
    ("/ul", ["/uL", "/µL", "/mm3", "/mm³", "cells/uL", "个/μL", "/mcL"]),
    ("ug/dl", ["ug/dL", "µg/dL", "μg/dl", "mcg/dL"]),
    ("umol/l", ["umol/L", "µmol/L", "μmol/L"]),
    ("u/l", ["U/L", "u/l", "units/L"]),
    ("/min", ["bpm", "/min", "次/分", "次/分钟", "beats/min", "breaths per minute"]),
    ("°c", ["°C", "℃", "° C", "摄氏度", "度", "C"]),
    ("mm/h", ["mm/h", "mm/hr", "mm/1h"]),
    ("/hpf", ["/HPF", "/hp", "个/HP", "/高倍视野"]),
    ("g/24h", ["g/24h", "g/24 hours", "g/day", "g/24小时"]),
    ("mmhg", ["mmHg", "毫米汞柱"]),
    ("kg", ["kg", "公斤"]),
    ("ml/min/1.73m2", ["mL/min/1.73m2", "ml/min/1.73 m²", "mL/min/1.73m^2"]),
]


@pytest.mark.parametrize(("key", "spellings"), SPELLINGS)
def test_spellings_of_a_unit_have_one_key(key: str, spellings: list[str]) -> None:
    for spelling in spellings:
        found = find_unit(f"5 {spelling}, next", 1)
        assert found is not None, spelling
        assert (found["unit"], unit_key(spelling)) == (spelling, key)


@pytest.mark.parametrize("text", [" and more", "", " (high)", " 。", " mgx", " Kiel", "\n mg"])
def test_words_are_no_units(text: str) -> None:
    assert find_unit(text, 0) is None
