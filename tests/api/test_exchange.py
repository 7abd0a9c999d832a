"""The command that takes a release to other tools: export."""

import json
from pathlib import Path

from tests.api.conftest import Run


def test_export_refuses_what_may_not_be_passed_on_and_says_how_the_rest_can_go(
    run: Run, miniature_home: Path, tmp_path: Path
) -> None:
    status, output, errors = run(miniature_home, "export", "kgx", str(tmp_path / "图谱"), "--json")
    assert status == 5
    assert json.loads(output)["error"]["code"] == "E407"
    assert "--without icd10" in errors
    assert not (tmp_path / "图谱").exists()


def test_export_writes_the_rest_and_counts_it(run: Run, miniature_home: Path, tmp_path: Path) -> None:
    status, text, _ = run(miniature_home, "export", "kgx", str(tmp_path / "图谱"), "--without", "icd10")
    assert status == 0
    assert "data of clew, cmekg, hpo, open_medicine" in text
    assert "left out: " in text
    assert "马凡综合征" in (tmp_path / "图谱" / "nodes.tsv").read_text(encoding="utf-8")
    status, output, _ = run(miniature_home, "export", "kgx", str(tmp_path / "b"), "--without", "icd10", "--json")
    assert json.loads(output)["files"]["nodes.tsv"] > 0


def test_export_names_the_formats_there_are(run: Run, miniature_home: Path, tmp_path: Path) -> None:
    status, _, errors = run(miniature_home, "export", "sssom", str(tmp_path / "out"))
    assert status == 2
    assert "choices: kgx" in errors
