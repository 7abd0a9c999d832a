"""What can be asked in Cypher: types and relations, how many there are in the current release, an example of each."""

from __future__ import annotations

from pathlib import Path

from api.show import Shown
from kg_build.release import open_release
from ontology.errors import ClewError, Code
from ontology.render import example, schema_page
from ontology.schema import Domain, relation_name


def schema(domain: Domain, home: Path) -> Shown:
    """The page for people, with numbers where there is a release.

    Raises:
        ClewError: CORRUPT_RELEASE.
    """
    counts = _counts(home)
    data = domain.model_dump(mode="json")
    data["examples"] = {name: example(domain, name) for name in (*domain.types, *domain.predicates)}
    data["counts"] = counts
    return Shown(schema_page(domain, counts, examples=True).rstrip(), data)


def _counts(home: Path) -> dict[str, int] | None:
    """How many nodes and relations of each type the current release has; None without one."""
    try:
        counts = open_release(home).manifest["counts"]
    except ClewError as error:
        if error.code is Code.NO_RELEASE:
            return None
        raise
    entities: dict[str, int] = dict(counts["entities"])
    return entities | {relation_name(name, negated=False): number for name, number in counts["assertions"].items()}
