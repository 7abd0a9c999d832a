"""Reading files from elsewhere: what is wrong with a row is counted, what is wrong with a file is coded."""

import gzip
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kg_build.reconcile import Tally
from kg_build.sources import files
from kg_build.sources.files import archive_member, json_lines, table_rows, text_lines
from ontology.errors import ClewError, Code


@pytest.fixture
def tally() -> Tally:
    return Tally("test")


def test_plain_and_compressed_files_read_alike(tmp_path: Path, tally: Tally) -> None:
    content = "\ufeffa\tb\r\n高血压\t1\n"
    (tmp_path / "t.tsv").write_bytes(content.encode())
    (tmp_path / "t.tsv.gz").write_bytes(gzip.compress(content.encode()))
    expected = [(1, "a\tb"), (2, "高血压\t1")]
    assert list(text_lines(tmp_path / "t.tsv", tally, "row")) == expected
    assert list(text_lines(tmp_path / "t.tsv.gz", tally, "row")) == expected


def test_a_line_in_another_encoding_is_counted_and_the_others_are_read(tmp_path: Path, tally: Tally) -> None:
    (tmp_path / "t").write_bytes("好\n".encode() + "坏\n".encode("gb18030") + b"good\n")
    assert [line for _, line in text_lines(tmp_path / "t", tally, "row")] == ["好", "good"]
    assert tally.dropped_rows["row", "not UTF-8"] == 1


def test_an_endless_line_is_skipped_without_being_held(
    tmp_path: Path, tally: Tally, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LONGEST_LINE", 100)
    (tmp_path / "t").write_bytes(b"x" * 100_000 + b"\nshort\n" + b"y" * 1000)
    assert list(text_lines(tmp_path / "t", tally, "row")) == [(2, "short")]
    assert sum(tally.dropped_rows.values()) == tally.read_rows["row"] == 2


def test_a_bomb_is_noticed(tmp_path: Path, tally: Tally, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGEST_FILE", 10_000)
    (tmp_path / "t.gz").write_bytes(gzip.compress(b"line\n" * 100_000))
    with pytest.raises(ClewError) as caught:
        list(text_lines(tmp_path / "t.gz", tally, "row"))
    assert caught.value.code is Code.UNREADABLE_SOURCE


@pytest.mark.parametrize("damage", [lambda c: c[: len(c) // 2], lambda c: c[:20] + b"\0" * 8 + c[28:], lambda c: b"no"])
def test_a_damaged_file_is_coded(tmp_path: Path, tally: Tally, damage: object) -> None:
    compressed = gzip.compress(bytes(range(256)).hex().encode() * 100)
    (tmp_path / "t.gz").write_bytes(damage(compressed))  # type: ignore[operator]
    with pytest.raises(ClewError) as caught:
        list(text_lines(tmp_path / "t.gz", tally, "row"))
    assert caught.value.code is Code.UNREADABLE_SOURCE
    assert "t.gz" in caught.value.cause


def test_rows_come_as_mappings_and_ragged_ones_are_counted(tmp_path: Path, tally: Tally) -> None:
    (tmp_path / "t").write_text("# note\nid\tname\nA:1\tone\nA:2\nA:3\tthree\textra\n\nA:4\t四\n", encoding="utf-8")
    rows = list(table_rows(tmp_path / "t", tally, "row", ["id", "name"]))
    assert rows == [(3, {"id": "A:1", "name": "one"}), (7, {"id": "A:4", "name": "四"})]
    assert (tally.read_rows["row"], tally.dropped_rows["row", "wrong number of columns"]) == (4, 2)


def test_quotes_count_only_where_the_format_has_them(tmp_path: Path, tally: Tally) -> None:
    (tmp_path / "t").write_text('id,name\n1,"a, b"\n', encoding="utf-8")
    quoted = table_rows(tmp_path / "t", tally, "row", ["id"], delimiter=",", quoted=True)
    assert [row["name"] for _, row in quoted] == ["a, b"]
    assert list(table_rows(tmp_path / "t", tally, "row", ["id"], delimiter=",")) == []


def test_a_field_too_long_for_the_format_is_counted(tmp_path: Path, tally: Tally) -> None:
    (tmp_path / "t").write_text("id,name\n1," + "x" * 200_000 + "\n2,b\n", encoding="utf-8")
    rows = list(table_rows(tmp_path / "t", tally, "row", ["id"], delimiter=",", quoted=True))
    assert [row["id"] for _, row in rows] == ["2"]
    assert sum(tally.dropped_rows.values()) == 1


@pytest.mark.parametrize("content", ["", "# only a note\n", "other\tcolumns\n"])
def test_a_table_without_its_columns_is_coded(tmp_path: Path, tally: Tally, content: str) -> None:
    (tmp_path / "t").write_text(content, encoding="utf-8")
    with pytest.raises(ClewError) as caught:
        list(table_rows(tmp_path / "t", tally, "row", ["id"]))
    assert caught.value.code is Code.UNREADABLE_SOURCE


def test_json_lines_that_are_not_objects_are_counted(tmp_path: Path, tally: Tally) -> None:
    (tmp_path / "t").write_text('{"a": 1}\n[1]\n{broken\n' + "[" * 100_000 + '\n{"b": "二"}\n', encoding="utf-8")
    assert [value for _, value in json_lines(tmp_path / "t", tally, "row")] == [{"a": 1}, {"b": "二"}]
    assert tally.read_rows["row"] == 5
    assert dict(tally.dropped_rows) == {("row", "not a JSON object"): 1, ("row", "not JSON"): 2}


def test_a_member_is_read_from_the_archive_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.whl"
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        archive.writestr("data/one.txt", "eins")
        archive.writestr("../escape.txt", "x")
        archive.writestr("bomb", b"\0" * 1_000_000)
    assert archive_member(path, "data/one.txt") == b"eins"
    for member, largest in (("missing", 100), ("bomb", 1000)):
        with pytest.raises(ClewError) as caught:
            archive_member(path, member, largest=largest)
        assert caught.value.code is Code.UNREADABLE_SOURCE
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.whl"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=400))
def test_every_line_of_any_bytes_is_read_or_counted(tmp_path: Path, content: bytes) -> None:
    tally = Tally("test")
    (tmp_path / "t").write_bytes(content)
    if not content.strip():
        with pytest.raises(ClewError, match="holds nothing"):
            list(text_lines(tmp_path / "t", tally, "row"))
        return
    lines = list(text_lines(tmp_path / "t", tally, "row"))
    expected = content.count(b"\n") + (not content.endswith(b"\n") and bool(content))
    assert len(lines) + sum(tally.dropped_rows.values()) == expected
