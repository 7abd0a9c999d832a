"""Sources: those clew ships with, and those other distributions announce under an entry point."""

from collections.abc import Iterator, Mapping
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from kg_build.reconcile import Tally
from kg_build.sources import registry
from kg_build.sources.contract import CONTRACT, Artefact, Original, Record, Source
from kg_build.sources.registry import GROUP, find_sources, source_keys
from ontology.errors import ClewError, Code


class Elsewhere:
    """A source as a third party writes it."""

    contract = CONTRACT
    key = "elsewhere"
    title = "Elsewhere"
    release = "1"
    licence = "CC0"
    attribution = ""
    redistributable = True
    artefacts: tuple[Artefact, ...] = ()
    originals: tuple[Original, ...] = (Original("table", ("table.tsv",), "https://example.org/table.tsv"),)

    def read(self, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        yield from ()


class Older(Elsewhere):
    contract = 0


GOOD, OLD, HALF = Elsewhere(), Older(), object()


@pytest.fixture
def announced(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {"elsewhere": "GOOD", "old": "OLD", "half": "HALF", "gone": "NOWHERE"}
    entries = EntryPoints(EntryPoint(key, f"{__name__}:{name}", GROUP) for key, name in names.items())
    monkeypatch.setattr(registry, "entry_points", lambda *, group: entries.select(group=group))


@pytest.mark.parametrize("key", source_keys())
def test_every_shipped_source_keeps_the_contract(key: str) -> None:
    source = find_sources([key])[key]
    assert isinstance(source, Source)
    assert (source.contract, source.key) == (CONTRACT, key)
    assert source.title
    assert source.release
    assert source.licence
    assert source.artefacts or source.originals
    for artefact in source.artefacts:
        assert len(artefact.sha256) == 64
        assert artefact.size > 0


@pytest.mark.usefixtures("announced")
def test_a_third_party_adds_a_source_without_touching_ours() -> None:
    assert source_keys()[-4:] == ["elsewhere", "gone", "half", "old"]
    assert find_sources(["elsewhere", "hpo"]) == {"hpo": find_sources(["hpo"])["hpo"], "elsewhere": GOOD}


@pytest.mark.usefixtures("announced")
@pytest.mark.parametrize("key", ["old", "half", "gone"])
def test_a_source_that_does_not_keep_the_contract_is_refused_by_name(key: str) -> None:
    with pytest.raises(ClewError) as caught:
        find_sources([key])
    assert caught.value.code is Code.BAD_SOURCE
    assert caught.value.cause.startswith(f"{key}: ")


def test_an_unknown_source_lists_those_there_are() -> None:
    with pytest.raises(ClewError) as caught:
        find_sources(["hpoo"])
    assert (caught.value.code, caught.value.choices) == (Code.BAD_INPUT, ("hpo",))
