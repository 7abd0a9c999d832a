import json
from pathlib import Path

import pytest

from tests.api.conftest import Run

LINES = """{"id": "1", "text": "No fever but cough.", "findings": [{"start": 3, "end": 8, "status": "absent"}]}
{"id": "2", "text": "父亲患哮喘。", "findings": [{"start": 3, "end": 5, "status": "family"}]}
not json
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "s.jsonl"
    path.write_text(LINES, encoding="utf-8")
    return str(path)


def test_status_prints_one_json_object_last(run: Run, miniature_home: Path, file: str) -> None:
    status, out, err = run(miniature_home, "eval", "status", file)
    figures = json.loads(out.splitlines()[-1])
    assert status == 0
    assert (figures["task"], figures["n"], figures["accuracy"]) == ("status", 2, 1.0)
    assert figures["arms"]["prevailing"]["accuracy"] == 0.0
    assert figures["problems"] == {"malformed": 1}
    assert "line 3" in err
