"""The table of measurements: its units agree, its sources are named, its findings are those of the graph."""

from pathlib import Path

import pytest

from kg_build.release import open_release
from ontology.reading.laboratory import Laboratory, level_between, load_laboratory
from ontology.reading.quantities import find_unit, unit_key
from ontology.reading.values import find_values

TESTS = load_laboratory().tests
FINDINGS = sorted({finding for test in TESTS.values() for finding in (test.low, test.high) if finding})


def test_the_table_has_at_least_sixty_laboratory_tests() -> None:
    assert sum(test.kind == "laboratory" for test in TESTS.values()) >= 60


def test_no_name_means_two_tests() -> None:
    owner: dict[str, str] = {}
    for key, test in TESTS.items():
        for name in (*test.names, *test.with_unit):
            assert owner.setdefault(name, key) == key, name


@pytest.mark.parametrize("key", TESTS)
def test_units_are_understood_and_unlike_each_other(key: str) -> None:
    keys = [unit_key(unit) for unit in TESTS[key].units if unit != "1"]
    assert len(keys) == len(set(keys))
    for unit in TESTS[key].units:
        found = find_unit(" " + unit, 0)
        assert unit == "1" or (found is not None and found["unit"] == unit)


@pytest.mark.parametrize("key", TESTS)
def test_limits_are_plausible(key: str) -> None:
    for limits in TESTS[key].limits:
        for limit in (limits.low, limits.high):
            assert limit is None or TESTS[key].is_plausible(limit)
        assert limits.low is None or limits.high is None or limits.low < limits.high


CONVERSIONS = [
    ("glucose 180 mg/dL", 9.99),
    ("creatinine 1 mg/dL", 88.42),
    ("calcium 10 mg/dL", 2.495),
    ("total bilirubin 1 mg/dL", 17.1),
    ("cholesterol 200 mg/dL", 5.172),
    ("triglycerides 150 mg/dL", 1.694),
    ("uric acid 7 mg/dL", 416.4),
    ("BUN 20 mg/dL", 7.14),
    ("Hb 12 g/dL", 120),
    ("HbA1c 48 mmol/mol", 6.543),
    ("temperature 98.6 F", 37),
    ("pCO2 5.3 kPa", 39.75),
    ("iron 100 ug/dL", 17.91),
    ("cortisol 10 ug/dL", 275.9),
    ("vitamin D 20 ng/mL", 49.92),
    ("magnesium 2 mg/dL", 0.8228),
    ("phosphate 3 mg/dL", 0.9687),
    ("platelets 150,000/uL", 150),
    ("HCT 0.42 L/L", 42),
]


@pytest.mark.parametrize(("text", "number"), CONVERSIONS)
def test_conversions(text: str, number: float) -> None:
    (value,) = find_values(text)
    assert value.number == pytest.approx(number, rel=2e-3)


BOUNDED = [
    (5, (4, 11), "", "normal"),
    (4, (4, 11), "", "normal"),
    (3.9, (4, 11), "", "low"),
    (11.1, (4, 11), "", "high"),
    (4, (4, 11), "<", "low"),
    (5, (4, 11), "<", ""),
    (0.01, (None, 0.04), "<", "normal"),
    (0.5, (None, 0.04), "<", ""),
    (11, (4, 11), ">", "high"),
    (90, (60, None), ">", "normal"),
    (50, (60, None), ">", ""),
    (5, (None, None), "", ""),
]


@pytest.mark.parametrize(("number", "bounds", "comparator", "level"), BOUNDED)
def test_levels(number: float, bounds: tuple[float | None, float | None], comparator: str, level: str) -> None:
    assert level_between(number, bounds, comparator) == level


def test_limits_without_a_source_are_refused() -> None:
    row = {"names": ["x"], "units": {"g/L": 1}, "plausible": [0, 9], "limits": [{"low": 1}]}
    file = {"sources": {}, "specimens": {}, "beside": {}}
    with pytest.raises(ValueError, match="limits need a source"):
        Laboratory.model_validate(file | {"tests": {"x": row}})
    with pytest.raises(ValueError, match="unknown source"):
        Laboratory.model_validate(file | {"tests": {"x": row | {"source": "hearsay"}}})


def test_a_number_is_plausible_in_one_unit_or_several() -> None:
    creatinine = TESTS["creatinine"]
    assert creatinine.plausible_factors(1.1) == [(88.42, 0.0)]
    assert creatinine.plausible_factors(90) == [(1, 0.0)]
    assert len(creatinine.plausible_factors(12)) == 2
    assert creatinine.plausible_factors(0.01) == []


@pytest.mark.release
def test_every_finding_is_in_the_release_under_its_label(default_home: Path) -> None:
    release = open_release(default_home)
    entities = release.table("entity", ["id", "deprecated"]).to_pylist()
    withdrawn = {row["id"] for row in entities if row["deprecated"]}
    names = {(row["entity"], row["text"]) for row in release.table("name", ["entity", "text"]).to_pylist()}
    assert [finding for finding in FINDINGS if finding not in names or finding[0] in withdrawn] == []
