"""Presets: what each paper says, where every value comes from, and what is left without a component."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import retrieval.preset
from ontology.errors import ClewError, Code
from retrieval.hit import CHANNELS
from retrieval.preset import COMPONENTS, ORIGINS, Preset, Values, load_preset, preset_names, read_preset

FOLDER = Path(retrieval.preset.__file__).parent / "presets"
PAPERS = {"ihrag", "ica-rag", "sema-rag", "targeted-rag", "gentext"}
presets = st.sampled_from(preset_names()).map(load_preset)
components = st.sampled_from(list(COMPONENTS))


def flat(values: Values) -> dict[str, Any]:
    """The values by dotted name."""
    return {f"{s}.{key}": value for s, keys in values.model_dump().items() for key, value in keys.items()}


def test_there_is_one_for_each_paper_and_the_default_comes_first() -> None:
    assert preset_names()[0] == "default"
    assert set(preset_names()) == PAPERS | {"default"}


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_loads_and_every_value_says_where_it_comes_from(name: str) -> None:
    preset = load_preset(name)
    assert (preset.name, bool(preset.title)) == (name, True)
    assert preset.origins.keys() == flat(preset.values).keys()
    assert all(ORIGINS.fullmatch(origin) for origin in preset.origins.values())
    assert load_preset(name) is preset


@pytest.mark.parametrize(
    ("name", "parameter", "value"),
    [
        ("ihrag", "router.threshold", 5),  # COMPLEXITY_THRESHOLD
        ("ihrag", "router.below", ("dense",)),
        ("ihrag", "router.above", ("dense", "graph")),
        ("ihrag", "decomposition.per_entity", 3),
        ("ihrag", "decomposition.most", 5),
        ("ihrag", "decomposition.order", "one by one"),
        ("ihrag", "decomposition.properties", "of the type"),
        ("ihrag", "passages.most", 5),  # VECTOR_TOP_K
        ("ica-rag", "queries.form", "sentences"),
        ("ica-rag", "router.above", ("lexical",)),  # BM25
        ("ica-rag", "passages.documents", True),
        ("sema-rag", "passages.most", 16),  # k
        ("sema-rag", "router.above", ("dense",)),
        ("targeted-rag", "queries.form", "rationale"),
        ("targeted-rag", "passages.quotas", "equal"),  # |S_1| = |S_2| = n
        ("targeted-rag", "passages.drugs_first", True),
        ("gentext", "router.above", ("lexical",)),  # BM25
    ],
)
def test_what_a_paper_publishes_is_what_its_preset_has_and_it_says_so(name: str, parameter: str, value: object) -> None:
    preset = load_preset(name)
    assert flat(preset.values)[parameter] == value
    assert preset.origins[parameter].startswith("paper")


@pytest.mark.parametrize(
    ("name", "parameter"),
    [
        ("ihrag", "fusion.dense"),  # alpha
        ("ica-rag", "fusion.depth"),  # m
        ("gentext", "passages.discount"),
    ],
)
def test_what_a_paper_does_not_publish_is_not_said_to_be_the_papers(name: str, parameter: str) -> None:
    assert not load_preset(name).origins[parameter].startswith("paper")


@pytest.mark.parametrize("name", sorted(PAPERS))
def test_a_channel_that_a_preset_never_asks_has_no_weight(name: str) -> None:
    values = load_preset(name).values
    asked = {*values.router.below, *values.router.above}
    assert {channel for channel, weight in values.fusion.weights.items() if weight} == asked


# What may differ when a component is taken out, and the value that it then has.
OFF: dict[str, dict[str, object]] = {
    "decomposition": {"decomposition.on": False},
    "other names": {"queries.other_names": False},
    "query form": {"queries.form": "question"},
    "adaptive weights": {"fusion.adaptive": 0.0},
    "feedback": {"fusion.feedback": 0.0},
    "discount": {"passages.discount": 0.0},
    "duplicates": {"passages.duplicates": 0.0},
    "documents": {"passages.documents": False},
    "reranker": {"passages.reranker": ""},
    "quotas": {"passages.quotas": "none"},
    "drug tier": {"passages.drugs_first": False},
}


def everything_on() -> Preset:
    """A preset in which every component does something."""
    values = load_preset().values
    changed: dict[str, dict[str, object]] = {
        "router": {"threshold": 5, "below": ("dense", "lexical", "graph"), "above": ("graph", "lexical", "dense")},
        "decomposition": {"on": True},
        "queries": {"form": "rationale", "other_names": True},
        "fusion": {"adaptive": 0.5, "feedback": 1.0},
        "passages": {
            "discount": 0.5, "duplicates": 0.8, "documents": True, "reranker": "some/model", "quotas": "half",
            "drugs_first": True,
        },
    }  # fmt: skip
    sections = {name: getattr(values, name).model_copy(update=update) for name, update in changed.items()}
    return Preset("all", "", values.model_copy(update=sections), {})


@pytest.mark.parametrize("component", OFF)
def test_a_switch_changes_what_it_names_and_nothing_else(component: str) -> None:
    before = everything_on()
    after = before.without(component)
    assert flat(after.values) == flat(before.values) | OFF[component] != flat(before.values)
    assert after.name == f"all - {component}"
    assert (after.title, after.origins) == (before.title, before.origins)


@pytest.mark.parametrize("channel", CHANNELS)
def test_without_a_channel_it_is_asked_on_neither_side_and_the_others_keep_their_order(channel: str) -> None:
    before = everything_on().values
    after = everything_on().without(channel).values
    below, above = (tuple(c for c in part if c != channel) for part in (before.router.below, before.router.above))
    assert flat(after) == flat(before) | {"router.below": below, "router.above": above}
    assert len(below) == len(above) == 2


def test_without_routing_every_question_is_searched_with_all_that_the_complex_ones_are() -> None:
    before, after = load_preset("ihrag").values, load_preset("ihrag").without("routing").values
    expected = {"router.threshold": 0, "router.below": before.router.above}
    assert flat(after) == flat(before) | expected != flat(before)


def test_every_component_is_specified_above() -> None:
    assert set(COMPONENTS) == {*CHANNELS, "routing", *OFF}


@given(presets, st.lists(components, max_size=8))
def test_whatever_is_taken_out_a_preset_is_left(preset: Preset, gone: list[str]) -> None:
    left = preset
    for component in gone:
        left = left.without(component)
    assert Values.model_validate(left.values.model_dump()) == left.values
    assert left.name == " - ".join([preset.name, *gone])
    assert left.origins == preset.origins
    assert flat(load_preset(preset.name).values) == flat(preset.values)  # nothing was changed in place


@given(presets, components)
def test_a_component_is_gone_after_the_first_time(preset: Preset, component: str) -> None:
    once = preset.without(component)
    assert once.without(component).values == once.values


@given(presets, components, components)
def test_it_does_not_matter_which_one_goes_first(preset: Preset, one: str, other: str) -> None:
    assert preset.without(one).without(other).values == preset.without(other).without(one).values


def refusal(act: Callable[[], object]) -> ClewError:
    with pytest.raises(ClewError) as caught:
        act()
    return caught.value


@pytest.mark.parametrize("name", ["defalt", "", "../presets/default", "default.toml", "默认", "\ud800"])
def test_a_preset_that_there_is_not_is_refused_with_those_there_are(name: str) -> None:
    error = refusal(lambda: load_preset(name))
    assert (error.code, list(error.choices)) == (Code.BAD_INPUT, preset_names())


@pytest.mark.parametrize(("component", "meant"), [("fedback", "feedback"), ("grph", "graph"), ("", None), ("图", None)])
def test_a_component_that_there_is_not_is_refused_with_what_may_be_meant(component: str, meant: str | None) -> None:
    error = refusal(lambda: load_preset().without(component))
    assert error.code is Code.BAD_INPUT
    assert meant in error.choices if meant else list(error.choices) == list(COMPONENTS)


GIVEN = (FOLDER / "default.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not toml [",
        "title = 'x'",
        GIVEN.replace('origin = "paper"', 'origin = "somewhere"', 1),
        GIVEN.replace('origin = "paper"', 'origin = "paper: "', 1),
        GIVEN.replace(', origin = "paper"', "", 1),
        GIVEN.replace('value = "in turn"', 'value = "at random"', 1),
        GIVEN.replace('["lexical", "dense"]', '["lexical", "lexical"]', 1),
        GIVEN.replace('["lexical", "dense"]', '["lexical", "psychic"]', 1),
        GIVEN.replace("depth = { value = 100", "depth = { value = 0", 1),
        GIVEN.replace("[facts]", '[facts]\nmore = { value = 1, origin = "paper" }', 1),
        GIVEN + '\n[magic]\nwand = { value = 1, origin = "paper" }\n',
        GIVEN.replace("[facts]\nmost = {", "[facts]\nleast = {", 1),
        GIVEN.replace("title =", "name =", 1),
        GIVEN.replace("most = { value = 12, origin =", "most = { value = 12, source =", 1),
        GIVEN.replace('most = { value = 12, origin = "our choice" }', "most = 12", 1),
    ],
)
def test_a_file_that_is_no_preset_is_refused(tmp_path: Path, text: str) -> None:
    assert text != GIVEN
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    error = refusal(lambda: read_preset(path))
    assert error.code is Code.BAD_SETTINGS
    assert str(path) in error.cause
    assert "origin" in error.remedy


def test_a_file_that_is_not_there_or_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    for name in ("nowhere.toml", "bytes.toml"):
        assert refusal(lambda name=name: read_preset(tmp_path / name)).code is Code.BAD_SETTINGS  # type: ignore[misc]


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_of_ones_own_is_read_like_those_there_are(tmp_path: Path, name: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes((FOLDER / f"{name}.toml").read_bytes())
    assert read_preset(path).values == load_preset(name).values
    assert tomllib.loads(path.read_text(encoding="utf-8"))["title"] == load_preset(name).title


@pytest.mark.parametrize(
    ("origin", "right"),
    [
        ("paper", True),
        ("authors' code", True),
        ("our choice: as it was", True),
        ("calibrated on BioASQ development questions", True),
        ("calibrated on 开发集: 见说明", True),
        ("calibrated", False),
        ("calibrated on ", False),
        ("the paper", False),
        ("paper:", False),
        ("", False),
    ],
)
def test_an_origin_is_one_of_four(origin: str, right: bool) -> None:
    assert (ORIGINS.fullmatch(origin) is not None) is right
