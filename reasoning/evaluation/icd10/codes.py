"""From diagnoses as people write them to codes of ICD-10, by the names and mappings of a release.

A term gets the codes of the first of these that gives any:

1. codes that stand in its ids;
2. an ICD-10 name that is equal to it (equal normal form), in any of the lists that have it;
3. mappings to ICD-10 of its ids, and of what is the same as them;
4. the most similar ICD-10 name, from 80 of 100 (our choice: the name differs by a word, not by the disease).

Similar is RapidFuzz' `ratio` of normal forms (2 · matching characters / all characters), among names in the language of
the term. `WRatio` also finds a short name inside a long one, which for Chinese makes every cancer similar to every
other.

The lists extend the codes of WHO differently, so a code keeps its list; codes that the release maps exactly onto one
another, or states to be the same, are equal.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from rapidfuzz import fuzz, process

from ontology.reading.text import language, normal_form

LISTS: Final = ("ICD10", "ICD10BJ", "ICD10CN", "ICD10CM")
"""Prefixes of the vocabularies whose codes are ICD-10's."""

CANDIDATES: Final = 10
LEAST: Final = 50.0
"""How many of the most similar names stand for a term in the lenient measure, and how similar they are at least."""

CODED_FROM: Final = 80.0
"""Similarity from which a name that is not equal gives its code (our choice)."""

_CODE: Final = re.compile(r"(?:ICD10|ICD10BJ|ICD10CN|ICD10CM):[A-Z][0-9][0-9A-Z](?!-)")
_CATEGORY: Final = re.compile(r"(?:[:+])([A-Z][0-9][0-9A-Z])")


@dataclass(frozen=True, slots=True)
class Term:
    """A diagnosis.

    Attributes:
        label: as written, or the name of an entity.
        ids: CURIEs of what it is known to be; may be empty.
    """

    label: str
    ids: tuple[str, ...] = ()


class CodeBook:
    """The ICD-10 names and codes of a release.

    Args:
        names: code as CURIE, name; in any language.
        mappings: subject, predicate, object of all mappings.
        same: what one accepted `same_as` joins to an entity.
    """

    def __init__(
        self,
        names: Iterable[tuple[str, str]],
        mappings: Iterable[tuple[str, str, str]],
        same: Callable[[str], Sequence[str]],
    ) -> None:
        self._same = same
        self._bearers: dict[str, set[str]] = defaultdict(set)
        pools: dict[str, set[str]] = defaultdict(set)
        for curie, text in names:
            if is_code(curie) and (form := normal_form(text)):
                self._bearers[form].add(curie)
                pools[language(text)].add(form)
        self._pools = {lang: sorted(forms) for lang, forms in pools.items()}
        self._mapped: dict[str, set[str]] = defaultdict(set)
        self._equal: dict[str, set[str]] = defaultdict(set)
        for subject, predicate, object_ in mappings:
            if is_code(object_) and not is_code(subject):
                self._mapped[subject].add(object_)
            elif is_code(object_) and predicate == "skos:exactMatch":
                self._equal[subject].add(object_)
        self.codes = lru_cache(maxsize=1 << 16)(self._codes)  # terms come again and again
        self.similar = lru_cache(maxsize=1 << 16)(self._similar)

    def candidates(self, term: Term) -> frozenset[str]:
        """The normal forms of the ICD-10 names that are most like a term."""
        return frozenset(form for form, score in self.similar(normal_form(term.label)) if score >= LEAST)

    def categories(self, term: Term) -> frozenset[str]:
        """The three-character categories of the codes of a term; of a code with a dagger both."""
        return frozenset(category for code in self.codes(term) for category in _CATEGORY.findall(code))

    def _codes(self, term: Term) -> frozenset[str]:
        """The codes of a term and those equal to them; empty when it has none."""
        form = normal_form(term.label)
        stated = {curie for curie in term.ids if is_code(curie)}
        named = stated or self._bearers.get(form) or self._by_mapping(term.ids)
        return self._with_equal(named or self._by_likeness(form))

    def _by_mapping(self, ids: Iterable[str]) -> set[str]:
        family = {one for curie in ids for one in (curie, *self._same(curie))}
        return {code for curie in family for code in self._mapped.get(curie, ())}

    def _by_likeness(self, form: str) -> set[str]:
        best = self.similar(form)[:1]
        return self._bearers[best[0][0]] if best and best[0][1] >= CODED_FROM else set()

    def _with_equal(self, codes: Iterable[str]) -> frozenset[str]:
        joined = {other for code in codes for other in (code, *self._equal.get(code, ()), *self._same(code))}
        return frozenset(filter(is_code, joined))

    def _similar(self, form: str) -> tuple[tuple[str, float], ...]:
        """Names that are most like a normal form, best first, with their similarity of 100."""
        pool = self._pools.get(language(form), [])
        found = process.extract(form, pool, scorer=fuzz.ratio, processor=None, limit=CANDIDATES, score_cutoff=LEAST)
        return tuple((name, float(score)) for name, score, _ in found)


def is_code(curie: str) -> bool:
    """Whether a CURIE is a code of ICD-10: a category or something below it, not a chapter or block."""
    return _CODE.match(curie) is not None
