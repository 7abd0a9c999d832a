from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from kg_build.part import Part, PartCache, Unit, units
from kg_build.reconcile import Tally
from kg_build.records import RECORD_TABLES
from kg_build.release import values
from kg_build.sources.contract import Record
from kg_build.sources.documents import SOURCE as DOCUMENTS
from ontology.document import Chunk, Document
from ontology.errors import ClewError, Code
from ontology.schema import load_domain
from tests.kg_build.graphs import entity, stated
from tests.kg_build.tiny import Tiny

SAID = Tiny("hpo", (
    entity("OMIM:1"), entity("HP:1", "PhenotypicFeature", "发热"), stated("OMIM:1", "has_phenotype", "HP:1"),
))  # fmt: skip
TEXTS = Tiny("cmekg", (
    Document("d:1", "甲", "zh", "cmekg", "article", "DOI:10.1/1"), Chunk("d:1#0", "d:1", 0, "", "前", "zh", 0, 1),
))  # fmt: skip


@pytest.fixture
def cache(tmp_path: Path) -> PartCache:
    return PartCache(tmp_path / "parts", "code", load_domain())


def test_what_a_source_said_comes_back_as_it_was(cache: PartCache) -> None:
    unit = Unit(SAID, {}, {})
    assert cache.get(unit) is None
    part = cache.read(unit)
    assert cache.get(unit) == part
    assert values(part.table("entity"), "label") == ["OMIM:1", "发热"]
    assert part.table("statement").schema == RECORD_TABLES["statement"]
    assert part.table("chunk").num_rows == 0
    assert part.rows_of_source[0]["in"] == 3


def test_only_texts_is_said_of_a_part_without_knowledge(cache: PartCache) -> None:
    assert cache.read(Unit(TEXTS, {}, {})).only_texts
    assert not cache.read(Unit(SAID, {}, {})).only_texts


def test_a_part_is_named_by_everything_it_depends_on(tmp_path: Path) -> None:
    unit = Unit(SAID, {}, {"a.tsv": "1"})
    others = [
        Unit(SAID, {}, {"a.tsv": "2"}), Unit(SAID, {}, {"b.tsv": "1"}), Unit(TEXTS, {}, {"a.tsv": "1"}),
        Unit(replace(SAID, licence="other"), {}, {"a.tsv": "1"}),
    ]  # fmt: skip
    names = {unit.digest("code"), unit.digest("other code"), *(other.digest("code") for other in others)}
    assert len(names) == 6
    assert unit.digest("code") == Unit(SAID, {}, {"a.tsv": "1"}).digest("code")


def test_a_source_that_fails_leaves_no_part(cache: PartCache, tmp_path: Path) -> None:
    class Failing(Tiny):
        def read(self, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
            yield from super().read(files, tally)
            raise ClewError(Code.UNREADABLE_SOURCE, "damaged")

    unit = Unit(Failing("hpo", SAID.records), {}, {})
    with pytest.raises(ClewError):
        cache.read(unit)
    assert cache.get(unit) is None
    assert not [path for path in (tmp_path / "parts").iterdir() if ".unfinished-" not in path.name]


def test_half_a_part_is_no_part(tmp_path: Path) -> None:
    (tmp_path / "abc").mkdir()
    (tmp_path / "abc" / "entity.parquet").write_bytes(b"")
    assert not Part(tmp_path / "abc").exists


def test_a_folder_of_documents_is_read_file_by_file_and_a_change_is_one_other_part(
    cache: PartCache, tmp_path: Path
) -> None:
    folder = tmp_path / "documents"
    (folder / "科室").mkdir(parents=True)
    (folder / "one.md").write_text("# One\n\nFirst text.\n", encoding="utf-8")
    (folder / "科室" / "二.txt").write_text("第二篇。", encoding="utf-8")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    (folder / "away.md").symlink_to(tmp_path)
    before = units(DOCUMENTS, {"documents": folder})
    assert [list(unit.hashes) for unit in before] == [["away.md"], ["one.md"], ["picture.png"], ["科室/二.txt"]]
    parts = [cache.read(unit) for unit in before]
    assert [part.table("document").num_rows for part in parts] == [0, 1, 0, 1]
    assert [list(part.rows_of_source[0]["dropped"]) != [] for part in parts] == [True, False, True, False]
    (folder / "one.md").write_text("# One\n\nAnother text.\n", encoding="utf-8")
    after = units(DOCUMENTS, {"documents": folder})
    assert [cache.get(unit) is None for unit in after] == [False, True, False, False]
