"""The commands of a curator: merge explain, merge propose, conflicts."""

import json
from pathlib import Path
from typing import Any

import pytest

from kg_build.release import open_release, rows
from tests.api.conftest import Run
from tests.kg_build.test_propose import ZH
from tests.kg_build.test_propose import release as proposable  # noqa: F401  (a fixture)
from tests.kg_build.test_sides import release as disputed  # noqa: F401  (a fixture)


def home_of(release: Any) -> Path:
    return Path(release.path).parents[1]


def data(ended: tuple[int, str, str]) -> Any:
    assert ended[0] == 0, ended[2]
    return json.loads(ended[1])


def test_merge_explain_gives_the_verdict_with_its_evidence(run: Run, miniature_home: Path) -> None:
    values = data(run(miniature_home, "merge", "explain", "OMIM:154700", "ORPHA:558", "--json"))
    assert values["verdict"] == "same"
    status, text, _ = run(miniature_home, "merge", "explain", "OMIM:154700", "ORPHA:558")
    assert status == 0
    assert "verdict: same" in text


def test_merge_propose_shows_pairs_with_reasons_and_writes_no_statement(run: Run, proposable: Any) -> None:  # noqa: F811
    home = home_of(proposable)
    values = data(run(home, "merge", "propose", "--type", "Disease", "--least", "0.5", "--limit", "3", "--json"))
    assert 0 < len(values) <= 3
    assert {"one", "other", "cosine", "margin", "mutual", "reasons_for", "reasons_against"} <= values[0].keys()
    status, text, errors = run(home, "merge", "propose", "--type", "Disease", "--least", "0.5", "--limit", "3")
    assert status == 0
    assert f"1. {values[0]['one']} {values[0]['labels'][0]}" in text
    assert "+ each is the nearest to the other in its vocabulary" in text
    assert "Disease: cmekg with OMIM" in errors
    assert (home / "cache" / "vectors").is_dir()
    stated = set(rows(open_release(home).table("assertion"), "subject", "object"))
    assert (ZH["高血压"], "OMIM:1") not in stated


@pytest.mark.parametrize(
    ("arguments", "choice"),
    [(("--type", "Diseas"), "Disease"), (("--source", "cmeg"), "cmekg"), (("--type", "基因"), "Drug")],
)
def test_merge_propose_names_the_valid_types_and_sources(
    run: Run, miniature_home: Path, arguments: tuple[str, ...], choice: str
) -> None:
    status, _, errors = run(miniature_home, "merge", "propose", *arguments)
    assert status == 2
    assert choice in errors


def test_conflicts_shows_both_sides_and_the_cypher(run: Run, disputed: Any) -> None:  # noqa: F811
    home = home_of(disputed)
    status, text, _ = run(home, "conflicts")
    assert status == 0
    assert "ORPHA:1) NOT has_phenotype Neurofibroma (HP:1)" in text
    assert "“禁用于重症肌无力”" in text
    assert "3 conflicts (1 polarity, 1 indication, 1 frequency), 3 shown" in text
    values = data(run(home, "conflicts", "--kind", "indication", "--json"))
    assert values["counts"] == {"indication": 1}
    (conflict,) = values["conflicts"]
    assert [side["predicate"] for side in conflict["sides"]] == ["treats", "contraindicated_in"]
    shown = data(run(home, "cypher", conflict["cypher"], "--json"))
    assert [row[0] for row in shown["rows"]] == ["indication"]


def test_conflicts_narrows_to_an_entity_and_counts_what_it_does_not_show(run: Run, disputed: Any) -> None:  # noqa: F811
    home = home_of(disputed)
    assert data(run(home, "conflicts", "--entity", "ORPHA:1", "--json"))["counts"] == {"polarity": 1}
    values = data(run(home, "conflicts", "--limit", "0", "--json"))
    assert (sum(values["counts"].values()), values["conflicts"]) == (3, [])
    status, text, _ = run(home, "conflicts", "--entity", "x:病", "--kind", "frequency")
    assert (status, text.strip()) == (0, "no conflicts")
    for arguments, code in ((("--kind", "冲突"), 2), (("--entity", "OMIM:99"), 3)):
        assert run(home, "conflicts", *arguments)[0] == code
