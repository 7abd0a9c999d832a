"""`import clew` is the public face, and the command line is light to import."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import clew

HEAVY = ["numpy", "pyarrow", "faiss", "ladybug", "tantivy", "scipy", "networkx", "marisa_trie", "rapidfuzz", "pydantic"]


def printed(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)  # noqa: S603
    return done.stdout.strip()


def test_every_public_name_is_there_and_explained() -> None:
    assert sorted(clew.__all__) == list(clew.__all__)
    for name in clew.__all__:
        assert inspect.getdoc(getattr(clew, name)), name


def test_a_star_import_gives_exactly_the_public_names() -> None:
    names: dict[str, object] = {}
    exec("from clew import *", names)  # noqa: S102  (what a star import gives is the point)
    assert names.keys() - {"__builtins__"} == set(clew.__all__)


@pytest.mark.parametrize("module", ["api.cli", "ontology.errors", "ontology.settings", "ontology.schema"])
def test_the_command_line_imports_nothing_heavy(module: str) -> None:
    program = f"import {module}, sys; print(*[m for m in {HEAVY[:-1]} if m in sys.modules])"
    assert printed(program) == ""


def test_help_needs_no_settings_and_no_validation_library() -> None:
    program = f"import api.cli, sys; print(*[m for m in {HEAVY} if m in sys.modules])"
    assert printed(program) == ""


def test_a_release_opens_from_python(miniature_home: Path) -> None:
    graph = clew.open(miniature_home)
    assert isinstance(graph, clew.Clew)
    assert graph.answerer.ask("感冒有哪些症状？").sentences
    assert clew.find_chains(graph.adjacency, graph.store, "OMIM:154700", "HP:0001166")


def test_a_home_without_a_release_is_a_coded_error(tmp_path: Path) -> None:
    with pytest.raises(clew.ClewError) as caught:
        clew.open(tmp_path)
    assert caught.value.code is clew.Code.NO_RELEASE
    assert not any(tmp_path.iterdir())
