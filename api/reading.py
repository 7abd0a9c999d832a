"""The command that shows what is understood of a note: `clew read`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from api.command import json_option, write_new


@click.command()
@click.argument("text", required=False)
@click.option("--file", "file", type=click.Path(path_type=Path), help="Text file with the note.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "html"]),
    default="table",
    show_default=True,
    help="A table, one JSON document (as --json), or a page with the marked text.",
)
@click.option("--nested", is_flag=True, help="Also names inside other mentions.")
@click.option(
    "--model", metavar="NAME", help="Also link what this spaCy model holds for mentions (extra spacy or sci)."
)
@click.option("--out", type=click.Path(path_type=Path), help="Write into this new file instead of printing.")
@json_option
def read(
    text: str | None, file: Path | None, form: str, model: str | None, out: Path | None, *, nested: bool, as_json: bool
) -> None:
    """Show what is understood of a note, TEXT (- for standard input) or a file.

    Findings with their status and links, values with their levels, sections. Provisional links are shown, not used.
    """
    from api.compose import Clew
    from api.detector import detected
    from api.inputs import one_text
    from api.page import page
    from api.show_reading import note_data, note_text
    from ontology.settings import load_settings

    content = one_text(text, file)
    spans = detected(model, content) if model else ()
    note = Clew.open(load_settings().home).reader.read(content, nested=nested, detected=spans)
    if as_json or form == "json":
        shown = json.dumps(note_data(note), ensure_ascii=False)
    else:
        shown = page(note) if form == "html" else note_text(note)
    if out is None:
        click.echo(shown)
    else:
        write_new(out, shown + "\n")
