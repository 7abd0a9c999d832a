"""When two entities are stated to be the same."""

from collections.abc import Collection
from itertools import combinations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_build.identity import as_one, same_codes, same_names, stated_pairs
from kg_build.release import TABLES
from ontology.curie import mint
from ontology.model import Assertion, Entity, Evidence, Name
from ontology.model import Mapping as TermMapping
from ontology.schema import load_domain


def bridges(*named: tuple[str, str, str, str], deprecated: str = "", kind: str = "label") -> list[Evidence]:
    """What is stated of entities given as (id, type, language, name)."""
    entities = {c: Entity(c, t, n, lang, "hpo", deprecated=c == deprecated) for c, t, lang, n in named}
    names = [Name(c, lang, n, kind, "hpo", c) for c, _, lang, n in named]
    return list(same_names(entities, names, load_domain()))


def pairs(found: list[Evidence]) -> list[tuple[str, str]]:
    return [(e.assertion.subject, e.assertion.object) for e in found]


MARFAN = ("OMIM:154700", "Disease", "en", "Marfan syndrome")
ORPHA = ("ORPHA:558", "Disease", "en", "MARFAN  Syndrome")
ZH = ("cmekg:a", "Disease", "zh", "马凡综合征")


def test_an_exact_name_in_two_vocabularies_is_stated_with_both_names_as_evidence() -> None:
    (e,) = bridges(MARFAN, ORPHA)
    assert pairs([e]) == [("OMIM:154700", "ORPHA:558")]
    assert e.assertion.predicate == "same_as"
    assert e.quote == "Marfan syndrome = MARFAN  Syndrome"
    assert e.references == ("OMIM:154700", "ORPHA:558")
    assert (e.source, e.agent_type) == ("clew", "automated_agent")


def test_chinese_names_bridge_like_english_ones() -> None:
    assert pairs(bridges(ZH, ("openmed:b", "Disease", "zh", "马凡 综合征"))) == [("cmekg:a", "openmed:b")]


def test_three_vocabularies_give_every_pair_not_a_chain() -> None:
    found = bridges(MARFAN, ORPHA, ("cmekg:a", "Disease", "en", "Marfan syndrome"))
    assert pairs(found) == [("OMIM:154700", "ORPHA:558"), ("OMIM:154700", "cmekg:a"), ("ORPHA:558", "cmekg:a")]


def test_a_name_that_two_entities_of_one_vocabulary_share_proves_nothing() -> None:
    assert bridges(MARFAN, ("OMIM:1", "Disease", "en", "Marfan syndrome"), ORPHA) == []


def test_nothing_is_stated_across_types_languages_or_vocabularies_alike() -> None:
    assert bridges(MARFAN, ("HP:1", "PhenotypicFeature", "en", "Marfan syndrome")) == []
    assert bridges(MARFAN, ("cmekg:a", "Disease", "zh", "Marfan syndrome")) == []
    assert bridges(MARFAN, ("OMIM:1", "Disease", "en", "Marfan syndrome")) == []


def test_short_names_are_too_often_homonyms() -> None:
    assert bridges(("OMIM:1", "Disease", "en", "MASS"), ("ORPHA:2", "Disease", "en", "MASS")) == []
    assert bridges(("cmekg:a", "Disease", "zh", "感冒"), ("openmed:b", "Disease", "zh", "感冒")) == []


def test_withdrawn_entities_and_loose_names_are_left_out() -> None:
    assert bridges(MARFAN, ORPHA, deprecated="ORPHA:558") == []
    for kind in ("related", "broad", "narrow", "lay", "abbreviation", "brand"):
        assert bridges(MARFAN, ORPHA, kind=kind) == []


def test_types_for_which_the_ontology_allows_no_same_as_are_left_out() -> None:
    assert bridges(("NCBIGene:1", "Gene", "en", "Fibrillin one"), ("HGNC:1", "Gene", "en", "Fibrillin one")) == []


def test_the_same_pair_is_stated_once_however_many_names_it_shares() -> None:
    entities = {c: Entity(c, "Disease", "x", "en", "hpo") for c in ("OMIM:1", "ORPHA:2")}
    names = [Name(c, "en", n, "exact", "hpo", c) for c in entities for n in ("Marfan syndrome", "Marfan disease")]
    forwards, backwards = (list(same_names(entities, order, load_domain())) for order in (names, names[::-1]))
    assert forwards == backwards
    assert len(forwards) == 1


def test_entries_of_a_source_without_ids_may_share_the_name_of_one_that_has_an_id() -> None:
    entries = [mint("cmekg", "Disease", name) for name in ("马凡综合征", "马方综合征")]
    split = [(curie, "Disease", "en", "Marfan syndrome") for curie in entries]
    assert pairs(bridges(MARFAN, *split)) == [("OMIM:154700", curie) for curie in sorted(entries)]
    many = [(mint("cmekg", "Disease", str(i)), "Disease", "en", "Marfan syndrome") for i in range(4)]
    assert bridges(MARFAN, *many) == []
    other = (mint("openmed", "Disease", "Marfan"), "Disease", "en", "Marfan syndrome")
    assert bridges(other, *split) == []


def test_a_curated_no_is_stronger_than_a_name() -> None:
    entities = {c: Entity(c, "Disease", "Marfan syndrome", "en", "hpo") for c in ("OMIM:154700", "ORPHA:558")}
    names = [Name(c, "en", "Marfan syndrome", "label", "hpo", c) for c in entities]
    assert list(same_names(entities, names, load_domain(), [frozenset(entities)])) == []


def codes(*carried: tuple[str, str], denied: Collection[frozenset[str]] = ()) -> list[tuple[str, str]]:
    """The pairs stated of diseases that carry these codes."""
    entities = {c: Entity(c, "Disease", c, "en", "hpo") for c, _ in carried}
    mappings = [TermMapping(c, "skos:exactMatch", code, "hpo", "semapv:UnspecifiedMatching") for c, code in carried]
    return pairs(list(same_codes(entities, mappings, load_domain(), denied)))


def test_a_concept_code_that_both_carry_alone_is_stated_with_the_code_as_evidence() -> None:
    assert codes(("OMIM:1", "UMLS:C1"), ("MONDO:1", "UMLS:C1")) == [("MONDO:1", "OMIM:1")]


@pytest.mark.parametrize(
    "carried",
    [
        [("OMIM:1", "ICD10:A00"), ("MONDO:1", "ICD10:A00")],  # a class, not a concept
        [("OMIM:1", "UMLS:C1"), ("OMIM:2", "UMLS:C1"), ("MONDO:1", "UMLS:C1")],
        [("OMIM:1", "UMLS:C1"), ("OMIM:1", "UMLS:C2"), ("MONDO:1", "UMLS:C1")],
        [("OMIM:1", "UMLS:C1"), ("OMIM:2", "UMLS:C1")],
    ],
)
def test_a_code_that_is_not_theirs_alone_proves_nothing(carried: list[tuple[str, str]]) -> None:
    assert codes(*carried) == []


def test_a_curated_no_is_stronger_than_a_code() -> None:
    carried = [("OMIM:1", "UMLS:C1"), ("MONDO:1", "UMLS:C1")]
    assert codes(*carried, denied=[frozenset(("OMIM:1", "MONDO:1"))]) == []


@pytest.mark.parametrize(
    ("label", "english", "same"),
    [
        ("马方综合征", "Marfan syndrome", True),
        ("小儿马方综合征", "Marfan syndrome", False),
        ("新生儿黄疸", "Neonatal jaundice", True),
        ("老年高血压", "Hypertension", False),
    ],
)
def test_a_form_of_one_age_is_not_the_disease_of_all_ages(label: str, english: str, same: bool) -> None:
    curie = mint("cmekg", "Disease", label)
    entities = {
        curie: Entity(curie, "Disease", label, "zh", "cmekg"),
        "OMIM:1": Entity("OMIM:1", "Disease", english, "en", "hpo"),
    }
    names = [Name(c, "en", english, "exact", "hpo", c) for c in entities]
    assert bool(list(same_names(entities, names, load_domain()))) is same


def test_only_an_exact_mapping_makes_a_code_a_shared_concept() -> None:
    entities = {c: Entity(c, "Disease", c, "en", "hpo") for c in ("OMIM:1", "MONDO:1")}
    broad = [TermMapping(c, "skos:broadMatch", "UMLS:C1", "hpo", "semapv:UnspecifiedMatching") for c in entities]
    assert list(same_codes(entities, broad, load_domain())) == []


def assertions(*stated: tuple[str, str, bool]) -> pa.Table:
    """`same_as` statements given as (subject, object, negated), as the canonical table."""
    rows = [Assertion(one, "same_as", other, negated) for one, other, negated in stated]
    return pa.Table.from_pylist(
        [
            {"id": a.id, "subject": a.subject, "predicate": a.predicate, "object": a.object, "negated": a.negated}
            for a in rows
        ],
        schema=TABLES["assertion"],
    )


def test_a_pair_stands_when_it_is_stated_and_nobody_denies_it() -> None:
    found = stated_pairs(
        assertions(("cmekg:a", "OMIM:1", False), ("OMIM:1", "ORPHA:1", False), ("OMIM:1", "ORPHA:1", True))
    )
    assert found.accepted == {frozenset(("OMIM:1", "cmekg:a")): Assertion("cmekg:a", "same_as", "OMIM:1").id}
    assert found.denied == {frozenset(("OMIM:1", "ORPHA:1"))}


def test_a_denial_wins_whichever_way_round_it_is_said() -> None:
    assert stated_pairs(assertions(("OMIM:1", "ORPHA:1", False), ("ORPHA:1", "OMIM:1", True))).accepted == {}


def test_two_partners_of_one_thing_that_are_not_the_same_are_not_one_with_it() -> None:
    accepted = {frozenset("ab"), frozenset("ac")}
    assert as_one("abc", accepted) == [("a", "b"), ("c",)]
    assert as_one("abc", {*accepted, frozenset("bc")}) == [("a", "b", "c")]


@given(st.lists(st.integers(0, 7), unique=True), st.sets(st.tuples(st.integers(0, 7), st.integers(0, 7))))
def test_in_a_group_every_pair_is_accepted_and_nobody_is_lost(members: list[int], pairs: set[tuple[int, int]]) -> None:
    accepted = {frozenset(pair) for pair in pairs}
    groups = as_one(members, accepted)
    assert sorted(member for group in groups for member in group) == sorted(members)
    assert all(frozenset(pair) in accepted for group in groups for pair in combinations(group, 2))
