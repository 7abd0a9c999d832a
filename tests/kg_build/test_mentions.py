"""Mentions: what passages name, and what their document is about."""

import pytest

from kg_build.index.terms import build_terms, make_linker
from kg_build.mentions import OF_A_WHOLE, find_mentions
from ontology.document import Chunk, Document, Mention
from ontology.model import Entity, Name
from ontology.reading.linker import Linker

GOUT, ALLOPURINOL, GUIDE = "x:gout", "x:allopurinol", "x:guide"
ENTITIES = {
    GOUT: Entity(GOUT, "Disease", "Gout", "en", "hpo"),
    ALLOPURINOL: Entity(ALLOPURINOL, "Drug", "Allopurinol", "en", "hpo"),
    GUIDE: Entity(GUIDE, "Guideline", "Gout in adults", "en", "hpo"),
}
NAMES = [
    Name(GOUT, "en", "Gout", "label", "hpo", "1"),
    Name(GOUT, "zh", "痛风", "exact", "hpo", "1"),
    Name(ALLOPURINOL, "en", "Allopurinol", "label", "hpo", "2"),
    Name(GUIDE, "en", "Gout in adults", "label", "hpo", "3"),
]


@pytest.fixture(scope="module")
def linker(tmp_path_factory: pytest.TempPathFactory) -> Linker:
    return make_linker(build_terms(ENTITIES, NAMES, tmp_path_factory.mktemp("terms") / "terms"))


def mentions(
    linker: Linker, *texts: str, about: tuple[str, ...] = (), reference: str = "", kind: str = "article"
) -> list[Mention]:
    document = Document("clew.doc:1", "1", "en", "hpo", kind, reference, about=about)
    chunks = [Chunk(f"clew.doc:1#{i}", document.id, i, "", text, "en", 0, len(text)) for i, text in enumerate(texts)]
    return list(find_mentions(chunks, {document.id: document}, ENTITIES, linker))


@pytest.mark.parametrize(("text", "named"), [("It is gout.", "gout"), ("这是痛风。", "痛风")])
def test_a_name_in_a_passage_is_a_mention_at_its_place(linker: Linker, text: str, named: str) -> None:
    (found,) = mentions(linker, text)
    assert (found.chunk, found.entity, found.text) == ("clew.doc:1#0", GOUT, named)
    assert text[found.start : found.end] == named


def test_what_a_document_is_about_is_mentioned_by_each_of_its_passages(linker: Linker) -> None:
    found = mentions(linker, "Take it daily.", "每天服用。", about=(ALLOPURINOL, GUIDE))
    assert [(m.chunk, m.entity, m.method) for m in found] == [
        (f"clew.doc:1#{i}", entity, "subject") for i in range(2) for entity in (ALLOPURINOL, GUIDE)
    ]
    assert {(m.start, m.end, m.text, m.confidence) for m in found} == {(0, 0, "", OF_A_WHOLE)}


def test_a_passage_that_names_the_subject_is_surer_than_one_that_does_not(linker: Linker) -> None:
    found = mentions(linker, "Gout hurts.", "Take it daily.", about=(GOUT,))
    best = {chunk: max(m.confidence for m in found if m.chunk == chunk) for chunk in {m.chunk for m in found}}
    assert best["clew.doc:1#0"] > best["clew.doc:1#1"]


def test_a_definition_is_certainly_of_its_term(linker: Linker) -> None:
    (found,) = mentions(linker, "A disease of the joints.", about=(GOUT,), kind="definition")
    assert (found.entity, found.confidence) == (GOUT, 1.0)


def test_what_it_is_about_has_to_be_in_the_graph_and_a_reference_says_nothing(linker: Linker) -> None:
    assert mentions(linker, "Take it daily.", about=("x:nowhere",), reference=GOUT) == []


def test_titles_of_guidelines_are_not_looked_for_in_texts(linker: Linker) -> None:
    assert [m.entity for m in mentions(linker, "See Gout in adults.")] == [GOUT]
