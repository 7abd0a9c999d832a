from pathlib import Path
from zipfile import ZipFile

import pytest

from kg_build.reconcile import Tally
from kg_build.sources.biomappings import SOURCE
from kg_build.sources.contract import Record, Source
from ontology.errors import ClewError, Code
from ontology.model import Evidence, Mapping

FOLDER = "biomappings/resources/"
POSITIVE = """#curie_map:
subject_id\tsubject_label\tpredicate_id\tobject_id\tobject_label\tmapping_justification\tauthor_id
mesh:D008382\tMarfan Syndrome\tskos:exactMatch\tdoid:14323\tMarfan syndrome\tsemapv:ManualMappingCuration\torcid:0-1
mesh:D005334\tFever\tskos:exactMatch\thp:0001945\tFever\tsemapv:ManualMappingCuration\torcid:0-1
reactome:R-1\tx\tskos:exactMatch\tgo:0001\ty\tsemapv:ManualMappingCuration\torcid:0-1
"""
NEGATIVE = """#curie_map:
subject_id\tsubject_label\tpredicate_id\tpredicate_modifier\tobject_id\tobject_label\tmapping_justification\tauthor_id
doid:0050353\twound botulism\tskos:exactMatch\tNot\tmesh:D001906\tBotulism\tsemapv:ManualMappingCuration\torcid:0-1
"""


def read(folder: Path, members: dict[str, str | bytes]) -> tuple[list[Record], Tally]:
    with ZipFile(folder / "biomappings.whl", "w") as archive:
        for name, content in members.items():
            archive.writestr(FOLDER + name, content)
    tally = Tally(SOURCE.key)
    records = list(SOURCE.read({"biomappings": folder / "biomappings.whl"}, tally))
    tally.check()
    return records, tally


def test_what_was_curated_is_the_same_and_what_was_rejected_is_not(tmp_path: Path) -> None:
    assert isinstance(SOURCE, Source)
    records, tally = read(tmp_path, {"positive.sssom.tsv": POSITIVE, "negative.sssom.tsv": NEGATIVE})
    stated = {
        (r.assertion.subject, r.assertion.object, r.assertion.negated) for r in records if isinstance(r, Evidence)
    }
    assert stated == {("DOID:14323", "MESH:D008382", False), ("DOID:0050353", "MESH:D001906", True)}
    assert {(r.subject, r.object) for r in records if isinstance(r, Mapping)} == {
        ("DOID:14323", "MESH:D008382"),
        ("HP:0001945", "MESH:D005334"),
    }
    assert (tally.read_rows["positive mapping"], tally.kept_rows["positive mapping"]) == (3, 2)
    assert tally.kept_rows["negative mapping"] == 1


@pytest.mark.parametrize(
    "members",
    [{"positive.sssom.tsv": POSITIVE}, {"positive.sssom.tsv": b"\xff\xfe", "negative.sssom.tsv": NEGATIVE}],
    ids=["missing", "not UTF-8"],
)
def test_a_file_that_cannot_be_read_is_unreadable(tmp_path: Path, members: dict[str, str | bytes]) -> None:
    with pytest.raises(ClewError) as caught:
        read(tmp_path, members)
    assert caught.value.code is Code.UNREADABLE_SOURCE
