"""The ontology file as RDF: the terms, and SHACL shapes for graphs that use them. Needs the extra `rdf`.

Terms are `urn:clew:ontology:<name>`, mapped to Biolink: exactly, or as narrower than their nearest Biolink term.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ontology.errors import ClewError, Code
from ontology.schema import Domain, Predicate, relation_name

if TYPE_CHECKING:
    from rdflib import Graph
    from rdflib.namespace import Namespace

TERMS: Final = "urn:clew:ontology:"
BIOLINK: Final = "https://w3id.org/biolink/vocab/"


def vocabulary(domain: Domain) -> Graph:
    """The entity types as OWL classes and the predicates as object properties, with names in both languages.

    Raises:
        ClewError: MISSING_EXTRA.
    """
    graph, terms = _graph()
    from rdflib import OWL, RDF, RDFS, SKOS, Literal, URIRef  # noqa: PLC0415

    def describe(name: str, kind: URIRef, biolink: str, labels: tuple[str, str], *, broad: bool) -> None:
        nearest = URIRef(BIOLINK + biolink.removeprefix("biolink:"))
        graph.add((terms[name], RDF.type, kind))
        graph.add((terms[name], RDFS.label, Literal(labels[0], lang="en")))
        graph.add((terms[name], RDFS.label, Literal(labels[1], lang="zh")))
        graph.add((terms[name], SKOS.broadMatch if broad else SKOS.exactMatch, nearest))

    for name, entity_type in domain.types.items():
        describe(name, OWL.Class, entity_type.biolink, (entity_type.en, entity_type.zh), broad=entity_type.broad)
    for name, predicate in domain.predicates.items():
        describe(name, OWL.ObjectProperty, predicate.biolink, (predicate.en, predicate.zh), broad=predicate.broad)
        if predicate.symmetric:
            graph.add((terms[name], RDF.type, OWL.SymmetricProperty))
        else:
            graph.add((terms[name], OWL.inverseOf, terms[predicate.inverse]))
    return graph


def shapes(domain: Domain) -> Graph:
    """SHACL shapes: every entity has a label, and every statement, positive or negative, its allowed ends.

    Raises:
        ClewError: MISSING_EXTRA.
    """
    graph, terms = _graph()
    from rdflib import RDF, RDFS, SH, BNode, Literal  # noqa: PLC0415

    for name in domain.types:
        shape = terms[f"{name}Shape"]
        label = BNode()
        graph.add((shape, RDF.type, SH.NodeShape))
        graph.add((shape, SH.targetClass, terms[name]))
        graph.add((shape, SH.property, label))
        graph.add((label, SH.path, RDFS.label))
        graph.add((label, SH.minCount, Literal(1)))
        for predicate_name, predicate in domain.predicates.items():
            for negated in (False, True):
                _end_shape(graph, terms, name, relation_name(predicate_name, negated=negated), predicate)
    return graph


def _end_shape(graph: Graph, terms: Namespace, subject: str, relation: str, predicate: Predicate) -> None:
    """What the relation may lead to from entities of a type; nothing when the type is outside its domain."""
    from rdflib import SH, BNode, Literal  # noqa: PLC0415
    from rdflib.collection import Collection  # noqa: PLC0415
    from rdflib.term import Node  # noqa: PLC0415

    allowed = [object_ for start, object_ in predicate.ends if start == subject]
    rule = BNode()
    graph.add((terms[f"{subject}Shape"], SH.property, rule))
    graph.add((rule, SH.path, terms[relation]))
    if not allowed:
        graph.add((rule, SH.maxCount, Literal(0)))
        return
    choices: list[Node] = []
    for object_ in allowed:
        choice = BNode()
        graph.add((choice, SH["class"], terms[object_]))
        choices.append(choice)
    head = BNode()
    Collection(graph, head, choices)
    graph.add((rule, SH["or"], head))


def _graph() -> tuple[Graph, Namespace]:
    try:
        from rdflib import Graph, Namespace  # noqa: PLC0415
    except ImportError as error:
        raise ClewError(Code.MISSING_EXTRA, "rdflib is not installed", remedy="pip install 'clew[rdf]'") from error
    graph, terms = Graph(), Namespace(TERMS)
    graph.bind("clew", terms)
    graph.bind("biolink", Namespace(BIOLINK))
    return graph, terms
