import json
from pathlib import Path

from tests.api.conftest import Run

NAMES = [
    {"id": "1", "name": "Curved spine", "lang": "en", "ids": ["HP:0002650"]},
    {"id": "2", "name": "Long slender fingers", "lang": "en", "ids": ["HP:0001166"], "held_out": True},
]


def write(path: Path, *lines: object) -> str:
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return str(path)


def test_linking_prints_one_json_object_last(run: Run, miniature_home: Path, tmp_path: Path) -> None:
    status, out, _ = run(miniature_home, "eval", "linking", write(tmp_path / "n.jsonl", *NAMES))
    figures = json.loads(out.splitlines()[-1])
    assert status == 0
    assert figures["names"]["en"] == {
        "n": 2, "accuracy": 0.5, "top5": 0.5, "strict": 0.5, "unknown": 1, "ambiguous": 0,
    }  # fmt: skip


def test_an_annotated_abstract_is_read_by_its_ending(run: Run, miniature_home: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.PubTator"
    path.write_text(
        "5|t|Scoliosis in Marfan syndrome.\n5|a|A case.\n5\t0\t9\tScoliosis\tDisease\tHP:0002650\n", "utf-8"
    )
    status, out, _ = run(miniature_home, "eval", "linking", str(path))
    figures = json.loads(out.splitlines()[-1])
    assert status == 0
    assert figures["linking"]["strict"]["recall"] == 1.0
    assert figures["detection"]["precision"] == 0.5  # Marfan syndrome is not annotated


def test_a_kept_run_is_complete(run: Run, miniature_home: Path, tmp_path: Path) -> None:
    file, folder = write(tmp_path / "n.jsonl", *NAMES), tmp_path / "run"
    assert run(miniature_home, "eval", "linking", file, "--run", str(folder))[0] == 0
    assert {"manifest.json", "records.jsonl", "problems.jsonl", "figures.json"} <= {p.name for p in folder.iterdir()}


def test_an_empty_file_and_one_that_is_not_there_are_refused(run: Run, miniature_home: Path, tmp_path: Path) -> None:
    for name in ("e.jsonl", "e.PubTator"):
        (tmp_path / name).write_text("")
        status, _, err = run(miniature_home, "eval", "linking", str(tmp_path / name))
        assert (status, "E102" in err) == (2, True)
    status, _, err = run(miniature_home, "eval", "linking", str(tmp_path / "none.jsonl"))
    assert (status, "E101" in err) == (2, True)


def test_an_unknown_peer_is_refused(run: Run, miniature_home: Path, tmp_path: Path) -> None:
    status, _, err = run(miniature_home, "eval", "linking", write(tmp_path / "n.jsonl", *NAMES), "--peer", "nobody")
    assert (status, "nobody" in err) == (2, True)
