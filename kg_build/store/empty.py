"""Why a statement that ran may have returned nothing: what a person can see in it who knows the graph."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from ontology.curie import is_curie
from ontology.schema import NEGATED_PREFIX, Domain

_ID: Final = re.compile(r"\bid\s*(?::|=)\s*(?:'([^'\\]*)'|\"([^\"\\]*)\"|\$(\w+))")
_OWN: Final = re.compile(r"[a-z]\.[a-z2-7]+")
"""Ids of assertions and evidence."""

_NAME: Final = re.compile(r"\bname\s*(?::|=)\s*['\"]")
_STEP: Final = re.compile(r"\(\w*\s*:\s*(\w+)[^()\[\]]{0,200}\)\s*(<?)-\[\w*\s*:\s*(\w+)\s*\]-(>?)\s*\(\w*\s*:\s*(\w+)")


def why_empty(statement: str, domain: Domain, parameters: Mapping[str, object] | None = None) -> list[str]:
    """Reasons that are likely, in plain words; none when nothing strikes.

    Args:
        statement: one that returned no row.
        domain: the ontology file.
        parameters: what it was given.
    """
    given = parameters or {}
    ids = [one or other or str(given.get(name, "")) for one, other, name in _ID.findall(statement)]
    reasons = [
        f"an id is a CURIE, such as OMIM:154700: {written!r} is none"
        for written in ids
        if written and not is_curie(written) and not _OWN.fullmatch(written)
    ]
    for match in _STEP.finditer(statement):
        left, back, name, _, right = match.groups()
        predicate = domain.predicates.get(name.removeprefix(NEGATED_PREFIX))
        start, end = (right, left) if back else (left, right)
        if predicate is None or not {left, right} <= domain.types.keys():
            continue
        ends = {*predicate.ends, *((o, s) for s, o in predicate.ends if not back and not match[4])}
        if (start, end) not in ends:
            reasons.append(
                f"{name} never leads from {start} to {end}; it does: "
                + ", ".join(f"(:{s})-[:{name}]->(:{o})" for s, o in predicate.ends[:4])
            )
    if _NAME.search(statement):
        reasons.append("a name must be written exactly as in the graph; names lists the others: 'x' IN n.names")
    return reasons
