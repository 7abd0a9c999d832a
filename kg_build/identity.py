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
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import combinations, product
from pathlib import Path
from typing import Final

from kg_build.reconcile import Tally
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
    bridged = _bridged_types(domain)
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
            holders[key][_vocabulary(entity.id)].add(entity.id)
            known = written.get((*key, entity.id))
            written[*key, entity.id] = min(known, name.text) if known else name.text
    stated: set[Pair] = set(denied)
    for key, by_vocabulary in sorted(holders.items()):
        for one, other in _pairs(by_vocabulary):
            if frozenset((one, other)) not in stated:
                stated.add(frozenset((one, other)))
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
    bridged = _bridged_types(domain)
    holders: dict[tuple[str, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    codes: dict[tuple[str, str], set[str]] = defaultdict(set)
    for mapping in mappings:
        entity, vocabulary = entities.get(mapping.subject), _vocabulary(mapping.object)
        if mapping.predicate not in _IDENTIFYING or vocabulary not in CONCEPT_VOCABULARIES:
            continue
        if entity and not entity.deprecated and entity.type in bridged:
            holders[entity.type, mapping.object][_vocabulary(entity.id)].add(entity.id)
            codes[entity.id, vocabulary].add(mapping.object)
    stated: set[Pair] = set(denied)
    for (type_name, code), by_vocabulary in sorted(holders.items()):
        for one, other in _pairs(by_vocabulary):
            single = all(len(codes[curie, _vocabulary(code)]) == 1 for curie in (one, other))
            if single and frozenset((one, other)) not in stated:
                stated.add(frozenset((one, other)))
                yield _statement(one, other, f"shared code of {type_name}", (code,), "")


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


def _bridged_types(domain: Domain) -> set[str]:
    return {subject for subject, object_ in domain.predicates["same_as"].ends if subject == object_}


def _vocabulary(curie: str) -> str:
    return curie.partition(":")[0]
