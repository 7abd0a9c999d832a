"""The five rooms import only to the left."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = ["ontology", "kg_build", "retrieval", "reasoning", "api"]


def imported_rooms(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.split(".")[0])
    return found & {*ROOMS, "clew"}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_rooms_to_its_left(room: str) -> None:
    allowed = set(ROOMS[: ROOMS.index(room) + 1])
    files = list((ROOT / room).rglob("*.py"))
    assert files, f"{room} is empty"
    wrong = {str(f.relative_to(ROOT)): imported_rooms(f) - allowed for f in files if imported_rooms(f) - allowed}
    assert not wrong


def test_the_check_sees_a_wrong_import(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("def f():\n    from api import cli\n")
    assert imported_rooms(bad) == {"api"}
