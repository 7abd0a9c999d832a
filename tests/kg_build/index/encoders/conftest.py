"""The library sentence-transformers as a stub, at the edge where it is imported."""

import sys

import pytest

from kg_build.index.encoders import transformers as module
from tests.kg_build.index.encoders import stub


@pytest.fixture
def stubbed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", stub.module())
    monkeypatch.setattr(module, "version", lambda _: "5.0")
