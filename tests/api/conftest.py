"""Running the program in this process."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from api.cli import main

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the program in this process: home, then arguments; gives status, output and errors."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")

    def call(home: Path, *arguments: str) -> tuple[int, str, str]:
        monkeypatch.setenv("CLEW_HOME", str(home))
        monkeypatch.setattr(sys, "argv", ["clew", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return ended.value.code, captured.out, captured.err

    return call
