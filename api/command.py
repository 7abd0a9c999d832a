"""What the commands of the command line share: the option for machines, and how a result is printed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from api.show import Shown


def json_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the option --json, as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(function)


def print_shown(shown: Shown, *, as_json: bool) -> None:
    """Print a result: its text, or its data as one JSON document."""
    click.echo(json.dumps(shown.data, ensure_ascii=False) if as_json else shown.text)
