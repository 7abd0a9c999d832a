from kg_build.identity import same_names
from ontology.model import Entity, Evidence, Name
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
