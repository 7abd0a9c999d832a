"""The commands that take a release to other tools: `clew export`."""

from __future__ import annotations

from pathlib import Path

import click

from api.command import json_option, print_shown


@click.command()
@click.argument("form", metavar="FORMAT")
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--without", multiple=True, metavar="SOURCE", help="Leave out what rests on this source (may be repeated)."
)
@json_option
def export(form: str, path: Path, without: tuple[str, ...], *, as_json: bool) -> None:
    """Write the graph into a new folder PATH in a FORMAT of other tools: kgx.

    Refused when a source forbids passing its data on; --without leaves its part out.
    """
    from api.show_release import exported
    from kg_build.exchange.export import export as write
    from kg_build.release import open_release
    from ontology.settings import load_settings

    print_shown(exported(write(open_release(load_settings().home), form, path, without=without)), as_json=as_json)
