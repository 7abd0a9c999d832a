"""Conflicts: statements of one graph that cannot both stand, found in the canonical tables.

* polarity: the same statement made and denied
* indication: a drug said to treat what it is said to be contraindicated in
* frequency: two references that give very different shares for one statement

Two statements are about the same when their ends are the same, or when at one end one accepted `same_as` lies between:
sources rarely contradict themselves, they contradict each other, each under its own ids.

Nothing is decided here: both sides stay in the graph, with their evidence. Each search first narrows the tables
column by column, so that only the few rows that may be in conflict are looked at one by one.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import combinations, product
from typing import Any, Final, Literal, get_args

import pyarrow as pa
import pyarrow.compute as pc

from kg_build.frequency import Frequency, describe_frequency, parse_frequency
from kg_build.identity import stated_pairs
from ontology.schema import Domain

Kind = Literal["polarity", "indication", "frequency"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

P_VALUE: Final = 0.001
"""Frequencies conflict below this p (our choice: thousands of pairs are tested)."""

LEAST_DIFFERENCE: Final = 0.3
"""Frequencies conflict above this difference of shares (our choice: a finding that changes its frequency class)."""

_FEWEST: Final = 5.0
"""Least expected count for the z-test (Cochran's rule)."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Statements that cannot both stand.

    Attributes:
        kind: which conflict it is.
        subject: CURIE, as the first of the statements has it; for a symmetric predicate the first end by order.
        object: CURIE, likewise.
        assertions: ids of the assertions, what is said for it first; one where its own evidence disagrees.
        detail: what differs: the predicate, or the two shares with their references; and the identity crossed.
        through: id of the `same_as` assertion that lies between the statements, or empty.
        evidence: ids of the rows that disagree in a frequency, the larger share first; else empty: all of it does.
    """

    kind: Kind
    subject: str
    object: str
    assertions: tuple[str, ...]
    detail: str
    through: str = ""
    evidence: tuple[str, ...] = ()


def find_conflicts(assertion: pa.Table, evidence: pa.Table, domain: Domain) -> Iterator[Conflict]:
    """Yield the conflicts of a graph: by kind, then by subject and object.

    Args:
        assertion: the canonical table of assertions.
        evidence: the canonical table of evidence.
        domain: says which predicates are symmetric.
    """
    step = _Step(assertion)
    searches = (
        _polarity(assertion, evidence, step, domain),
        _indication(assertion, step),
        _frequency(assertion, evidence, step),
    )
    for found in searches:
        yield from sorted(found, key=lambda c: (c.subject, c.object, c.assertions, c.detail))


class _Step:
    """One accepted identity, or none."""

    def __init__(self, assertion: pa.Table) -> None:
        self._partners: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for pair, identifier in stated_pairs(assertion).accepted.items():
            for one, other in (sorted(pair), sorted(pair, reverse=True)):
                self._partners[one].append((other, identifier))

    @cached_property
    def bridged(self) -> pa.Array:
        """Entities that are the same as some other."""
        return pa.array(list(self._partners), type=pa.string())

    def widened(self, column: Any) -> pa.Array:
        """The entities of a column and their partners."""
        ends = set(pc.unique(column).to_pylist())
        return pa.array(sorted(ends | {o for end in ends for o, _ in self._partners.get(end, ())}), type=pa.string())

    def reached(self, subject: str, object_: str) -> Iterator[tuple[str, str, str]]:
        """The ends that a statement has, and those one step away; each with the identity crossed, or empty."""
        yield subject, object_, ""
        yield from ((other, object_, through) for other, through in self._partners.get(subject, ()))
        yield from ((subject, other, through) for other, through in self._partners.get(object_, ()))


def _polarity(assertion: pa.Table, evidence: pa.Table, step: _Step, domain: Domain) -> Iterator[Conflict]:
    """Statements made and denied under the same qualifiers."""
    symmetric = {name for name, predicate in domain.predicates.items() if predicate.symmetric}

    def ends(subject: str, object_: str, predicate: str) -> tuple[str, ...]:
        return tuple(sorted((subject, object_))) if predicate in symmetric else (subject, object_)

    negated = pc.equal(assertion["negated"], pa.scalar(value=True))
    denied = assertion.filter(negated)
    around = step.widened(pa.chunked_array([*denied["subject"].chunks, *denied["object"].chunks], type=pa.string()))
    stated = _where(
        assertion, pc.invert(negated), _among(assertion["subject"], around), _among(assertion["object"], around)
    )
    nobody = _of_nobody(stated["id"], evidence)
    made = defaultdict(list)
    for row in stated.filter(pc.invert(_among(stated["id"], nobody))).to_pylist():
        predicate = row["predicate"]
        made[ends(row["subject"], row["object"], predicate), predicate, row["qualifiers"] or ""].append(row["id"])
    for row in denied.to_pylist():
        predicate = row["predicate"]
        for subject, object_, through in step.reached(row["subject"], row["object"]):
            pair = ends(subject, object_, predicate)
            for identifier in made.get((pair, predicate, row["qualifiers"] or ""), ()):
                detail = predicate + _crossed(pair, (row["subject"], row["object"]), through)
                yield Conflict("polarity", pair[0], pair[1], (identifier, row["id"]), detail, through)


def _of_nobody(assertions: Any, evidence: pa.Table) -> pa.Array:
    """The assertions whose every row of evidence found nobody (0 of n patients): they say what a denial says."""
    shares: dict[str, list[float]] = defaultdict(list)
    rows = evidence.select(["assertion", "frequency"]).filter(_among(evidence["assertion"], assertions))
    for row in rows.to_pylist():
        frequency = parse_frequency(row["frequency"])
        shares[row["assertion"]].append(frequency.high if frequency else 1.0)
    return pa.array([key for key, highest in shares.items() if not any(highest)], type=pa.string())


def _indication(assertion: pa.Table, step: _Step) -> Iterator[Conflict]:
    """Pairs of a drug and a condition that it treats and is contraindicated in."""
    stated = assertion.filter(pc.invert(assertion["negated"]))
    against = stated.filter(pc.equal(stated["predicate"], "contraindicated_in"))
    treats = stated.filter(pc.equal(stated["predicate"], "treats"))
    treats = _where(treats, *(_among(treats[end], step.widened(against[end])) for end in ("subject", "object")))
    treating = defaultdict(list)
    for row in treats.to_pylist():
        treating[row["subject"], row["object"]].append(row["id"])
    for row in against.to_pylist():
        for subject, object_, through in step.reached(row["subject"], row["object"]):
            for identifier in treating.get((subject, object_), ()):
                crossed = _crossed((subject, object_), (row["subject"], row["object"]), through)
                ids, detail = (identifier, row["id"]), "treats / contraindicated_in" + crossed
                yield Conflict("indication", subject, object_, ids, detail, through)


def _crossed(one: Iterable[str], other: Iterable[str], through: str) -> str:
    """The identity that lies between two statements, in words; empty when none does."""
    return f", through {' same_as '.join(sorted({*one} ^ {*other}))}" if through else ""


# --- frequencies --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Rate:
    """The frequency in one row of evidence, and for whom it holds."""

    evidence: str
    assertion: str
    frequency: Frequency
    text: str
    references: frozenset[str]
    context: tuple[Any, ...]


def _frequency(assertion: pa.Table, evidence: pa.Table, step: _Step) -> Iterator[Conflict]:
    """For each statement, and each two that one identity joins, the two references that differ most, if they conflict.

    Shares are compared within one sex, onset and set of modifiers: elsewhere they may well differ.
    """
    columns = ["id", "assertion", "references", "frequency", "onset", "sex", "modifiers"]
    given = evidence.select(columns).filter(pc.not_equal(evidence["frequency"], ""))
    times = pc.value_counts(given["assertion"])
    several = times.field("values").filter(pc.greater(times.field("counts"), 1))
    joined = list(_joined(assertion, given["assertion"], step))
    concerned = pa.array({end for one, other, _ in joined for end in (one, other)} | set(several.to_pylist()))
    rates = _rates(given.filter(_among(given["assertion"], concerned.cast(pa.string()))))
    worst = [(_worst(combinations(rates[key], 2)), "") for key in several.to_pylist()]
    worst += [(_worst(product(rates[one], rates[other])), through) for one, other, through in joined]
    found = [(*pair, through) for pair, through in worst if pair]
    wanted = pa.array([rate.assertion for more, less, _ in found for rate in (more, less)], type=pa.string())
    stated = {row["id"]: row for row in assertion.filter(_among(assertion["id"], wanted)).to_pylist()}
    for more, less, through in found:
        one, other = ((stated[rate.assertion]["subject"], stated[rate.assertion]["object"]) for rate in (more, less))
        detail = " against ".join(map(_described, (more, less))) + _crossed(one, other, through)
        ids = tuple(dict.fromkeys((more.assertion, less.assertion)))
        yield Conflict("frequency", *one, ids, detail, through, (more.evidence, less.evidence))


def _joined(assertion: pa.Table, given: Any, step: _Step) -> Iterator[tuple[str, str, str]]:
    """Pairs of positive statements with frequencies that one identity lies between, each once; with the identity."""
    bridged = pc.or_(_among(assertion["subject"], step.bridged), _among(assertion["object"], step.bridged))
    stated = _where(assertion, bridged, pc.invert(assertion["negated"]), _among(assertion["id"], given))
    keys = {(r["subject"], r["object"], r["predicate"], r["qualifiers"]): r["id"] for r in stated.to_pylist()}
    for (subject, object_, *same), one in keys.items():
        for *ends, through in step.reached(subject, object_):
            other = keys.get((*ends, *same), "")
            if one < other:
                yield one, other, through


def _rates(evidence: pa.Table) -> dict[str, list[_Rate]]:
    """The frequencies of each assertion that can be read and have a reference."""
    rates: dict[str, list[_Rate]] = defaultdict(list)
    for row in evidence.to_pylist():
        if (frequency := parse_frequency(row["frequency"])) and row["references"]:
            context = (row["onset"], row["sex"], tuple(sorted(row["modifiers"] or ())))
            references = frozenset(row["references"])
            rate = _Rate(row["id"], row["assertion"], frequency, row["frequency"].strip(), references, context)
            rates[row["assertion"]].append(rate)
    return rates


def _described(rate: _Rate) -> str:
    return f"{describe_frequency(rate.text)} ({', '.join(sorted(rate.references))})"


def _worst(pairs: Iterable[tuple[_Rate, _Rate]]) -> tuple[_Rate, _Rate] | None:
    """Of the pairs from different references that conflict, the one with the largest difference; larger share first."""
    conflicting = [
        (one, other) if one.frequency.share >= other.frequency.share else (other, one)
        for one, other in pairs
        if one.context == other.context
        and one.references.isdisjoint(other.references)
        and _differ(one.frequency, other.frequency)
    ]
    return max(conflicting, key=_difference, default=None)


def _difference(pair: tuple[_Rate, _Rate]) -> tuple[Any, ...]:
    """The difference of the shares, then what makes the order of pairs definite."""
    more, less = pair
    references = [sorted(rate.references) for rate in pair]
    return more.frequency.low - less.frequency.high, more.text, less.text, references


def _differ(one: Frequency, other: Frequency) -> bool:
    """Whether two shares differ: by size, and significantly where patients were counted.

    Two counts: the two-proportion z-test with pooled variance where all expected counts reach five (Cochran's rule);
    Fisher's exact test below, where the z-test finds far too much. A count and a class (or per cent): the binomial
    tail from the nearest share that the class allows. Two classes: by size alone.
    """
    less, more = sorted((one, other), key=lambda frequency: frequency.share)
    if more.low - less.high <= LEAST_DIFFERENCE:
        return False
    if less.counted and more.counted:
        return _p_of_counts(less, more) < P_VALUE
    if less.counted:
        return _tail(_hits(less), round(less.weight), more.low) < P_VALUE
    if more.counted:
        n = round(more.weight)
        return _tail(n - _hits(more), n, 1 - less.high) < P_VALUE
    return True


def _hits(frequency: Frequency) -> int:
    return round(frequency.share * frequency.weight)


def _p_of_counts(one: Frequency, other: Frequency) -> float:
    """Two-sided p of two counts under one share."""
    n, m = round(one.weight), round(other.weight)
    all_hits = _hits(one) + _hits(other)
    pooled = all_hits / (n + m)
    if min(n, m) * min(pooled, 1 - pooled) < _FEWEST:
        return _fisher(_hits(one), n, all_hits, n + m)
    variance = pooled * (1 - pooled) * (1 / n + 1 / m)
    return math.erfc(abs(one.share - other.share) / math.sqrt(2 * variance))


def _tail(hits: int, n: int, share: float) -> float:
    """Chance of at most `hits` among `n` patients when each has the finding with this chance in (0, 1]."""
    if share >= 1:
        return float(hits >= n)
    log_odds = math.log(share), math.log1p(-share)
    return sum(math.exp(_log_choose(n, k) + k * log_odds[0] + (n - k) * log_odds[1]) for k in range(hits + 1))


def _fisher(hits: int, n: int, all_hits: int, total: int) -> float:
    """Two-sided p of `hits` among `n` when `all_hits` of `total` are spread at random: Fisher's exact test."""

    def log_p(k: int) -> float:
        return _log_choose(all_hits, k) + _log_choose(total - all_hits, n - k) - _log_choose(total, n)

    observed = log_p(hits) + 1e-7  # so that tables just as likely count in spite of rounding
    possible = range(max(0, n - (total - all_hits)), min(n, all_hits) + 1)
    return sum(math.exp(p) for k in possible if (p := log_p(k)) <= observed)


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _among(column: Any, values: Any) -> Any:
    return pc.is_in(column, value_set=pc.unique(values))


def _where(table: pa.Table, *masks: Any) -> pa.Table:
    """The rows that all masks let through."""
    return table.filter(reduce(pc.and_, masks))
