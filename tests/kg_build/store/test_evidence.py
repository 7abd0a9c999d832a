from collections.abc import Iterator
from pathlib import Path

import pytest

from kg_build.release import open_release
from kg_build.sources.contract import Record
from kg_build.store.evidence import read_evidence
from kg_build.store.ladybug import LadybugStore, load_store
from ontology.model import Evidence
from ontology.schema import load_domain
from tests.kg_build.graphs import collect, entity, stated

MUCH = [stated("OMIM:1", "has_phenotype", "HP:1", f"PMID:{n}") for n in range(1, 1201)]
LITTLE = stated(
    "cmekg:感冒", "has_phenotype", "HP:1", source="cmekg", record="感冒/常见症状", quote="'发热' \\", frequency=""
)
DENIED = stated("OMIM:1", "has_phenotype", "HP:2", "PMID:1", negated=True, code="PCS", frequency="0/9")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LadybugStore]:
    path = tmp_path_factory.mktemp("evidence") / "graph.lbug"
    findings = [entity(f"HP:{n}", "PhenotypicFeature") for n in (1, 2)]
    records: list[Record] = [entity("OMIM:1"), entity("cmekg:感冒", source="cmekg"), *findings, *MUCH, LITTLE, DENIED]
    load_store(collect(records), load_domain(), path)
    opened = LadybugStore(path)
    yield opened
    opened.close()


def read_one(store: LadybugStore, evidence: Evidence) -> list[str]:
    return [row.id for row in read_evidence(store, [evidence.assertion.id])[evidence.assertion.id]]


def test_a_row_is_read_as_the_source_gave_it(store: LadybugStore) -> None:
    (row,) = read_evidence(store, [LITTLE.assertion.id])[LITTLE.assertion.id]
    assert (row.id, row.source, row.source_release, row.licence) == (LITTLE.id, "cmekg", "2019-01-29", "MIT")
    assert (row.record, row.quote, row.references) == ("感冒/常见症状", "'发热' \\", [])
    (row,) = read_evidence(store, [DENIED.assertion.id])[DENIED.assertion.id]
    assert (row.code, row.frequency, row.references) == ("PCS", "0/9", ["PMID:1"])
    assert (row.knowledge_level, row.agent_type) == ("knowledge_assertion", "manual_agent")


def test_many_rows_of_one_statement_never_hide_those_of_another(store: LadybugStore) -> None:
    wanted = [MUCH[0].assertion.id, LITTLE.assertion.id, DENIED.assertion.id]
    found = read_evidence(store, wanted)
    assert [len(found[identifier]) for identifier in wanted] == [1200, 1, 1]


def test_rows_come_in_one_order(store: LadybugStore) -> None:
    assert read_one(store, MUCH[0]) == sorted(e.id for e in MUCH)


def test_an_unknown_statement_has_no_rows_and_none_asks_for_nothing(store: LadybugStore) -> None:
    assert read_evidence(store, ["a.unknown"]) == {"a.unknown": []}
    assert read_evidence(store, []) == {}


def test_a_statement_asked_for_twice_is_answered_once(store: LadybugStore) -> None:
    assert len(read_evidence(store, [LITTLE.assertion.id] * 2)[LITTLE.assertion.id]) == 1


def test_an_edge_of_a_built_release_leads_to_its_publication(miniature_home: Path) -> None:
    opened = LadybugStore(open_release(miniature_home).derived("graph.lbug"))
    (row,) = opened.rows(
        "MATCH (:Disease {id: 'OMIM:609192'})-[r:has_phenotype]->(:PhenotypicFeature {id: 'HP:0002616'}) "
        "RETURN r.assertion_id AS a"
    )
    (evidence,) = read_evidence(opened, [row["a"]])[row["a"]]
    opened.close()
    assert (evidence.references, evidence.frequency) == (["PMID:9000005"], "38/40")
    assert evidence.record.startswith("phenotype.hpoa:")
