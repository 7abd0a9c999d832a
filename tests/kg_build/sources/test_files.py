"""Reading files from elsewhere: what is wrong with a row is counted, what is wrong with a file is coded."""

import gzip
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kg_build.reconcile import Tally
from kg_build.sources import files
from kg_build.sources.files import (
    archive_json,
    archive_member,
    archive_members,
    archive_xml,
    json_lines,
    table_rows,
    text_lines,
)
from kg_build.sources.texts import NOT_TEXT
from ontology.errors import ClewError, Code
from tests.miniature import write_sdist, write_wheel


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


def test_a_line_of_just_the_longest_length_does_not_take_the_next_one_with_it(
    tmp_path: Path, tally: Tally, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LONGEST_LINE", 10)
    (tmp_path / "t").write_bytes(b"123456789\n1234567890\nnext\n12345678901\nlast\n")
    assert [line for _, line in text_lines(tmp_path / "t", tally, "row")] == ["123456789", "next", "last"]
    assert tally.dropped_rows["row", "line longer than 10 bytes"] == 2


def test_a_line_with_nul_is_counted_and_a_file_without_anything_is_refused(tmp_path: Path, tally: Tally) -> None:
    (tmp_path / "t").write_bytes(b"a\0b\nc\n")
    assert list(text_lines(tmp_path / "t", tally, "row")) == [(2, "c")]
    assert tally.dropped_rows["row", "holds NUL characters"] == 1
    (tmp_path / "t").write_bytes(b" \n\n")
    with pytest.raises(ClewError, match="holds nothing"):
        list(text_lines(tmp_path / "t", tally, "row"))


def test_a_file_of_too_many_lines_is_refused(tmp_path: Path, tally: Tally, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_LINES", 100)
    (tmp_path / "t").write_bytes(b"\n" * 99 + b"a\n")
    assert len(list(text_lines(tmp_path / "t", tally, "row"))) == 100
    (tmp_path / "t").write_bytes(b"\n" * 100 + b"a\n")
    with pytest.raises(ClewError, match="more than 100 lines"):
        list(text_lines(tmp_path / "t", tally, "row"))


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


def test_what_json_cannot_say_in_utf8_is_counted(tmp_path: Path, tally: Tally) -> None:
    rows = ['{"a": "\\ud83d\\ude00"}', '{"a": "\\ud800"}', '{"a": ["\\u0000"]}', '{"\\udfff": 1}', r'{"a": "\\ud800"}']
    (tmp_path / "t").write_text("\n".join(rows))
    assert [value["a"] for _, value in json_lines(tmp_path / "t", tally, "row")] == ["😀", "\\ud800"]
    assert tally.dropped_rows["row", NOT_TEXT] == 3


def test_lines_and_rows_are_read_from_a_member_as_from_a_file(tmp_path: Path, tally: Tally) -> None:
    path = write_wheel(tmp_path / "a.whl", {"t.tsv": "id\tname\n1\t一\n2\n".encode() + b"3\t\xff\n"})
    assert list(table_rows(path, tally, "row", ["id"], member="t.tsv")) == [(2, {"id": "1", "name": "一"})]
    assert dict(tally.dropped_rows) == {("row", "wrong number of columns"): 1, ("row", "not UTF-8"): 1}
    with pytest.raises(ClewError, match=r"a\.whl: other"):
        list(text_lines(path, tally, "row", member="other"))


def test_a_member_of_a_tar_archive_is_read_wherever_it_stands(tmp_path: Path) -> None:
    path = write_sdist(tmp_path / "a.tar.gz", {"one": "eins", "../two": "zwei", "three": "drei"})
    assert archive_member(path, "three") == b"drei"
    for member, largest in (("two", 100), ("three", 3)):
        with pytest.raises(ClewError) as caught:
            archive_member(path, member, largest=largest)
        assert caught.value.code is Code.UNREADABLE_SOURCE


def test_members_that_cannot_be_read_say_why_and_the_others_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.zip"
    with ZipFile(path, "w") as archive:
        for name, content in (
            ("x/b", "zwei"),
            ("x/a", "eins"),
            ("y/c", "drei"),
            ("x/large", "x" * 50),
            ("x/z", "damage"),
        ):
            archive.writestr(ZipInfo(name), content)
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr(ZipInfo("x/a"), "again")
    path.write_bytes(path.read_bytes().replace(b"damage", b"DAMAGE"))
    found = {
        (m.name, m.content): m.fault for m in archive_members(path, lambda name: name.startswith("x/"), largest=20)
    }
    assert found == {
        ("x/a", b"eins"): "",
        ("x/a", b""): "name again",
        ("x/b", b"zwei"): "",
        ("x/large", b""): "larger than 20 bytes",
        ("x/z", b""): "damaged in the archive",
    }
    monkeypatch.setattr(files, "LARGEST_TEXT", 5)
    with pytest.raises(ClewError, match="unpacks to more than 5 bytes"):
        list(archive_members(path, lambda _: True, largest=20))


@pytest.mark.parametrize(
    "content", ["", "[1", "[" * 100_000, "<a>", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "\xff"]
)
def test_json_and_xml_that_cannot_be_read_are_coded(tmp_path: Path, content: str) -> None:
    path = write_wheel(tmp_path / "a.whl", {"m": content.encode("latin-1"), "good": "[1]", "xml": "<a><b/></a>"})
    for reader in (archive_json, archive_xml):
        with pytest.raises(ClewError) as caught:
            reader(path, "m")
        assert caught.value.code is Code.UNREADABLE_SOURCE
    assert archive_json(path, "good") == [1]
    assert [child.tag for child in archive_xml(path, "xml")] == ["b"]


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
