"""A linking set from two catalogues that list the same things in two languages."""

import json
import zipfile
from pathlib import Path
from typing import cast

import pytest

from kg_build.release import Release
from ontology.errors import ClewError, Code
from ontology.model import Name
from reasoning.evaluation.linking.aligned import TITLES, aligned_symptoms, write_aligned_sets
from tests.kg_build.graphs import collect, entity

ENGLISH = {"Migraine": ["Headache", "Vomiting", "No such sign"], "Flu": ["Fever", "Pains"]}
CHINESE = {"偏头痛": ["头疼", "吐", "没有"], "流感": ["发热", "吐"]}


def wheel(folder: Path) -> Path:
    path = folder / "catalogues.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for place, catalogue in (("", ENGLISH), ("zh_CN/", CHINESE)):
            listed = {name: {"symptoms": symptoms} for name, symptoms in catalogue.items()}
            module = f"raise SystemExit\nDISEASE_CORRELATIONS: dict[str, dict[str, list[str]]] = {listed!r}\n"
            archive.writestr(f"faker_healthcare/{place}disease_correlations.py", module)
    return path


class Tables:
    """The tables of a release without one."""

    def __init__(self) -> None:
        terms = [("HP:1", "Headache"), ("HP:2", "Vomiting"), ("HP:3", "Fever"), ("HP:4", "Pain"), ("HP:4", "Pains")]
        names = [*((curie, "en", text) for curie, text in terms), ("HP:3", "zh", "发热")]
        entities = [entity(curie, "PhenotypicFeature") for curie in ("HP:1", "HP:2", "HP:3", "HP:4")]
        self._tables = collect(
            [*entities, *(Name(curie, lang, text, "exact", "hpo", "") for curie, lang, text in names)]
        )

    def table(self, name: str) -> object:
        return self._tables[name]


@pytest.fixture
def release() -> Release:
    return cast("Release", Tables())


def test_catalogues_are_read_as_literals_place_by_place(tmp_path: Path) -> None:
    pairs = [("Headache", "头疼"), ("Vomiting", "吐"), ("No such sign", "没有"), ("Fever", "发热"), ("Pains", "吐")]
    assert list(aligned_symptoms(wheel(tmp_path))) == pairs


def test_a_chinese_symptom_has_the_terms_of_all_its_english_ones(tmp_path: Path, release: Release) -> None:
    counts = write_aligned_sets(release, lambda _: [], wheel(tmp_path), tmp_path / "sets")
    lines = (tmp_path / "sets" / f"{TITLES[0]}.jsonl").read_text(encoding="utf-8").splitlines()
    assert {case["name"]: case["ids"] for case in map(json.loads, lines)} == {
        "头疼": ["HP:1"],
        "吐": ["HP:2", "HP:4"],
        "发热": ["HP:3"],
    }
    assert counts == {f"{TITLES[0]}.jsonl": 3, f"{TITLES[1]}.jsonl": 2}


def test_what_is_a_chinese_name_already_is_seen(tmp_path: Path, release: Release) -> None:
    write_aligned_sets(release, lambda curie: ["HP:3"] if curie == "HP:1" else [], wheel(tmp_path), tmp_path / "sets")
    lines = (tmp_path / "sets" / f"{TITLES[1]}.jsonl").read_text(encoding="utf-8").splitlines()
    assert [case["name"] for case in map(json.loads, lines)] == ["头疼", "吐"]


def test_a_package_without_a_catalogue_is_a_coded_error(tmp_path: Path) -> None:
    path = tmp_path / "catalogues.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("faker_healthcare/disease_correlations.py", "DISEASE_CORRELATIONS: dict = dict()")
    with pytest.raises(ClewError) as caught:
        list(aligned_symptoms(path))
    assert caught.value.code is Code.UNREADABLE_SOURCE
