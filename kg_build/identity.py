"""Identity across sources: two entities with the same exact name and type are stated to be the same.

Entities never collapse. Where a label or exact synonym of one source equals that of another, in the same
language and for the same type, and belongs to exactly one entity on either side, a `same_as` assertion is
made with the two names as its evidence. Nothing is concluded from chains of such statements.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import Final

from kg_build.reconcile import Tally
from kg_build.sources.contract import CONTRACT, Artefact, Original, Record
from ontology.model import Assertion, Entity, Evidence, Name
from ontology.reading.text import normal_form
from ontology.schema import Domain

_KINDS: Final = {"label", "exact"}
_SHORTEST: Final = {"en": 5, "zh": 3}
"""Shorter names are too often homonyms (our choice)."""


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


def same_names(entities: Mapping[str, Entity], names: Iterable[Name], domain: Domain) -> Iterator[Evidence]:
    """Yield the evidence of `same_as` for entities of different vocabularies that share an exact name.

    Args:
        entities: by id.
        names: all names.
        domain: says for which types `same_as` may be stated.
    """
    bridged = {subject for subject, object_ in domain.predicates["same_as"].ends if subject == object_}
    holders: dict[tuple[str, str, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    written: dict[tuple[str, str, str, str], str] = {}
    for name in names:
        entity = entities.get(name.entity)
        if entity is None or entity.deprecated or entity.type not in bridged or name.kind not in _KINDS:
            continue
        form = normal_form(name.text)
        if len(form) >= _SHORTEST.get(name.lang, 5):
            key = (entity.type, name.lang, form)
            holders[key][_vocabulary(entity.id)].add(entity.id)
            known = written.get((*key, entity.id))
            written[*key, entity.id] = min(known, name.text) if known else name.text
    yield from _statements(holders, written)


def _statements(
    holders: Mapping[tuple[str, str, str], Mapping[str, Collection[str]]],
    written: Mapping[tuple[str, str, str, str], str],
) -> Iterator[Evidence]:
    stated: set[tuple[str, str]] = set()
    for key, by_vocabulary in sorted(holders.items()):
        unique = sorted(next(iter(ids)) for ids in by_vocabulary.values() if len(ids) == 1)
        for one, other in combinations(unique, 2):
            if (one, other) in stated:
                continue
            stated.add((one, other))
            yield Evidence(
                assertion=Assertion(one, "same_as", other),
                source=Bridges.key,
                references=(one, other),
                record=f"exact {key[1]} name of {key[0]}",
                knowledge_level="logical_entailment",
                agent_type="automated_agent",
                quote=f"{written[*key, one]} = {written[*key, other]}",
            )


def _vocabulary(curie: str) -> str:
    return curie.partition(":")[0]
