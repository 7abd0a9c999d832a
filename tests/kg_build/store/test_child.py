"""Free Cypher runs in a process of its own, which reads the graph and nothing else."""

import json
import time
from pathlib import Path
from typing import Any

import ladybug
import pytest

from kg_build.store import child, guard
from kg_build.store.child import CypherResult, run_cypher
from ontology.errors import ClewError, Code
from tests.kg_build.store.cypher_corpus import HOSTILE, LEGITIMATE

GRAPH = [
    "CREATE NODE TABLE Disease(id STRING, label STRING, PRIMARY KEY(id))",
    "CREATE NODE TABLE PhenotypicFeature(id STRING, label STRING, PRIMARY KEY(id))",
    "CREATE REL TABLE has_phenotype(FROM Disease TO PhenotypicFeature, trust DOUBLE, `references` STRING[])",
    "CREATE (:Disease {id: 'MONDO:0008383', label: '类风湿关节炎'})",
    "CREATE (:PhenotypicFeature {id: 'HP:1', label: 'Joint pain'})",
    "CREATE (:PhenotypicFeature {id: 'HP:2', label: '发热'})",
    "MATCH (d:Disease), (f:PhenotypicFeature) CREATE (d)-[:has_phenotype {trust: 0.9}]->(f)",
    "MATCH ()-[e:has_phenotype]->() SET e.`references` = ['PMID:1']",
]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("graph") / "graph.lbug"
    with ladybug.Database(path, max_db_size=2**30) as opened, ladybug.Connection(opened) as connection:
        for statement in GRAPH:
            connection.execute(statement)
    return path


def run(database: Path, statement: str, *, seconds: float = 10, rows: int = 100, **parameters: object) -> CypherResult:
    return run_cypher(database, statement, parameters, seconds=seconds, rows=rows)


def failure(database: Path, statement: str, *, seconds: float = 10, **parameters: Any) -> ClewError:
    with pytest.raises(ClewError) as caught:
        run(database, statement, seconds=seconds, **parameters)
    return caught.value


def test_columns_and_rows_come_back_in_chinese_too(database: Path) -> None:
    statement = "MATCH (d:Disease)-[:has_phenotype]->(f) WHERE d.label = $名 RETURN f.label AS 症状 ORDER BY f.id"
    result = run(database, statement, 名="类风湿关节炎")
    assert (result.columns, result.rows, result.truncated) == (["症状"], [["Joint pain"], ["发热"]], False)


def test_nodes_relations_and_paths_are_plain_and_without_internal_ids(database: Path) -> None:
    node = {
        "label": "Disease",
        "id": "MONDO:0008383",
        "properties": {"id": "MONDO:0008383", "label": "类风湿关节炎"},
    }
    relation = {"type": "has_phenotype", "properties": {"trust": 0.9, "references": ["PMID:1"]}}
    result = run(database, "MATCH p = (d:Disease)-[e:has_phenotype]->(f {id: 'HP:2'}) RETURN d, e, p")
    [[found_node, found_relation, path]] = result.rows
    assert (found_node, found_relation) == (node, relation)
    assert isinstance(path, dict)
    assert path["relationships"] == [relation]
    assert [step["id"] for step in path["nodes"]] == ["MONDO:0008383", "HP:2"]


def test_dates_and_numbers_that_json_lacks_are_texts(database: Path) -> None:
    assert run(database, "RETURN date('2020-01-31'), 0.0 / 0.0, 1.5, NULL").rows == [["2020-01-31", "nan", 1.5, None]]


def test_rows_are_cut_and_the_cut_is_told(database: Path) -> None:
    result = run(database, "UNWIND range(1, 1000) AS a UNWIND range(1, 100) AS b RETURN a", rows=2)
    assert (len(result.rows), result.truncated) == (2, True)
    assert not run(database, "UNWIND [1, 2] AS a RETURN a", rows=2).truncated


def test_every_legitimate_statement_of_the_corpus_runs(database: Path) -> None:
    with ladybug.Database(database, read_only=True, max_db_size=2**30) as opened:
        connection = ladybug.Connection(opened)
        for statement in LEGITIMATE:
            connection.execute(guard.check(statement))


def test_hostile_statements_reach_neither_files_nor_graph(database: Path, tmp_path: Path) -> None:
    secret, out = tmp_path / "secret.csv", tmp_path / "out.csv"
    secret.write_text("password")
    before = database.read_bytes()
    for template in HOSTILE:
        statement = template.replace("{out}", str(out)).replace("{secret}", str(secret))
        error = failure(database, statement)
        assert error.code is Code.REFUSED_CYPHER
        assert "password" not in str(error)
    assert [path.name for path in tmp_path.iterdir()] == ["secret.csv"]
    assert database.read_bytes() == before


def test_the_child_could_not_write_even_past_the_guard(database: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    task = {"database": str(database), "parameters": {}, "seconds": 5, "rows": 1}
    for statement in (f"COPY (RETURN 'x') TO '{out}'", "CREATE (:Disease {id: 'X'})"):
        answer = child._ask_child(json.dumps({**task, "statement": statement}), 5)
        assert answer["code"] in {"REFUSED_CYPHER", "FAILED_CYPHER"}
    assert not out.exists()


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("COPY (RETURN 1) TO '{out}.csv'", "COPY_TO"),
        ("LOAD FROM '{csv}' RETURN *", "READ_CSV"),
        ("CALL show_tables() RETURN *", "SHOW_TABLES"),
        ("MATCH (d:Disease) CALL show_tables() RETURN name", "SHOW_TABLES"),
        ("CALL threads=1", "STANDALONE_CALL"),
        ("CHECKPOINT", "TRANSACTION"),
        ("INSTALL json", "INSTALL_EXTENSION"),
    ],
)
def test_the_plan_refuses_what_the_guard_would_have_let_through(
    database: Path, tmp_path: Path, statement: str, named: str
) -> None:
    (tmp_path / "data.csv").write_text("a,b\n1,2\n")
    text = statement.replace("{out}", str(tmp_path / "out")).replace("{csv}", str(tmp_path / "data.csv"))
    task = {"database": str(database), "parameters": {}, "seconds": 5, "rows": 1, "statement": text}
    answer = child._ask_child(json.dumps(task), 5)
    assert answer["code"] == "REFUSED_CYPHER"
    assert named in answer["cause"]
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]


def test_the_engine_itself_takes_one_statement_only(database: Path, tmp_path: Path) -> None:
    text = f"RETURN 1; COPY (RETURN 1) TO '{tmp_path / 'out'}'"
    task = {"database": str(database), "parameters": {}, "seconds": 5, "rows": 1, "statement": text}
    assert "multiple statements" in child._ask_child(json.dumps(task), 5)["cause"]
    assert not list(tmp_path.iterdir())


def test_a_parameter_is_never_read_as_cypher(database: Path) -> None:
    """The binding puts a value in the place of to_json($x), in texts too: the guard refuses, and so does the plan."""
    statement = 'RETURN "to_json($x)" AS y'
    value = '" AS x UNION ALL CALL show_tables() RETURN name AS x //"'
    assert failure(database, statement, x=value).code is Code.REFUSED_CYPHER
    task = {"database": str(database), "parameters": {"x": value}, "seconds": 5, "rows": 9, "statement": statement}
    assert child._ask_child(json.dumps(task), 5)["code"] == "REFUSED_CYPHER"


def test_a_text_that_looks_like_an_operator_is_a_text(database: Path) -> None:
    for text in ("COPY_TO[3]", "Function: SHOW_TABLES", "a\\nCOPY_TO[1]\\nb", "中文中文 COPY_TO[1]"):
        assert run(database, f"MATCH (d:Disease) RETURN '{text}' AS x").rows


def test_a_statement_that_takes_too_long_is_stopped(database: Path) -> None:
    start = time.perf_counter()
    error = failure(
        database, "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN sum(a * b)", seconds=0.3
    )
    assert error.code is Code.TIMEOUT
    assert time.perf_counter() - start < 0.3 + child.GRACE + 1


def test_a_statement_that_needs_too_much_memory_fails(database: Path) -> None:
    error = failure(database, "RETURN range(1, 1000000000)")
    assert error.code is Code.FAILED_CYPHER
    assert "memory" in error.cause


def test_a_crashed_engine_is_a_failed_statement(database: Path) -> None:
    error = failure(database, "MATCH (d:Disease) RETURN substring(d.id, 1, -5)")
    assert error.code is Code.FAILED_CYPHER
    assert "crashed" in error.cause


@pytest.mark.parametrize(
    ("statement", "choice"),
    [
        ("MATCH (d:Diseas) RETURN d", "Disease"),
        ("MATCH (d)-[:has_phenotyp]->(f) RETURN d", "has_phenotype"),
        ("MATCH (d:Disease) RETURN d.lable", "label"),
        ("MATCH (:Disease)-[r:has_phenotype]->() RETURN r.pmid", "references"),
        ("MATCH (:Disease)-[r:has_phenotype]->() RETURN r.title", "trust"),
    ],
)
def test_an_unknown_name_is_answered_with_the_schema(database: Path, statement: str, choice: str) -> None:
    error = failure(database, statement)
    assert error.code is Code.FAILED_CYPHER
    assert choice in error.choices


@pytest.mark.parametrize(
    ("statement", "remedy"),
    [
        ("MATCH ()-[r:has_phenotype]->() RETURN r.`references`[0]", "count from 1"),
        ("MATCH (d:Disease) WITH d ORDER BY d.id RETURN d.id", "behind RETURN"),
        ("RETURN round(1.55)", "round(x, 2)"),
        ("MATCH (d:Disease) RETURN d.id LIMIT", "right there"),
    ],
)
def test_what_neo4j_writes_otherwise_is_answered_with_the_form_that_works(
    database: Path, statement: str, remedy: str
) -> None:
    assert remedy in failure(database, statement).remedy


def test_a_place_in_the_statement_is_told_by_line_and_column(database: Path) -> None:
    assert "line 2, column" in failure(database, "MATCH (d:Disease)\nRETURN d.id d.label").cause


def test_patterns_that_are_not_connected_are_named_when_time_is_over(database: Path) -> None:
    joined = ", ".join(f"(n{i})" for i in range(30))
    error = failure(database, f"MATCH {joined} RETURN count(*) AS n, n1.id, n2.id", seconds=0.3)
    assert error.code is Code.TIMEOUT
    assert "not connected" in error.cause


def test_properties_that_a_node_does_not_have_are_left_out(database: Path) -> None:
    [[node]] = run(database, "MATCH (n {id: 'HP:1'}) RETURN n").rows
    assert node == {"label": "PhenotypicFeature", "id": "HP:1", "properties": {"id": "HP:1", "label": "Joint pain"}}


def test_a_syntax_error_is_told_in_one_line(database: Path) -> None:
    error = failure(database, "RETURN 1 +")
    assert error.code is Code.FAILED_CYPHER
    assert "\n" not in error.cause


def test_parameters_must_be_plain_data(database: Path) -> None:
    assert failure(database, "RETURN $x", x={1, 2}).code is Code.BAD_INPUT
    assert failure(database, "RETURN $x", x=2**80).code is Code.FAILED_CYPHER


def test_a_missing_or_broken_graph_is_told(tmp_path: Path) -> None:
    assert failure(tmp_path / "none", "RETURN 1").code is Code.NO_RELEASE
    (tmp_path / "broken").write_text("这不是图")
    assert failure(tmp_path / "broken", "RETURN 1").code is Code.CORRUPT_RELEASE
