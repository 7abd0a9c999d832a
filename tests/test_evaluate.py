"""The script that measures everything, measures everything; its page holds what was printed and nothing else."""

from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest

from api.evaluation import evaluate

ROOT = Path(__file__).parent.parent


FIGURES = {"task": "claims", "n": 3, "labels": {"支持": {"f1": 0.25, "ece": None}, "反对": {"f1": 0.5, "ece": 0.1}}}


@pytest.fixture(scope="module")
def script() -> ModuleType:
    loader = SourceFileLoader("evaluate_script", str(ROOT / "scripts" / "evaluate"))
    spec = spec_from_loader("evaluate_script", loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.mark.parametrize("quick", [True, False])
def test_every_task_is_measured(script: ModuleType, quick: bool) -> None:
    planned = {arguments[0] for _, arguments, _ in script.plan(Path("data"), Path("sets"), quick=quick)}
    assert planned == set(evaluate.commands) - {"compare", "report"}


def test_names_of_evaluations_give_folders_of_their_own(script: ModuleType) -> None:
    names = [name for name, _, _ in script.plan(Path("data"), Path("sets"), quick=False)]
    assert len({script.folder_name(name) for name in names}) == len(names)
    assert not any(set(script.folder_name(name)) & set(" ,/") for name in names)


def test_the_page_holds_every_figure(script: ModuleType) -> None:
    found = {
        "name": "mine", "quick": True, "seconds": 2.5,
        "recorded": "2026-01-01", "machine": {"cores": 2, "python": "3.11"},
        "release": {"id": "r", "sources": ["hpo", "icd10"]},
        "evaluations": {
            "claims": {"seconds": 1.5, "figures": FIGURES},
        },
    }  # fmt: skip
    page = script.page(found)
    assert "| | f1 | ece |\n|---|---|---|\n| labels / 支持 | 0.25 |  |\n| labels / 反对 | 0.5 | 0.1 |\n" in page
    assert "| | n |\n|---|---|\n| all | 3 |\n" in page
    assert "release `r` of hpo, icd10" in page
    assert "Quick:" in page
    assert "Quick:" not in script.page(found | {"quick": False})
