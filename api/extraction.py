"""The command that extracts candidate assertions from texts: `clew extract`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from api.command import json_option, print_shown

_SHOWN = 20


@click.command()
@click.option("--document", metavar="ID", help="Only passages of this document.")
@click.option("--source", metavar="SOURCE", help="Only passages of this source's documents.")
@click.option("--predicate", metavar="PREDICATE", help="Only statements with this predicate, such as treats.")
@click.option("--file", "file", type=click.Path(path_type=Path), help="Read this file instead of the release's texts.")
@click.option("--new", "only_new", is_flag=True, help="Only what the graph neither asserts nor denies.")
@click.option("--parse", is_flag=True, help="Also read English sentences with a parser (extra spacy).")
@click.option("--limit", type=click.IntRange(0), help=f"Candidates at most; else {_SHOWN} are shown and all written.")
@click.option("--out", type=click.Path(path_type=Path), help="Write the candidates for review, as JSON Lines.")
@json_option
def extract(limit: int | None, out: Path | None, *, as_json: bool, **chosen: Any) -> None:
    """Show what texts state, best first, with the quote and whether the graph knows it.

    Nothing of it is in the graph. Write it with --out, set "accepted" and "reviewer" in the lines, name the file
    accepted.jsonl and build with --source accepted: what was accepted counts, as evidence of its own kind.
    """
    from api.show_extraction import extraction
    from kg_build.extract.extract import extract as extract_from
    from kg_build.extract.review import write_review
    from kg_build.release import open_release
    from ontology.settings import load_settings

    found = extract_from(open_release(load_settings().home), **chosen)
    if out is not None:
        write_review(out, found.candidates[:limit], found.labels)
    print_shown(extraction(found, _SHOWN if limit is None else limit), as_json=as_json)
