"""The README shows only what exists."""

import re
import shlex
import sys
import tomllib
from pathlib import Path

import click
import pytest

from api.cli import clew, main

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"^\$ (.+)$", README, re.MULTILINE)
INLINE = re.findall(r"`(clew [a-z][^`]*)`", README)
COMMANDS = [command for command in [*SHOWN, *INLINE] if command.startswith("clew ")]
SCRIPTS = sorted(set(re.findall(r"\bscripts/\w+", README)))


def parse(arguments: list[str]) -> click.Context:
    """Read a command line as click would, without running it."""
    command: click.Command = clew
    context = click.Context(clew, info_name="clew")
    while isinstance(command, click.Group) and arguments:
        _, found, arguments = command.resolve_command(context, arguments)
        assert found is not None
        command = found
    return command.make_context(command.name, arguments, parent=context)


def test_there_is_something_to_check() -> None:
    assert len(SHOWN) >= 5
    assert INLINE
    assert SCRIPTS
    assert all(command.startswith(("clew ", "scripts/")) for command in SHOWN)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_that_is_shown_exists_with_its_options(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    context = parse(shlex.split(command)[1:])
    written = context.command.name == "export"  # its file is the one that will be there
    files = [value for value in context.params.values() if isinstance(value, Path) and not written]
    assert all(path.exists() or path.name.isupper() for path in files)  # FILE stands for any


def test_a_command_that_does_not_exist_would_be_found() -> None:
    with pytest.raises(click.UsageError):
        parse(["nonsense"])
    with pytest.raises(click.UsageError):
        parse(["ask", "x", "--nonsense"])


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_script_that_is_named_can_be_run(script: str) -> None:
    path = ROOT / script
    assert path.is_file()
    assert path.stat().st_mode & 0o111


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\(((?!http)[^)#]+)\)", README))))
def test_every_file_that_is_linked_exists(target: str) -> None:
    assert (ROOT / target).exists()


def test_every_extra_that_is_named_exists() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = set(re.findall(r"`(?:clew)?\[(\w+)\]`", README))
    assert named
    assert named <= project["optional-dependencies"].keys()


@pytest.mark.release
@pytest.mark.parametrize("command", [command for command in SHOWN if command.startswith("clew ")])
def test_every_example_runs_on_the_default_release(
    command: str, default_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CLEW_HOME", str(default_home))
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "argv", shlex.split(command))
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert capsys.readouterr().out.strip()
