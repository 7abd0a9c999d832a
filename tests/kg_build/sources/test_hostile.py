"""Damaged and hostile input, for every shipped source.

Whatever stands in a file, one of two things happens: the file as a whole is refused with UNREADABLE_SOURCE, or the
balance closes, the damaged row is in it, and all the other rows are read. Never another error, never nothing at all.
"""

import bz2
import copy
import gzip
import json
import pickle
import random
import re
import subprocess
import sys
import tarfile
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from io import BytesIO
from pathlib import Path
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import networkx as nx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api.case import read_text_case
from api.compose import Clew
from kg_build.pipeline import build_from
from kg_build.reconcile import Tally
from kg_build.sources import documents, files
from kg_build.sources.contract import CONTRACT, Artefact, Original, Record
from kg_build.sources.registry import find_sources, source_keys
from kg_build.sources.texts import LONGEST_ID, LONGEST_NAME, is_text
from ontology.errors import ClewError, Code
from ontology.model import Assertion, Entity, Evidence, Name
from reasoning.diagnosis.explain import explain
from reasoning.diagnosis.question import next_questions
from retrieval.paths import find_chains
from tests.kg_build.sources import test_interactions
from tests.kg_build.sources.inputs import INPUTS, Input, Slot
from tests.miniature import NO_INDEX

EVERY = pytest.mark.parametrize("given_name", INPUTS)
SLOTS = [pytest.param(name, i, id=f"{name}-{i}") for name, found in INPUTS.items() for i in range(len(found.slots))]

TEXTS: Final = {
    "nothing": "",
    "blanks": " \t",
    "NUL": "a\0b",
    "half a surrogate pair": "a\ud800b",
    "from right to left, with control characters": "\u202eabc\u202c\x01\x1b[31m\x7f\u2028b",
    "longer than a name": "long name " * 300,
    "blanks without end": "# a " + " " * 10_000 + "(痛" + "(" * 1000,
    "unknown prefix": "NOPE:1",
    "no CURIE": "../../../tmp/no id\n# forged\n\n| a | b |",
    "a number too large, in two scripts": "1/" + "9" * 5000 + "\u0663",
}
TURNING: Final = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
"""What turns the direction of writing."""
VALUES: Final[list[Any]] = [None, True, 10**30, float("nan"), [], {}, [None, 0, "x", []], {"a": {"b": 1}}]


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


# --- what has to be true ------------------------------------------------------------------------------------


def read(given: Input, paths: dict[str, Path]) -> tuple[set[str], Tally] | ClewError:
    """What became of the files: the records and the balance, or the refusal; anything else fails the test."""
    try:
        records, tally = given.read(paths)
    except ClewError as refused:
        if refused.code is not Code.UNREADABLE_SOURCE:
            raise
        return refused
    tally.check()
    assert all(map(keepable, records)), next(r for r in records if not keepable(r))
    assert all(is_text(text) for text in tally.examples.values())
    json.dumps(tally.as_list(), ensure_ascii=False).encode()
    return {repr(record) for record in records}, tally


def keepable(record: Record) -> bool:
    """Whether tables and indices can take a record."""
    names = {"label"} if isinstance(record, Entity) else {"text"} if isinstance(record, Name) else set()
    values = {f.name: getattr(record, f.name) for f in fields(record)}
    if isinstance(record, Evidence):
        values |= {"subject": record.assertion.subject, "object": record.assertion.object, "id": record.id}
    texts = {name: value for name, value in values.items() if isinstance(value, str)}
    return (
        all(map(is_text, texts.values()))
        and all(len(values[name]) <= LONGEST_NAME and shown(values[name]) for name in names)
        and all(len(values[name]) <= LONGEST_ID for name in ("entity", "subject", "object") if name in values)
    )


def shown(name: str) -> bool:
    """Whether a screen shows a name and does nothing else; blanks of every kind are blanks."""
    obeyed = (c for c in name if unicodedata.category(c) == "Cc" or unicodedata.bidirectional(c) in TURNING)
    return set(obeyed) <= set("\t\r\n")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[set[str], Tally]]:
    """What an undamaged input gives."""
    known: dict[str, tuple[set[str], Tally]] = {}

    def read_sound(name: str) -> tuple[set[str], Tally]:
        if name not in known:
            found = read(INPUTS[name], INPUTS[name].write(tmp_path_factory.mktemp("sound")))
            assert not isinstance(found, ClewError)
            known[name] = found
        return known[name]

    return read_sound


Sound = Callable[[str], tuple[set[str], Tally]]


def balance(tally: Tally) -> list[dict[str, object]]:
    return [{key: value for key, value in row.items() if key != "examples"} for row in tally.as_list()]


def test_every_shipped_source_is_here() -> None:
    shipped = [key for key in source_keys() if find_sources([key])[key].__class__.__module__.startswith("kg_build.")]
    assert {found.source for found in INPUTS.values()} == set(shipped)
    assert len(shipped) >= 22


# --- files --------------------------------------------------------------------------------------------------


def flipped(content: bytes, seed: int) -> bytes:
    place = random.Random(seed).randrange(len(content))  # noqa: S311
    return content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :]


FILES: Final[dict[str, Callable[[bytes], bytes]]] = {
    "cut in the middle": lambda c: c[: len(c) // 2],
    "cut at the end": lambda c: c[:-1],
    "cut after its beginning": lambda c: c[:20],
    "a page that says not found": lambda _: b"<!DOCTYPE html><html>not found</html>\n",
    "noise": lambda c: random.Random(1).randbytes(len(c)),  # noqa: S311
    **{f"a flipped byte, {seed}": lambda c, seed=seed: flipped(c, seed) for seed in range(8)},  # type: ignore[misc]
    **{
        f"zeros in the middle, {width}": lambda c, width=width: (
            c[: len(c) // 2] + bytes(width) + c[len(c) // 2 + width :]
        )  # type: ignore[misc]
        for width in (8, 200)
    },
}


@EVERY
def test_a_damaged_file_is_refused_or_its_other_rows_are_read(tmp_path: Path, given_name: str) -> None:
    given = INPUTS[given_name]
    paths = given.write(tmp_path)
    for path in [path for path in paths.values() if path.is_file()]:
        content = path.read_bytes()
        for damage in FILES.values():
            path.write_bytes(damage(content))
            read(given, paths)
        path.write_bytes(content)


@EVERY
def test_an_empty_file_is_refused(tmp_path: Path, given_name: str) -> None:
    given = INPUTS[given_name]
    paths = given.write(tmp_path)
    for path in [path for path in paths.values() if path.is_file()]:
        content = path.read_bytes()
        for nothing in (b"", b"\n"):
            path.write_bytes(gzip.compress(nothing) if path.suffix == ".gz" and nothing else nothing)
            assert isinstance(read(given, paths), ClewError), path.name
        path.write_bytes(content)


# --- contents -----------------------------------------------------------------------------------------------


def encoded(encoding: str) -> Callable[[bytes], bytes]:
    def encode(content: bytes) -> bytes:
        try:
            return (content.decode() + "é 痛\n").encode(encoding, "replace")
        except UnicodeDecodeError:  # a pickle
            return content[::-1]

    return encode


CONTENTS: Final[dict[str, Callable[[bytes], bytes]]] = {
    "nothing": lambda _: b"",
    "a blank": lambda _: b"\n",
    "half": lambda c: c[: len(c) // 2],
    "Latin-1": encoded("latin-1"),
    "UTF-16": encoded("utf-16"),
    "UTF-16 without a mark": encoded("utf-16-be"),
    "UTF-32": encoded("utf-32"),
    "GB 18030": encoded("gb18030"),
    "with a mark": lambda c: b"\xef\xbb\xbf" + c,
    "line ends of another system": lambda c: c.replace(b"\n", b"\r"),
    "NUL characters behind": lambda c: c + bytes(1000),
    "NUL characters between": lambda c: c.replace(b"\n", b"\n\0"),
    "another format": lambda _: b'{"a": [1, 2, 3]}\n',
    "a number": lambda _: b"1",
    "an entity that expands": lambda _: b'<!DOCTYPE a [<!ENTITY b "' + b"x" * 100 + b'">]><a>' + b"&b;" * 100 + b"</a>",
    "brackets without end": lambda _: b"[" * 100_000,
    "elements without end": lambda _: b"<item>" * 50_000 + b"</item>" * 50_000,
}


@EVERY
def test_a_damaged_content_is_refused_or_counted(tmp_path: Path, sound: Sound, given_name: str) -> None:
    given, (_, tally) = INPUTS[given_name], sound(given_name)
    for place, content in given.contents({}).items():
        for what, damage in CONTENTS.items():
            found = read(given, given.write(tmp_path, contents={place: damage(content)}))
            lost = not isinstance(found, ClewError) and balance(found[1]) == balance(tally)
            assert not (lost and content != b"{}" and what in {"nothing", "a blank"}), (place, what)


@EVERY
def test_a_content_that_unpacks_without_end_is_refused_or_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given_name: str
) -> None:
    given, limit = INPUTS[given_name], 60_000
    for name in ("LARGEST_MEMBER", "LARGEST_TREE", "LARGEST_TEXT", "LARGEST_FILE", "LONGEST_LINE"):
        monkeypatch.setattr(files, name, limit)
    module = sys.modules[f"kg_build.sources.{given.source}"]
    for name in ("_LARGEST", "_LARGEST_PAGE", "_LARGEST_FILE", "LARGEST_TEXT"):
        if hasattr(module, name):
            monkeypatch.setattr(module, name, limit)
    if given.source == "documents":
        readers = {ending: (limit, reader) for ending, (_, reader) in documents._READERS.items()}
        monkeypatch.setattr(documents, "_READERS", readers)
    for place, content in given.contents({}).items():
        for filling in (b"\0", b"{}\n"):
            bomb = content + filling * (3 * limit // len(filling))
            found = read(given, given.write(tmp_path, contents={place: bomb}))
            assert isinstance(found, ClewError) or found[1].dropped_rows, (place, filling)


# --- rows ---------------------------------------------------------------------------------------------------


def damaged(slot: Slot) -> Iterator[tuple[str, Any]]:
    """A further row, damaged in every way, with what was done to it."""
    if slot.delimiter:
        yield from damaged_line(slot.more, slot.delimiter)
    elif isinstance(slot.more, bytes):
        yield from ((name, text.encode("utf-8", "surrogatepass")) for name, text in TEXTS.items())
    elif isinstance(slot.more, tuple):
        key, value = slot.more
        yield from ((f"key: {name}", (text, value)) for name, text in TEXTS.items())
        yield from ((f"key: number {n}", (other, value)) for n, other in enumerate((None, 7, 10**5000, b"x", 1.5)))
        yield from ((what, (key, other)) for what, other in damaged_value(value))
    elif isinstance(slot.more, dict):
        yield from damaged_value(slot.more)
    else:
        yield from damaged_markup(slot.more)


def damaged_line(line: bytes, delimiter: str) -> Iterator[tuple[str, bytes]]:
    mark = delimiter.encode()
    cells = line.split(mark)
    yield "a column less", mark.join(cells[:-1])
    yield "a column more", mark.join([*cells, b"x"])
    yield "one column", b"x"
    yield "Latin-1", mark.join([*cells[:-1], b"caf\xe9"])
    yield "GB 18030", mark.join([*cells[:-1], "痛风".encode("gb18030")])
    yield "quotes that do not close", mark.join([b'"' + cells[0], *cells[1:]])
    yield "a line end within", mark.join([*cells[:-1], b"a\rb"])
    for place in range(len(cells)):
        for name, text in TEXTS.items():
            cell = text.encode("utf-8", "surrogatepass").replace(b"\n", b" ")
            yield f"{place}: {name}", mark.join([*cells[:place], cell, *cells[place + 1 :]])


def damaged_value(value: Any) -> Iterator[tuple[str, Any]]:
    yield from ((f"is value {n}", other) for n, other in enumerate((*VALUES, "x", nested(500))))
    for path in paths_in(value):
        where = "/".join(map(str, path))
        yield f"{where}: missing", changed(value, path, None, remove=True)
        yield from ((f"{where}: {name}", changed(value, path, text)) for name, text in TEXTS.items())
        yield from ((f"{where}: value {n}", changed(value, path, other)) for n, other in enumerate(VALUES))
        yield f"{where}: a key that is none", changed(value, path, {"\ud800": "x", "": 1})


def paths_in(value: Any, depth: int = 2) -> Iterator[tuple[Any, ...]]:
    """Where something stands in a JSON value; of a list only its first item."""
    inner = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for key, item in inner:
        yield (key,)
        if depth > 1:
            yield from ((key, *rest) for rest in paths_in(item, depth - 1))


def changed(value: Any, path: tuple[Any, ...], other: Any, *, remove: bool = False) -> Any:
    result = copy.deepcopy(value)
    inner = result
    for key in path[:-1]:
        inner = inner[key]
    if remove:
        del inner[path[-1]]
    else:
        inner[path[-1]] = other
    return result


def damaged_markup(piece: str) -> Iterator[tuple[str, str]]:
    """A piece of markup, cut anywhere and with anything in place of a word."""
    yield from ((f"cut at {place}", piece[:place]) for place in range(0, len(piece), max(1, len(piece) // 12)))
    words = [
        "Another",
        "another",
        "HP:0099999",
        "J11",
        "V01",
        "A000",
        "A00.0",
        "霍乱甲",
        "另一种药",
        "Cholera, one",
        "meds_em9",
    ]
    for word in [word for word in words if word in piece]:
        for name, text in TEXTS.items():
            yield f"{word}: {name}", piece.replace(word, text.replace("\ud800", "\\ud800"))


@pytest.mark.parametrize(("given_name", "place"), SLOTS)
def test_a_damaged_row_is_counted_and_costs_no_other(tmp_path: Path, sound: Sound, given_name: str, place: int) -> None:
    given = INPUTS[given_name]
    slot, (records, tally) = given.slots[place], sound(given_name)
    for what, row in damaged(slot) if slot.more else ():
        try:
            paths = given.write(tmp_path, {slot: [*slot.rows, row]})
        except (ValueError, RecursionError, TypeError):  # a format that cannot say it
            continue
        found = read(given, paths)
        if isinstance(found, ClewError):
            assert not slot.apart, f"{what}: {found}"
            continue
        assert records <= found[0], f"{what}: {sorted(records - found[0])[:2]}"
        assert (
            balance(found[1]) != balance(tally)
            or what.endswith(("nothing", "blanks", "cut at 0"))
            or not row
            or not slot.rows[-1]
        ), what


@pytest.mark.parametrize(("given_name", "place"), SLOTS)
def test_a_row_that_comes_again_changes_nothing_but_the_balance(
    tmp_path: Path, sound: Sound, given_name: str, place: int
) -> None:
    given = INPUTS[given_name]
    slot, (records, tally) = given.slots[place], sound(given_name)
    if not slot.more or not slot.rows[-1] or isinstance(slot.more, tuple):  # a mapping has every key once
        return
    found = read(given, given.write(tmp_path, {slot: [*slot.rows, slot.rows[-1]]}))
    if isinstance(found, ClewError):
        assert not slot.apart
        return
    assert records <= found[0]
    assert balance(found[1]) != balance(tally)


LINES = [
    pytest.param(name, i, id=f"{name}-{i}")
    for name, found in INPUTS.items()
    for i, slot in enumerate(found.slots)
    if isinstance(slot.more, bytes) or not slot.member
]


@pytest.mark.parametrize(("given_name", "place"), LINES)
def test_a_line_beyond_the_limit_is_passed_over(
    tmp_path: Path, sound: Sound, monkeypatch: pytest.MonkeyPatch, given_name: str, place: int
) -> None:
    monkeypatch.setattr(files, "LONGEST_LINE", 20_000)
    given = INPUTS[given_name]
    slot, (records, tally) = given.slots[place], sound(given_name)
    content = given.contents({})[slot.file, slot.member]
    for length in (20_000, 20_001, 100_000):
        long = content + b"x" * length + b"\n" + slot.pack([slot.more]).removeprefix(slot.pack([]))
        found = read(given, given.write(tmp_path, contents={(slot.file, slot.member): long}))
        assert not isinstance(found, ClewError)
        assert records <= found[0]
        assert sum(found[1].read_rows.values()) >= sum(tally.read_rows.values()) + 2, "the row behind it is read, too"
        assert any("longer than" in reason for _, reason in found[1].dropped_rows) or length == 20_000


# --- anything -----------------------------------------------------------------------------------------------


@EVERY
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), database=None)
@given(data=st.data())
def test_any_change_to_a_content_is_refused_or_counted(
    tmp_path_factory: pytest.TempPathFactory, given_name: str, data: st.DataObject
) -> None:
    given = INPUTS[given_name]
    contents = given.contents({})
    place = data.draw(st.sampled_from(sorted(contents)))
    content = contents[place]
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(content)))
        width = data.draw(st.integers(0, 30))
        content = content[:start] + data.draw(st.binary(max_size=30)) + content[start + width :]
    read(given, given.write(tmp_path_factory.mktemp("any"), contents={place: content}))


# --- what is too large --------------------------------------------------------------------------------------

MEASURED = """
import resource, sys
from pathlib import Path
from api.case import read_text_case
from api.compose import Clew
from kg_build.pipeline import build_from
from kg_build.reconcile import Tally
from kg_build.sources.registry import find_sources
from ontology.errors import ClewError

key, tally = sys.argv[1], Tally(sys.argv[1])
files = dict(zip(sys.argv[2::2], map(Path, sys.argv[3::2])))
source = find_sources([key])[key]
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    read = sum(1 for _ in source.read(files, tally))
    tally.check()
except ClewError as refused:
    read = refused.code.number
megabytes = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
print(read, round(megabytes), sorted(reason for _, reason in tally.dropped_rows), sep="|")
"""


def measured(key: str, paths: dict[str, Path]) -> tuple[str, int, str]:
    """In a process of its own: records or error code, megabytes that reading took, reasons for what was dropped."""
    arguments = [part for name, path in paths.items() for part in (name, str(path))]
    ended = subprocess.run(  # noqa: S603
        [sys.executable, "-c", MEASURED, key, *arguments], capture_output=True, text=True, timeout=120, check=True
    )
    read_, megabytes, reasons = ended.stdout.strip().split("|")
    return read_, int(megabytes), reasons


def test_a_line_of_two_gigabytes_is_passed_over_in_bounded_memory(tmp_path: Path, sound: Sound) -> None:
    given = INPUTS["ema"]
    (path,) = given.write(tmp_path).values()
    part = gzip.compress(b"x" * 2**24, compresslevel=1)  # parts of a gzip file may stand one behind the other
    row = gzip.compress(b"\n" + given.slots[0].pack([given.slots[0].more]))
    path.write_bytes(path.read_bytes() + part * 129 + row)
    read_, megabytes, reasons = measured("ema", {"ema_medicines": path})
    assert int(read_) > len(sound("ema")[0])
    assert megabytes < 150
    assert "line longer than" in reasons


def bomb_in_a_wheel(path: Path, member: str) -> None:
    with ZipFile(path, "w", ZIP_DEFLATED, compresslevel=1) as archive, archive.open(member, "w") as stream:
        for _ in range(20):
            stream.write(bytes(2**24))


def bomb_in_a_tar(path: Path, member: str) -> None:
    item = tarfile.TarInfo(member)
    item.size = 2**24 * 500
    path.write_bytes(gzip.compress(item.tobuf()) + gzip.compress(bytes(2**24), compresslevel=1) * 500)


def bomb_in_bzip2(path: Path, member: str) -> None:
    with ZipFile(path, "w") as archive:
        archive.writestr(member, bz2.compress(bytes(70 * 2**20)))


@pytest.mark.parametrize(
    ("given_name", "bomb"),
    [("hpo", bomb_in_a_wheel), ("icd10", bomb_in_a_wheel), ("cmekg", bomb_in_a_tar), ("drug_names", bomb_in_bzip2)],
)
def test_a_bomb_is_refused_before_it_fills_the_memory(
    tmp_path: Path, given_name: str, bomb: Callable[[Path, str], None]
) -> None:
    given = INPUTS[given_name]
    slot = given.slots[0]
    paths = given.write(tmp_path)
    bomb(paths[slot.file], slot.member)
    read_, megabytes, _ = measured(given_name, paths)
    assert read_ == Code.UNREADABLE_SOURCE.number
    assert megabytes < 500


def test_an_archive_is_read_no_further_than_allowed_to_find_a_member(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LARGEST_TEXT", 2**20)
    given = INPUTS["cmekg"]
    (path,) = given.write(tmp_path).values()
    bomb_in_a_tar(path, "another member")
    refused = read(given, {"PyCMeKG": path})
    assert isinstance(refused, ClewError)
    assert "unpacks to more than" in refused.cause


def test_rules_between_large_groups_are_not_expanded_without_end(tmp_path: Path, sound: Sound) -> None:
    many = [{"substance": f"substance {n}", "drug_classes": ["tous"]} for n in range(3000)]
    given = INPUTS["ansm"]
    rules, index = given.slots
    rule = copy.deepcopy(rules.more) | {"main_drug": "TOUS", "plus_drug": "TOUS", "description": "x" * 1000}
    found = read(given, given.write(tmp_path, {rules: [*rules.rows, rule], index: [*index.rows, *many]}))
    assert not isinstance(found, ClewError)
    assert sound("ansm")[0] <= found[0]
    assert found[1].dropped_rows["rule", "would expand the thesaurus beyond measure"] == 1

    given = INPUTS["interactions"]
    names = str(tuple(f"drug {n}" for n in range(3000)))
    large = test_interactions.row(names, names.replace("drug", "other")).replace("Check", "Check " * 500)
    found = read(given, given.write(tmp_path, {given.slots[0]: [*given.slots[0].rows, large]}))
    assert not isinstance(found, ClewError)
    assert sound("interactions")[0] <= found[0]
    assert found[1].dropped_rows["interaction", "would expand the list beyond measure"] == 1


# --- circles ------------------------------------------------------------------------------------------------


def is_a(records: set[str]) -> nx.DiGraph:  # type: ignore[type-arg]
    """The hierarchy in what was read."""
    stated = re.findall(r"Assertion\(subject='([^']*)', predicate='subclass_of', object='([^']*)'", "\n".join(records))
    return nx.DiGraph(stated)


def item(code: str, inner: str = "") -> str:
    return f"<item><name>{code}</name><description>Item {code}</description>{inner}</item>"


def diagnosis(code: str, inner: str = "") -> str:
    return f"<diag><name>{code}</name><desc>Item {code}</desc>{inner}</diag>"


def frame(term: str, *parents: str) -> str:
    return f"id: {term}\nname: finding {term}\n" + "".join(f"is_a: {parent}\n" for parent in parents)


def concept(label: str, *numbers: str) -> tuple[str, dict[str, Any]]:
    return label, {"name": label, "mesh_id": "D000001", "mesh_tree": list(numbers)}


def deep(element: Callable[[str], str]) -> tuple[str, str]:
    """The beginnings and the ends of five thousand elements, each within the one before."""
    pieces = [element(f"K{n}").rpartition("</") for n in range(5000)]
    return "".join(head for head, _, _ in pieces), "".join(f"</{end}" for _, _, end in pieces)


MANY = [f"HP:{n:07}" for n in range(9_000_000, 9_003_000)]
CIRCLES: Final[dict[str, tuple[list[Any], str]]] = {
    "hpo": ([frame("HP:1", "HP:2"), frame("HP:2", "HP:3"), frame("HP:3", "HP:1"), frame("HP:4", "HP:4")], "circle"),
    "hpo, of three thousand": ([frame(a, b) for a, b in zip(MANY, [*MANY[1:], MANY[0]], strict=True)], "circle"),
    "icd10": ([item("K00", item("K01", item("K00", item("K01"))))], "again"),
    "icd10, five thousand deep": (["".join(deep(item))], ""),
    "icd10cm": ([f"<name>21</name><desc>x</desc>{diagnosis('K00', diagnosis('K01', diagnosis('K00')))}"], "again"),
    "icd10cm, five thousand deep": ([f"<name>21</name><desc>x</desc>{''.join(deep(diagnosis))}"], ""),
    "icd10_zh": ([item("K00", item("K00"))], "again"),
    "mesh": (
        [concept(f"one {n}", f"C99.{n:03}", f"C98.{(n + 1) % 3:03}.001") for n in range(3)]
        + [concept(f"other {n}", f"C98.{n:03}", f"C99.{n:03}.001") for n in range(3)],
        "circle",
    ),
    "cmekg": (
        [
            ("病甲", {"上位关系": ["病乙"], "就诊科室": ["内科"]}),
            ("病乙", {"上位关系": ["病甲", "病乙"], "就诊科室": ["内科"]}),
        ],
        "itself",
    ),
}


@pytest.mark.parametrize("circle", CIRCLES)
def test_a_circle_in_a_hierarchy_is_cut_with_a_reason_and_the_rest_is_read(
    tmp_path: Path, sound: Sound, circle: str
) -> None:
    name = circle.partition(",")[0]
    given, (rows, reason) = INPUTS[name], CIRCLES[circle]
    slot = given.slots[0]
    found = read(given, given.write(tmp_path, {slot: [*slot.rows, *rows]}))
    assert not isinstance(found, ClewError)
    assert sound(name)[0] <= found[0]
    assert not reason or any(reason in said for _, said in found[1].dropped_rows)
    hierarchy = is_a(found[0])
    assert not list(nx.selfloop_edges(hierarchy))
    assert name == "cmekg" or nx.is_directed_acyclic_graph(hierarchy)  # there, each direction is what a page says


class Circular:
    """A source that nobody has checked: circles of findings and of diseases, and kinds of themselves."""

    contract = CONTRACT
    key, title, release = "circular", "Circles", "1"
    licence = attribution = "CC0"
    redistributable = True
    artefacts: tuple[Artefact, ...] = ()
    originals: tuple[Original, ...] = ()

    def read(self, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        """Yield the circles; see `Source.read`."""
        for type_name, letter in (("PhenotypicFeature", "f"), ("Disease", "d")):
            ends = [f"x:{letter}{n}" for n in range(3)]
            for curie in ends:
                yield Entity(curie, type_name, f"circular {curie}", "en", self.key)
                yield Name(curie, "en", f"circular thing {curie[2:]}", "label", self.key, curie)
            pairs = [*zip(ends, [*ends[1:], ends[0]], strict=True), (ends[0], ends[0]), (ends[1], ends[0])]
            for child, parent in pairs:
                yield Evidence(
                    Assertion(child, "subclass_of", parent), self.key, (), child, "prediction", "manual_agent"
                )
        for disease, finding in (("x:d0", "x:f0"), ("x:d1", "x:f2"), ("x:d0", "HP:0001166"), ("OMIM:154700", "x:f1")):
            assertion = Assertion(disease, "has_phenotype", finding)
            yield Evidence(assertion, self.key, (), disease, "knowledge_assertion", "manual_agent")


class Damaged:
    """A source with every damaged row that its input can have; of several inputs, the first one."""

    artefacts: tuple[Artefact, ...] = ()
    originals: tuple[Original, ...] = ()

    def __init__(self, given: Input, folder: Path) -> None:
        real = find_sources([given.source])[given.source]
        self.contract, self.key, self.title, self.release = real.contract, real.key, real.title, real.release
        self.licence, self.attribution, self.redistributable = real.licence, real.attribution, real.redistributable
        self._real, self._given, self._folder = real, given, folder

    def read(self, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        """Yield what is left; see `Source.read`."""
        rows = {slot: [*slot.rows, *self._damaged(slot)] for slot in self._given.slots if slot.apart and slot.more}
        yield from self._real.read(self._given.write(self._folder, rows), tally)

    def _damaged(self, slot: Slot) -> Iterator[Any]:
        for _, row in damaged(slot):
            try:
                self._given.contents({slot: [row]})
            except (ValueError, RecursionError, TypeError):  # a format that cannot say it
                continue
            yield row


def test_a_release_of_damaged_rows_and_circles_answers_and_diagnoses(tmp_path: Path) -> None:
    given = {found.source: found for found in reversed(INPUTS.values())}
    sources = {key: Damaged(given[key], tmp_path / key) for key in source_keys() if key in given}
    report = build_from(tmp_path, {**sources, "circular": Circular()}, NO_INDEX)
    assert all(any(row["kept"] for row in report.balances[key]) for key in sources)
    graph = Clew.open(tmp_path)
    hierarchy, findings = graph.diagnosis.matrix.hierarchy, graph.diagnosis.matrix.findings
    circle = [findings.index(f"x:f{n}") for n in range(3)]
    assert all(set(circle) <= set(hierarchy.ancestors(finding).tolist()) for finding in circle)
    case = read_text_case(graph, "She has circular thing f0 and arachnodactyly, but no circular thing f2.").case
    ranked = graph.diagnosis.rank(case.findings)
    assert {"x:d0", "OMIM:154700"} <= {candidate.disease for candidate in ranked.candidates}
    assert next_questions(graph.diagnosis, ranked)
    assert explain(graph.diagnosis, case.findings, "x:d0").disease == "x:d0"
    assert find_chains(graph.adjacency, graph.store, "x:d0", "x:d2", depth=3, limit=10)
    assert graph.answerer.ask("What are the symptoms of circular thing d0?").sentences
    assert graph.answerer.ask("痛风有哪些症状？").sentences


# --- names --------------------------------------------------------------------------------------------------

ESCAPING = (
    "../../escaped", "/escaped-from-clew", "..\\..\\escaped", "C:\\escaped", "C:/escaped", "//host/share/escaped",
    "open_medicine/guidelines/content/../../../../escaped.md", "MedQuAD-master/2_GARD_QA/../../../escaped.xml",
    "con", ".", "a" * 300, "\u202egpj.exe",
)  # fmt: skip


def tree(folder: Path) -> set[str]:
    return {str(path) for path in folder.rglob("*")}


@pytest.mark.parametrize("given_name", [name for name, found in INPUTS.items() if found.source != "documents"])
def test_names_of_members_lead_nowhere(tmp_path: Path, sound: Sound, given_name: str) -> None:
    given, inner = INPUTS[given_name], tmp_path / "one" / "two"
    members = {(key, name): b"# escaped" for key in given.files for name in ESCAPING}
    archives = [key for key, name in given.files.items() if name.endswith((".whl", ".zip", ".tar.gz"))]
    paths = given.write(inner, contents={place: c for place, c in members.items() if place[0] in archives})
    for path in paths.values():
        if path.suffix in {".whl", ".zip"}:
            with ZipFile(path, "a") as archive:
                link = ZipInfo("link")
                link.external_attr = 0o120777 << 16
                archive.writestr(link, "../../../escaped")
    before = tree(tmp_path)
    found = read(given, paths)
    assert not isinstance(found, ClewError)
    assert sound(given_name)[0] <= found[0]
    assert tree(tmp_path) == before
    assert not Path("/escaped-from-clew").exists()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE])
def test_a_member_that_is_no_file_is_not_followed(tmp_path: Path, kind: bytes) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(pickle.dumps({"秘密": {"常见症状": ["秘密"]}}))
    given = INPUTS["cmekg"]
    (path,) = given.write(tmp_path).values()
    written = BytesIO()
    with tarfile.open(fileobj=written, mode="w") as archive:
        item = tarfile.TarInfo(given.slots[0].member)
        item.type, item.linkname = kind, str(secret)
        archive.addfile(item)
    path.write_bytes(gzip.compress(written.getvalue()))
    assert isinstance(read(given, {"PyCMeKG": path}), ClewError)


def test_links_and_odd_names_among_documents_lead_nowhere(tmp_path: Path) -> None:
    given = INPUTS["documents"]
    (folder,) = given.write(tmp_path).values()
    outside = tmp_path / "outside.md"
    outside.write_text("# secret")
    (folder / "link.md").symlink_to(outside)
    (folder / "loop").symlink_to(folder)
    (folder / "dangling.md").symlink_to(tmp_path / "nowhere")
    for name in ("..%2f..%2fescaped.md", "a\\b.md", "C:x.md", "con.md", "\u202edm.md", "a\nb.md", "x" * 200 + ".md"):
        (folder / name).write_text("# Title\n\ntext")
    before = tree(tmp_path)
    found = read(given, {"documents": folder})
    assert not isinstance(found, ClewError)
    assert not any("secret" in record for record in found[0])
    assert sum("Document(" in record for record in found[0]) == 3 + 6  # what begins with a dot is hidden
    assert tree(tmp_path) == before
