"""A small graph in two languages, and what is extracted from a text with it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from kg_build import pipeline
from kg_build.chunk import chunk_markdown
from kg_build.extract.extract import Extraction, extract
from kg_build.release import Release
from kg_build.sources.contract import Record
from ontology.curie import mint
from ontology.document import Document
from ontology.model import Entity, Name
from tests.kg_build.graphs import stated
from tests.kg_build.tiny import Tiny, build_tiny

Extract = Callable[..., Extraction]
Said = Callable[[str], set[tuple[str, str, str]]]

THINGS = {
    "Disease": {
        "OMIM:1": ("Marfan syndrome", "马凡综合征"),
        "OMIM:2": ("hypertension", "高血压"),
        "OMIM:3": ("stroke", "脑卒中"),
        "OMIM:4": ("asthma", "哮喘"),
        "ORPHA:1": ("Marfan disease",),
    },
    "PhenotypicFeature": {
        "HP:1": ("scoliosis", "脊柱侧弯"),
        "HP:2": ("fever", "发热"),
        "HP:3": ("headache", "头痛"),
        "HP:4": ("tremor", "震颤"),
        "HP:5": ("hypertension",),
        "HP:6": ("pregnancy", "妊娠"),
        "HP:7": ("cough", "咳嗽"),
        mint("cmekg", "PhenotypicFeature", "时间"): ("时间",),
    },
    "Drug": {
        "DRUGBANK:1": ("amlodipine", "氨氯地平"),
        "DRUGBANK:2": ("captopril", "卡托普利"),
        "DRUGBANK:3": ("corn",),
    },
    "Procedure": {"ICD9:1": ("echocardiography", "超声心动图")},
    "Gene": {"NCBIGene:2200": ("FBN1",)},
}
LABELS = {curie: names[0] for things in THINGS.values() for curie, names in things.items()}
ENGLISH = {name: names[0] for things in THINGS.values() for names in things.values() for name in names}
"""The label of what has a name."""
SHEET = "# Marfan syndrome\n\n## Symptoms\n\nScoliosis is common.\n\n## Treatment\n\nAmlodipine is given.\n"


def _described() -> list[Record]:
    records: list[Record] = []
    for type_name, things in THINGS.items():
        for curie, names in things.items():
            records.append(Entity(curie, type_name, names[0], "en", "hpo"))
            records += [Name(curie, "en" if n.isascii() else "zh", n, "label", "hpo", curie) for n in names]
    return records


def _document() -> list[Record]:
    about = Document("hpo:sheet", "Marfan syndrome", "en", "hpo", "article", "DOI:10.1/sheet", about=("OMIM:1",))
    return [about, *chunk_markdown("hpo:sheet", SHEET, "en")]


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """Names in both languages, one document, and a few statements."""
    said = [
        stated("ORPHA:1", "has_phenotype", "HP:1", "PMID:1"),
        stated("OMIM:1", "has_phenotype", "HP:2", "PMID:1", negated=True),
        stated("OMIM:1", "same_as", "ORPHA:1", "PMID:1"),
        stated("DRUGBANK:1", "treats", "OMIM:2", "PMID:1"),
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "derive", lambda *_, **__: None)
        return build_tiny(tmp_path_factory.mktemp("graph"), Tiny("hpo", (*_described(), *_document(), *said))).release


@pytest.fixture
def extracted(release: Release, tmp_path: Path) -> Extract:
    """Extracts from a text in Markdown."""

    def call(text: str, **options: object) -> Extraction:
        path = tmp_path / "text.md"
        path.write_text(text, encoding="utf-8")
        return extract(release, file=path, **options)  # type: ignore[arg-type]

    return call


@pytest.fixture
def said(extracted: Extract) -> Said:
    """The statements that a text makes: labels of the subject and object with the predicate between."""

    def call(text: str) -> set[tuple[str, str, str]]:
        found = (candidate.assertion for candidate in extracted(text).candidates)
        return {(LABELS[stated.subject], stated.predicate, LABELS[stated.object]) for stated in found}

    return call
