"""The audit of CMeKG's symptom edges: its sample, its figures, and the verdicts that are recorded."""

import json
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_build.release import open_release
from tests.miniature import TRIPLES, cmekg_members, write_artefact

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "docs" / "results"
SYMPTOMS = sum(len(properties.get("常见症状", ())) for properties in TRIPLES.values())


def load() -> ModuleType:
    loader = SourceFileLoader("audit_cmekg", str(ROOT / "scripts" / "audit_cmekg"))
    spec = spec_from_loader("audit_cmekg", loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


SCRIPT = load()
RECORDED: dict[str, Any] = json.loads((RESULTS / "cmekg_symptoms.json").read_text(encoding="utf-8"))


# --- the sample --------------------------------------------------------------------------------------------


@given(st.lists(st.text(min_size=1), unique=True, max_size=40), st.randoms(use_true_random=False))
def test_the_same_ids_give_the_same_sample_in_whatever_order_they_come(identifiers: list[str], chance: Any) -> None:
    drawn = SCRIPT.draw(identifiers, 10)
    chance.shuffle(identifiers)
    assert SCRIPT.draw(identifiers, 10) == drawn
    assert len(set(drawn)) == len(drawn) == min(10, len(identifiers))
    assert set(drawn) <= set(identifiers)


def test_only_positive_symptoms_of_the_source_are_drawn(miniature_home: Path) -> None:
    release = open_release(miniature_home)
    heading, *lines = SCRIPT.table(release, 1)
    assert heading.split("\t") == ["assertion", "disease", "symptom", "record and quote"]
    edges = {(disease, symptom) for _, disease, symptom, _ in (line.split("\t") for line in lines)}
    stated = {
        (disease, symptom) for disease, properties in TRIPLES.items() for symptom in properties.get("常见症状", ())
    }
    assert edges == stated - {("感冒", "的症状"), ("感冒", "痛")}


def test_each_line_shows_the_row_it_came_from(miniature_home: Path) -> None:
    lines = SCRIPT.table(open_release(miniature_home), 1)
    assert [line.split("\t")[3] for line in lines if "\t蜘蛛指\t" in line] == ["马凡综合征/常见症状: 蜘蛛指"]


def test_a_second_reading_has_the_same_edges_in_another_order(miniature_home: Path) -> None:
    release = open_release(miniature_home)
    first, again, second = (list(SCRIPT.table(release, reading)) for reading in (1, 1, 2))
    assert first == again != second
    assert sorted(first) == sorted(second)


# --- figures -----------------------------------------------------------------------------------------------


def test_the_interval_of_a_tenth() -> None:
    # By hand, 10 of 100 with z = 1.96: (0.1 + 0.019208 ± 1.96 · √(0.0009 + 0.00009604)) / 1.038416.
    assert SCRIPT.wilson(10, 100) == pytest.approx((0.0552, 0.1744), abs=5e-5)


def test_none_and_all_have_intervals_too() -> None:
    assert SCRIPT.wilson(0, 10) == pytest.approx((0.0, 0.2775), abs=5e-5)
    assert SCRIPT.wilson(10, 10) == pytest.approx((0.7225, 1.0), abs=5e-5)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_an_interval_holds_its_rate_and_stays_a_rate(observed: tuple[int, int]) -> None:
    low, high = SCRIPT.wilson(*observed)
    assert 0 <= low <= observed[0] / observed[1] <= high <= 1


def test_kappa_by_hand() -> None:
    # 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no: agreement 0.7, by chance 0.5 · 0.6 + 0.5 · 0.4 = 0.5.
    first = ["yes"] * 25 + ["no"] * 25
    second = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    assert SCRIPT.kappa(first, second) == pytest.approx(0.4)


def test_kappa_is_one_for_equals_and_nought_by_chance() -> None:
    assert SCRIPT.kappa(["a", "b", "a"], ["a", "b", "a"]) == 1
    assert SCRIPT.kappa(["a", "a"], ["a", "a"]) == 1
    assert SCRIPT.kappa(["a", "a", "b", "b"], ["a", "b", "a", "b"]) == 0


def test_verdicts_become_rates() -> None:
    verdicts = [
        {"first": "right", "second": "right", "final": "right"},
        {"first": "loose", "second": "right", "final": "loose", "why": "complication: late"},
        {"first": "wrong", "second": "wrong", "final": "wrong", "why": "another thing"},
        {"first": "loose", "second": "loose", "final": "loose", "why": "complication"},
    ]
    figures = SCRIPT.read_findings({str(i): entry for i, entry in enumerate(verdicts)})
    assert figures["verdicts"] == {"right": 1, "loose": 2, "not_a_finding": 0, "wrong": 1, "unclear": 0}
    assert {name: e["rate"] for name, e in figures["error_rates"].items()} == {
        "wrong": 0.25,
        "wrong_or_not_a_finding": 0.25,
        "not_right": 0.75,
    }
    assert figures["faults"] == {"complication": 2, "another thing": 1}
    assert figures["agreement"]["per_cent"] == 75


def test_what_the_reader_left_out_of_the_symptoms(tmp_path: Path) -> None:
    balance = SCRIPT.symptom_balance(write_artefact(tmp_path, "cmekg", cmekg_members()))
    dropped = {"fragment of a sentence": 1, "one character": 1, "repeats a triple": 1}
    assert balance == {"in": SYMPTOMS, "kept": SYMPTOMS - 3, "dropped": dropped}


# --- what is recorded --------------------------------------------------------------------------------------


def test_two_hundred_edges_were_read_and_every_fault_has_a_reason() -> None:
    verdicts = RECORDED["verdicts"]
    assert len(verdicts) == SCRIPT.SIZE
    assert RECORDED["about"]["seed"] == SCRIPT.SEED
    for entry in verdicts.values():
        assert {entry["first"], entry["second"], entry["final"]} <= SCRIPT.VERDICTS.keys()
        assert ("why" in entry) == (entry["final"] != "right")


def test_a_third_look_touched_only_what_was_open() -> None:
    for entry in RECORDED["verdicts"].values():
        if entry["first"] == entry["second"] != "unclear":
            assert entry["final"] == entry["first"]


def test_nothing_of_the_source_is_stored() -> None:
    assert (RESULTS / "cmekg_symptoms.json").read_text(encoding="utf-8").isascii()


def test_the_page_shows_the_figures_of_the_verdicts() -> None:
    page = (RESULTS / "cmekg_symptoms.md").read_text(encoding="utf-8")
    shown = "\n".join(SCRIPT.verdict_lines(SCRIPT.read_findings(RECORDED["verdicts"])))
    assert shown in page, "run scripts/audit_cmekg report --page"


@pytest.mark.release
def test_the_edges_that_were_read_are_a_sample_of_the_release(default_home: Path) -> None:
    edges = SCRIPT.symptom_edges(open_release(default_home))
    assert RECORDED["verdicts"].keys() <= edges.keys()
    assert len(edges) == pytest.approx(RECORDED["about"]["population"], rel=0.001)


@pytest.mark.release
def test_the_balance_closes_on_the_evidence_of_the_release(default_home: Path) -> None:
    release = open_release(default_home)
    edges = SCRIPT.symptom_edges(release)
    evidence = sum(
        source == "cmekg" and assertion in edges
        for assertion, source in SCRIPT.read(release, "evidence", "assertion", "source")
    )
    archive = default_home / "cache" / "artefacts" / SCRIPT.SOURCE.artefacts[0].filename
    if not archive.is_file():
        pytest.skip("the release was built from files outside its cache")
    assert SCRIPT.symptom_balance(archive)["kept"] == evidence
