"""Identity across sources: when two entities are stated to be the same, and why.

Entities never collapse: that two are the same is a `same_as` assertion between exactly these two, with its
evidence. In this order:

1. curated mappings, which sources bring as evidence of their own (`kg_build.sources.sssom`);
2. exact names: a label or exact synonym of one vocabulary equals that of another, in the same language and for the
   same type, and belongs to one entity on either side. A source without ids of its own splits what it knows over
   its synonyms, so up to three of its entities may share a name with one entity that has an id. The English name
   of a form of one age (小儿…) counts only if it says so too;
3. shared codes: both carry the same concept of a third vocabulary, which no other entity of theirs carries.

A curated mapping that says NOT takes precedence over 2 and 3. Nothing is concluded from chains of statements.

Readers ask for the pairs that stand (`stated_pairs`: what some source denies does not), and treat three or more
things as one only where every pair of them stands (`as_one`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path
from typing import Final, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from kg_build.reconcile import Tally
from kg_build.release import rows
from kg_build.sources.contract import CONTRACT, Artefact, Original, Record
from ontology.curie import is_minted
from ontology.model import Assertion, Entity, Evidence, Name
from ontology.model import Mapping as TermMapping
from ontology.reading.text import normal_form
from ontology.schema import Domain

NAME_KINDS: Final = frozenset({"label", "exact"})
CONCEPT_VOCABULARIES: Final = frozenset({"UMLS", "SNOMEDCT_US", "MESH", "UNII", "CAS"})
"""Vocabularies whose codes name one concept; a classification's code covers many."""

_IDENTIFYING: Final = frozenset({"skos:exactMatch", "oboInOwl:hasDbXref"})
_SHORTEST: Final = {"en": 5, "zh": 3}
"""Shorter names are too often homonyms (our choice)."""
_MOST_SPLIT: Final = 3
_OF_ONE_AGE: Final = re.compile("小儿|儿童|新生儿|婴儿|青少年|老年|成人|妊娠")
_AGE: Final = re.compile(
    "neonat|newborn|infan|child|juvenil|adolesc|p(a)?ediatric|senil|elder|adult|gestat|pregn", re.IGNORECASE
)

Pair = frozenset[str]

_Key = TypeVar("_Key", bound=tuple[str, ...])
_Member = TypeVar("_Member", str, int)


class Bridges:
    """The source of `same_as` statements: clew itself."""

    contract = CONTRACT
    key = "clew"
    title = "clew, statements derived while building"
    release = "1"
    licence = "Apache-2.0"
    attribution = "derived from the names of the other sources"
    redistributable = True
    artefacts: tuple[Artefact, ...] = ()
    originals: tuple[Original, ...] = ()

    def read(self, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        """Nothing: its statements come from `same_names`, when the others have been read."""
        del files, tally
        return iter(())


@dataclass(frozen=True)
class StatedPairs:
    """Who is stated to be the same as whom in a graph.

    Attributes:
        accepted: the id of the positive assertion of each pair that stands: stated, and denied by nobody.
        denied: pairs that some source says are not the same, whatever others say.
    """

    accepted: Mapping[Pair, str]
    denied: frozenset[Pair]


def stated_pairs(assertion: pa.Table) -> StatedPairs:
    """Read the identities of a canonical table of assertions; a denial wins over any statement."""
    table = assertion.filter(pc.field("predicate") == "same_as")
    stated = rows(table, "id", "subject", "object", "negated")
    found = [(frozenset((one, other)), i, negated) for i, one, other, negated in stated if one != other]
    denied = frozenset(pair for pair, _, negated in found if negated)
    return StatedPairs({pair: i for pair, i, negated in found if not negated and pair not in denied}, denied)


def as_one(members: Iterable[_Member], accepted: Container[frozenset[_Member]]) -> list[tuple[_Member, ...]]:
    """Divide things into groups in which every pair is accepted as the same.

    Members are taken in their order: each joins the first group that is accepted with it as a whole, or begins one.
    So a thing may be the same as two others that are not the same as each other; then it is read with the first.
    """
    groups: list[list[_Member]] = []
    for member in members:
        whole = (group for group in groups if all(frozenset((member, known)) in accepted for known in group))
        group = next(whole, None)
        if group is None:
            groups.append([member])
        else:
            group.append(member)
    return [tuple(group) for group in groups]


def same_names(
    entities: Mapping[str, Entity], names: Iterable[Name], domain: Domain, denied: Collection[Pair] = ()
) -> Iterator[Evidence]:
    """Yield the evidence of `same_as` for entities of different vocabularies that share an exact name.

    Args:
        entities: by id.
        names: all names.
        domain: says for which types `same_as` may be stated.
        denied: pairs that a curated mapping says are not the same.
    """
    bridged = bridged_types(domain)
    holders: dict[tuple[str, str, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    written: dict[tuple[str, str, str, str], str] = {}
    for name in names:
        entity = entities.get(name.entity)
        if entity is None or entity.deprecated or entity.type not in bridged or name.kind not in NAME_KINDS:
            continue
        if name.lang == "en" and _OF_ONE_AGE.match(entity.label) and not _AGE.search(name.text):
            continue  # the source gives the form of one age the name of the disease of all ages
        form = normal_form(name.text)
        if len(form) >= _SHORTEST.get(name.lang, 5):
            key = (entity.type, name.lang, form)
            holders[key][vocabulary_of(entity.id)].add(entity.id)
            known = written.get((*key, entity.id))
            written[*key, entity.id] = min(known, name.text) if known else name.text
    for key, one, other in _each_once(_in_common(holders), denied):
        quote = f"{written[*key, one]} = {written[*key, other]}"
        yield _statement(one, other, f"exact {key[1]} name of {key[0]}", (), quote)


def same_codes(
    entities: Mapping[str, Entity], mappings: Iterable[TermMapping], domain: Domain, denied: Collection[Pair] = ()
) -> Iterator[Evidence]:
    """Yield the evidence of `same_as` for entities of different vocabularies that carry the same concept code.

    Args:
        entities: by id.
        mappings: all mappings.
        domain: says for which types `same_as` may be stated.
        denied: pairs that a curated mapping says are not the same.
    """
    bridged = bridged_types(domain)
    holders: dict[tuple[str, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    codes: dict[tuple[str, str], set[str]] = defaultdict(set)
    for mapping in mappings:
        entity, vocabulary = entities.get(mapping.subject), vocabulary_of(mapping.object)
        if mapping.predicate not in _IDENTIFYING or vocabulary not in CONCEPT_VOCABULARIES:
            continue
        if entity and not entity.deprecated and entity.type in bridged:
            holders[entity.type, mapping.object][vocabulary_of(entity.id)].add(entity.id)
            codes[entity.id, vocabulary].add(mapping.object)

    def single(code: str, *pair: str) -> bool:
        return all(len(codes[curie, vocabulary_of(code)]) == 1 for curie in pair)

    common = (found for found in _in_common(holders) if single(found[0][1], *found[1:]))
    for (type_name, code), one, other in _each_once(common, denied):
        yield _statement(one, other, f"shared code of {type_name}", (code,), "")


def _in_common(holders: Mapping[_Key, Mapping[str, Collection[str]]]) -> Iterator[tuple[_Key, str, str]]:
    """What is held by entities of two vocabularies, with the two; `holders` are by what is held and vocabulary."""
    for key, by_vocabulary in sorted(holders.items()):
        for one, other in _pairs(by_vocabulary):
            yield key, one, other


def _each_once(found: Iterable[tuple[_Key, str, str]], denied: Collection[Pair]) -> Iterator[tuple[_Key, str, str]]:
    """The first that is found for each pair; nothing for pairs that are denied."""
    stated = set(denied)
    for key, one, other in found:
        pair = frozenset((one, other))
        if pair not in stated:
            stated.add(pair)
            yield key, one, other


def _pairs(by_vocabulary: Mapping[str, Collection[str]]) -> Iterator[tuple[str, str]]:
    """Pairs of entities of two vocabularies that hold something in common, by the rule of the module's text."""
    for (_, ones), (_, others) in combinations(sorted(by_vocabulary.items()), 2):
        few = sorted((len(ones), len(others)))
        split = few[1] <= _MOST_SPLIT and all(len(side) == 1 or all(map(is_minted, side)) for side in (ones, others))
        own_id = any(len(side) == 1 and not is_minted(next(iter(side))) for side in (ones, others))
        if few == [1, 1] or (few[0] == 1 and split and own_id):
            for one, other in sorted(product(ones, others)):
                yield min(one, other), max(one, other)


def _statement(one: str, other: str, record: str, codes: tuple[str, ...], quote: str) -> Evidence:
    return Evidence(
        assertion=Assertion(one, "same_as", other),
        source=Bridges.key,
        references=(one, other, *codes),
        record=record,
        knowledge_level="logical_entailment",
        agent_type="automated_agent",
        quote=quote,
    )


def bridged_types(domain: Domain) -> set[str]:
    """The types that `same_as` may be stated of."""
    return {subject for subject, object_ in domain.predicates["same_as"].ends if subject == object_}


def vocabulary_of(curie: str) -> str:
    """The prefix of a CURIE."""
    return curie.partition(":")[0]
