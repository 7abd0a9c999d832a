"""A dictionary depends on its names alone: not on their order, nor on how often each is given."""

from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ontology.reading.sense import KINDS, Sense, preference
from ontology.reading.terminology_build import build_terminology
from ontology.reading.text import normal_form

SENSES = st.builds(
    Sense,
    st.sampled_from(["HP:1", "HP:2", "cmekg:头痛"]),
    st.sampled_from(["Disease", "Gene"]),
    st.sampled_from(["en", "zh"]),
    st.sampled_from(["Seizure", "seizures", "Alzheimer's disease", "头痛", "头 痛", "MI", "mi", "—", "Fits"]),
    st.sampled_from(KINDS),
)


def files(senses: list[Sense], folder: Path) -> dict[str, bytes]:
    """What is saved."""
    build_terminology(senses).save(folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(SENSES, max_size=8))
def test_equal_names_give_equal_files(tmp_path: Path, senses: list[Sense]) -> None:
    assert files(senses, tmp_path / "a") == files([*reversed(senses), *senses], tmp_path / "b")


@given(st.lists(SENSES, max_size=8))
def test_each_name_is_kept_once_preferred_ones_first(senses: list[Sense]) -> None:
    built = build_terminology(senses)
    named = {sense for sense in senses if normal_form(sense.text)}
    assert len(built) == len(named)
    for name in named:
        same = [sense for sense in named if normal_form(sense.text) == normal_form(name.text)]
        assert built.lookup(name.text) == sorted(same, key=preference)
        assert built.by_id(name.entity) == sorted((s for s in named if s.entity == name.entity), key=preference)


def test_a_variant_leads_to_every_name_that_it_may_stand_for() -> None:
    built = build_terminology([
        Sense("HP:1", "PhenotypicFeature", "en", "Alzheimer's diseases", "label"),
        Sense("HP:2", "PhenotypicFeature", "en", "Alzheimers disease", "label"),
        Sense("HP:3", "Gene", "en", "Alzheimers disease", "label"),
    ])  # fmt: skip
    (match,) = built.find("alzheimer diseases")
    assert [sense.entity for sense in match.senses] == ["HP:1"]
    assert [sense.entity for sense in built.find("alzheimers diseases")[0].senses] == ["HP:1"]
    assert [sense.entity for sense in built.find("alzheimers disease")[0].senses] == ["HP:2"]


def test_hundreds_of_languages_are_no_limit(tmp_path: Path) -> None:
    names = [Sense("HP:1", "Disease", f"x-{n}", f"name {n}", "label") for n in range(300)]
    build_terminology(names).save(tmp_path)
    assert np.load(tmp_path / "row_lang.npy").max() == 299
