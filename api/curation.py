"""The commands of a curator: `clew merge`, `clew conflicts`."""

from __future__ import annotations

import click

from api.command import json_option, print_shown


@click.group()
def merge() -> None:
    """Look into the identity of entities."""


@merge.command()
@click.argument("one", metavar="A")
@click.argument("other", metavar="B")
@json_option
def explain(one: str, other: str, *, as_json: bool) -> None:
    """Say why two entities, A and B (CURIEs), are one or not."""
    from api.show_merge import merge as shown
    from kg_build.merge import explain_merge
    from kg_build.release import open_release
    from ontology.settings import load_settings

    print_shown(shown(explain_merge(open_release(load_settings().home), one, other)), as_json=as_json)


@merge.command()
@click.option("--type", "type_name", metavar="TYPE", help="Only entities of this type, such as Disease.")
@click.option("--source", metavar="SOURCE", help="Only entities of this source; else of all without ids of their own.")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(0), help="Proposals at most.")
@click.option("--least", type=click.FloatRange(-1, 1), metavar="COSINE", help="Propose no names further apart.")
@json_option
def propose(type_name: str | None, source: str | None, limit: int, least: float | None, *, as_json: bool) -> None:
    """Propose entities that may be the same, by the meaning of their names, best first.

    Nothing is written: a proposal counts when a curator accepts it. Names are encoded once and cached.
    """
    from api.show import progress
    from api.show_merge import proposals
    from kg_build.index.encoder import VectorCache
    from kg_build.propose import LEAST_COSINE, propose
    from kg_build.release import open_release
    from ontology.settings import load_settings

    home = load_settings().home
    found = propose(
        open_release(home),
        VectorCache(home / "cache" / "vectors"),
        type_name=type_name,
        source=source,
        least=LEAST_COSINE if least is None else least,
        limit=limit,
        progress=progress(),
    )
    print_shown(proposals(found), as_json=as_json)


@click.command()
@click.option("--kind", metavar="KIND", help="Only these: polarity, indication or frequency.")
@click.option("--entity", metavar="CURIE", help="Only those about this entity.")
@click.option(
    "--limit", default=20, show_default=True, type=click.IntRange(0), help="Conflicts at most; all are counted."
)
@json_option
def conflicts(kind: str | None, entity: str | None, limit: int, *, as_json: bool) -> None:
    """Show statements that cannot both stand, each side with its evidence.

    polarity: made and denied. indication: a drug treats what it is contraindicated in. frequency: references give very
    different shares.
    """
    from api.show_conflicts import disputes
    from kg_build.release import open_release
    from kg_build.sides import read_disputes
    from ontology.settings import load_settings

    release = open_release(load_settings().home)
    print_shown(disputes(read_disputes(release, kind=kind, entity=entity, limit=limit)), as_json=as_json)
