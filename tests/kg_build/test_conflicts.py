from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import fisher_exact

from kg_build.conflicts import Conflict, _fisher, find_conflicts
from ontology.model import Assertion
from ontology.schema import load_domain
from tests.kg_build.graphs import make_table

Counted = tuple[Assertion, str, tuple[str, ...], str]

FEVER = Assertion("OMIM:1", "has_phenotype", "HP:0001945")
NO_FEVER = Assertion("OMIM:1", "has_phenotype", "HP:0001945", negated=True)
TWIN = Assertion("OMIM:1", "same_as", "ORPHA:1")
TWIN_FEVER = Assertion("ORPHA:1", "has_phenotype", "HP:0001945")


def conflicts(assertions: Iterable[Assertion], counts: Iterable[Counted] = ()) -> list[Conflict]:
    counts = list(counts)
    stated = {a.id: a for a in [*assertions, *(a for a, *_ in counts)]}
    assertion = make_table(
        "assertion", [(i, a.subject, a.predicate, a.object, a.negated, a.qualifier_text) for i, a in stated.items()]
    )
    evidence = make_table(
        "evidence",
        [
            (f"e.{n}", a.id, "s", "1", "CC0", references, "r", "", "k", "m", "", "", frequency, "", sex, (), "")
            for n, (a, frequency, references, sex) in enumerate(counts)
        ],
    )
    return list(find_conflicts(assertion, evidence, load_domain()))


def test_a_statement_made_and_denied_is_a_conflict() -> None:
    found = conflicts([FEVER, NO_FEVER, Assertion("OMIM:2", "has_phenotype", "HP:0001945")])
    assert found == [Conflict("polarity", "OMIM:1", "HP:0001945", (FEVER.id, NO_FEVER.id), "has_phenotype")]


def test_another_finding_predicate_or_qualifier_is_no_conflict() -> None:
    others = [
        Assertion("OMIM:1", "has_phenotype", "HP:0002315"),
        Assertion("HP:0001945", "has_phenotype", "OMIM:1"),
        Assertion("OMIM:1", "has_complication", "HP:0001945"),
        Assertion("OMIM:1", "has_phenotype", "HP:0001945", qualifiers={"population": "新生儿"}),
    ]
    assert conflicts([NO_FEVER, *others]) == []


def test_a_symmetric_statement_conflicts_with_its_denial_the_other_way_round() -> None:
    made = Assertion("x:b", "interacts_with", "x:a")
    denied = Assertion("x:a", "interacts_with", "x:b", negated=True)
    assert conflicts([made, denied]) == [Conflict("polarity", "x:a", "x:b", (made.id, denied.id), "interacts_with")]


def test_a_drug_that_treats_what_it_is_contraindicated_in_is_a_conflict() -> None:
    treats = Assertion("cmekg:阿司匹林", "treats", "cmekg:哮喘")
    against = Assertion("cmekg:阿司匹林", "contraindicated_in", "cmekg:哮喘")
    elsewhere = Assertion("cmekg:阿司匹林", "contraindicated_in", "cmekg:痛风")
    (found,) = conflicts([treats, against, elsewhere])
    assert (found.kind, found.subject, found.object) == ("indication", "cmekg:阿司匹林", "cmekg:哮喘")
    assert found.assertions == (treats.id, against.id)


@pytest.mark.parametrize("denied", ["treats", "contraindicated_in"])
def test_a_denied_indication_or_contraindication_conflicts_with_neither(denied: str) -> None:
    pair = [Assertion("d:1", p, "c:1", negated=p == denied) for p in ("treats", "contraindicated_in")]
    assert conflicts(pair) == []


def test_counts_of_different_references_that_differ_significantly_are_a_conflict() -> None:
    counts = [(FEVER, "5/50", ("PMID:1",), ""), (FEVER, "40/50", ("PMID:2",), ""), (FEVER, "20/50", ("PMID:3",), "")]
    (found,) = conflicts([], counts)
    assert (found.kind, found.subject, found.object) == ("frequency", "OMIM:1", "HP:0001945")
    assert (found.assertions, found.evidence) == ((FEVER.id,), ("e.1", "e.0"))
    assert found.detail == "40/50 (PMID:2) against 5/50 (PMID:1)"


@pytest.mark.parametrize(
    ("one", "other", "detail"),
    [
        ("2/137", "HP:0040281", "80–99% (PMID:2) against 2/137 (PMID:1)"),
        ("11/11", "HP:0040283", "11/11 (PMID:1) against 5–29% (PMID:2)"),
        ("0/8", "80%", "80% (PMID:2) against 0/8 (PMID:1)"),
        ("HP:0040281", "HP:0040283", "80–99% (PMID:1) against 5–29% (PMID:2)"),
        ("0/1", "HP:0040280", "100% (PMID:2) against 0/1 (PMID:1)"),
    ],
)
def test_a_class_conflicts_with_what_lies_far_outside_of_it(one: str, other: str, detail: str) -> None:
    (found,) = conflicts([], [(FEVER, one, ("PMID:1",), ""), (FEVER, other, ("PMID:2",), "")])
    assert found.detail == detail


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("1/4", ("PMID:1",), ""), ("3/4", ("PMID:2",), "")),  # too few patients
        (("18/18", ("PMID:1",), ""), ("0/2", ("PMID:2",), "")),  # too few on one side, whatever a z-test says
        (("500/1000", ("PMID:1",), ""), ("700/1000", ("PMID:2",), "")),  # too small a difference
        (("5/50", ("PMID:1",), ""), ("40/50", ("PMID:1", "PMID:2"), "")),  # a reference in common
        (("5/50", ("PMID:1",), ""), ("40/50", (), "")),  # no reference
        (("5/50", ("PMID:1",), "MALE"), ("40/50", ("PMID:2",), "FEMALE")),  # other patients
        (("1/4", ("PMID:1",), ""), ("HP:0040281", ("PMID:2",), "")),  # too few patients to contradict a class
        (("20/50", ("PMID:1",), ""), ("HP:0040283", ("PMID:2",), "")),  # too near to what the class allows
        (("HP:0040281", ("PMID:1",), ""), ("HP:0040282", ("PMID:2",), "")),  # neighbouring classes
        (("5/50", ("PMID:1",), ""), ("often", ("PMID:2",), "")),  # not understood
        (("5/50", ("PMID:1",), ""), ("60/50", ("PMID:2",), "")),  # impossible
    ],
)
def test_counts_that_may_both_hold_are_no_conflict(
    one: tuple[str, tuple[str, ...], str], other: tuple[str, tuple[str, ...], str]
) -> None:
    assert conflicts([], [(FEVER, *one), (FEVER, *other)]) == []


def test_few_patients_are_enough_where_the_exact_test_is_certain() -> None:
    (found,) = conflicts([], [(FEVER, "12/12", ("PMID:1",), ""), (FEVER, "0/9", ("PMID:2",), "")])
    assert found.detail == "12/12 (PMID:1) against 0/9 (PMID:2)"


@given(st.data())
def test_the_exact_test_agrees_with_scipy(data: st.DataObject) -> None:
    n, m = data.draw(st.integers(1, 40)), data.draw(st.integers(1, 40))
    a, b = data.draw(st.integers(0, n)), data.draw(st.integers(0, m))
    expected = fisher_exact(np.array([[a, n - a], [b, m - b]])).pvalue
    assert _fisher(a, n, a + b, n + m) == pytest.approx(expected, rel=1e-6)


def test_a_graph_without_anything_has_no_conflicts() -> None:
    assert conflicts([]) == []


@given(
    st.lists(
        st.builds(
            Assertion,
            st.sampled_from(["a:1", "a:2"]),
            st.sampled_from(["treats", "contraindicated_in", "same_as"]),
            st.sampled_from(["a:1", "a:2"]),
            st.booleans(),
        ),
        max_size=12,
    ),
    st.randoms(use_true_random=False),
)
def test_conflicts_do_not_depend_on_the_order_of_rows_and_name_opposite_statements(assertions, random) -> None:  # type: ignore[no-untyped-def]
    found = conflicts(assertions)
    shuffled = random.sample(assertions, len(assertions))
    assert conflicts(shuffled) == found
    by_id = {a.id: a for a in assertions}
    for conflict in found:
        made, against = (by_id[i] for i in conflict.assertions)
        assert not made.negated
        assert against.negated == (conflict.kind == "polarity")
        assert ({made.subject, made.object} == {against.subject, against.object}) or conflict.through


# --- through an identity ------------------------------------------------------------------------------------


def test_what_one_source_says_and_another_denies_under_its_own_id_is_a_conflict() -> None:
    (found,) = conflicts([TWIN, TWIN_FEVER, NO_FEVER])
    assert (found.subject, found.assertions, found.through) == ("ORPHA:1", (TWIN_FEVER.id, NO_FEVER.id), TWIN.id)
    assert found.detail == "has_phenotype, through OMIM:1 same_as ORPHA:1"


def test_a_drug_and_its_chinese_twin_conflict_over_an_indication() -> None:
    treats = Assertion("DRUGBANK:DB00945", "treats", "cmekg:哮喘")
    against = Assertion("cmekg:阿司匹林", "contraindicated_in", "cmekg:哮喘")
    same = Assertion("DRUGBANK:DB00945", "same_as", "cmekg:阿司匹林")
    (found,) = conflicts([treats, against, same])
    assert (found.kind, found.assertions, found.through) == ("indication", (treats.id, against.id), same.id)


def test_shares_of_two_statements_about_the_same_are_compared() -> None:
    counts = [(FEVER, "2/137", ("PMID:1",), ""), (TWIN_FEVER, "HP:0040281", ("ORPHA:1",), "")]
    (found,) = conflicts([TWIN], counts)
    assert (found.subject, found.assertions) == ("ORPHA:1", (TWIN_FEVER.id, FEVER.id))
    assert (found.through, found.evidence) == (TWIN.id, ("e.1", "e.0"))
    assert found.detail == "80–99% (ORPHA:1) against 2/137 (PMID:1), through OMIM:1 same_as ORPHA:1"


@pytest.mark.parametrize(
    "identities",
    [
        [],
        [TWIN, Assertion("ORPHA:1", "same_as", "OMIM:1", negated=True)],  # a denial wins
        [Assertion("OMIM:1", "same_as", "MESH:1"), Assertion("MESH:1", "same_as", "ORPHA:1")],  # two steps
    ],
)
def test_without_one_accepted_identity_between_them_nothing_conflicts(identities: list[Assertion]) -> None:
    counts = [(FEVER, "2/137", ("PMID:1",), ""), (TWIN_FEVER, "HP:0040281", ("ORPHA:1",), "")]
    assert [c for c in conflicts(identities, counts) if c.kind == "frequency"] == []
    found = conflicts([*identities, TWIN_FEVER, NO_FEVER])
    assert [c for c in found if c.detail.startswith("has_phenotype")] == []


def test_a_statement_that_counted_nobody_does_not_contradict_a_denial() -> None:
    assert conflicts([TWIN, NO_FEVER], [(TWIN_FEVER, "0/18", ("PMID:1",), "")]) == []
    assert conflicts([NO_FEVER], [(FEVER, "0/5", ("PMID:1",), ""), (FEVER, "1/5", ("PMID:2",), "")]) != []
