"""`clew eval diagnosis`, `compare` and `report` as they are typed."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.api.conftest import Run

CASES: list[dict[str, Any]] = [
    {"id": "1", "findings": [{"id": "HP:0001083"}, {"id": "HP:0001166"}], "references": ["PMID:9000001"],
     "gold": {"ids": ["OMIM:154700"]}},
    {"id": "二", "lang": "zh", "text": "患者晶状体异位，蜘蛛指。", "gold": {"labels": ["马凡综合征"]}},
    {"id": "3", "findings": [{"id": "HP:0001250"}], "gold": {"ids": ["OMIM:999999"]}},
]  # fmt: skip


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    path = tmp_path / "cases.jsonl"
    lines = [json.dumps(case, ensure_ascii=False) for case in CASES]
    path.write_text("\n".join([*lines, lines[0], "broken"]) + "\n", encoding="utf-8")
    return path


def test_the_last_line_is_one_object_with_both_views(
    run: Run, miniature_home: Path, cases: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.jsonl"
    status, printed, err = run(miniature_home, "eval", "diagnosis", str(cases), "--out", str(out))
    figures = json.loads(printed.splitlines()[-1])
    assert status == 0
    assert (figures["task"], figures["n"], figures["view"]) == ("diagnosis", 3, "all evidence")
    assert figures["problems"] == {"duplicate id": 1, "gold not in the graph": 1, "malformed": 1}
    assert set(figures["views"]) == {"all evidence", "own references hidden"}
    assert "line 5: malformed" in err
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [line.get("id") for line in lines] == ["1", "二", "3", None, None]
    assert lines[0]["matched_by"] == "id"
    assert lines[1]["matched_by"] == "name"


def test_hiding_puts_the_other_view_on_top(run: Run, miniature_home: Path, cases: Path) -> None:
    _, printed, _ = run(miniature_home, "eval", "diagnosis", str(cases), "--hide-own-references")
    figures = json.loads(printed.splitlines()[-1])
    assert figures["view"] == "own references hidden"
    assert figures["mrr"] == figures["views"]["own references hidden"]["mrr"]


def test_a_run_is_kept_goes_on_and_is_compared(run: Run, miniature_home: Path, cases: Path, tmp_path: Path) -> None:
    one, other = str(tmp_path / "one"), str(tmp_path / "other")
    assert run(miniature_home, "eval", "diagnosis", str(cases), "--run", one)[0] == 0
    _, _, err = run(miniature_home, "eval", "diagnosis", str(cases), "--run", one)
    assert "0 answered, 3 from before" in err
    manifest = json.loads((tmp_path / "one" / "manifest.json").read_text(encoding="utf-8"))
    assert {"cases", "release", "code", "versions"} <= set(manifest["identity"])
    assert all(setting["origin"] for setting in manifest["preset"])
    assert "<svg" in (tmp_path / "one" / "report.html").read_text(encoding="utf-8")
    status, _, err = run(miniature_home, "eval", "diagnosis", str(cases), "--run", one, "--limit", "1")
    assert (status, "not the same: limit" in err) == (2, True)
    run(miniature_home, "eval", "diagnosis", str(cases), "--run", other, "--limit", "1")
    status, printed, _ = run(miniature_home, "eval", "compare", one, other)
    found = json.loads(printed.splitlines()[-1])
    assert (status, found["differs"], found["changed"], found["uncompared"]) == (0, ["limit"], 0, 4)
    (tmp_path / "one" / "report.html").unlink()
    assert run(miniature_home, "eval", "report", one)[0] == 0
    assert (tmp_path / "one" / "report.html").exists()


def test_hpo_similarity_is_a_peer(run: Run, miniature_home: Path, cases: Path) -> None:
    status, printed, _ = run(miniature_home, "eval", "diagnosis", str(cases), "--peer", "hpo3")
    figures = json.loads(printed.splitlines()[-1])
    assert status == 0
    assert figures["peers"]["hpo3"]["all evidence"]["covered"] == figures["covered"]
    assert 0 < figures["peers"]["hpo3"]["all evidence"]["mrr"] <= 1


def test_an_unknown_peer_and_an_empty_file_are_errors(
    run: Run, miniature_home: Path, cases: Path, tmp_path: Path
) -> None:
    status, _, err = run(miniature_home, "eval", "diagnosis", str(cases), "--peer", "hpo4")
    assert (status, "choices: hpo3" in err) == (2, True)
    (tmp_path / "empty.jsonl").write_text("")
    status, _, err = run(miniature_home, "eval", "diagnosis", str(tmp_path / "empty.jsonl"))
    assert (status, "E102" in err) == (2, True)
