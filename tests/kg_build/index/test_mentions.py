"""Who is mentioned where: the passages of an entity, those first that are most about it."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_build.index.mentions import MentionIndex, build_mentions, load_mentions, update_mentions
from kg_build.release import TABLES
from ontology.errors import ClewError, Code

ENTITIES = pa.array(["HP:1", "OMIM:1", "cmekg:马凡综合征"])
NAMES = {"Marfan syndrome": "OMIM:1", "马凡综合征": "cmekg:马凡综合征", "Cough": "HP:1"}

Said = list[tuple[str, float]]


def read(heading: str) -> list[tuple[str, float]]:
    return [(entity, 1.0) for name, entity in NAMES.items() if name in heading]


def texts(passages: dict[str, tuple[str, str, Said]], about: dict[str, list[str]] | None = None) -> dict[str, pa.Table]:
    """Tables of passages: id -> headings, text, entities in the text with confidences; the document is before `#`."""
    owners = sorted({key.split("#")[0] for key in passages})
    documents = [{"id": owner, "about": (about or {}).get(owner, [])} for owner in owners]
    chunks = [
        {"id": key, "document": key.split("#")[0], "section": section, "text": text}
        for key, (section, text, _) in sorted(passages.items())
    ]
    mentions = [
        {"chunk": key, "entity": entity, "start": i, "end": i + 1, "method": "exact", "confidence": confidence}
        for key, (_, _, said) in sorted(passages.items())
        for i, (entity, confidence) in enumerate(said)
    ]
    made = {"document": documents, "chunk": chunks, "mention": mentions}
    return {name: pa.Table.from_pylist(listed, schema=TABLES[name]) for name, listed in made.items()}


def build(folder: Path, passages: dict[str, tuple[str, str, Said]], **kwargs: dict[str, list[str]]) -> MentionIndex:
    build_mentions(ENTITIES, texts(passages, **kwargs), read, folder)
    return load_mentions(folder)


def found(index: MentionIndex, entity: str, most: int = 100) -> list[str]:
    row = ENTITIES.to_pylist().index(entity)
    return [index.chunk(place) for place in index.of(np.array([row]), most)[1]]


def test_more_mentions_count_more_but_less_and_less(tmp_path: Path) -> None:
    counts = {"a#0": 1, "b#0": 2, "c#0": 20, "d#0": 40}
    index = build(tmp_path / "m", {key: ("", "x" * 100, [("HP:1", 1.0)] * n) for key, n in counts.items()})
    assert found(index, "HP:1") == ["d#0", "c#0", "b#0", "a#0"]
    d, c, b, a = index.of(np.array([0]), 9)[2].tolist()
    assert d - c < b - a
    assert d < 1


def test_an_unsure_mention_and_one_in_a_long_passage_count_less(tmp_path: Path) -> None:
    passages: dict[str, tuple[str, str, Said]] = {
        "a#0": ("", "x" * 3000, [("HP:1", 1.0)]),
        "b#0": ("", "x" * 300, [("HP:1", 1.0)]),
        "c#0": ("", "x" * 300, [("HP:1", 0.3)]),
    }
    assert found(build(tmp_path / "m", passages), "HP:1")[0] == "b#0"


@pytest.mark.parametrize(("title", "entity"), [("Marfan syndrome", "OMIM:1"), ("马凡综合征", "cmekg:马凡综合征")])
def test_headings_are_read_and_the_title_counts_most(tmp_path: Path, title: str, entity: str) -> None:
    passages: dict[str, tuple[str, str, Said]] = {
        "in passing#0": ("Other › Causes", "x", [(entity, 1.0)]),
        "section#0": (f"Other › {title}", "x", []),
        "title#0": (f"{title} › Causes", "x", []),
    }
    assert found(build(tmp_path / "m", passages), entity) == ["title#0", "section#0", "in passing#0"]


def test_a_document_about_an_entity_comes_before_one_that_mentions_it_twice(tmp_path: Path) -> None:
    passages: dict[str, tuple[str, str, Said]] = {
        "about#0": ("Treatment", "x", []),
        "other#0": ("Treatment", "x", [("OMIM:1", 1.0)] * 2),
    }
    index = build(tmp_path / "m", passages, about={"about": ["OMIM:1", "OMIM:unknown"]})
    assert found(index, "OMIM:1") == ["about#0", "other#0"]


def test_what_document_is_about_counts_once_though_the_table_of_mentions_has_it_too(tmp_path: Path) -> None:
    tables = texts({"a#0": ("", "x", [("OMIM:1", 1.0)])}, {"a": ["OMIM:1"]})
    again = tables["mention"].set_column(5, "method", pa.array(["subject"]))
    build_mentions(ENTITIES, tables | {"mention": pa.concat_tables([tables["mention"], again])}, read, tmp_path / "two")
    build_mentions(ENTITIES, tables, read, tmp_path / "one")
    assert np.array_equal(load_mentions(tmp_path / "one").weights, load_mentions(tmp_path / "two").weights)


def test_a_hub_is_cut_by_quality_and_not_by_order(tmp_path: Path) -> None:
    passages: dict[str, tuple[str, str, Said]] = {
        f"d{i:04}#0": ("", "x" * 400, [("HP:1", 1.0)] * (5 if i == 777 else 1)) for i in range(1000)
    }
    index = build(tmp_path / "m", passages)
    assert found(index, "HP:1", 3) == ["d0777#0", "d0000#0", "d0001#0"]
    assert index.idf[0] < index.idf[1]  # what is everywhere says little


def test_nothing_at_all_is_an_index_too(tmp_path: Path) -> None:
    assert found(build(tmp_path / "m", {}), "HP:1") == []


def test_a_missing_index_is_a_coded_error(tmp_path: Path) -> None:
    with pytest.raises(ClewError) as caught:
        load_mentions(tmp_path)
    assert caught.value.code is Code.CORRUPT_RELEASE


heading = st.sampled_from(["", "Marfan syndrome", "Cough › Causes", "介绍 › 马凡综合征", "\ufeff\u202e🙂"])
said = st.lists(st.tuples(st.sampled_from(ENTITIES.to_pylist()), st.sampled_from([0.25, 0.5, 1.0])), max_size=4)
passage = st.tuples(heading, st.sampled_from(["x", "短", "long " * 200]), said)
body = st.dictionaries(st.sampled_from([f"{d}#{i}" for d in "abcd" for i in range(2)]), passage)


@settings(max_examples=60, deadline=None)
@given(before=body, after=body)
def test_an_update_gives_the_bytes_of_a_new_build(
    tmp_path_factory: pytest.TempPathFactory,
    before: dict[str, tuple[str, str, Said]],
    after: dict[str, tuple[str, str, Said]],
) -> None:
    folder = tmp_path_factory.mktemp("mentions")
    gone = [key for key in before if before[key] != after.get(key)]
    come = {key: value for key, value in after.items() if before.get(key) != value}
    build(folder / "before", before)
    build(folder / "after", after)
    ids = texts(after)["chunk"]["id"]
    update_mentions(
        folder / "before", folder / "now", entities=ENTITIES, ids=ids, gone=gone, added=texts(come), read=read
    )
    for path in (folder / "after").iterdir():
        assert path.read_bytes() == (folder / "now" / path.name).read_bytes(), path.name
