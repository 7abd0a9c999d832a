"""Once built, nothing needs a network: every reading command runs where no socket can connect."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

BLOCKED = """
import socket, sys

def refuse(*_, **__):
    raise AssertionError("something wants the network")

for name in ("connect", "connect_ex", "sendto"):
    setattr(socket.socket, name, refuse)
socket.create_connection = socket.getaddrinfo = refuse

from api.cli import main
sys.argv = ["clew", *sys.argv[1:]]
main()
"""

COMMANDS = [
    ["status"],
    ["ask", "What is used to treat hypertension?"],
    ["ask", "感冒有哪些症状？"],
    ["search", "blood pressure"],
    ["diagnose", "arachnodactyly and ectopia lentis"],
    ["diagnose", "发热、咳嗽，无头痛"],
    ["path", "FBN1", "Marfan syndrome"],
    ["cypher", "MATCH (d:Disease) RETURN count(d)"],
]


def offline(program: str, *arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if "proxy" not in key.lower()}
    return subprocess.run(  # noqa: S603  (our own program)
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False,
        env=environment | {"CLEW_HOME": str(home)},
    )  # fmt: skip


def test_the_block_blocks(miniature_home: Path) -> None:
    program = BLOCKED.partition("from api.cli")[0] + "socket.create_connection(('127.0.0.1', 9))"
    assert "something wants the network" in offline(program, home=miniature_home).stderr


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_built_home_needs_no_network(miniature_home: Path, arguments: list[str]) -> None:
    done = offline(BLOCKED, *arguments, home=miniature_home)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip()


@pytest.mark.parametrize("arguments", [["search", "blood pressure"], ["ask", "感冒有哪些症状？"]], ids=" ".join)
def test_an_encoder_for_english_needs_none_either(english_home: Path, arguments: list[str]) -> None:
    done = offline(BLOCKED, *arguments, home=english_home)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip()
