"""The conformance suite of graph stores: whoever writes a store runs these checks against it.

    for check in CHECKS: check(make)

Each check loads a small graph through the factory, or updates one, asks it in the common subset of Cypher and raises
ConformanceError with everything that differs. The graph has what tends to break: quotes and backslashes in ids, Chinese
names, denied statements, several rows of evidence for one statement, numbers that are missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import pyarrow as pa

from kg_build.collect import collect_records, mention_table
from kg_build.release import TABLES, rows
from kg_build.sources.contract import Record
from kg_build.sources.registry import find_sources
from kg_build.store.evidence import read_evidence
from kg_build.store.protocol import Change, GraphStore, StoreFactory, each
from ontology.document import Chunk, Document, Mention
from ontology.errors import ClewError, Code
from ontology.model import Assertion, Entity, Evidence, Name
from ontology.render import node_tables, relation_tables
from ontology.schema import load_domain

MARFAN: Final = "OMIM:154700"
LENTIS: Final = "HP:0001083"
SEIZURE: Final = "HP:0001250"
ODD: Final = "OMIM:o'neil/病"
ODD_NAME: Final = 'O\'Neil "quoted" \\ back`slash\n感冒 {$x} 🫀'
GUIDE: Final = "clew.doc:指南"
LATER: Final = "clew.doc:later"
MANY: Final = 3000
"""Diseases of the batched load (our choice: more than one batch of any client, still a second or two)."""


@dataclass(frozen=True)
class Mismatch:
    """One thing that is not as it must be."""

    what: str
    expected: object
    found: object


class ConformanceError(Exception):
    """A store does not keep the protocol.

    Attributes:
        mismatches: everything that differs.
    """

    def __init__(self, mismatches: Sequence[Mismatch]) -> None:
        self.mismatches = tuple(mismatches)
        super().__init__("\n".join(f"{m.what}: expected {m.expected!r}, found {m.found!r}" for m in mismatches))


def check_schema(make: StoreFactory) -> None:
    """Every label, relation type and property of the ontology file can be asked for, also in an empty store."""
    with _checking(make, ()) as seen:
        for node in node_tables(load_domain()):
            columns = ", ".join(f"n.`{column}` AS c{i}" for i, column in enumerate(node.columns))
            seen.rows(f"label {node.label}", f"MATCH (n:{node.label}) RETURN {columns}", [])
        for relation in relation_tables(load_domain()):
            listed = [f"r.`{column}` AS c{i}" for i, column in enumerate(relation.columns)]
            for start, end in relation.ends:
                statement = (
                    f"MATCH (a:{start})-[r:{relation.type}]->(b:{end}) RETURN {', '.join(['a.id AS a', *listed])}"
                )
                seen.rows(f"{start} {relation.type} {end}", statement, [])


def check_batched_load(make: StoreFactory) -> None:
    """Thousands of rows arrive, each once, on the right ends."""
    features = [_entity(f"HP:{n}", "PhenotypicFeature", f"finding {n}") for n in range(10)]
    diseases = [_entity(f"OMIM:{n}", "Disease", f"disease {n}") for n in range(MANY)]
    stated = [_stated(f"OMIM:{n}", "has_phenotype", f"HP:{(n + k) % 10}") for n in range(MANY) for k in range(3)]
    with _checking(make, [*features, *diseases, *stated]) as seen:
        seen.rows("diseases", "MATCH (d:Disease) RETURN count(*) AS n", [{"n": MANY}])
        seen.rows("edges", "MATCH (:Disease)-[r:has_phenotype]->() RETURN count(r) AS n", [{"n": 3 * MANY}])
        seen.rows(
            "distinct statements",
            "MATCH (:Disease)-[r:has_phenotype]->() RETURN count(DISTINCT r.assertion_id) AS n",
            [{"n": 3 * MANY}],
        )
        seen.rows(
            "findings of the last disease",
            "MATCH (:Disease {id: $d})-[:has_phenotype]->(f) RETURN f.id AS finding ORDER BY finding",
            [{"finding": "HP:0"}, {"finding": "HP:1"}, {"finding": "HP:9"}],
            {"d": f"OMIM:{MANY - 1}"},
        )


def check_typed_paths(make: StoreFactory) -> None:
    """Chains of one to three hops, forwards, backwards and of variable length."""
    with _checking(make, _graph()) as seen:
        seen.rows(
            "one hop", "MATCH (:Gene {id: 'NCBIGene:2200'})-[:gene_associated_with_condition]->(d:Disease) "
            "RETURN d.id AS d", [{"d": MARFAN}],
        )  # fmt: skip
        seen.rows(
            "a chain of two relations",
            "MATCH (g:Gene)-[:gene_associated_with_condition]->(:Disease)-[:has_phenotype]->(f:PhenotypicFeature) "
            "RETURN g.id AS g, f.id AS f",
            [{"g": "NCBIGene:2200", "f": LENTIS}],
        )
        seen.rows(
            "a chain against the arrows",
            "MATCH (f:PhenotypicFeature {id: $f})<-[:has_phenotype]-(d:Disease)-[:same_as]->(o:Disease) "
            "RETURN d.id AS d, o.id AS o",
            [{"d": MARFAN, "o": "ORPHA:558"}],
            {"f": LENTIS},
        )
        for hops, found in (
            ("1..1", ["HP:2"]),
            ("1..2", ["HP:2", "HP:3"]),
            ("2..2", ["HP:3"]),
            ("1..5", ["HP:2", "HP:3"]),
        ):
            statement = f"MATCH (:PhenotypicFeature {{id: 'HP:1'}})-[:subclass_of*{hops}]->(b:PhenotypicFeature) "
            expected = [{"above": identifier} for identifier in found]
            seen.rows(f"{hops} hops", f"{statement}RETURN DISTINCT b.id AS above ORDER BY above", expected)
        seen.rows("no such path", "MATCH (:Gene)-[:has_phenotype]->(f) RETURN f.id AS f", [])


def check_direct_properties(make: StoreFactory) -> None:
    """An edge carries what people filter on; an entity carries its names; what is not there is null."""
    with _checking(make, _graph()) as seen:
        seen.rows(
            "properties of an edge",
            "MATCH (:Disease {id: $d})-[r:has_phenotype]->(:PhenotypicFeature {id: $f}) RETURN r.references AS "
            "references, r.codes AS codes, r.sources AS sources, r.trust AS trust, r.frequency AS frequency",
            [{
                "references": ["PMID:1", "PMID:2", "PMID:3"], "codes": ["PCS", "TAS"], "sources": ["cmekg", "hpo"],
                "trust": load_domain().trust("hpo"), "frequency": 0.3,
            }],
            {"d": MARFAN, "f": LENTIS},
        )  # fmt: skip
        seen.rows(
            "an unknown frequency",
            "MATCH (:Disease {id: $d})-[r:has_phenotype]->() RETURN r.frequency AS f, r.frequency IS NULL AS unknown",
            [{"f": None, "unknown": True}],
            {"d": ODD},
        )
        seen.rows(
            "a filter on an edge",
            "MATCH (d:Disease)-[r:has_phenotype]->() WHERE r.frequency >= 0.25 RETURN d.id AS d",
            [{"d": MARFAN}],
        )
        seen.rows(
            "properties of an entity",
            "MATCH (d:Disease {id: $d}) RETURN d.name AS name, d.lang AS lang, d.names AS names, d.source AS source, "
            "d.deprecated AS deprecated, d.definition AS definition",
            [{
                "name": "Marfan syndrome", "lang": "en", "names": ["Marfan's disease", "马凡综合征"], "source": "hpo",
                "deprecated": False, "definition": "",
            }],
            {"d": MARFAN},
        )  # fmt: skip


def check_aggregates(make: StoreFactory) -> None:
    """Counting, collecting, extremes; grouped, ordered, paged."""
    with _checking(make, _graph()) as seen:
        seen.rows(
            "count by group",
            "MATCH (d:Disease)-[:has_phenotype]->(f:PhenotypicFeature) "
            "RETURN f.id AS finding, count(d) AS n ORDER BY n DESC, finding",
            [{"finding": LENTIS, "n": 2}, {"finding": SEIZURE, "n": 1}],
        )
        seen.rows("count of nothing", "MATCH (d:Disease {id: 'OMIM:0'}) RETURN count(d) AS n", [{"n": 0}])
        found = seen.run(
            "collect",
            "MATCH (d:Disease)-[:has_phenotype]->(f:PhenotypicFeature {id: $f}) RETURN collect(d.id) AS ids, "
            "min(d.id) AS low, max(d.id) AS high",
            {"f": LENTIS},
        )
        for row in found[:1]:
            row["ids"] = sorted(row["ids"])
        seen.same("collect", found, [{"ids": [MARFAN, "ORPHA:558"], "low": MARFAN, "high": "ORPHA:558"}])
        seen.rows(
            "order and page",
            "MATCH (f:PhenotypicFeature) RETURN f.id AS finding ORDER BY finding DESC SKIP 1 LIMIT 2",
            [{"finding": "HP:2"}, {"finding": "HP:1"}],
        )
        seen.rows(
            "group, then filter",
            "MATCH (d:Disease)-[r:has_phenotype]->() WITH d, count(r) AS n WHERE n > 0 RETURN count(*) AS diseases",
            [{"diseases": 3}],
        )


def check_parameters(make: StoreFactory) -> None:
    """Parameters are values, never text of the statement: lists, Chinese, quotes, numbers, nothing."""
    by_name = "MATCH (d:Disease) WHERE d.name = $name RETURN d.id AS id"
    by_ids = "MATCH (d:Disease) WHERE d.id IN $ids RETURN d.id AS id ORDER BY id"
    with _checking(make, _graph()) as seen:
        seen.rows("quotes", by_name, [{"id": ODD}], {"name": ODD_NAME})
        seen.rows("an attack", by_name, [], {"name": "x' OR 1 = 1 //"})
        seen.rows("a list", by_ids, [{"id": MARFAN}, {"id": ODD}], {"ids": [MARFAN, ODD, "OMIM:0"]})
        seen.rows(
            "a Chinese name in a list",
            "MATCH (d:Disease) WHERE list_contains(d.names, $name) RETURN d.id AS id",
            [{"id": MARFAN}],
            {"name": "马凡综合征"},
        )
        seen.rows(
            "numbers and truth",
            "RETURN $i + 1 AS i, $f * 2 AS f, $b AS b, $s AS s",
            [{"i": 42, "f": 1.0, "b": True, "s": "病"}],
            {"i": 41, "f": 0.5, "b": True, "s": "病"},
        )


def check_each(make: StoreFactory) -> None:
    """Statements for an id each: rows in the order of the ids, none for one that is not there."""
    by_id, other = (
        "MATCH (d:Disease {id: $id}) RETURN d.id AS d",
        "MATCH (f:PhenotypicFeature {id: $id}) RETURN f.id AS f",
    )
    asked = [(by_id, ODD), (other, LENTIS), (by_id, "OMIM:0"), (by_id, MARFAN)]
    statement = "MATCH (d:Disease {id: $id})-[:has_phenotype]->(f:PhenotypicFeature) RETURN d.id AS d, f.id AS f"
    found = [{"d": "ORPHA:558", "f": LENTIS}, {"d": ODD, "f": SEIZURE}, {"d": MARFAN, "f": LENTIS}]
    with _checking(make, _graph()) as seen:
        seen.each("rows by id", statement, ["ORPHA:558", "OMIM:0", ODD, MARFAN, "'}) DETACH DELETE d //"], found)
        seen.each("an id alone", statement, [ODD], found[1:2])
        seen.each("no ids", statement, [], [])
        seen.many("several statements", asked, [[{"d": ODD}], [{"f": LENTIS}], [], [{"d": MARFAN}]])
        seen.fails("no statement", Code.FAILED_CYPHER, lambda: each(seen.store, "MATCH (", [ODD]))


def check_unicode(make: StoreFactory) -> None:
    """Ids, names, definitions and quotes come back code point by code point."""
    with _checking(make, _graph()) as seen:
        seen.rows(
            "an entity",
            "MATCH (d:Disease) WHERE d.id = $d RETURN d.id AS id, d.name AS name, d.definition AS text, d.lang AS lang",
            [{"id": ODD, "name": ODD_NAME, "text": "定义 'x' \\", "lang": "zh"}],
            {"d": ODD},
        )
        seen.rows(
            "a literal", "MATCH (d:Disease) WHERE d.lang = 'zh' AND d.name CONTAINS '感冒' RETURN d.id AS 编号",
            [{"编号": ODD}],
        )  # fmt: skip
        seen.rows("the length of a name", "MATCH (d:Disease {id: $d}) RETURN size(d.name) AS n",
                  [{"n": len(ODD_NAME)}], {"d": ODD})  # fmt: skip


def check_denied_statements(make: StoreFactory) -> None:
    """A denied statement is kept under a type of its own and never matches as a fact."""
    with _checking(make, _graph()) as seen:
        facts = "MATCH (:Disease {id: $d})-[r:has_phenotype]->(f:PhenotypicFeature) RETURN f.id AS f"
        denied = facts.replace("has_phenotype", "not_has_phenotype")
        seen.rows("facts", facts, [{"f": LENTIS}], {"d": MARFAN})
        seen.rows("denied", denied, [{"f": SEIZURE}], {"d": MARFAN})
        seen.rows(
            "as statements",
            "MATCH (:Disease {id: $d})-[:SUBJECT_OF]->(a:Assertion)-[:HAS_OBJECT]->(f:PhenotypicFeature) "
            "RETURN f.id AS finding, a.predicate AS p, a.negated AS negated ORDER BY finding",
            [
                {"finding": LENTIS, "p": "has_phenotype", "negated": False},
                {"finding": SEIZURE, "p": "has_phenotype", "negated": True},
            ],
            {"d": MARFAN},
        )


def check_evidence(make: StoreFactory) -> None:
    """From any edge to every row of its evidence, and on to the document and what its passages mention."""
    with _checking(make, _graph()) as seen:
        found = seen.run(
            "an edge", "MATCH (:Disease {id: $d})-[r:has_phenotype]->() RETURN r.assertion_id AS a", {"d": MARFAN}
        )
        evidence = read_evidence(seen.store, [row["a"] for row in found])
        said = sorted(
            (e.source, e.frequency, e.quote, tuple(e.references)) for group in evidence.values() for e in group
        )
        seen.same("rows of evidence", said, [
            ("cmekg", "", "晶状体脱位 'x' \\", ()),
            ("hpo", "0/10", "", ("PMID:3",)),
            ("hpo", "6/10", "", ("PMID:2", "PMID:1")),
        ])  # fmt: skip
        seen.same("licences", all(e.licence for group in evidence.values() for e in group), expected=True)
        seen.rows(
            "document and mentions",
            "MATCH (:Evidence)-[:FROM_DOCUMENT]->(d:Document)-[:HAS_CHUNK]->(c:Chunk)-[m:MENTIONS]->(n:Disease) "
            "RETURN d.id AS d, d.year AS year, c.text AS text, n.id AS n, m.start AS start, m.stop AS stop",
            [{"d": GUIDE, "year": 2024, "text": "马凡综合征可有晶状体脱位。", "n": MARFAN, "start": 0, "stop": 5}],
        )


def check_conflicts(make: StoreFactory) -> None:
    """Statements that cannot both stand are joined, with the kind of conflict; they stay as they are."""
    pair = "MATCH (a:Assertion)-[c:CONFLICTS_WITH]->(b:Assertion) "
    with _checking(make, [*_graph(), *_rivals()]) as seen:
        seen.rows(
            "from one end to the other",
            "MATCH (s:Disease)-[:SUBJECT_OF]->(a:Assertion)-[c:CONFLICTS_WITH]->(b:Assertion)-[:HAS_OBJECT]->(o) "
            "WHERE a.id <> b.id RETURN s.id AS s, o.id AS o, c.kind AS kind, c.through AS through, a.negated AS one, "
            "b.negated AS other",
            [{"s": ODD, "o": LENTIS, "kind": "polarity", "through": "", "one": False, "other": True}],
        )
        seen.rows(
            "an indication",
            pair + "WHERE c.kind = 'indication' RETURN a.predicate AS one, b.predicate AS other",
            [{"one": "treats", "other": "contraindicated_in"}],
        )
        seen.rows(
            "a statement in conflict with itself, and the evidence that disagrees",
            "MATCH (a:Assertion)-[c:CONFLICTS_WITH]->(a), (a)-[:HAS_EVIDENCE]->(e:Evidence) "
            "WHERE list_contains(c.evidence, e.id) RETURN c.kind AS kind, e.frequency AS f ORDER BY f",
            [{"kind": "frequency", "f": "1/50"}, {"kind": "frequency", "f": "49/50"}],
        )
        seen.rows("both stay", "MATCH (d:Drug)-[r:treats|contraindicated_in]->(o) RETURN count(r) AS n", [{"n": 2}])


def check_upsert(make: StoreFactory) -> None:
    """What comes or changes is there, with what hangs on it; what did not change stays."""
    typed = _entity("ORPHA:558", "PhenotypicFeature", "Marfan habitus")
    news = [
        Name(MARFAN, "zh", "马方综合征", "exact", "cmekg", "x"),
        _stated(MARFAN, "has_phenotype", LENTIS, "PMID:9", code="IEA", frequency="6/10", document=LATER),
        _stated(MARFAN, "has_phenotype", "HP:3", "PMID:9"),
        *_rivals(),
        Document(LATER, "Later", "en", "hpo", "article", "DOI:2"),
        Chunk(f"{LATER}#0", LATER, 0, "", "Ectopia lentis in 马凡综合征.", "en", 0, 24),
        Mention(f"{LATER}#0", MARFAN, 18, 23, "马凡综合征", "exact", 0.9),
    ]
    graph = [typed if isinstance(record, Entity) and record.id == typed.id else record for record in _graph()]
    with _updating(make, _graph(), [*graph, *news, _stated(ODD, "has_phenotype", typed.id)]) as seen:
        seen.rows(
            "new evidence on an edge that was there",
            "MATCH (:Disease {id: $d})-[r:has_phenotype]->(:PhenotypicFeature {id: $f}) RETURN r.references AS refs, "
            "r.codes AS codes, r.frequency AS f",
            [{"refs": ["PMID:1", "PMID:2", "PMID:3", "PMID:9"], "codes": ["IEA", "PCS", "TAS"], "f": 0.4}],
            {"d": MARFAN, "f": LENTIS},
        )
        seen.rows(
            "a new edge, and those that were there",
            "MATCH (:Disease {id: $d})-[:has_phenotype]->(f) RETURN f.id AS finding ORDER BY finding",
            [{"finding": LENTIS}, {"finding": "HP:3"}],
            {"d": MARFAN},
        )
        seen.rows(
            "a new name",
            "MATCH (d:Disease {id: $d}) RETURN d.names AS names",
            [{"names": ["Marfan's disease", "马凡综合征", "马方综合征"]}],
            {"d": MARFAN},
        )
        seen.rows("another type is another label", "MATCH (n:Disease {id: 'ORPHA:558'}) RETURN n.id AS n", [])
        seen.rows(
            "under which it is asked for",
            "MATCH (d:Disease)-[:has_phenotype]->(n:PhenotypicFeature {id: 'ORPHA:558'}) RETURN d.id AS d, n.name AS n",
            [{"d": ODD, "n": "Marfan habitus"}],
        )
        seen.rows(
            "from the evidence to the new document and what it mentions",
            "MATCH (e:Evidence)-[:FROM_DOCUMENT]->(d:Document {id: $d})-[:HAS_CHUNK]->(c)-[m:MENTIONS]->(n:Disease) "
            "RETURN e.frequency AS f, c.text AS text, n.id AS n, m.start AS start",
            [{"f": "6/10", "text": "Ectopia lentis in 马凡综合征.", "n": MARFAN, "start": 18}],
            {"d": LATER},
        )
        seen.rows("new conflicts", "MATCH ()-[c:CONFLICTS_WITH]->() RETURN count(c) AS n", [{"n": 3}])


def check_retract(make: StoreFactory) -> None:
    """What was taken back is gone, with all that hung on it; the rest says what its own evidence says."""
    before = [*_graph(), *_rivals()]
    after = [r for r in before if not _taken_back(r)]
    with _updating(make, before, after) as seen:
        seen.rows(
            "an edge that lost evidence",
            "MATCH (:Disease {id: $d})-[r:has_phenotype]->() RETURN r.references AS refs, r.codes AS codes, "
            "r.sources AS sources, r.frequency AS f",
            [{"refs": ["PMID:1", "PMID:2"], "codes": ["PCS"], "sources": ["cmekg", "hpo"], "f": 0.6}],
            {"d": MARFAN},
        )
        seen.rows(
            "a statement without evidence",
            "MATCH (d:Disease {id: $d})-[:SUBJECT_OF]->(a:Assertion)-[:HAS_OBJECT]->(f) "
            "RETURN f.id AS f, a.negated AS denied",
            [{"f": LENTIS, "denied": False}],
            {"d": MARFAN},
        )
        seen.rows("an entity", "MATCH (g:Gene) RETURN count(*) AS n", [{"n": 0}])
        seen.rows("its statements", "MATCH (a:Assertion {predicate: 'same_as'}) RETURN count(*) AS n", [{"n": 0}])
        seen.rows(
            "evidence", "MATCH (e:Evidence) RETURN count(*) AS n", [{"n": sum(isinstance(r, Evidence) for r in after)}]
        )
        seen.rows("a name", "MATCH (d:Disease {id: $d}) RETURN d.names AS n", [{"n": ["马凡综合征"]}], {"d": MARFAN})
        seen.rows("a document", "MATCH (d:Document)-[:HAS_CHUNK]->(c:Chunk) RETURN count(*) AS n", [{"n": 0}])
        seen.rows("its mentions", "MATCH (:Chunk)-[m:MENTIONS]->() RETURN count(m) AS n", [{"n": 0}])
        seen.rows(
            "what quoted it stays",
            "MATCH (e:Evidence {document: $d}) RETURN e.quote AS q",
            [{"q": "抽搐"}],
            {"d": GUIDE},
        )
        seen.rows("conflicts", "MATCH ()-[c:CONFLICTS_WITH]->() RETURN c.kind AS kind", [{"kind": "frequency"}])


def check_switch(make: StoreFactory) -> None:
    """A reader keeps what it opened while another store is made or an updated one, opened, read and closed."""
    names = "MATCH (d:Disease) RETURN d.name AS name"
    old, new, newer = ([_entity("OMIM:1", "Disease", name)] for name in ("旧 old", "新 new", "更新 newer"))
    with _checking(make, old) as seen:
        seen.rows("before the switch", names, [{"name": "旧 old"}])
        with _checking(make, new) as other:
            other.rows("the new store", names, [{"name": "新 new"}])
            with _updated(make, new, newer) as updated:
                updated.rows("the updated store", names, [{"name": "更新 newer"}])
                other.rows("the new store while the updated one is open", names, [{"name": "新 new"}])
                seen.rows("the old reader while the others are open", names, [{"name": "旧 old"}])
            other.rows("the new store after the updated one was closed", names, [{"name": "新 new"}])
        seen.rows("the old reader after the others were closed", names, [{"name": "旧 old"}])


def check_limits(make: StoreFactory) -> None:
    """Free Cypher: refused if it writes, stopped at its time, cut at its rows, told what fails."""
    endless = "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN sum(a * b) AS n"
    hostile = [
        "CREATE (:Disease {id: 'X:1'})", "MATCH (d:Disease) SET d.name = 'x'", "MATCH (d:Disease) DETACH DELETE d",
        "MERGE (:Disease {id: 'X:1'})", "CALL show_tables() RETURN *", "RETURN 1; DROP TABLE Disease",
    ]  # fmt: skip
    with _checking(make, _graph()) as seen:
        ask = seen.store.ask
        for statement in hostile:
            seen.fails(statement, Code.REFUSED_CYPHER, partial(ask, statement, seconds=10, rows=10))
        seen.fails("time", Code.TIMEOUT, lambda: ask(endless, seconds=0.3, rows=10))
        seen.fails(
            "an unknown label", Code.FAILED_CYPHER, lambda: ask("MATCH (n:Illness) RETURN n.id", seconds=10, rows=1)
        )
        unknown = "MATCH (d:Disease) WHERE d.id = $d RETURN d.id"
        seen.fails("a parameter that is not given", Code.REFUSED_CYPHER, lambda: ask(unknown, seconds=10, rows=1))
        seen.fails("a bad parameter", Code.BAD_INPUT, lambda: ask("RETURN $x AS x", {"x": {1}}, seconds=10, rows=1))
        for most, cut in ((2, True), (3, False)):
            result = ask("UNWIND [1, 2, 3] AS a RETURN a", seconds=10, rows=most)
            seen.same(f"{most} rows of 3", (len(result.rows), result.truncated), (most, cut))
        result = ask("MATCH (d:Disease) WHERE d.name = $n RETURN d.id AS 编号", {"n": ODD_NAME}, seconds=10, rows=10)
        seen.same("a parameter", (result.columns, result.rows), (["编号"], [[ODD]]))
        seen.rows("nothing was changed", "MATCH (d:Disease) RETURN count(*) AS n", [{"n": 3}])


def check_own_statements_fail_with_a_code(make: StoreFactory) -> None:
    """What the engine does not take is FAILED_CYPHER, also a write: a store is open for reading."""
    with _checking(make, _graph()) as seen:
        for statement in ("MATCH (", "MATCH (n:Illness) RETURN n.id AS id", "CREATE (:Gene {id: 'X:1'})"):
            seen.fails(statement, Code.FAILED_CYPHER, partial(seen.store.rows, statement))
        seen.rows("it still answers", "MATCH (g:Gene) RETURN g.id AS g", [{"g": "NCBIGene:2200"}])


CHECKS: Final[tuple[Callable[[StoreFactory], None], ...]] = (
    check_schema,
    check_batched_load,
    check_typed_paths,
    check_direct_properties,
    check_aggregates,
    check_parameters,
    check_each,
    check_unicode,
    check_denied_statements,
    check_evidence,
    check_conflicts,
    check_upsert,
    check_retract,
    check_switch,
    check_limits,
    check_own_statements_fail_with_a_code,
)
"""All checks."""


# --- how a check works --------------------------------------------------------------------------------------


class _Seen:
    """What a store answered, against what it must answer."""

    def __init__(self, store: GraphStore) -> None:
        self.store = store
        self.mismatches: list[Mismatch] = []

    def run(self, what: str, statement: str, parameters: Mapping[str, object] | None = None) -> list[dict[str, Any]]:
        """Rows of a statement; none, and a mismatch, if it fails."""
        try:
            return self.store.rows(statement, parameters)
        except ClewError as error:
            self.mismatches.append(Mismatch(what, "rows", error.render()))
            return []

    def rows(
        self, what: str, statement: str, expected: list[dict[str, Any]], parameters: Mapping[str, object] | None = None
    ) -> None:
        """The statement returns these rows."""
        known = len(self.mismatches)
        found = self.run(what, statement, parameters)
        if len(self.mismatches) == known:
            self.same(what, found, expected)

    def each(self, what: str, statement: str, ids: Sequence[str], expected: list[dict[str, Any]]) -> None:
        """The statement returns these rows for each of the ids, in their order."""
        try:
            self.same(what, each(self.store, statement, ids), expected)
        except ClewError as error:
            self.mismatches.append(Mismatch(what, "rows", error.render()))

    def many(self, what: str, asked: Sequence[tuple[str, str]], expected: list[list[dict[str, Any]]]) -> None:
        """The statements return these rows, each for its id."""
        try:
            self.same(what, self.store.many(asked), expected)
        except ClewError as error:
            self.mismatches.append(Mismatch(what, "rows", error.render()))

    def same(self, what: str, found: object, expected: object) -> None:
        """The two are equal."""
        if found != expected:
            self.mismatches.append(Mismatch(what, expected, found))

    def fails(self, what: str, code: Code, call: Callable[[], object]) -> None:
        """The call ends with an error of this code."""
        try:
            found: object = call()
        except ClewError as error:
            found = error.code
        self.same(what, found, code)


@contextmanager
def _checking(make: StoreFactory, records: Sequence[Record | Mention]) -> Iterator[_Seen]:
    """A store of these records; raises with all mismatches at the end."""
    with _seeing(make(_tables(records), load_domain())) as seen:
        yield seen


@contextmanager
def _updating(
    make: StoreFactory, before: Sequence[Record | Mention], after: Sequence[Record | Mention]
) -> Iterator[_Seen]:
    """A store of the first records, updated to the second; raises with all mismatches at the end."""
    make(_tables(before), load_domain()).close()
    with _updated(make, before, after) as seen:
        yield seen


@contextmanager
def _updated(
    make: StoreFactory, before: Sequence[Record | Mention], after: Sequence[Record | Mention]
) -> Iterator[_Seen]:
    """The store made last, which is of the first records, updated to the second."""
    then, now = _tables(before), _tables(after)
    with _seeing(make.update(change_between(then, now), now, load_domain())) as seen:
        yield seen


@contextmanager
def _seeing(store: GraphStore) -> Iterator[_Seen]:
    try:
        seen = _Seen(store)
        yield seen
    finally:
        store.close()
    if seen.mismatches:
        raise ConformanceError(seen.mismatches)


def change_between(before: Mapping[str, pa.Table], after: Mapping[str, pa.Table]) -> Change:
    """What differs between small tables: each row is compared as a Python value."""
    removed, added = {}, {}
    for name, schema in TABLES.items():
        then, now = ([repr(row) for row in rows(side[name], *schema.names)] for side in (before, after))
        if then != now:
            removed[name] = before[name].filter(pa.array([row not in set(now) for row in then], pa.bool_()))
            added[name] = after[name].filter(pa.array([row not in set(then) for row in now], pa.bool_()))
    return Change(removed, added)


def _tables(records: Sequence[Record | Mention]) -> dict[str, pa.Table]:
    collection, mentions = collect_records(records, find_sources(["hpo", "cmekg"]), load_domain())
    return collection.finish(mention_table(mentions))


def _entity(curie: str, type_name: str, label: str) -> Entity:
    return Entity(curie, type_name, label, "en", "hpo")


def _stated(
    subject: str, predicate: str, object_: str, *references: str, negated: bool = False, **said: Any
) -> Evidence:
    """Evidence of a statement, by the fields of `Evidence`."""
    assertion = Assertion(subject, predicate, object_, negated)
    source = said.pop("source", "hpo")
    return Evidence(assertion, source, references, "row 1", "knowledge_assertion", "manual_agent", **said)


def _graph() -> list[Record | Mention]:
    """The graph that most checks ask."""
    return [
        _entity(MARFAN, "Disease", "Marfan syndrome"),
        _entity("ORPHA:558", "Disease", "Marfan syndrome"),
        Entity(ODD, "Disease", ODD_NAME, "zh", "cmekg", "定义 'x' \\"),
        _entity(LENTIS, "PhenotypicFeature", "Ectopia lentis"),
        _entity(SEIZURE, "PhenotypicFeature", "Seizure"),
        *(_entity(f"HP:{n}", "PhenotypicFeature", f"level {n}") for n in (1, 2, 3)),
        _entity("NCBIGene:2200", "Gene", "FBN1"),
        Name(MARFAN, "en", "Marfan's disease", "exact", "hpo", MARFAN),
        Name(MARFAN, "zh", "马凡综合征", "exact", "cmekg", "x"),
        _stated(MARFAN, "has_phenotype", LENTIS, "PMID:2", "PMID:1", code="PCS", frequency="6/10"),
        _stated(MARFAN, "has_phenotype", LENTIS, "PMID:3", code="TAS", frequency="0/10"),
        _stated(MARFAN, "has_phenotype", LENTIS, source="cmekg", quote="晶状体脱位 'x' \\"),
        _stated(MARFAN, "has_phenotype", SEIZURE, "PMID:1", negated=True, frequency="0/10"),
        _stated("ORPHA:558", "has_phenotype", LENTIS),
        _stated(ODD, "has_phenotype", SEIZURE, source="cmekg", document=GUIDE, quote="抽搐"),
        _stated("NCBIGene:2200", "gene_associated_with_condition", MARFAN),
        _stated(MARFAN, "same_as", "ORPHA:558"),
        _stated("HP:1", "subclass_of", "HP:2"),
        _stated("HP:2", "subclass_of", "HP:3"),
        Document(GUIDE, "指南 'one'", "zh", "cmekg", "guideline", "DOI:10.1/x", 2024, "组织"),
        Chunk(f"{GUIDE}#0", GUIDE, 0, "甲 › 乙", "马凡综合征可有晶状体脱位。", "zh", 0, 13),
        Mention(f"{GUIDE}#0", MARFAN, 0, 5, "马凡综合征", "exact", 0.9),
        Mention(f"{GUIDE}#0", LENTIS, 7, 12, "晶状体脱位", "exact", 0.95),
    ]


def _rivals() -> list[Record | Mention]:
    """What conflicts with the graph or within itself."""
    return [
        _entity("clew.drug:α", "Drug", "Drug α"),
        _stated("clew.drug:α", "treats", MARFAN, "PMID:7"),
        _stated("clew.drug:α", "contraindicated_in", MARFAN, "PMID:8"),
        _stated(ODD, "has_phenotype", LENTIS),
        _stated(ODD, "has_phenotype", LENTIS, negated=True),
        _entity("OMIM:2", "Disease", "Disease 2"),
        _stated("OMIM:2", "has_phenotype", SEIZURE, "PMID:5", frequency="49/50"),
        _stated("OMIM:2", "has_phenotype", SEIZURE, "PMID:6", frequency="1/50"),
    ]


def _taken_back(record: Record | Mention) -> bool:
    """Whether the check of retraction takes this back."""
    match record:
        case Entity():
            return record.type == "Gene"
        case Name():
            return record.lang == "en"
        case Evidence(assertion=stated):
            denied = stated.negated or stated.predicate in {"same_as", "treats", "gene_associated_with_condition"}
            return denied or record.code == "TAS"
        case Document() | Chunk() | Mention():
            return True
    return False
