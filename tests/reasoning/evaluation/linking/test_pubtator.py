import gzip
from pathlib import Path

import pytest

from ontology.errors import ClewError, Code
from reasoning.evaluation.linking.pubtator import AnnotatedDocument, read_pubtator
from reasoning.evaluation.record import Problem

TITLE, ABSTRACT = "Rash after 𝛃-lactams.", "咳嗽 and rash."
DOCUMENT = "\n".join([
    f"7|t|{TITLE}",
    f"7|a|{ABSTRACT}",
    "7\t0\t4\tRash\tDisease\tD005076",
    "7\t11\t20\t𝛃-lactams\tChemical\tD047090|C012345",
    "7\t22\t24\t咳嗽\tDisease\t-1",
    "7\tCID\tD047090\tD005076",
    "",
])  # fmt: skip


def read(path: Path, text: str | bytes) -> tuple[list[AnnotatedDocument], list[Problem]]:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    found = [item for _, item in read_pubtator(path)]
    return [i for i in found if isinstance(i, AnnotatedDocument)], [i for i in found if isinstance(i, Problem)]


def test_title_blank_abstract_is_the_text_and_offsets_are_its_code_points(tmp_path: Path) -> None:
    (document,), problems = read(tmp_path / "a.txt", DOCUMENT)
    assert not problems
    assert [document.text[m.start : m.end] for m in document.mentions] == ["Rash", "𝛃-lactams", "咳嗽"]


def test_mesh_ids_get_their_prefix_several_are_kept_and_minus_one_is_none(tmp_path: Path) -> None:
    (document,), _ = read(tmp_path / "a.txt", DOCUMENT)
    assert [m.ids for m in document.mentions] == [("MESH:D005076",), ("MESH:D047090", "MESH:C012345"), ()]


def test_relations_are_counted_and_are_no_mentions(tmp_path: Path) -> None:
    (document,), _ = read(tmp_path / "a.txt", DOCUMENT)
    assert (document.relations, len(document.mentions)) == (1, 3)


def test_documents_need_no_blank_line_between_them(tmp_path: Path) -> None:
    documents, _ = read(tmp_path / "a.txt", DOCUMENT + DOCUMENT.replace("7|", "8|").replace("7\t", "8\t"))
    assert [document.id for document in documents] == ["7", "8"]


def test_a_packed_file_is_read_too(tmp_path: Path) -> None:
    documents, _ = read(tmp_path / "a.PubTator.gz", gzip.compress(DOCUMENT.encode()))
    assert len(documents) == 1


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ("7\t1\t5\tRash\tDisease\tD005076", "at 1-5 the text says 'ash ', not 'Rash'"),
        ("7\t0\t4\tRash\tDisease", "columns"),
        ("7\t0\tx\tRash\tDisease\tD005076", "columns"),
        ("7\t0", "columns"),
        ("9\t0\t4\tRash\tDisease\tD005076", "no title above"),
        ("something else", "no title above"),
    ],
)
def test_a_line_that_is_wrong_is_named_and_its_document_stays(tmp_path: Path, line: str, cause: str) -> None:
    (document,), (problem,) = read(tmp_path / "a.txt", DOCUMENT + line + "\n")
    assert (problem.line, problem.reason, len(document.mentions)) == (7, "malformed", 3)
    assert cause in problem.cause


def test_bytes_that_are_not_utf8_are_a_problem_of_their_line(tmp_path: Path) -> None:
    _, (problem,) = read(tmp_path / "a.txt", DOCUMENT.encode() + b"7\t0\t4\t\xff\n")
    assert problem.line == 7


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ClewError) as refused:
        read(tmp_path / "a.txt", "\n\n")
    assert refused.value.code is Code.EMPTY_INPUT
