"""The cookbook: every statement runs, finds something, and is explained in both languages."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from api.compose import Clew
from kg_build.store.child import run_cypher
from kg_build.store.guard import check
from ontology.reading.text import language

PAGE = Path(__file__).parent.parent / "docs" / "cookbook.md"
EMBEDDED = re.compile(r"\blabel\(|SHORTEST|TRAIL|\blist_\w+\(|substring\(|CAST\(|\blog\(|properties\(nodes")
"""Forms of which Neo4j has others."""

GROUPS = ["For curators", "For people with a question", "For clinicians", "For explorers of evidence"]


class Recipe(NamedTuple):
    """A statement of the cookbook, with what is written above it."""

    group: str
    title: str
    text: str
    statement: str


def recipes() -> list[Recipe]:
    found = []
    for group in re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        heading, _, rest = group.partition("\n")
        for part in re.split(r"^### ", rest, flags=re.MULTILINE)[1:]:
            title, _, body = part.partition("\n")
            text, _, fenced = body.partition("```cypher\n")
            found.append(Recipe(heading, title, text.strip(), fenced.partition("```")[0].strip()))
    return found


RECIPES = recipes()


def named(recipe: Recipe) -> str:
    return recipe.title


@pytest.fixture(scope="module")
def graph(miniature_home: Path) -> Clew:
    return Clew.open(miniature_home)


def test_there_are_enough_for_each_kind_of_people() -> None:
    assert len({recipe.statement for recipe in RECIPES}) == len(RECIPES) >= 25
    assert list(dict.fromkeys(recipe.group for recipe in RECIPES)) == GROUPS
    assert all(sum(recipe.group == group for recipe in RECIPES) >= 5 for group in GROUPS)


@pytest.mark.parametrize("recipe", RECIPES, ids=named)
def test_a_statement_passes_the_guard_and_finds_something(graph: Clew, recipe: Recipe) -> None:
    rows = graph.store.rows(check(recipe.statement))
    assert rows or "may be empty:" in recipe.text


@pytest.mark.parametrize("recipe", RECIPES, ids=named)
def test_it_is_explained_in_english_and_in_chinese(recipe: Recipe) -> None:
    languages = [language(line) for line in recipe.text.splitlines() if line and not line.startswith("*")]
    assert languages == ["en", "zh"]


@pytest.mark.parametrize("recipe", RECIPES, ids=named)
def test_what_only_the_embedded_store_takes_is_marked(recipe: Recipe) -> None:
    assert bool(EMBEDDED.search(recipe.statement)) == ("*embedded only*" in recipe.text)


@pytest.mark.parametrize("group", GROUPS)
def test_one_of_each_group_runs_in_the_process_of_free_cypher(graph: Clew, group: str) -> None:
    statement = [recipe.statement for recipe in RECIPES if recipe.group == group][-1]
    result = run_cypher(graph.release.derived("graph.lbug"), statement, {}, seconds=10, rows=1000)
    assert len(result.rows) == len(graph.store.rows(statement)) > 0


@pytest.mark.release
@pytest.mark.parametrize("recipe", RECIPES, ids=named)
def test_it_finds_something_in_the_default_release_within_the_limits(default_home: Path, recipe: Recipe) -> None:
    database = Clew.open(default_home).release.derived("graph.lbug")
    result = run_cypher(database, recipe.statement, {}, seconds=10, rows=1000)
    assert result.rows or "may be empty:" in recipe.text


def test_from_any_edge_a_statement_leads_to_its_pmid(graph: Clew) -> None:
    (recipe,) = [item for item in RECIPES if item.title == "From an edge to its PMID and quote"]
    cited = {reference for row in graph.store.rows(recipe.statement) for reference in row["cited"]}
    assert {"PMID:9000001", "PMID:9000002"} <= cited
