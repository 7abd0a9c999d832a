"""Only reading statements pass the guard, and what passes runs as it was checked."""

import time
from pathlib import Path

import ladybug
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_build.store.guard import FORBIDDEN, FUNCTIONS, MAX_LENGTH, check
from ontology.errors import ClewError, Code
from tests.kg_build.store.cypher_corpus import HOSTILE, LEGITIMATE

WORDS = [
    "MATCH",
    "RETURN",
    "WHERE",
    "SET",
    "(d:Disease)",
    "d",
    "1",
    "$x",
    "类风湿",
    "，",
    "..",
    "/*",
    "*/",
    "//",
]
PIECES = st.sampled_from([*WORDS, *"(){}[]<>.,:;|-*'\"`\\ \n\u200b\0"])
UNQUOTED = [check(statement) for statement in LEGITIMATE if not set("'\"`") & set(statement)]


def refusal(statement: str, **parameters: object) -> ClewError:
    with pytest.raises(ClewError) as caught:
        check(statement, parameters=parameters)
    assert caught.value.code is Code.REFUSED_CYPHER
    return caught.value


@pytest.mark.parametrize("statement", HOSTILE)
def test_a_hostile_statement_is_refused_with_a_remedy(statement: str) -> None:
    assert refusal(statement).remedy


@pytest.mark.parametrize("statement", LEGITIMATE)
def test_a_reading_statement_passes(statement: str) -> None:
    assert check(statement)


def test_a_refusal_names_word_line_and_column() -> None:
    error = refusal("MATCH (d:Disease)\n  SET d.label = '痛风' RETURN d")
    assert "line 2, column 3" in error.cause
    assert "SET would change the graph" in error.cause
    assert "MATCH" in error.choices


@pytest.mark.parametrize(
    ("statement", "hint"),
    [
        ("RETURN toInteger('1')", "CAST(x AS INT64)"),
        ("MATCH ()-[r]-() RETURN type(r)", "label(r)"),
        ("MATCH (d) WHERE d:Disease RETURN d", "label(x) = 'Disease'"),
        ("RETURN 'it''s'", r"\'"),
        (r"RETURN '\d+'", r"\\d+"),
        ("RETURN 1 != 2", "<>"),
        ("MATCH (d：Disease) RETURN d", "':'"),
        ("MATCH (a)-[:has_phenotype*]->(b) RETURN a", "at most 5"),
        ("MATCH p = shortestPath((a)-[*..3]-(b)) RETURN p", "SHORTEST 1..3"),
        ("MATCH (n) RETURN labels(n)[0]", "label(n)"),
        ("CALL db.labels()", "clew schema"),
        ("MATCH (d) CALL { WITH d RETURN 1 AS x } RETURN x", "WITH"),
        ("MATCH (d:Disease) RETURN d {.id, .name}", "n.id, n.name"),
        ("MATCH (d) RETURN [x IN d.names WHERE x <> '' | x]", "list_filter(LIST, x -> CONDITION)"),
        ("MATCH (d) WHERE exists((d)--()) RETURN d", "EXISTS { MATCH"),
        ("MATCH (d) WHERE EXISTS { (d)--() } RETURN d", "EXISTS { MATCH"),
        ("MATCH (d) RETURN COUNT { (d)--() }", "COUNT { MATCH"),
        ("MATCH (d) RETURN size((d)--())", "COUNT { MATCH"),
        ("MATCH (d) RETURN COLLECT { MATCH (d)--(x) RETURN x }", "collect(x)"),
        ("MATCH (d) RETURN apoc.node.degree(d)", "cookbook"),
        ("MATCH (d)-[r:has-phenotype]->(f) RETURN f", "has_phenotype"),
        ("MATCH (d:Disease {id: OMIM:154700}) RETURN d", "{id: 'OMIM:…'}"),
        ("MATCH (d:Disease {id: $id}) RETURN d", "--param id=VALUE"),
    ],
)
def test_the_remedy_gives_the_form_that_works(statement: str, hint: str) -> None:
    assert hint in refusal(statement).remedy


def test_a_misspelt_name_is_answered_with_the_nearest_one() -> None:
    assert "disease" in refusal("MATCH (disease:Disease) RETURN diseas").choices
    assert "lower" in refusal("RETURN lowr('A')").choices
    assert "RETURN" in refusal("MATCH (d:Disease) RETRUN d").choices


def test_parameters_must_be_supplied() -> None:
    assert check("RETURN $ids, $名称", parameters={"ids", "名称"}) == "RETURN $ids, $名称"
    assert refusal("RETURN $idz", ids=1).choices == ("$ids",)


def test_comments_are_blanked_and_the_end_is_trimmed() -> None:
    assert check(" /* x */ RETURN 1 // 'a\n + /*\n*/ 2 ; // end") == f"RETURN 1 {' ' * 5}\n +   \n   2"


def test_a_statement_has_a_greatest_length() -> None:
    assert check("RETURN '" + "痛" * (MAX_LENGTH - 9) + "'")
    assert str(MAX_LENGTH) in refusal("RETURN '" + "痛" * (MAX_LENGTH - 8) + "'").cause


@pytest.mark.parametrize(
    "text", ["/* " * 6_000, "'" * 9_001, "(" * 9_000, "(a," * 6_000, "`a" * 9_000, "[x IN " * 3_000]
)
def test_no_statement_takes_the_guard_long(text: str) -> None:
    start = time.perf_counter()
    refusal(f"RETURN {text}")
    assert time.perf_counter() - start < 1


def test_every_listed_function_exists_in_the_engine(tmp_path: Path) -> None:
    connection = ladybug.Connection(ladybug.Database(tmp_path / "empty", max_db_size=2**30))
    result = connection.execute("CALL show_functions() RETURN name")
    assert isinstance(result, ladybug.QueryResult)
    known = {row[0].lower() for row in result.get_all() if isinstance(row, list)}
    assert known >= FUNCTIONS


@given(st.sampled_from(UNQUOTED), st.sampled_from(sorted(FORBIDDEN)), st.integers(0, 200), st.booleans())
def test_an_unquoted_clause_word_is_refused_wherever_it_stands(
    statement: str, word: str, place: int, lower: bool
) -> None:
    words = statement.split(" ")
    words.insert(place % (len(words) + 1), word.lower() if lower else word)
    refusal(" ".join(words))


@given(st.one_of(st.text(), st.lists(PIECES).map("".join), st.lists(PIECES).map(" ".join)))
def test_any_text_is_either_refused_or_passes_again_unchanged(text: str) -> None:
    try:
        checked = check(text, parameters={"x"})
    except ClewError as refused:
        code = refused.code
    else:
        code = Code.REFUSED_CYPHER
        assert check(checked, parameters={"x"}) == checked
    assert code is Code.REFUSED_CYPHER
