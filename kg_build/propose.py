"""Proposals of identity: what may be the same, for a curator to decide.

    entities that no accepted `same_as` joins to another vocabulary ──names──▶ encoder ──▶ nearest of the same type in
    each other vocabulary ──▶ proposals, best first, with what speaks for and against

The encoder puts Chinese and English names into one space, so it finds what exact names and codes cannot. It is often
wrong, above all where the other vocabulary does not have the thing at all. So nothing here becomes a statement by
itself, and a pair that some source states or denies is never proposed.

Best first is: each the other's nearest, then names that may name one thing, then the margin to the next nearest. The
cosine alone says little: on held-out pairs the margin orders far better (`scripts/bench_propose`). Those pairs have a
partner for certain, as other entities have not. So, of 30 proposals each that were judged by hand (default sources,
nothing against the names), 20 were right from a margin of 0.1 on, 14 from 0.05, 3 from 0.02, and 2 below.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from rapidfuzz import fuzz

from kg_build.contradiction import contradictions, other_ages
from kg_build.identity import CONCEPT_VOCABULARIES, NAME_KINDS, Pair, bridged_types, stated_pairs, vocabulary_of
from kg_build.index.encoder import Encoder, VectorCache, encode_cached
from kg_build.index.encoders.multilingual import MultilingualEncoder
from kg_build.index.nearest import Named, Nearest, nearest_entities, nearest_names
from kg_build.release import Release, rows
from ontology.curie import is_minted
from ontology.errors import ClewError, Code, nearest
from ontology.reading.text import language, normal_form
from ontology.schema import load_domain

LEAST_COSINE: Final = 0.7
"""Names further apart are not proposed unless asked for (our choice: below it hardly any held-out pair is right)."""

_CLEAR_MARGIN: Final = 0.1
"""A margin from which the nearest stands out: above it nearly all held-out pairs were right."""

_NO_MARGIN: Final = 0.02

_ALIKE, _UNLIKE = 90.0, 65.0
"""Likeness in writing, in per cent, from which two names of one language speak for a pair, and below which against it
(our choice: of 42 such English pairs below it that were looked at, 3 were right)."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Two entities that may be the same.

    Attributes:
        one: CURIE of the entity that is joined to no other vocabulary.
        other: CURIE of the entity that is nearest to it in its vocabulary.
        type: of both.
        labels: of `one` and `other`.
        names: the name of each by which they are nearest.
        cosine: of these names.
        margin: how much nearer it is than the next nearest of the same vocabulary; 0 when there is none.
        runner_up: CURIE of the next nearest; empty when there is none.
        mutual: whether `one` is also the nearest to `other` in its own vocabulary.
        shared_codes: CURIEs of third vocabularies that both are mapped to.
        reasons_for: what speaks for it, in words; `reasons_against` likewise.
    """

    one: str
    other: str
    type: str
    labels: tuple[str, str]
    names: tuple[str, str]
    cosine: float
    margin: float
    runner_up: str
    mutual: bool
    shared_codes: tuple[str, ...]
    reasons_for: tuple[str, ...]
    reasons_against: tuple[str, ...]


def propose(
    release: Release,
    cache: VectorCache,
    *,
    type_name: str | None = None,
    source: str | None = None,
    least: float = LEAST_COSINE,
    limit: int | None = None,
    progress: Callable[[str], None] | None = None,
) -> list[Proposal]:
    """Propose identities of a release; nothing is written but the cache of vectors.

    Args:
        release: what is looked at.
        cache: where the vectors of names are found and kept.
        type_name: only entities of this type.
        source: only entities of this source; else of all sources without ids of their own, whose names are all that
            can join them to others.
        least: cosine below which nothing is proposed.
        limit: how many at most; else all.
        progress: called with a line per step.

    Raises:
        ClewError: BAD_INPUT (a type that has no identities, a source that is not in the release), CORRUPT_RELEASE.
    """
    known = Known(release)
    types = _chosen(type_name, known.bridged, "type")
    if source is not None:
        _chosen(source, release.manifest["sources"], "source")
    say = progress or (lambda _: None)
    found: dict[Pair, _Found] = {}
    for of_type in types:
        for candidate in _of_type(known, of_type, source, cache, least, say):
            found.setdefault(frozenset((candidate.one, candidate.other)), candidate)
    ordered = sorted(found.values(), key=lambda f: (not f.mutual, bool(f.contradictions), -f.margin, f.one, f.other))
    return [_explained(candidate, known) for candidate in ordered[:limit]]


class Known:
    """What a release says of names and identities, as far as proposals need it.

    Attributes:
        types: entity -> type, of those that are not withdrawn.
        labels: entity -> label.
        sources: entity -> source.
        pairs: who is stated to be the same as whom.
    """

    def __init__(self, release: Release) -> None:
        self._release = release
        columns = ("id", "type", "label", "source", "deprecated")
        listed = [row for row in rows(release.table("entity", list(columns)), *columns) if not row[4]]
        self.types: dict[str, str] = {row[0]: row[1] for row in listed}
        self.labels: dict[str, str] = {row[0]: row[2] for row in listed}
        self.sources: dict[str, str] = {row[0]: row[3] for row in listed}
        self.pairs = stated_pairs(release.table("assertion"))

    @cached_property
    def bridged(self) -> list[str]:
        """The types that identities are stated of."""
        return sorted(bridged_types(load_domain()))

    @cached_property
    def partners(self) -> dict[str, list[str]]:
        """Entity -> what it is accepted to be the same as."""
        partners: dict[str, list[str]] = defaultdict(list)
        for pair in self.pairs.accepted:
            one, other = sorted(pair)
            partners[one].append(other)
            partners[other].append(one)
        return partners

    @cached_property
    def names(self) -> dict[str, list[tuple[str, str]]]:
        """Entity -> its labels and exact names, with their languages; sorted."""
        names: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for curie, lang, text, kind in rows(self._release.table("name"), "entity", "lang", "text", "kind"):
            if kind in NAME_KINDS:
                names[curie].add((lang, text))
        return {curie: sorted(named) for curie, named in names.items()}

    @cached_property
    def codes(self) -> dict[str, set[str]]:
        """Entity -> what it is mapped to."""
        codes: dict[str, set[str]] = defaultdict(set)
        for subject, code in rows(self._release.table("mapping"), "subject", "object"):
            codes[subject].add(code)
        return codes

    def is_open(self, curie: str) -> bool:
        """Whether no accepted identity joins an entity to another vocabulary."""
        return all(vocabulary_of(other) == vocabulary_of(curie) for other in self.partners.get(curie, ()))

    def of_type(self, type_name: str) -> dict[str, list[str]]:
        """The entities of a type that have names, by vocabulary; sorted."""
        found: dict[str, list[str]] = defaultdict(list)
        for curie in sorted(self.names):
            if self.types.get(curie) == type_name:
                found[vocabulary_of(curie)].append(curie)
        return found


def read_names(
    entities: Iterable[str],
    names: Mapping[str, Sequence[tuple[str, str]]],
    cache: VectorCache,
    encoder: Encoder,
    progress: Callable[[int, int], None] | None = None,
) -> Named:
    """Entities with the vectors of their names.

    Args:
        entities: CURIEs; those without a name are left out.
        names: (language, name) of each.
        cache: where vectors are found and kept.
        encoder: computes what is missing.
        progress: see `encode_cached`.
    """
    ids = [curie for curie in entities if names.get(curie)]
    texts = [text for curie in ids for _, text in names[curie]]
    starts = np.cumsum([0, *(len(names[curie]) for curie in ids)])
    return Named(ids, texts, starts, encode_cached(texts, encoder, cache, progress))


@dataclass(frozen=True, slots=True)
class _Found:
    """A proposal before it is explained."""

    one: str
    other: str
    names: tuple[str, str]
    cosine: float
    margin: float
    runner_up: str
    mutual: bool
    nearer: str
    contradictions: tuple[str, ...]
    agreeing: tuple[str, ...]


def _of_type(
    known: Known, type_name: str, source: str | None, cache: VectorCache, least: float, say: Callable[[str], None]
) -> Iterator[_Found]:
    """The candidates of one type."""

    def asked(curie: str) -> bool:
        return (is_minted(curie) if source is None else known.sources[curie] == source) and known.is_open(curie)

    by_vocabulary = known.of_type(type_name)
    asking = [name for name, members in by_vocabulary.items() if any(map(asked, members))]
    if not asking or len(by_vocabulary) < 2:
        return
    encoder = MultilingualEncoder()
    sides = {
        name: read_names(
            members, known.names, cache, encoder, lambda done, total: say(f"vectors: {done:,} of {total:,}")
        )
        for name, members in sorted(by_vocabulary.items())
    }
    for name in sorted(asking):
        ones, found = sides[name], {}
        for other, others in sides.items():
            if other != name:
                say(f"{type_name}: {name} with {other}")
                found[other] = nearest_entities(ones, others, _barred(ones, others, known))
        for position, curie in enumerate(ones.ids):
            if asked(curie):
                yield from _candidates(position, ones, sides, found, known, least)


def _barred(ones: Named, others: Named, known: Known) -> Iterator[tuple[int, int]]:
    """The pairs of two sides that some source states or denies."""
    mine, theirs = ({curie: i for i, curie in enumerate(side.ids)} for side in (ones, others))
    for pair in known.pairs.denied:
        for one, other in (sorted(pair), sorted(pair, reverse=True)):
            if one in mine and other in theirs:
                yield mine[one], theirs[other]


def _candidates(
    position: int, ones: Named, sides: Mapping[str, Named], found: Mapping[str, Nearest], known: Known, least: float
) -> Iterator[_Found]:
    """What is near enough to one entity, one in each vocabulary."""
    chosen = {name: sides[name].ids[int(near.best[position])] for name, near in found.items()}
    for name, near in found.items():
        if near.cosine[position] < least:
            continue
        best, second = int(near.best[position]), int(near.second[position])
        names = nearest_names(ones, position, sides[name], best)
        against = [*contradictions(*names), *other_ages(known.labels[ones.ids[position]], known.labels[chosen[name]])]
        if _likeness(*names) < _UNLIKE:
            against.append("both names are of one language, and written differently")
        partners = known.partners.get(chosen[name], ())
        yield _Found(
            one=ones.ids[position],
            other=chosen[name],
            names=names,
            cosine=float(near.cosine[position]),
            margin=float(near.cosine[position] - near.second_cosine[position]) if second != best else 0.0,
            runner_up=sides[name].ids[second] if second != best else "",
            mutual=bool(near.back[best] == position),
            nearer=ones.ids[int(near.back[best])],
            contradictions=tuple(dict.fromkeys(against)),
            agreeing=tuple(sorted(curie for curie in chosen.values() if curie in partners)),
        )


def _explained(found: _Found, known: Known) -> Proposal:
    shared = tuple(sorted(known.codes.get(found.one, set()) & known.codes.get(found.other, set())))
    return Proposal(
        one=found.one,
        other=found.other,
        type=known.types[found.one],
        labels=(known.labels[found.one], known.labels[found.other]),
        names=found.names,
        cosine=round(found.cosine, 4),
        margin=round(found.margin, 4),
        runner_up=found.runner_up,
        mutual=found.mutual,
        shared_codes=shared,
        reasons_for=tuple(_for(found, shared, known)),
        reasons_against=tuple(_against(found, known)),
    )


def _for(found: _Found, shared: Sequence[str], known: Known) -> Iterator[str]:
    if found.mutual:
        yield "each is the nearest to the other in its vocabulary"
    if found.margin >= _CLEAR_MARGIN:
        yield f"it stands out: the next nearest is {found.margin:.2f} further away"
    one, other = (normal_form(name) for name in found.names)
    if one == other:
        yield "they share a name, though not alone: others of their vocabularies bear it too, or their ages differ"
    elif one.replace(" ", "") == other.replace(" ", ""):
        yield "the names are the same but for blanks"
    elif sorted(one.split()) == sorted(other.split()):
        yield "the names are the same words in another order"
    elif language(one) == language(other) and _likeness(one, other) >= _ALIKE:
        yield "the names are written almost alike"
    for code in shared:
        concept = vocabulary_of(code) in CONCEPT_VOCABULARIES
        yield f"both carry {code}" if concept else f"both are classified under {code}, which may hold several things"
    for curie in found.agreeing:
        yield f"{_shown(curie, known)}, which is the same as {found.other}, is the nearest in its vocabulary too"


def _against(found: _Found, known: Known) -> Iterator[str]:
    yield from found.contradictions
    if not found.mutual:
        yield f"{_shown(found.nearer, known)} is nearer to {found.other}"
    if found.runner_up and found.margin < _NO_MARGIN:
        yield f"{_shown(found.runner_up, known)} is almost as near"
    for partner in known.partners.get(found.other, ()):
        if vocabulary_of(partner) == vocabulary_of(found.one):
            yield f"{found.other} is already the same as {_shown(partner, known)}"
        if frozenset((partner, found.one)) in known.pairs.denied:
            yield f"{found.other} is the same as {_shown(partner, known)}, which {found.one} is said not to be"


def _likeness(one: str, other: str) -> float:
    """How alike two names of one language are written, in any order of their words; 100 where languages differ."""
    if language(one) != language(other):
        return 100.0
    one, other = normal_form(one), normal_form(other)
    return max(fuzz.ratio(one.replace(" ", ""), other.replace(" ", "")), fuzz.token_sort_ratio(one, other))


def _shown(curie: str, known: Known) -> str:
    return f"{curie} ({known.labels.get(curie, '?')})"


def _chosen(wanted: str | None, valid: Iterable[str], what: str) -> list[str]:
    """The values wanted: one that is valid, or all."""
    valid = sorted(valid)
    if wanted is None:
        return valid
    if wanted not in valid:
        choices = nearest(wanted, valid) or valid
        raise ClewError(Code.BAD_INPUT, f"no identities are proposed for the {what} {wanted!r}", choices=choices)
    return [wanted]
