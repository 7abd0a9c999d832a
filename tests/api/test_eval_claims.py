import json
from pathlib import Path

from tests.api.conftest import Run

LINES = """{"id": "1", "claim": "Zinc shortens colds.", "evidence": "Zinc shortens colds.", "label": "Supports"}
{"id": "2", "claim": "锌能缩短感冒病程。", "evidence": "锌不能缩短感冒病程。", "label": "Refutes"}
{"id": "3", "claim": "Zinc shortens colds.", "evidence": "Rain fell.", "label": "Neutral"}
not json
"""


def test_claims_print_one_json_object_last(run: Run, miniature_home: Path, tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text(LINES, encoding="utf-8")
    status, out, err = run(miniature_home, "eval", "claims", str(tmp_path / "c.jsonl"))
    figures = json.loads(out.splitlines()[-1])
    assert status == 0
    assert (figures["task"], figures["n"], figures["accuracy"], figures["macro_f1"]) == ("claims", 3, 1.0, 1.0)
    assert figures["majority"]["accuracy"] == 0.3333
    assert figures["problems"] == {"malformed": 1}
    assert "line 4" in err


def test_an_empty_file_is_refused(run: Run, miniature_home: Path, tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text("")
    status, _, err = run(miniature_home, "eval", "claims", str(tmp_path / "c.jsonl"))
    assert (status, "E102" in err) == (2, True)
