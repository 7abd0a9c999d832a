"""Nothing found: the reasons that can be seen in the statement."""

import pytest

from kg_build.store.empty import why_empty
from ontology.schema import load_domain

DOMAIN = load_domain()


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("MATCH (d:Disease {id: '154700'}) RETURN d", "'154700' is none"),
        ('MATCH (d:Disease) WHERE d.id = "马凡" RETURN d', "CURIE"),
        ("MATCH (d:Disease {name: 'marfan'}) RETURN d", "IN n.names"),
        (
            "MATCH (g:Gene)-[:has_phenotype]->(f:PhenotypicFeature) RETURN g",
            "never leads from Gene to PhenotypicFeature",
        ),
        ("MATCH (f:PhenotypicFeature)-[r:has_phenotype]->(d:Disease) RETURN f", "(:Disease)-[:has_phenotype]->"),
        ("MATCH (d:Disease)<-[r:has_phenotype]-(f:PhenotypicFeature) RETURN f", "from PhenotypicFeature to Disease"),
    ],
)
def test_what_strikes_is_told(statement: str, reason: str) -> None:
    assert reason in " ".join(why_empty(statement, DOMAIN))


@pytest.mark.parametrize(
    "statement",
    [
        "MATCH (d:Disease {id: 'OMIM:154700'})-[:has_phenotype]->(f:PhenotypicFeature) RETURN f",
        "MATCH (f:PhenotypicFeature)<-[r:has_phenotype]-(d:Disease) RETURN f",
        "MATCH (f:PhenotypicFeature)-[r:has_phenotype]-(d:Disease) RETURN f",
        "MATCH (a:Assertion {id: 'a.gc2xeymj7jb4y4wd'}) RETURN a",
        "MATCH (d:Disease)-[:not_has_phenotype]->(f:PhenotypicFeature) RETURN d",
        "MATCH (a:Made)-[:up]->(b:Things) RETURN a",
        "",
    ],
)
def test_a_sound_statement_has_no_reason(statement: str) -> None:
    assert why_empty(statement, DOMAIN) == []


def test_a_parameter_is_looked_at_too() -> None:
    statement = "MATCH (d:Disease {id: $id}) RETURN d"
    assert "'154700' is none" in " ".join(why_empty(statement, DOMAIN, {"id": 154700}))
    assert why_empty(statement, DOMAIN, {"id": "OMIM:154700"}) == []


@pytest.mark.parametrize("text", ["(a:B" * 5_000, "(a:B)-[:c]-" * 1_800, "id: '" * 4_000, "( " * 10_000])
def test_it_takes_no_time(text: str) -> None:
    assert why_empty(text, DOMAIN) == why_empty(text, DOMAIN)
