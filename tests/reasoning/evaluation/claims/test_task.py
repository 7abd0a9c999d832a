import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from reasoning.evaluation.claims.task import ClaimsTask, parse_claim
from reasoning.evaluation.lines import read_cases
from reasoning.evaluation.run import Run, evaluate
from reasoning.verify import ClaimVerifier, Label, Verdict


@dataclass
class Told:
    """A judge that says what it is told for each claim."""

    said: Mapping[str, Label]
    name: str = field(default="told")

    def judge(self, claim: str, evidence: str) -> Verdict:
        return Verdict(self.said[claim], {self.said[claim]: 1.0}, ())


GOLD: list[Label] = ["Supports", "Supports", "Refutes", "Neutral", "Neutral", "Neutral"]
SAID: list[Label] = ["Supports", "Neutral", "Supports", "Neutral", "Neutral", "Supports"]


def line(number: int, label: str, **more: Any) -> dict[str, Any]:
    return {"id": str(number), "claim": f"claim {number}", "evidence": "rain on hills", "label": label, **more}


def run(path: Path, lines: list[Any], judge: Any) -> Run:
    texts = [one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in lines]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return evaluate(ClaimsTask(judge, read_cases(path, parse_claim)))


def told(said: list[Label]) -> Told:
    return Told({f"claim {number}": label for number, label in enumerate(said)})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "claims.jsonl"


def test_the_figures_of_a_worked_example(file: Path) -> None:
    figures = run(file, [line(n, label) for n, label in enumerate(GOLD)], told(SAID)).figures
    # Right: 0, 3, 4. Supports: 1 of 3 said, 1 of 2 there, F1 .4. Refutes: never said. Neutral: 2 of 3 and 2 of 3.
    assert figures["accuracy"] == 0.5
    assert figures["labels"]["Supports"] == {"precision": 0.3333, "recall": 0.5, "f1": 0.4, "support": 2}
    assert figures["labels"]["Refutes"] == {"precision": 0.0, "recall": 0.0, "f1": 0.0, "support": 1}
    assert figures["labels"]["Neutral"]["f1"] == 0.6667
    assert figures["macro_f1"] == pytest.approx((0.4 + 0 + 2 / 3) / 3, abs=1e-4)


def test_the_majority_stands_beside_it(file: Path) -> None:
    figures = run(file, [line(n, label) for n, label in enumerate(GOLD)], told(SAID)).figures
    assert figures["majority"] == {"accuracy": 0.5, "macro_f1": pytest.approx(2 / 3 / 3, abs=1e-4)}


def test_overlap_says_supports_from_half_of_the_words_on(file: Path) -> None:
    lines = [
        {"id": "1", "claim": "zinc shortens colds rapidly", "evidence": "Colds and zinc", "label": "Supports"},
        {"id": "2", "claim": "锌能缩短感冒病程", "evidence": "昨天下了大雨", "label": "Neutral"},
    ]
    assert run(file, lines, ClaimVerifier()).figures["overlap"]["accuracy"] == 1.0


def test_shuffled_gold_destroys_the_score(file: Path) -> None:
    assert run(file, [line(n, label) for n, label in enumerate(GOLD)], told(GOLD)).figures["macro_f1"] == 1.0
    turned: dict[Label, Label] = {"Supports": "Refutes", "Refutes": "Neutral", "Neutral": "Supports"}
    lines = [line(n, turned[label]) for n, label in enumerate(GOLD)]
    assert run(file, lines, told(GOLD)).figures["macro_f1"] == 0.0


def test_records_keep_gold_answer_and_reasons(file: Path) -> None:
    record = run(file, [line(0, "Neutral")], ClaimVerifier()).records[0]
    assert (record.detail["gold"], record.detail["said"]) == ("Neutral", "Neutral")
    assert record.detail["reasons"]


@pytest.mark.parametrize(
    "wrong",
    ["{", "7", line(9, "Maybe"), {"id": "9", "claim": "x", "label": "Neutral"}, line(9, "Neutral", claim="  ")],
)
def test_malformed_lines_are_problems(file: Path, wrong: Any) -> None:
    done = run(file, [wrong, line(0, "Neutral")], ClaimVerifier())
    assert [(p.line, p.reason) for p in done.problems] == [(1, "malformed")]
    assert done.figures["n"] == 1


def test_an_id_again_is_a_problem(file: Path) -> None:
    assert run(file, [line(0, "Neutral")] * 2, ClaimVerifier()).figures["problems"] == {"duplicate id": 1}
