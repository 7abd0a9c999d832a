import json
from pathlib import Path

from tests.api.conftest import Run

RECORD = {
    "id": "1",
    "lang": "zh",
    "text": "患者发热、咳嗽、咳痰、胸痛。诊断：肺炎。",
    "gold": {"labels": ["肺炎"], "icd10": ["J18.9"]},
}
STRANGE = {"id": "2", "lang": "zh", "text": "天气很好。", "gold": {"labels": ["某种怪病"]}}


def write(path: Path, *lines: object) -> str:
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return str(path)


def test_icd10_prints_one_json_object_last(run: Run, miniature_home: Path, tmp_path: Path) -> None:
    status, out, _ = run(miniature_home, "eval", "icd10", write(tmp_path / "r.jsonl", RECORD))
    figures = json.loads(out.splitlines()[-1])
    assert status == 0
    assert list(figures["arms"]) == ["differential", "mentioned"]
    assert figures["arms"]["mentioned"]["category"]["r"] == 1.0  # through CMeKG's code of 肺炎
    assert figures["arms"]["differential"]["category"]["r"] == 1.0


def test_a_record_in_which_nothing_is_understood_has_no_prediction(
    run: Run, miniature_home: Path, tmp_path: Path
) -> None:
    status, out, err = run(miniature_home, "eval", "icd10", write(tmp_path / "r.jsonl", STRANGE))
    figures = json.loads(out.splitlines()[-1])
    assert status == 0
    assert {arm: found["predicted"] for arm, found in figures["arms"].items()} == {"differential": 0, "mentioned": 0}
    assert figures["problems"] == {"gold not in the graph": 1}
    assert "某种怪病" in err


def test_an_empty_file_is_refused(run: Run, miniature_home: Path, tmp_path: Path) -> None:
    status, _, err = run(miniature_home, "eval", "icd10", write(tmp_path / "r.jsonl"))
    assert (status, "E102" in err) == (2, True)
