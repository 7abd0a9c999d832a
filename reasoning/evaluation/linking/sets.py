"""Linking sets from a release's own names: a name is taken out, and asked for.

`names-zh-en`  an entity with English names and one Chinese name, which is held out: only its meaning leads there
`lay`          an HPO term and one of its lay synonyms, held out, as patients say it

A name that an entity of another identity bears too is left out: to say that one would not be wrong. Nothing is drawn
at random: the order is that of a keyed digest of the entity (`SEED`), so that the same release gives the same sets. An
entity is in the part `dev` or `test` together with what is the same as it. The types of an aligned set are balanced,
because the findings of HPO would fill it. How many: our choice.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from kg_build.collect import entities_of, names_of
from kg_build.release import Release
from ontology.model import Entity, Name
from ontology.reading.codes import CJK
from ontology.reading.text import normal_form

SEED: Final = "linking 1"
PARTS: Final = ("dev", "test")
SIZE: Final = 1000
ALIGNED_TYPES: Final = ("Disease", "PhenotypicFeature", "Drug")

_Case = dict[str, Any]
_CHINESE: Final = re.compile(f"[{CJK}]{{2}}")
"""One character alone is too seldom one disease (our choice)."""


def write_linking_sets(
    release: Release, same: Callable[[str], Sequence[str]], folder: Path, size: int = SIZE
) -> dict[str, int]:
    """Write `SET.PART.jsonl` files of name cases.

    Args:
        release: whose names.
        same: what one accepted `same_as` joins to an entity.
        folder: where; made when it is not there.
        size: cases of each file at most.

    Returns:
        how many cases each file has.
    """
    every = entities_of(release.table("entity"))
    entities = {curie: entity for curie, entity in every.items() if not entity.deprecated}
    names: dict[str, list[Name]] = defaultdict(list)
    for name in names_of(release.table("name")):
        if name.entity in entities:
            names[name.entity].append(name)
    found = {"names-zh-en": list(_aligned(entities, names)), "lay": list(_lay(entities, names))}
    wanted = {normal_form(case["name"]) for cases in found.values() for case in cases}
    bearers = _bearers(names, wanted)
    sets = {title: [case for case in cases if _is_own(case, bearers, same)] for title, cases in found.items()}
    folder.mkdir(parents=True, exist_ok=True)
    written = {}
    for title, cases in sets.items():
        for part in PARTS:
            own = [case for case in cases if part_of(case["ids"][0], same) == part]
            file = f"{title}.{part}.jsonl"
            chosen = _balanced(own, size)
            lines = (json.dumps(case, ensure_ascii=False) + "\n" for case in chosen)
            (folder / file).write_text("".join(lines), encoding="utf-8")
            written[file] = len(chosen)
    return written


def part_of(curie: str, same: Callable[[str], Sequence[str]]) -> str:
    """The part that an entity is in, with all that is directly the same as its first twin by id."""
    return PARTS[_order(min([curie, *same(curie)]))[0] % len(PARTS)]


def _aligned(entities: dict[str, Entity], names: dict[str, list[Name]]) -> Iterator[_Case]:
    for curie, entity in entities.items():
        if entity.type in ALIGNED_TYPES:
            chinese = {normal_form(n.text): n.text for n in names[curie] if n.lang.startswith("zh")}
            english = any(n.lang.startswith("en") for n in names[curie])
            if english and len(chinese) == 1 and _CHINESE.search(text := next(iter(chinese.values()))):
                yield _case("zh", entity, text, "zh")


def _lay(entities: dict[str, Entity], names: dict[str, list[Name]]) -> Iterator[_Case]:
    for curie, entity in entities.items():
        if entity.type != "PhenotypicFeature" or not curie.startswith("HP:"):
            continue
        other = {normal_form(n.text) for n in names[curie] if n.kind != "lay"}
        lay = sorted(
            (n.text for n in names[curie] if n.kind == "lay" and n.lang.startswith("en")),
            key=lambda text: _order(f"{curie}\x1f{text}"),
        )
        held = next((text for text in lay if normal_form(text) not in other), "")
        if held and other:
            yield _case("lay", entity, held, "en")


def _bearers(names: dict[str, list[Name]], wanted: set[str]) -> dict[str, set[str]]:
    """Who bears each of the wanted normal forms."""
    bearers: dict[str, set[str]] = defaultdict(set)
    for curie, own in names.items():
        for name in own:
            if (form := normal_form(name.text)) in wanted:
                bearers[form].add(curie)
    return bearers


def _is_own(case: _Case, bearers: dict[str, set[str]], same: Callable[[str], Sequence[str]]) -> bool:
    """Whether only the entity of a case, and what is the same as it, bears its name."""
    (curie,) = case["ids"]
    return bearers[normal_form(case["name"])] <= {curie, *same(curie)}


def _case(kind: str, entity: Entity, text: str, lang: str) -> _Case:
    return {
        "id": f"{kind}-{entity.id}",
        "name": text,
        "lang": lang,
        "type": entity.type,
        "ids": [entity.id],
        "held_out": True,
    }


def _balanced(cases: list[_Case], size: int) -> list[_Case]:
    """As many of each type, as far as there are; in the order of the digest."""
    by_type: dict[str, list[_Case]] = defaultdict(list)
    for case in sorted(cases, key=lambda case: _order(case["ids"][0])):
        by_type[case["type"]].append(case)
    each = size // max(len(by_type), 1)
    return [case for type_ in sorted(by_type) for case in by_type[type_][:each]]


def _order(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=16, key=SEED.encode()).digest()
