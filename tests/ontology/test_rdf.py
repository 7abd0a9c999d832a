"""The ontology file as RDF terms and SHACL shapes."""

import sys

import pytest
from pyshacl import validate
from rdflib import OWL, RDF, RDFS, SKOS, Graph, Literal, Namespace, URIRef

from ontology.errors import ClewError, Code
from ontology.rdf import BIOLINK, TERMS, shapes, vocabulary
from ontology.schema import load_domain

CLEW = Namespace(TERMS)
DOMAIN = load_domain()


def test_every_type_and_predicate_is_a_term_with_names_in_both_languages_and_its_biolink_term() -> None:
    graph = vocabulary(DOMAIN)
    for name in (*DOMAIN.types, *DOMAIN.predicates):
        labels = {label.language for label in graph.objects(CLEW[name], RDFS.label) if isinstance(label, Literal)}
        assert labels == {"en", "zh"}
        assert {*graph.objects(CLEW[name], SKOS.exactMatch), *graph.objects(CLEW[name], SKOS.broadMatch)}
    assert (CLEW["Disease"], SKOS.exactMatch, URIRef(BIOLINK + "Disease")) in graph
    assert (CLEW["same_as"], RDF.type, OWL.SymmetricProperty) in graph
    assert (CLEW["treats"], OWL.inverseOf, CLEW["treated_by"]) in graph


def data(*statements: tuple[str, str, str]) -> Graph:
    """A small graph of a disease, a finding and a drug with labels, and these statements between them."""
    graph = Graph()
    for name, type_name in (("d", "Disease"), ("p", "PhenotypicFeature"), ("m", "Drug")):
        graph.add((CLEW[name], RDF.type, CLEW[type_name]))
        graph.add((CLEW[name], RDFS.label, Literal(f"{type_name} 一", lang="zh")))
    for subject, predicate, object_ in statements:
        graph.add((CLEW[subject], CLEW[predicate], CLEW[object_]))
    return graph


@pytest.mark.parametrize(
    ("statement", "conforms"),
    [
        (("d", "has_phenotype", "p"), True),
        (("m", "treats", "d"), True),
        (("d", "not_has_phenotype", "p"), True),
        (("d", "has_phenotype", "m"), False),
        (("p", "treats", "d"), False),
        (("d", "not_has_phenotype", "m"), False),
    ],
)
def test_the_shapes_allow_what_the_ontology_allows(statement: tuple[str, str, str], conforms: bool) -> None:
    assert validate(data(statement), shacl_graph=shapes(DOMAIN))[0] is conforms


def test_an_entity_without_a_label_does_not_conform() -> None:
    graph = data()
    graph.add((CLEW["nameless"], RDF.type, CLEW["Disease"]))
    assert validate(graph, shacl_graph=shapes(DOMAIN))[0] is False


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rdflib", None)
    with pytest.raises(ClewError) as caught:
        shapes(DOMAIN)
    assert (caught.value.code, caught.value.remedy) == (Code.MISSING_EXTRA, "pip install 'clew[rdf]'")
