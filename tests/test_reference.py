"""The generated pages say what the code says."""

from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def script() -> ModuleType:
    loader = SourceFileLoader("reference", str(ROOT / "scripts" / "reference"))
    spec = spec_from_loader("reference", loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["ontology", "sources"])
def test_the_page_is_what_the_script_writes(script: ModuleType, name: str) -> None:
    page = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    assert page == getattr(script, f"{name}_page")(), "run scripts/reference"


def test_the_schemas_are_what_the_script_writes(script: ModuleType) -> None:
    written = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "schemas").iterdir()}
    assert written == script.schemas(), "run scripts/reference"
