import json
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ontology.reading.near import Near
from ontology.reading.sense import Sense
from ontology.reading.terminology_build import build_terminology
from reasoning.evaluation.linking.cases import LinkingCase, read_linking_cases
from reasoning.evaluation.linking.held_out import Pair
from reasoning.evaluation.linking.task import LinkingTask, Names
from reasoning.evaluation.record import Problem
from reasoning.evaluation.run import Run, evaluate

SENSES = [
    Sense("HP:1", "PhenotypicFeature", "en", "migraine", "label"),
    Sense("MESH:1", "Disease", "en", "migraine", "label"),
    Sense("HP:2", "PhenotypicFeature", "en", "cough", "label"),
    Sense("MESH:3", "Disease", "en", "asthma", "label"),
    Sense("MESH:4", "Disease", "en", "vertigo", "label"),
    Sense("DB:1", "Drug", "en", "aspirin", "label"),
    Sense("X:1", "Procedure", "en", "biopsy", "label"),
    Sense("HP:5", "PhenotypicFeature", "zh", "头痛", "label"),
    Sense("HP:5", "PhenotypicFeature", "en", "headache", "label"),
    Sense("HP:6", "PhenotypicFeature", "en", "bendy spine", "lay"),
    Sense("HP:6", "PhenotypicFeature", "en", "bendy spines of the back", "exact"),
    Sense("MESH:6", "Disease", "en", "bendy spine", "label"),
]
TYPES = {sense.entity: sense.type for sense in SENSES} | {"MESH:9": "Disease"}
SAME = {"MESH:1": ["HP:1"], "HP:1": ["MESH:1"], "HP:6": ["MESH:6"], "MESH:6": ["HP:6"]}


def without(pairs: Collection[Pair]) -> Any:
    return build_terminology(sense for sense in SENSES if (sense.entity, sense.text) not in set(pairs))


NAMES = Names(build_terminology(SENSES), without, TYPES.get, lambda curie: SAME.get(curie, []))

TEXT = "Aspirin for migraine and cough after biopsy with asthma and dizzy spells."


def mention(text: str, part: str, *ids: str, type_: str = "Disease") -> dict[str, Any]:
    start = text.index(part)
    return {"start": start, "end": start + len(part), "ids": list(ids), "type": type_}


GOLD = [
    mention(TEXT, "Aspirin", "MESH:77", type_="Chemical"),
    mention(TEXT, "migraine", "MESH:1"),
    mention(TEXT, "cough", "MESH:9"),
    mention(TEXT, "dizzy spells", "MESH:4"),
]


def run(path: Path, *cases: dict[str, Any] | str) -> Run:
    lines = [case if isinstance(case, str) else json.dumps(case, ensure_ascii=False) for case in cases]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return evaluate(LinkingTask(NAMES, read_linking_cases(path)))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "cases.jsonl"


def test_the_figures_of_a_worked_example(file: Path) -> None:
    # Links: Aspirin, migraine, cough (HP:2), asthma. Gold: the first three, and the dizzy spells.
    figures = run(file, {"id": "1", "text": TEXT, "mentions": GOLD}).figures
    assert {k: figures["detection"][k] for k in ("precision", "recall", "f1")} == {
        "precision": 0.75, "recall": 0.75, "f1": 0.75,
    }  # fmt: skip
    # Aspirin's gold is not in the graph: three gold, three links; migraine is right in the vocabulary asked for.
    assert figures["linking"]["precision"] == figures["linking"]["recall"] == pytest.approx(1 / 3, abs=1e-4)
    assert figures["linking"]["strict"]["f1"] == pytest.approx(1 / 3, abs=1e-4)
    assert figures["accuracy_given_span"] == {"same_as": 0.5, "strict": 0.5, "among_senses": 0.5, "n": 2}
    assert (figures["mentions"], figures["in_graph"], figures["not_in_graph"]) == (4, 3, 1)


def test_a_procedure_is_no_false_positive_of_a_corpus_of_diseases_and_chemicals(file: Path) -> None:
    record = run(file, {"id": "1", "text": TEXT, "mentions": GOLD}).records[0]
    assert [extra["text"] for extra in record.detail["extra"]] == ["asthma"]


def test_types_of_the_whole_file_take_part_in_every_text(file: Path) -> None:
    silent = {"id": "2", "text": "No asthma, no aspirin.", "mentions": []}
    records = run(file, {"id": "1", "text": TEXT, "mentions": GOLD}, silent).records
    assert [extra["text"] for extra in records[1].detail["extra"]] == ["asthma", "aspirin"]


def test_mentions_without_a_type_stand_for_the_type_of_their_entity(file: Path) -> None:
    gold = mention("asthma and aspirin after biopsy", "asthma", "MESH:3", type_="")
    record = run(file, {"id": "1", "text": "asthma and aspirin after biopsy", "mentions": [gold]}).records[0]
    assert record.detail["counts"]["links"] == 1


def test_overlap_forgives_edges_and_strict_does_not(file: Path) -> None:
    text = "severe migraine"
    figures = run(file, {"id": "1", "text": text, "mentions": [mention(text, text, "MESH:1")]}).figures
    assert (figures["detection"]["f1"], figures["detection"]["overlap"]["f1"]) == (0.0, 1.0)


def test_a_mention_without_an_id_is_detected_and_not_judged(file: Path) -> None:
    figures = run(file, {"id": "1", "text": "asthma", "mentions": [mention("asthma", "asthma")]}).figures
    assert (figures["no_id"], figures["detection"]["f1"]) == (1, 1.0)
    assert figures["accuracy_given_span"]["n"] == 0


def test_any_of_several_ids_is_right(file: Path) -> None:
    gold = mention("asthma", "asthma", "MESH:77", "MESH:3")
    assert run(file, {"id": "1", "text": "asthma", "mentions": [gold]}).figures["linking"]["strict"]["f1"] == 1.0


def test_offsets_are_code_points_in_chinese_and_beyond_the_basic_plane(file: Path) -> None:
    text = "😀𠮷患者有头痛"
    gold = {"start": 5, "end": 7, "ids": ["HP:5"], "type": "Disease"}
    assert run(file, {"id": "1", "text": text, "mentions": [gold]}).figures["linking"]["strict"]["f1"] == 1.0


def test_gold_that_the_graph_lacks_is_named_once_for_a_case_that_is_still_answered(file: Path) -> None:
    done = run(file, {"id": "1", "text": TEXT, "mentions": GOLD})
    assert [(p.line, p.reason, p.fatal) for p in done.problems] == [(1, "gold not in the graph", False)]
    assert "MESH:77" in done.problems[0].cause
    assert done.figures["n"] == 1


def test_shuffled_gold_destroys_the_score(file: Path) -> None:
    words, ids = ["migraine", "cough", "asthma", "vertigo"], ["MESH:1", "HP:2", "MESH:3", "MESH:4"]

    def f1(order: list[str]) -> float:
        cases = [
            {"id": str(n), "text": word, "mentions": [mention(word, word, gold)]}
            for n, (word, gold) in enumerate(zip(words, order, strict=True))
        ]
        return float(run(file, *cases).figures["linking"]["f1"])

    assert f1(ids) == 1.0
    assert f1(ids[1:] + ids[:1]) == 0.0


def test_names_are_asked_for_as_a_whole_and_reported_by_language(file: Path) -> None:
    figures = run(
        file,
        {"id": "1", "name": "头痛", "ids": ["HP:5"]},
        {"id": "2", "name": "headache", "ids": ["HP:2"]},
        {"id": "3", "name": "asthma", "ids": ["MESH:3"]},
    ).figures
    right = {"accuracy": 1.0, "top5": 1.0, "strict": 1.0}
    half = {"accuracy": 0.5, "top5": 0.5, "strict": 0.5}
    assert figures["names"]["zh"] == {"n": 1, **right, "unknown": 0, "ambiguous": 0}
    assert figures["names"]["en"] == {"n": 2, **half, "unknown": 0, "ambiguous": 0}
    assert figures["detection"] is None


def test_a_held_out_name_is_not_known_for_the_entity_nor_for_what_is_the_same(file: Path) -> None:
    figures = run(file, {"id": "1", "name": "bendy spine", "ids": ["HP:6"], "held_out": True}).figures
    assert figures["names"]["en"]["unknown"] == 1
    known = run(file, {"id": "1", "name": "bendy spine", "ids": ["HP:6"]}).figures
    assert known["names"]["en"]["accuracy"] == 1.0


def test_the_nearest_name_is_an_arm_of_its_own(file: Path) -> None:
    figures = run(file, {"id": "1", "name": "bendy spine", "ids": ["HP:6"], "held_out": True}).figures
    assert figures["names"]["en"]["accuracy"] == 0.0
    assert figures["arms"]["nearest name"]["names"]["en"]["accuracy"] == 1.0


def test_the_dictionary_alone_is_an_arm_of_its_own(file: Path) -> None:
    text = "asthma in asthmatic coughing disease (ACD), vertigos"
    gold = [mention(text, "asthma", "MESH:3"), mention(text, "vertigos", "MESH:4")]
    figures = run(file, {"id": "1", "text": text, "mentions": gold}).figures
    assert figures["arms"]["dictionary"]["detection"]["f1"] == figures["detection"]["f1"] == 1.0
    assert list(figures["arms"]) == ["reader", "dictionary"]


class Meanings:
    """An index of meanings that puts one term of HPO first and another second, whatever it is asked."""

    def nearest(self, texts: list[str], *, limit: int, prefixes: tuple[str, ...] = (), **_: object) -> list[list[Near]]:
        near = [Near("MESH:4", "Disease", "vertigo", 0.9, 0.1), Near("HP:2", "PhenotypicFeature", "cough", 0.8, 0.1)]
        return [[one for one in near if one.entity.startswith(prefixes or "")][:limit] for _ in texts]

    def nearest_by_encoder(self, _: str, **asked: Any) -> list[Near]:
        return self.nearest([""], **asked)[0][1:]


def test_names_are_ranked_in_the_vocabularies_of_the_gold_and_gold_among_five_counts(file: Path) -> None:
    file.write_text('{"id": "1", "name": "咳", "ids": ["HP:2"]}\n{"id": "2", "name": "晕", "ids": ["HP:5"]}\n', "utf-8")
    names = replace(NAMES, meaning=Meanings())  # type: ignore[arg-type]
    figures = evaluate(LinkingTask(names, read_linking_cases(file))).figures
    assert (figures["names"]["zh"]["accuracy"], figures["names"]["zh"]["top5"]) == (0.5, 0.5)
    assert figures["arms"]["encoder"]["names"]["zh"]["top5"] == 0.0
    file.write_text('{"id": "1", "name": "咳", "ids": ["HP:2", "MESH:77"]}\n', "utf-8")
    both = evaluate(LinkingTask(names, read_linking_cases(file))).figures["names"]["zh"]
    assert (both["accuracy"], both["top5"]) == (0.0, 1.0)


def test_a_name_whose_entity_the_graph_lacks_is_a_problem_and_not_counted(file: Path) -> None:
    done = run(
        file, {"id": "1", "name": "asthma", "ids": ["MESH:77"]}, {"id": "2", "name": "asthma", "ids": ["MESH:3"]}
    )
    assert done.figures["problems"] == {"gold not in the graph": 1}
    assert done.figures["names"]["en"]["n"] == 1


@pytest.mark.parametrize(
    "line",
    [
        "{", "[]", '{"id": "1", "text": "asthma"}', '{"id": "1", "name": "asthma", "ids": []}',
        '{"id": "1", "name": "  ", "ids": ["MESH:3"]}', '{"id": "1", "name": "asthma", "ids": ["no curie"]}',
        '{"id": "1", "text": "asthma", "mentions": [{"start": 0, "end": 7}]}',
        '{"id": "1", "text": "asthma", "mentions": [{"start": 3, "end": 3}]}',
        '{"id": "1", "text": "asthma", "mentions": [{"start": -1, "end": 3}]}',
    ],
)  # fmt: skip
def test_malformed_lines_are_problems(file: Path, line: str) -> None:
    done = run(file, line, {"id": "9", "name": "asthma", "ids": ["MESH:3"]})
    assert [(p.line, p.reason) for p in done.problems] == [(1, "malformed")]
    assert done.figures["n"] == 1


def test_pubtator_is_known_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "a.PubTator"
    path.write_text("1|t|Asthma.\n1|a|\n1\t0\t6\tAsthma\tDisease\tD3\n1\tCID\tD1\tD3\n", encoding="utf-8")
    (case,) = [case for _, case in read_linking_cases(path) if not isinstance(case, Problem)]
    assert isinstance(case, LinkingCase)
    assert (case.mentions[0].ids, case.relations) == (("MESH:D3",), 1)
