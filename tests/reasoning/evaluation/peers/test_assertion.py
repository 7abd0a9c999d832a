"""The peers `medspacy` and `negspacy`: their own rules on findings whose places are given."""

import importlib.util
from importlib.metadata import EntryPoint

import pytest

from ontology.errors import ClewError, Code
from reasoning.evaluation import peers
from reasoning.evaluation.peers import open_peers, peer_names

NAMES = ["medspacy", "negspacy"]


@pytest.fixture(autouse=True)
def _announced(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [EntryPoint(name, f"reasoning.evaluation.peers.assertion:{name.upper()}", peers.GROUP) for name in NAMES]
    monkeypatch.setattr(peers, "entry_points", lambda *, group: entries)


def test_both_take_part_in_the_task() -> None:
    assert peer_names("status") == NAMES
    assert peer_names("diagnosis") == []


@pytest.mark.parametrize("name", NAMES)
def test_what_to_install_is_said_when_it_is_missing(name: str) -> None:
    if importlib.util.find_spec(name):
        pytest.skip(f"{name} is installed")
    with pytest.raises(ClewError) as raised:
        open_peers("status", [name], None)
    assert raised.value.code is Code.MISSING_EXTRA
    assert f'pip install "{name}' in raised.value.remedy


@pytest.mark.parametrize("name", NAMES)
def test_a_negated_finding_is_absent(name: str) -> None:
    pytest.importorskip(name, reason=f"{name} is not installed")
    (peer,) = open_peers("status", [name], None)
    assert peer.read("He has a fever. No cough.", [(9, 14), (19, 24)]) == ["present", "absent"]


def test_context_says_more_than_negation() -> None:
    pytest.importorskip("medspacy", reason="medspacy is not installed")
    (peer,) = open_peers("status", ["medspacy"], None)
    text = "Mother has diabetes. Possible pneumonia. History of asthma."
    assert peer.read(text, [(11, 19), (30, 39), (52, 58)]) == ["family", "uncertain", "historical"]
