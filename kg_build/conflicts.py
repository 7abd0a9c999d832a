"""Conflicts: statements of one graph that cannot both stand, found in the canonical tables.

* polarity: the same statement made and denied
* indication: a drug said to treat what it is said to be contraindicated in
* frequency: two references that counted very different shares for one statement

Nothing is decided here: both sides stay in the graph, with their evidence. Each search first narrows the tables
column by column, so that only the few rows that may be in conflict are looked at one by one.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from typing import Any, Final, Literal

import pyarrow as pa
import pyarrow.compute as pc

from kg_build.frequency import Frequency, parse_frequency
from ontology.schema import Domain

P_VALUE: Final = 0.001
"""Frequencies conflict below this p (our choice: thousands of pairs are tested)."""

LEAST_DIFFERENCE: Final = 0.3
"""Frequencies conflict above this difference of shares (our choice: a finding that changes its frequency class)."""

_COUNTED: Final = r"^\s*\d+\s*/\s*\d+\s*$"


@dataclass(frozen=True, slots=True)
class Conflict:
    """Statements that cannot both stand.

    Attributes:
        kind: which conflict it is.
        subject: CURIE; for a symmetric predicate the first end by order.
        object: CURIE.
        assertions: ids of the assertions, what is said for it first.
        detail: what differs: the predicate, or the two counts with their references.
    """

    kind: Literal["polarity", "indication", "frequency"]
    subject: str
    object: str
    assertions: tuple[str, ...]
    detail: str


def find_conflicts(assertion: pa.Table, evidence: pa.Table, domain: Domain) -> Iterator[Conflict]:
    """Yield the conflicts of a graph: by kind, then by subject and object.

    Args:
        assertion: the canonical table of assertions.
        evidence: the canonical table of evidence.
        domain: says which predicates are symmetric.
    """
    for found in (_polarity(assertion, domain), _indication(assertion), _frequency(assertion, evidence)):
        yield from sorted(found, key=lambda c: (c.subject, c.object, c.assertions, c.detail))


def _polarity(assertion: pa.Table, domain: Domain) -> Iterator[Conflict]:
    """Statements made and denied under the same qualifiers."""
    symmetric = {name for name, predicate in domain.predicates.items() if predicate.symmetric}

    def key(row: dict[str, Any]) -> tuple[str, ...]:
        ends = row["subject"], row["object"]
        return (*(sorted(ends) if row["predicate"] in symmetric else ends), row["predicate"], row["qualifiers"] or "")

    negated = pc.equal(assertion["negated"], pa.scalar(value=True))
    denied = assertion.filter(negated)
    ends = pa.chunked_array([*denied["subject"].chunks, *denied["object"].chunks], type=pa.string())
    made = _where(assertion, pc.invert(negated), _among(assertion["subject"], ends), _among(assertion["object"], ends))
    denials = defaultdict(list)
    for row in denied.to_pylist():
        denials[key(row)].append(row["id"])
    for row in made.to_pylist():
        for denial in denials.get(key(row), ()):
            subject, object_, predicate, _ = key(row)
            yield Conflict("polarity", subject, object_, (row["id"], denial), predicate)


def _indication(assertion: pa.Table) -> Iterator[Conflict]:
    """Pairs of a drug and a condition that it treats and is contraindicated in."""
    stated = assertion.filter(pc.invert(assertion["negated"]))
    treats = stated.filter(pc.equal(stated["predicate"], "treats"))
    against = stated.filter(pc.equal(stated["predicate"], "contraindicated_in"))
    treats = _where(treats, *(_among(treats[end], against[end]) for end in ("subject", "object")))
    against = _where(against, *(_among(against[end], treats[end]) for end in ("subject", "object")))
    warnings = defaultdict(list)
    for row in against.to_pylist():
        warnings[row["subject"], row["object"]].append(row["id"])
    for row in treats.to_pylist():
        for warning in warnings.get((row["subject"], row["object"]), ()):
            ids = (row["id"], warning)
            yield Conflict("indication", row["subject"], row["object"], ids, "treats / contraindicated_in")


@dataclass(frozen=True, slots=True)
class _Count:
    """A counted frequency of one row of evidence."""

    frequency: Frequency
    text: str
    references: frozenset[str]


def _frequency(assertion: pa.Table, evidence: pa.Table) -> Iterator[Conflict]:
    """For each statement the two references that differ most, if they do significantly.

    Counts are compared within one sex, onset and set of modifiers: elsewhere they may well differ.
    """
    columns = ["assertion", "references", "frequency", "onset", "sex", "modifiers"]
    counted = evidence.select(columns).filter(pc.match_substring_regex(evidence["frequency"], _COUNTED))
    times = pc.value_counts(counted["assertion"])
    several = times.field("values").filter(pc.greater(times.field("counts"), 1))
    groups: dict[str, dict[tuple[Any, ...], list[_Count]]] = defaultdict(lambda: defaultdict(list))
    for row in _where(counted, _among(counted["assertion"], several)).to_pylist():
        if (frequency := parse_frequency(row["frequency"])) and row["references"]:
            context = (row["onset"], row["sex"], tuple(sorted(row["modifiers"] or ())))
            count = _Count(frequency, row["frequency"], frozenset(row["references"]))
            groups[row["assertion"]][context].append(count)
    worst = {key: pair for key, contexts in groups.items() if (pair := _worst(list(contexts.values())))}
    stated = _where(assertion, _among(assertion["id"], pa.array(list(worst), type=pa.string())))
    for row in stated.to_pylist():
        detail = " against ".join(f"{c.text.strip()} ({', '.join(sorted(c.references))})" for c in worst[row["id"]])
        yield Conflict("frequency", row["subject"], row["object"], (row["id"],), detail)


def _worst(groups: list[list[_Count]]) -> tuple[_Count, _Count] | None:
    """Of the pairs from different references that conflict, the one with the largest difference; larger share first."""
    pairs = [
        (one, other) if one.frequency.share >= other.frequency.share else (other, one)
        for counts in groups
        for one, other in combinations(counts, 2)
        if one.references.isdisjoint(other.references) and _differ(one.frequency, other.frequency)
    ]
    if not pairs:
        return None
    return max(pairs, key=_difference)


def _difference(pair: tuple[_Count, _Count]) -> tuple[Any, ...]:
    """The difference of the shares, then what makes the order of pairs definite."""
    more, less = pair
    references = [sorted(count.references) for count in pair]
    return more.frequency.share - less.frequency.share, more.text, less.text, references


def _differ(one: Frequency, other: Frequency) -> bool:
    """Whether two shares differ, by size and significantly.

    The two-proportion z-test with pooled variance where all expected counts reach five (Cochran's rule); Fisher's
    exact test below, where the z-test finds far too much.
    """
    difference = abs(one.share - other.share)
    if difference <= LEAST_DIFFERENCE:
        return False
    n, m = round(one.weight), round(other.weight)
    hits = round(one.share * n)
    all_hits = hits + round(other.share * m)
    pooled = all_hits / (n + m)
    if min(n, m) * min(pooled, 1 - pooled) < 5:
        return _fisher(hits, n, all_hits, n + m) < P_VALUE
    variance = pooled * (1 - pooled) * (1 / n + 1 / m)
    return math.erfc(difference / math.sqrt(2 * variance)) < P_VALUE


def _fisher(hits: int, n: int, all_hits: int, total: int) -> float:
    """Two-sided p of `hits` among `n` when `all_hits` of `total` are spread at random: Fisher's exact test."""

    def log_choose(a: int, b: int) -> float:
        return math.lgamma(a + 1) - math.lgamma(b + 1) - math.lgamma(a - b + 1)

    def log_p(k: int) -> float:
        return log_choose(all_hits, k) + log_choose(total - all_hits, n - k) - log_choose(total, n)

    observed = log_p(hits) + 1e-7  # so that tables just as likely count in spite of rounding
    possible = range(max(0, n - (total - all_hits)), min(n, all_hits) + 1)
    return sum(math.exp(p) for k in possible if (p := log_p(k)) <= observed)


def _among(column: Any, values: Any) -> Any:
    return pc.is_in(column, value_set=pc.unique(values))


def _where(table: pa.Table, *masks: Any) -> pa.Table:
    """The rows that all masks let through."""
    return table.filter(reduce(pc.and_, masks))
