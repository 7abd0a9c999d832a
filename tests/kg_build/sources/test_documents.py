import sys
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_build.reconcile import Tally
from kg_build.sources import documents
from kg_build.sources.contract import Record, Source
from kg_build.sources.documents import SOURCE, read_document
from ontology.curie import is_curie
from ontology.document import Chunk, Document
from ontology.errors import ClewError, Code


def write(root: Path, name: str, content: str | bytes) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def write_pdf(root: Path, name: str, pages: list[list[str]], password: str = "") -> Path:
    pypdf = pytest.importorskip("pypdf")
    generic = pytest.importorskip("pypdf.generic")
    font = generic.DictionaryObject(
        {
            generic.NameObject("/Type"): generic.NameObject("/Font"),
            generic.NameObject("/Subtype"): generic.NameObject("/Type1"),
            generic.NameObject("/BaseFont"): generic.NameObject("/Helvetica"),
        }
    )
    fonts = generic.DictionaryObject({generic.NameObject("/F1"): font})
    writer = pypdf.PdfWriter()
    for lines in pages:
        page = writer.add_blank_page(612, 792)
        stream = generic.DecodedStreamObject()
        shown = "".join(f"({line}) Tj T*\n" for line in lines)
        stream.set_data(f"BT /F1 10 Tf 14 TL 50 740 Td\n{shown}ET".encode())
        page[generic.NameObject("/Contents")] = stream
        page[generic.NameObject("/Resources")] = generic.DictionaryObject({generic.NameObject("/Font"): fonts})
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    writer.write(root / name)
    return root / name


def write_docx(root: Path, name: str) -> Path:
    docx: Any = pytest.importorskip("docx")
    document = docx.Document()
    document.core_properties.title = "Gout at Acme"
    document.add_heading("Flares", level=1)
    document.add_paragraph("Give colchicine early.")
    document.add_paragraph("Not in renal failure", style="List Bullet")
    document.add_heading("剂量", level=2)
    table = document.add_table(rows=2, cols=2)
    for row, texts in zip(table.rows, [("Drug", "Dose"), ("秋水仙碱", "0.5 mg | daily")], strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    document.save(root / name)
    return root / name


def passages(path: Path, root: Path) -> list[tuple[str, str]]:
    return [(chunk.section, chunk.text) for chunk in read_document(path, root)[1]]


def read_folder(root: Path) -> tuple[list[Record], Tally]:
    tally = Tally(SOURCE.key)
    records = list(SOURCE.read({"documents": root}, tally))
    tally.check()
    return records, tally


def refusal(path: Path, root: Path) -> str:
    with pytest.raises(ClewError) as caught:
        read_document(path, root)
    assert caught.value.code is Code.UNREADABLE_SOURCE
    return caught.value.cause


def test_it_keeps_the_contract_and_is_not_passed_on() -> None:
    assert isinstance(SOURCE, Source)
    assert not SOURCE.redistributable


def test_markdown_keeps_its_headings(tmp_path: Path) -> None:
    path = write(tmp_path, "heart/acs.md", "# 急性冠脉综合征\n\n## 治疗\n\n尽早服用阿司匹林。\n")
    document, chunks = read_document(path, tmp_path)
    name = "documents:heart/acs.md"
    assert document == Document(name, "急性冠脉综合征", "zh", "documents", "article", name)
    assert [(c.section, c.text) for c in chunks] == [("急性冠脉综合征 › 治疗", "尽早服用阿司匹林。")]


def test_text_is_plain_and_named_by_its_file(tmp_path: Path) -> None:
    path = write(tmp_path, "gout.txt", "# 1 in 100 has gout.\r\n\r\nIt hurts.")
    document, chunks = read_document(path, tmp_path)
    assert (document.title, document.lang) == ("gout", "en")
    assert [c.text for c in chunks] == ["# 1 in 100 has gout.\n\nIt hurts."]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_text_is_read_in_the_encodings_that_chinese_files_have(tmp_path: Path, encoding: str) -> None:
    path = write(tmp_path, "a.txt", "痛风患者应少饮酒。".encode(encoding))
    assert passages(path, tmp_path) == [("", "痛风患者应少饮酒。")]


def test_text_in_no_known_encoding_is_refused(tmp_path: Path) -> None:
    assert refusal(write(tmp_path, "a.txt", b"gout \xff\xff\x80 pain"), tmp_path).startswith("neither UTF-8")


def test_html_keeps_headings_lists_and_tables_without_navigation(tmp_path: Path) -> None:
    pytest.importorskip("lxml")
    page = """<html><head><title>Gout</title><style>p {}</style></head><body><nav>Home</nav>
    <h1>Gout</h1><p>Gout <b>hurts</b>.<!-- really --> Much.<br>Rest.</p><h2>治疗</h2>
    <ul><li><p>秋水仙碱</p></li><li>NSAID</li></ul>
    <table><tr><th>Drug</th><th>Dose</th></tr><tr><td><p>秋水仙碱</p></td><td>0.5 mg</td></tr></table>
    <script>alert(1)</script><p># no heading</p><footer>Contact</footer></body></html>"""
    path = write(tmp_path, "gout.html", page)
    assert passages(path, tmp_path) == [
        ("Gout", "Gout hurts. Much.\n\nRest."),
        ("Gout › 治疗", "- 秋水仙碱\n- NSAID\n\n| Drug | Dose |\n| 秋水仙碱 | 0.5 mg |\n\n\\# no heading"),
    ]


def test_html_may_declare_its_encoding(tmp_path: Path) -> None:
    pytest.importorskip("lxml")
    path = write(tmp_path, "a.html", '<meta charset="gb18030"><title>痛风</title><p>少饮酒。</p>'.encode("gb18030"))
    assert passages(path, tmp_path) == [("痛风", "少饮酒。")]


def test_html_that_is_nested_beyond_measure_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("lxml")
    path = write(tmp_path, "deep.html", "<p>Gout.</p>" + "<div>" * 50_000 + "gout" + "</div>" * 50_000)
    assert refusal(path, tmp_path) == "HTML nested too deeply"


def test_html_without_text_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("lxml")
    assert refusal(write(tmp_path, "a.html", "<html><body></body></html>"), tmp_path).startswith("no text in it")


def test_a_pdf_has_its_pages_in_the_section_and_no_running_lines(tmp_path: Path) -> None:
    texts = [
        "Colchicine should be given as early as possible in a",
        "flare. Do not exceed 1 mg.",
        "Aspirin is no help.",
    ]
    pages = [["Acme Guideline 2021", text, f"Page {n} of 3"] for n, text in enumerate(texts, 1)]
    pages[0][2:2] = ["flare of gout."]
    path = write_pdf(tmp_path, "gout.pdf", pages)
    assert passages(path, tmp_path) == [
        ("gout › p. 1", f"{texts[0]} flare of gout."), ("gout › p. 2", texts[1]), ("gout › p. 3", texts[2])
    ]  # fmt: skip
    _, tally = read_folder(tmp_path)
    assert tally.dropped_rows["repeated line", "header or footer of pages"] == 6


def test_a_line_of_two_pages_is_no_running_line(tmp_path: Path) -> None:
    path = write_pdf(tmp_path, "gout.pdf", [["Give colchicine."], ["Give colchicine."]])
    assert [text for _, text in passages(path, tmp_path)] == ["Give colchicine."] * 2


def test_lines_that_differ_in_a_dose_are_no_running_lines(tmp_path: Path) -> None:
    doses = [f"Give {n} mg of colchicine." for n in (1, 2, 3)]
    path = write_pdf(tmp_path, "gout.pdf", [[dose, f"- {n} -", f"{n}"] for n, dose in enumerate(doses)])
    assert [text.split("\n")[0] for _, text in passages(path, tmp_path)] == doses


def test_a_docx_keeps_headings_lists_and_tables(tmp_path: Path) -> None:
    path = write_docx(tmp_path, "gout.docx")
    assert read_document(path, tmp_path)[0].title == "Gout at Acme"
    assert passages(path, tmp_path) == [
        ("Gout at Acme › Flares", "Give colchicine early.\n\n- Not in renal failure"),
        ("Gout at Acme › Flares › 剂量", "| Drug | Dose |\n| 秋水仙碱 | 0.5 mg / daily |"),
    ]


def test_files_that_cannot_be_read_are_dropped_with_the_reason_and_an_example(tmp_path: Path) -> None:
    for module in ("lxml", "pypdf", "docx"):
        pytest.importorskip(module)
    write_pdf(tmp_path, "secret.pdf", [["Gout"]], password="secret")  # noqa: S106
    write_pdf(tmp_path, "scan.pdf", [[]])
    write(tmp_path, "broken.pdf", b"%PDF-1.7 nothing")
    write(tmp_path, "broken.docx", b"no archive")
    with ZipFile(tmp_path / "other.docx", "w") as archive:
        archive.writestr("a.txt", "not Word")
    write(tmp_path, "empty.md", "")
    write(tmp_path, "sheet.xlsx", b"")
    write(tmp_path, ".hidden.md", "Gout")
    write(tmp_path, "good.md", "Gout hurts.")
    records, tally = read_folder(tmp_path)
    assert [r.title for r in records if isinstance(r, Document)] == ["good"]
    reasons = {tally.examples[key]: key[1].split(" (")[0] for key in tally.dropped_rows if key[0] == "file"}
    assert tally.dropped_rows["file", "damaged DOCX"] == 1
    assert reasons == {
        "secret.pdf": "encrypted PDF",
        "empty.md": "no text in it",
        "broken.pdf": "damaged PDF",
        "broken.docx": "damaged or encrypted DOCX",
        "other.docx": "damaged DOCX",
        "sheet.xlsx": "neither Markdown, text, HTML, PDF nor DOCX",
        ".hidden.md": "hidden or temporary file",
    }
    assert tally.dropped_rows["file", "no text in it (pages that are pictures have to be recognised first)"] == 2


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("docx")
    monkeypatch.setattr(documents, "LARGEST_BINARY", 10_000)
    with ZipFile(tmp_path / "bomb.docx", "w", ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"\0" * 1_000_000)
    assert refusal(tmp_path / "bomb.docx", tmp_path) == "unpacks to more than 10,000 bytes"


def test_a_file_that_is_too_large_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "big.html"
    with path.open("wb") as stream:
        stream.truncate(100 * 2**20)
    assert refusal(path, tmp_path) == f"larger than {documents.LARGEST_TEXT:,} bytes"


def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    outside = write(tmp_path, "private/secret.md", "Secret.")
    inside = tmp_path / "documents"
    write(inside, "a.md", "Gout hurts.")
    (inside / "b.md").symlink_to(outside)
    (inside / "folder").symlink_to(outside.parent)
    (inside / "again.md").symlink_to(inside / "a.md")
    records, tally = read_folder(inside)
    assert sorted(r.id for r in records if isinstance(r, Document)) == ["documents:a.md", "documents:again.md"]
    assert tally.dropped_rows["file", "link that leads out of the folder"] == 2


def test_a_path_that_climbs_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "secret.md", "Secret.")
    (tmp_path / "documents").mkdir()
    assert refusal(tmp_path / "documents/../secret.md", tmp_path / "documents") == "link that leads out of the folder"


def test_a_changed_file_keeps_its_id(tmp_path: Path) -> None:
    path = write(tmp_path, "a.md", "Gout hurts.")
    before = read_document(path, tmp_path)[0].id
    write(tmp_path, "a.md", "# Other\n\n痛风。")
    assert read_document(path, tmp_path)[0].id == before


@given(st.text(st.characters(blacklist_categories=["Cs"]), min_size=1).filter(lambda s: "/" not in s and "\0" not in s))
def test_every_file_name_makes_a_curie_without_the_mark_of_passages(name: str) -> None:
    identifier = documents._identifier(Path("root") / f"{name}.md", Path("root"))
    assert is_curie(identifier)
    assert "#" not in identifier


def test_a_missing_library_is_named_with_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdf", None)
    write(tmp_path, "a.pdf", b"%PDF-1.7")
    with pytest.raises(ClewError) as caught:
        read_folder(tmp_path)
    assert caught.value.code is Code.MISSING_EXTRA
    assert "clew[documents]" in caught.value.remedy


def test_a_file_instead_of_the_folder_is_an_unreadable_source(tmp_path: Path) -> None:
    with pytest.raises(ClewError) as caught:
        read_folder(write(tmp_path, "documents", "Gout"))
    assert caught.value.code is Code.UNREADABLE_SOURCE


def test_passages_are_slices_of_one_text(tmp_path: Path) -> None:
    records, _ = read_folder(write(tmp_path, "a.md", "# Gout\n\n" + "Gout hurts. " * 200).parent)
    chunks = [r for r in records if isinstance(r, Chunk)]
    text = (tmp_path / "a.md").read_text(encoding="utf-8")
    assert len(chunks) > 1
    assert all(text[c.start : c.end] == c.text for c in chunks)
