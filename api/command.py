"""What the commands of the command line share: the option for machines, and how a result is printed."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ontology.errors import ClewError, Code

if TYPE_CHECKING:
    from api.show import Shown
    from retrieval.preset import Preset


def json_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the option --json, as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(function)


def preset_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options --preset and --without, as `preset` and `without`: see `chosen_preset`."""
    without = click.option(
        "--without", multiple=True, metavar="COMPONENT", help="Leave a component out (may be repeated)."
    )
    preset = click.option("--preset", metavar="NAME", help="The parameters of retrieval; see: clew presets.")
    return preset(without(function))


def chosen_preset(name: str | None, without: Sequence[str]) -> Preset:
    """A preset, by default that of the name `default`, without some components.

    Raises:
        ClewError: BAD_INPUT for a preset or a component that there is not.
    """
    from retrieval.preset import load_preset  # noqa: PLC0415 - help comes at once

    preset = load_preset("default" if name is None else name)
    for component in without:
        preset = preset.without(component)
    return preset


def print_shown(shown: Shown, *, as_json: bool) -> None:
    """Print a result: its text, or its data as one JSON document."""
    click.echo(json.dumps(shown.data, ensure_ascii=False) if as_json else shown.text)


def write_new(path: Path, text: str) -> None:
    """Write a result into a file that is not there yet, whole or not at all.

    Raises:
        ClewError: BAD_INPUT when it is there, or cannot be written.
    """
    part = path.with_name(f"{path.name}.part")
    try:
        if path.exists():
            raise ClewError(Code.BAD_INPUT, f"{path} is there already", remedy="name another file")
        part.write_text(text, encoding="utf-8", newline="")
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise ClewError(Code.BAD_INPUT, f"{path} cannot be written: {error.strerror}") from error
