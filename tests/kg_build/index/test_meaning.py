"""Entities by what names mean, on a graph small enough to see why."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from kg_build.index.encoders.multilingual import MultilingualEncoder
from kg_build.index.features import fit_features, plain, weigh
from kg_build.index.meaning import Meaning
from kg_build.index.meaning_build import build_meaning, glossary_of, is_current, listed_names
from kg_build.index.meaning_fit import fit_projection, unit
from kg_build.release import TABLES
from ontology.errors import ClewError, Code
from ontology.model import Gloss
from tests.kg_build.graphs import collect, entity

PARTS = ("arm", "leg", "hand", "foot", "knee", "elbow", "finger", "toe", "hip", "wrist")
TRAITS = (("small", "hypoplastic"), ("large", "hyperplastic"), ("absent", "aplastic"), ("bent", "angulated"))


def synonyms() -> list[tuple[str, str, str, str]]:
    """Terms with a formal and a lay name, built alike, so that one can be learned from the others."""
    found = []
    for part in PARTS:
        for lay, formal in TRAITS:
            curie = f"HP:{part}-{lay}"
            found += [(curie, "en", f"{formal} {part}", "label"), (curie, "en", f"{lay} {part}", "lay")]
    return found


HELD = ("HP:knee-absent", "en", "absent knee", "lay")
NAMES = [
    *(name for name in synonyms() if name != HELD),
    ("HP:ache", "en", "cephalalgia", "label"),
    ("HP:ache", "en", "headache", "lay"),
    ("HP:gone", "en", "withdrawn", "label"),
    ("cm:1", "zh", "腹泻", "label"),
    ("HP:runs", "en", "diarrhea", "label"),
    ("D:1", "en", "dermatitis", "label"),
    ("D:1", "zh", "皮炎", "exact"),
    ("DB:1", "en", "aspirin", "label"),
]
GLOSSES = [("腹泻", "diarrhea"), ("头", "head"), ("疼", "ache"), ("头疼", "headache"), ("手", "hand"), ("小", "small")]


def tables() -> dict[str, pa.Table]:
    types = {"D:1": "Disease", "DB:1": "Drug"}
    entity = [
        {"id": curie, "type": types.get(curie, "PhenotypicFeature"), "label": "", "lang": "en", "source": "s",
         "definition": "", "deprecated": curie == "HP:gone", "replaced_by": ""}
        for curie in dict.fromkeys(name[0] for name in NAMES)
    ]  # fmt: skip
    name = [
        {"entity": e, "lang": lang, "text": text, "kind": kind, "source": "s", "reference": ""}
        for e, lang, text, kind in NAMES
    ]
    gloss = [
        {"lang": "zh", "text": word, "into": "en", "meaning": meaning, "source": "c", "reference": "", "rank": 0}
        for word, meaning in GLOSSES
    ]
    rows: dict[str, list[dict[str, Any]]] = {"entity": entity, "name": name, "gloss": gloss, "mapping": []}
    return {table: pa.Table.from_pylist(listed, schema=TABLES[table]) for table, listed in rows.items()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("meaning")
    build_meaning(tables(), home / "meaning", home / "cache")
    return home / "meaning"


@pytest.fixture(scope="module")
def meaning(folder: Path) -> Meaning:
    return Meaning(folder, MultilingualEncoder())


def best(meaning: Meaning, text: str, **asked: Any) -> str:
    return meaning.nearest([text], **asked)[0][0].entity


def test_only_findings_and_diseases_that_have_an_english_name_are_listed() -> None:
    listed = {name.entity for name in listed_names(tables()["entity"], tables()["name"])}
    assert {"HP:ache", "D:1"} <= listed
    assert listed.isdisjoint({"HP:gone", "cm:1", "DB:1"})


def test_a_known_name_is_nearest_to_its_entity(meaning: Meaning) -> None:
    (near, *_) = meaning.nearest(["hypoplastic toe"])[0]
    assert (near.entity, near.type) == ("HP:toe-small", "PhenotypicFeature")
    assert near.score == pytest.approx(1, abs=0.05)


def test_lay_words_are_learned_from_the_synonyms_of_other_entities(meaning: Meaning) -> None:
    assert best(meaning, "absent knee") == "HP:knee-absent"  # no entity has this name: aplastic knee is known


def test_a_margin_is_the_lead_over_the_next_entity(meaning: Meaning) -> None:
    first, second = meaning.nearest(["headache"], limit=2)[0]
    assert first.margin == pytest.approx(first.score - second.score, abs=1e-3)
    assert first.margin > 0


def test_chinese_words_reach_english_names_by_glosses_whole_and_in_parts(meaning: Meaning) -> None:
    assert best(meaning, "腹泻") == "HP:runs"
    assert best(meaning, "頭疼") == "HP:ache"
    assert best(meaning, "手小") == "HP:hand-small"


def test_types_and_vocabularies_narrow_what_is_found(meaning: Meaning) -> None:
    assert best(meaning, "dermatitis", types=["Disease"]) == "D:1"
    assert {near.entity[:3] for near in meaning.nearest(["dermatitis"], prefixes=("HP:",))[0]} == {"HP:"}


def test_texts_are_answered_in_their_order_in_whatever_language(meaning: Meaning) -> None:
    found = meaning.nearest(["腹泻", "absent knee", "", "😀", "\ud800", "头疼"])
    assert [near[0].entity for near in found[:2]] == ["HP:runs", "HP:knee-absent"]
    assert found[5][0].entity == "HP:ache"
    assert meaning.nearest([]) == []


def test_the_encoder_alone_can_be_asked(meaning: Meaning) -> None:
    assert meaning.nearest_by_encoder("headache")[0].entity == "HP:ache"


def test_an_index_of_another_encoder_or_a_damaged_one_is_refused(folder: Path, tmp_path: Path) -> None:
    class Other(MultilingualEncoder):
        name = "another"  # type: ignore[assignment]

    for broken, encoder in ((folder, Other()), (tmp_path, MultilingualEncoder())):
        with pytest.raises(ClewError) as caught:
            Meaning(broken, encoder)
        assert caught.value.code is Code.CORRUPT_RELEASE


def test_a_folder_says_whether_it_is_of_today(folder: Path, tmp_path: Path) -> None:
    assert is_current(folder)
    assert not is_current(tmp_path)
    (tmp_path / "names.json").write_text('{"format": 0, "names": []}', encoding="utf-8")
    assert not is_current(tmp_path)


def test_a_release_without_english_names_is_an_index_that_finds_nothing(tmp_path: Path) -> None:
    empty = {name: table.schema.empty_table() for name, table in tables().items()}
    build_meaning(empty, tmp_path / "meaning", tmp_path / "cache")
    assert Meaning(tmp_path / "meaning", MultilingualEncoder()).nearest(["fever", "发热"]) == [[], []]


def test_features_see_words_pairs_and_letters_and_forget_number() -> None:
    assert plain("Swollen  Hands") == "swollen hand"
    matrix, columns, idf = fit_features(["red eye", "red eyes", "blue eye"])
    assert {"red", "eye", "red eye", "#<ey"} <= columns.keys()
    assert np.allclose(weigh(["red eye"], columns, idf).toarray(), matrix[[0]].toarray(), atol=1e-6)
    assert weigh(["zzz"], columns, idf).nnz == 0


def test_a_projection_brings_the_names_of_an_entity_together() -> None:
    names = synonyms()
    matrix, columns, idf = fit_features([text for _, _, text, _ in names])
    numbers = {curie: at for at, curie in enumerate(dict.fromkeys(name[0] for name in names))}
    entity = np.array([numbers[name[0]] for name in names])
    vectors = unit(np.random.default_rng(0).normal(size=(len(names), 8)).astype(np.float32))
    places = fit_projection(matrix, vectors, entity, dim=16).place(weigh([n[2] for n in names], columns, idf), vectors)
    near = places @ places.T
    np.fill_diagonal(near, -1)
    assert np.mean(entity[near.argmax(axis=1)] == entity) > 0.9


def test_the_glosses_of_a_word_keep_the_order_of_their_record() -> None:
    meanings = ("swelling", "edema", "bloated")
    glosses = [Gloss("zh", "肿", "en", meaning, "cedict", "line 1", rank) for rank, meaning in enumerate(meanings)]
    found = collect([entity("HP:1", "PhenotypicFeature"), *reversed(glosses)])
    assert glossary_of(found, []).english("肿").whole == meanings
