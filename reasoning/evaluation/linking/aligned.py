"""A linking set from outside of the graph: symptoms that a package of made-up patients has in Chinese and in English.

    catalogue, English ┐
                       ├─▶ pairs of symptoms, by condition and place ──▶ the English one names a term of HPO ──▶ case
    catalogue, Chinese ┘

Both catalogues list the same conditions in the same order (faker-healthcare-provider, MIT; a Chinese symptom stands
where the English one does). A pair counts when the English symptom is the normal form of a name of a term, whatever the
kind but narrow and broad; Chinese symptoms of several pairs have the terms of all. `unseen` leaves out those that are
already a Chinese name of one of their terms, or of what is the same as it.
"""

from __future__ import annotations

import ast
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from kg_build.release import Release, rows
from kg_build.sources.contract import Artefact
from kg_build.sources.files import archive_member, unreadable
from ontology.reading.text import normal_form

ARTEFACT: Final = Artefact(
    "faker-healthcare-provider",
    "2.5.0",
    "faker_healthcare_provider-2.5.0-py3-none-any.whl",
    "5439d7b660798742dba4974546abc182735528aa890afcf145339c6c0af3b99a",
    246_355,
)
TITLES: Final = ("symptoms-zh", "symptoms-zh-unseen")
_MEMBERS: Final = (
    "faker_healthcare/disease_correlations.py",
    "faker_healthcare/zh_CN/disease_correlations.py",
)
_CATALOGUE: Final = "DISEASE_CORRELATIONS"
_KINDS: Final = ("label", "exact", "lay", "abbreviation", "related")


def write_aligned_sets(
    release: Release, same: Callable[[str], Sequence[str]], wheel: Path, folder: Path
) -> dict[str, int]:
    """Write `symptoms-zh.jsonl` and `symptoms-zh-unseen.jsonl`.

    Args:
        release: whose names.
        same: what one accepted `same_as` joins to an entity.
        wheel: the artefact.
        folder: where; made when it is not there.

    Returns:
        how many cases each file has.

    Raises:
        ClewError: UNREADABLE_SOURCE.
    """
    gold = _gold(release, aligned_symptoms(wheel))
    chinese: dict[str, set[str]] = defaultdict(set)
    for curie, lang, text in rows(release.table("name"), "entity", "lang", "text"):
        if lang.startswith("zh"):
            chinese[normal_form(text)].add(curie)
    unseen = {text: ids for text, ids in gold.items() if not _is_known(text, ids, chinese, same)}
    folder.mkdir(parents=True, exist_ok=True)
    for title, cases in zip(TITLES, (gold, unseen), strict=True):
        lines = (json.dumps(_case(text, ids), ensure_ascii=False) + "\n" for text, ids in cases.items())
        (folder / f"{title}.jsonl").write_text("".join(lines), encoding="utf-8")
    return {f"{TITLES[0]}.jsonl": len(gold), f"{TITLES[1]}.jsonl": len(unseen)}


def aligned_symptoms(wheel: Path) -> Iterator[tuple[str, str]]:
    """English and Chinese symptoms that stand at the same place.

    Raises:
        ClewError: UNREADABLE_SOURCE.
    """
    english, chinese = (_catalogue(wheel, member) for member in _MEMBERS)
    for one, other in zip(english.values(), chinese.values(), strict=True):
        yield from zip(one["symptoms"], other["symptoms"], strict=True)


def _catalogue(wheel: Path, member: str) -> Mapping[str, Any]:
    """The catalogue of one language, read as a literal: nothing of the package is run."""
    try:
        module = ast.parse(archive_member(wheel, member))
        literal = next(
            node.value
            for node in module.body
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == _CATALOGUE
        )
        found: Mapping[str, Any] = ast.literal_eval(literal) if literal is not None else {}
    except (SyntaxError, ValueError, StopIteration, RecursionError) as error:
        raise unreadable(member, str(error)) from error
    return found


def _gold(release: Release, pairs: Iterator[tuple[str, str]]) -> dict[str, list[str]]:
    """For each Chinese symptom the terms of HPO that its English ones name."""
    withdrawn = {curie for curie, gone in rows(release.table("entity"), "id", "deprecated") if gone}
    terms: dict[str, list[str]] = defaultdict(list)
    for curie, lang, text, kind in rows(release.table("name"), "entity", "lang", "text", "kind"):
        if curie.startswith("HP:") and lang.startswith("en") and kind in _KINDS and curie not in withdrawn:
            terms[normal_form(text)].append(curie)
    found: dict[str, list[str]] = {}
    for english, chinese in pairs:
        if ids := terms.get(normal_form(english)):
            found[chinese] = list(dict.fromkeys([*found.get(chinese, ()), *ids]))
    return found


def _is_known(
    text: str, ids: Sequence[str], chinese: Mapping[str, set[str]], same: Callable[[str], Sequence[str]]
) -> bool:
    family = {one for curie in ids for one in (curie, *same(curie))}
    return not family.isdisjoint(chinese.get(normal_form(text), ()))


def _case(text: str, ids: Sequence[str]) -> dict[str, Any]:
    return {"id": f"symptom-{text}", "name": text, "lang": "zh", "type": "PhenotypicFeature", "ids": list(ids)}
