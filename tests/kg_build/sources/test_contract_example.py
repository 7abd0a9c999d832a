"""A source of a third party, from its announcement to the release: what the ontology does not know leaves by name."""

from collections.abc import Iterator, Mapping
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest

from kg_build.pipeline import BuildReport, build_from
from kg_build.reconcile import Tally
from kg_build.release import values
from kg_build.sources import registry
from kg_build.sources.contract import CONTRACT, Artefact, Original, Record
from kg_build.sources.files import table_rows
from kg_build.sources.registry import GROUP, find_sources
from ontology.model import Assertion, Entity, Evidence, Name
from tests.miniature import NO_INDEX

TABLE = """subject\ttype\tpredicate\tobject
acme:gout\tDisease\thas_phenotype\tHP:0001369
acme:podagra\tIllness\thas_phenotype\tHP:0001369
acme:flare\tDisease\tresembles\tacme:gout
acme:fever\tDisease\tis_diagnosed_by\tacme:gout
acme:ague\tDisease\thas_phenotype\tHP:7
"""


class Acme:
    """A source as its author writes it: one table, a statement a row."""

    contract = CONTRACT
    key = "acme"
    title = "Acme findings"
    release = "2024"
    licence = "CC0"
    attribution = ""
    redistributable = True
    artefacts: tuple[Artefact, ...] = ()
    originals: tuple[Original, ...] = (Original("acme", ("acme.tsv",), "https://example.org/acme.tsv"),)

    def read(self, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        yield Entity("HP:0001369", "PhenotypicFeature", "Arthritis", "en", self.key)
        for line, row in table_rows(files["acme"], tally, "row", ("subject", "type", "predicate", "object")):
            tally.kept("row")
            yield Entity(row["subject"], row["type"], row["subject"], "en", self.key)
            yield Name(row["subject"], "en", row["subject"].partition(":")[2], "label", self.key, f"acme.tsv:{line}")
            stated = Assertion(row["subject"], row["predicate"], row["object"])
            yield Evidence(stated, self.key, (), f"acme.tsv:{line}", "knowledge_assertion", "manual_agent")


SOURCE = Acme()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BuildReport]:
    """A build of the announced source, from a file that the user provides."""
    folder = tmp_path_factory.mktemp("acme")
    (folder / "acme.tsv").write_text(TABLE, encoding="utf-8")
    entries = EntryPoints([EntryPoint("acme", f"{__name__}:SOURCE", GROUP)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "entry_points", lambda *, group: entries.select(group=group))
        yield build_from(folder / "home", find_sources(["acme"]), NO_INDEX, data=[folder])


def left_out(report: BuildReport, kind: str) -> dict[str, tuple[int, str]]:
    """Of the graph's rows of a kind that were dropped: reason -> how many, and the first one."""
    (row,) = (row for row in report.balances["graph"] if row["kind"] == kind)
    dropped: Any = row["dropped"]
    examples: Any = row["examples"]
    return {reason: (n, examples.get(reason, "")) for reason, n in dropped.items()}


def test_what_the_ontology_allows_is_in_the_release(report: BuildReport) -> None:
    assertions = report.release.table("assertion")
    assert list(zip(*(values(assertions, c) for c in ("subject", "predicate", "object")), strict=True)) == [
        ("acme:gout", "has_phenotype", "HP:0001369")
    ]
    assert values(report.release.table("evidence"), "record") == ["acme.tsv:2"]


def test_an_unknown_type_is_counted_with_its_source_and_its_entity(report: BuildReport) -> None:
    assert left_out(report, "entity") == {"unknown entity type 'Illness'": (1, "acme: acme:podagra acme:podagra")}


@pytest.mark.parametrize(
    ("reason", "record"),
    [
        ("unknown predicate 'resembles'", "acme: acme.tsv:4"),
        ("is_diagnosed_by does not lead from Disease to Disease", "acme: acme.tsv:5"),
        ("has_phenotype: subject is not in the graph", "acme: acme.tsv:3"),
        ("has_phenotype: object is not in the graph", "acme: acme.tsv:6"),
    ],
)
def test_an_unknown_statement_is_counted_with_its_source_and_its_row(
    report: BuildReport, reason: str, record: str
) -> None:
    assert left_out(report, "evidence")[reason] == (1, record)
    assert len(left_out(report, "evidence")) == 4
