"""What a graph says already, as far as candidates are held against it.

A candidate is *known* when the graph asserts the same, *denied* when it asserts the contrary. Both ends are read across
one accepted identity: a text that speaks of a disease of OMIM may state what Orphanet's says already. It is *known by
name* when the graph asserts the same of entities that have the names in the text, though nobody says that they are the
same (a vocabulary of strings beside HPO): that asks for a merge rather than for acceptance. All else is *new*. The
share that is known bounds precision from below: what is new may be right.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Final, Literal

import pyarrow as pa
import pyarrow.compute as pc

from kg_build.identity import stated_pairs
from kg_build.release import Release, rows
from ontology.curie import is_minted
from ontology.model import Assertion

Standing = Literal["new", "known", "known by name", "denied"]

ESTABLISHED: Final = 20
"""Assertions that speak of an entity whose id is made from its name, so that it counts as a thing rather than a word.
Our choice: of the commonest such findings in Chinese passages, words had at most 11 and things mostly hundreds."""


class Asserted:
    """What a release asserts and denies.

    Args:
        release: the release.
        predicates: those that are asked for.
        namesakes: name -> the entities that have it.
    """

    def __init__(self, release: Release, predicates: Iterable[str], namesakes: Callable[[str], set[str]]) -> None:
        self._namesakes = namesakes
        table = release.table("assertion")
        self._same: dict[str, set[str]] = defaultdict(set)
        for pair in stated_pairs(table).accepted:
            one, other = sorted(pair)
            self._same[one].add(other)
            self._same[other].add(one)
        self._established = _established(release)
        asked = table.filter(pc.field("predicate").isin(list(predicates)))
        self._subjects: set[tuple[str, str]] = set()
        self._said: dict[bool, set[tuple[str, str, str]]] = {False: set(), True: set()}
        for subject, predicate, object_, negated in rows(asked, "subject", "predicate", "object", "negated"):
            self._said[negated].add((subject, predicate, object_))
            self._subjects.add((subject, predicate))

    def standing(self, assertion: Assertion, names: Iterable[tuple[str, str]]) -> Standing:
        """How an assertion stands to the graph; what is both asserted and denied is denied.

        Args:
            assertion: a positive one.
            names: how texts name its subject and its object.
        """
        subjects, objects = self._one_step(assertion.subject), self._one_step(assertion.object)
        if self._is_said(subjects, assertion.predicate, objects, negated=True):
            return "denied"
        if self._is_said(subjects, assertion.predicate, objects, negated=False):
            return "known"
        for subject, object_ in set(names):
            namesakes = (subjects | self._namesakes(subject), objects | self._namesakes(object_))
            if self._is_said(namesakes[0], assertion.predicate, namesakes[1], negated=False):
                return "known by name"
        return "new"

    def _is_said(self, subjects: set[str], predicate: str, objects: set[str], *, negated: bool) -> bool:
        said = self._said[negated]
        return any((subject, predicate, object_) in said for subject in subjects for object_ in objects)

    def same(self, one: str, other: str) -> bool:
        """Whether two entities are accepted to be the same."""
        return other in self._same.get(one, ())

    def is_established(self, curie: str) -> bool:
        """Whether an entity is a thing rather than a word that some source took for one.

        It is when it, or one that is the same, has an id that is not made from its name; when a document is about it;
        or when `ESTABLISHED` assertions speak of it.
        """
        return any(not is_minted(one) for one in self._one_step(curie)) or curie in self._established

    def is_subject_of(self, curie: str, predicate: str) -> bool:
        """Whether anything is asserted or denied of an entity with this predicate."""
        return any((one, predicate) in self._subjects for one in self._one_step(curie))

    def _one_step(self, curie: str) -> set[str]:
        return {curie, *self._same.get(curie, ())}


def _established(release: Release) -> set[str]:
    """The entities that documents are about or many assertions speak of."""
    table = release.table("assertion", ["subject", "object"])
    ends = pc.value_counts(pa.chunked_array([*table["subject"].chunks, *table["object"].chunks]))
    often = ends.field("values").filter(pc.greater_equal(ends.field("counts"), ESTABLISHED))
    about = pc.list_flatten(release.table("document", ["about"])["about"])
    return {*often.to_pylist(), *about.to_pylist()}
