"""Typed path templates: chains that the ontology file allows, and what they lead to."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.compose import Clew
from ontology.schema import load_domain
from retrieval.question import Property, Topic
from retrieval.templates import Templates, Walked, reached, walk

DOMAIN = load_domain()
TEMPLATES = Templates(DOMAIN)
FBN1, MARFAN, SKELETON, FINGERS = "NCBIGene:2200", "OMIM:154700", "HP:0000924", "HP:0001166"


@pytest.fixture(scope="module")
def graph(miniature_home: Path) -> Clew:
    return Clew.open(miniature_home)


def topic(curie: str, type_name: str, *asked: tuple[str, str]) -> Topic:
    properties = tuple(Property(predicate, side) for predicate, side in asked)  # type: ignore[arg-type]
    return Topic(curie, type_name, curie, curie, ((curie, type_name),), properties)


def steps(type_name: str, *asked: tuple[str, str]) -> set[tuple[tuple[str, str], ...]]:
    found = TEMPLATES.derive(type_name, topic("x", type_name, *asked).asked)
    return {tuple((step.predicate, step.side) for step in template.steps) for template in found}


def ends_of(type_names: set[str], step: Property) -> set[str]:
    """The types at the other end, where one of these types stands on the side of the step."""
    pairs = DOMAIN.predicates[step.predicate].ends
    ordered = pairs if step.side == "subject" else [(b, a) for a, b in pairs]
    return {end for start, end in ordered if start in type_names}


def test_a_treatment_of_a_finding_may_be_one_of_a_disease_that_shows_it() -> None:
    found = steps("PhenotypicFeature", ("treats", "object"))
    assert (("treats", "object"),) in found
    assert (("has_phenotype", "object"), ("treats", "object")) in found


def test_what_a_class_treats_its_drugs_treat() -> None:
    assert (("in_drug_class", "object"), ("treats", "subject")) in steps("DrugClass", ("in_drug_class", "object"))


def test_a_gene_leads_to_findings_over_its_diseases() -> None:
    asked = ("gene_associated_with_condition", "subject")
    assert (asked, ("has_phenotype", "subject")) in steps("Gene", asked)


kinds = st.sampled_from(sorted(DOMAIN.types))


@given(kinds, st.data())
def test_templates_are_short_typed_and_about_what_is_asked(kind: str, data: st.DataObject) -> None:
    listed = [Property(predicate, side) for predicate, side in DOMAIN.types[kind].properties]
    asked = data.draw(st.lists(st.sampled_from(listed), unique=True, max_size=3))
    found = TEMPLATES.derive(kind, asked)
    wanted = {item.predicate for item in asked or listed}
    assert len({template.steps for template in found}) == len(found)
    for template in found:
        assert 1 <= len(template.steps) <= 2
        assert wanted & {step.predicate for step in template.steps}
        assert 0 < template.weight <= 1
        types = {kind}
        for step in template.steps:
            types = ends_of(types, step)
            assert types


def check_walk(graph: Clew, walked: Walked) -> None:
    """Every edge of a walk is an edge of the graph that the template's step allows, from the front before it."""
    adjacency = graph.adjacency
    for step, before, after in zip(walked.template.steps, walked.fronts, walked.fronts[1:], strict=False):
        for edge, source in zip(after.edges.tolist(), after.sources.tolist(), strict=True):
            row = int(before.rows[source])
            assert adjacency.starts[row] <= edge < adjacency.starts[row + 1]
            assert adjacency.predicate_names[adjacency.predicates[edge]] == step.predicate
            assert adjacency.forward[edge] == (step.side == "subject")
        assert after.mass.sum() <= before.mass.sum() + 1e-9


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("FBN1", [("gene_associated_with_condition", "subject")]),
        ("Arachnodactyly", [("has_phenotype", "object")]),
        ("高血压", [("treats", "object")]),
        ("头痛", []),
    ],
)
def test_walks_keep_to_their_templates(graph: Clew, name: str, asked: list[tuple[str, str]]) -> None:
    link = graph.linker.resolve(name)
    walked = walk(graph.adjacency, topic(link.entity, link.type, *asked), TEMPLATES)
    assert walked
    for one in walked:
        check_walk(graph, one)


def test_a_form_of_what_is_asked_leads_on(graph: Clew) -> None:
    asked = topic(SKELETON, "PhenotypicFeature", ("has_phenotype", "object"))
    found = reached(graph.adjacency, asked, walk(graph.adjacency, asked, TEMPLATES), 100)
    names = {graph.adjacency.curie(row) for row in found.rows.tolist()}
    assert MARFAN in names  # Marfan syndrome shows long fingers, which are a departure in the skeleton
    assert SKELETON not in names
    assert found.scores[0] == 1
    assert (np.diff(found.scores) <= 0).all()


def test_what_is_the_same_as_something_reached_is_reached(graph: Clew) -> None:
    asked = topic(FBN1, "Gene", ("gene_associated_with_condition", "subject"))
    found = reached(graph.adjacency, asked, walk(graph.adjacency, asked, TEMPLATES), 100)
    names = [graph.adjacency.curie(row) for row in found.rows.tolist()]
    assert set(graph.adjacency.same(MARFAN)) <= set(names)
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("curie", ["OMIM:not there", ""])
def test_an_unknown_entity_leads_nowhere(graph: Clew, curie: str) -> None:
    asked = topic(curie, "Disease")
    assert len(reached(graph.adjacency, asked, walk(graph.adjacency, asked, TEMPLATES), 10).rows) == 0
