"""What reviewers accepted becomes evidence of its own kind; nothing else of a review does."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from kg_build.extract.extract import extract
from kg_build.extract.review import write_review
from kg_build.pipeline import build_from
from kg_build.reconcile import Tally
from kg_build.release import TABLES, Release
from kg_build.sources.accepted import SOURCE
from kg_build.sources.contract import Record
from kg_build.sources.registry import find_sources
from ontology.errors import ClewError, Code
from ontology.model import Assertion, Evidence
from tests.miniature import NO_INDEX, write_artefacts

PASSAGE = "Rare. 😀 Gout causes fever. 痛风可引起发热。"
QUOTE: dict[str, Any] = {
    "rule": "pattern cause",
    "confidence": 0.8,
    "status": "present",
    "quote": "Gout causes fever.",
    "chunk": "documents:gout.md#0",
    "start": 8,
    "end": 26,
    "passage": PASSAGE,
    "section": "",
    "document": "documents:gout.md",
    "source": "documents",
    "references": ["documents:gout.md"],
}
LINE: dict[str, Any] = {
    "accepted": True,
    "reviewer": "ORCID:0000-0000-0000-0001 2026-01-31",
    "subject": "OMIM:138900",
    "subject_label": "Gout",
    "predicate": "has_phenotype",
    "object": "HP:0001945",
    "object_label": "Fever",
    "standing": "new",
    "confidence": 0.8,
    "evidence": [QUOTE],
}


def read(tmp_path: Path, *lines: Mapping[str, Any]) -> tuple[list[Record], Tally]:
    path = tmp_path / "accepted.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    tally = Tally("accepted")
    records = list(SOURCE.read({"accepted": path}, tally))
    tally.check()
    return records, tally


def test_an_accepted_line_is_evidence_that_a_person_validated(tmp_path: Path) -> None:
    records, tally = read(tmp_path, LINE)
    assert records == [
        Evidence(
            Assertion("OMIM:138900", "has_phenotype", "HP:0001945"),
            "accepted",
            ("documents:gout.md",),
            "documents:gout.md#0:8-26",
            "knowledge_assertion",
            "manual_validation_of_automated_agent",
            code="pattern cause",
            quote="Gout causes fever.",
            document="documents:gout.md",
            agent="ORCID:0000-0000-0000-0001 2026-01-31",
        )
    ]
    assert (tally.kept_rows["candidate"], tally.kept_rows["quote"]) == (1, 1)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"accepted": None}, "not reviewed"),
        ({"accepted": False}, "rejected by its reviewer"),
        ({"reviewer": " "}, "decided by nobody: no reviewer is named"),
        ({"accepted": False, "reviewer": ""}, "decided by nobody: no reviewer is named"),
        ({"accepted": "yes"}, "not a line of a review"),
        ({"accepted": 1}, "not a line of a review"),
        ({"object": ""}, "not a line of a review"),
        ({"object": "fever"}, "id is not a CURIE"),
        ({"evidence": []}, "no quote that its passage has"),
        ({"evidence": [QUOTE | {"quote": "Gout causes cough."}]}, "no quote that its passage has"),
        ({"evidence": [QUOTE | {"start": 7, "end": 25}]}, "no quote that its passage has"),
        ({"evidence": [QUOTE | {"start": -18, "end": 0}]}, "no quote that its passage has"),
        ({"evidence": [QUOTE | {"passage": ""}]}, "no quote that its passage has"),
    ],
)
def test_any_other_line_is_left_out_with_the_reason(tmp_path: Path, changes: dict[str, Any], reason: str) -> None:
    records, tally = read(tmp_path, LINE | changes)
    assert not records
    assert tally.dropped_rows["candidate", reason] == 1


def test_only_the_quotes_that_hold_are_evidence(tmp_path: Path) -> None:
    chinese = QUOTE | {"quote": "痛风可引起发热。", "start": 27, "end": 35}
    records, tally = read(tmp_path, LINE | {"evidence": [QUOTE | {"quote": "Gout cures fever."}, chinese]})
    assert [r.quote for r in records if isinstance(r, Evidence)] == ["痛风可引起发热。"]
    assert tally.dropped_rows["quote", "is not what its passage says"] == 1


# --- from a document through a review into the graph ------------------------------------------------------------

TEXT = "# Notes\n\nMarfan syndrome can cause headache. Cystic fibrosis can cause seizure.\n"
HEADACHE = ("OMIM:154700", "has_phenotype", "HP:0002315")
SEIZURE = ("OMIM:219700", "has_phenotype", "HP:0001250")
Build = Callable[[Path | None], Release]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Builds a home from the miniature HPO, a document, and a review where there is one."""
    (tmp_path / "data" / "documents").mkdir(parents=True)
    (tmp_path / "data" / "documents" / "notes.md").write_text(TEXT, encoding="utf-8")
    artefacts = write_artefacts(tmp_path / "data", ["hpo"])

    def call(review: Path | None) -> Release:
        keys = ["documents"] if review is None else ["documents", "accepted"]
        data = [tmp_path / "data", *([] if review is None else [review.parent])]
        return build_from(tmp_path / "home", {**artefacts, **find_sources(keys)}, NO_INDEX, data=data).release

    return call


def agents(release: Release, statement: tuple[str, str, str]) -> set[str]:
    """The agent types of the evidence of a statement; nothing when the graph does not make it."""
    evidence = release.table("evidence").to_pylist()
    return {row["agent_type"] for row in evidence if row["assertion"] == Assertion(*statement).id}


def tables(release: Release) -> dict[str, Any]:
    return {name: release.table(name).to_pylist() for name in TABLES}


def decide(path: Path, accepted: tuple[str, str, str]) -> None:
    """Accept one statement of a review and reject all others."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        line["accepted"] = (line["subject"], line["predicate"], line["object"]) == accepted
        line["reviewer"] = "A. Reviewer"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def test_only_what_was_accepted_enters_the_graph_and_leaves_it_without_a_trace(build: Build, tmp_path: Path) -> None:
    review = tmp_path / "review" / "accepted.jsonl"
    review.parent.mkdir()
    plain = build(None)
    before = tables(plain)
    found = extract(plain, source="documents")
    assert {(c.assertion.subject, c.assertion.predicate, c.assertion.object) for c in found.candidates} == {
        HEADACHE,
        SEIZURE,
    }
    write_review(review, found.candidates, found.labels)
    assert tables(plain) == before  # extracting writes nothing into the release

    undecided = build(review)
    assert (agents(undecided, HEADACHE), agents(undecided, SEIZURE)) == (set(), set())

    decide(review, HEADACHE)
    reviewed = build(review)
    assert agents(reviewed, HEADACHE) == {"manual_validation_of_automated_agent"}
    assert agents(reviewed, SEIZURE) == set()
    (row,) = [row for row in reviewed.table("evidence").to_pylist() if row["source"] == "accepted"]
    assert (row["quote"], row["document"]) == ("Marfan syndrome can cause headache.", "documents:notes.md")
    assert {c.standing for c in extract(reviewed, source="documents").candidates} == {"known", "new"}

    assert tables(build(None)) == before
    assert build(None).id == plain.id


def test_a_review_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "accepted.jsonl"
    path.write_text("decided", encoding="utf-8")
    for place in (path, tmp_path / "nowhere" / "accepted.jsonl"):
        with pytest.raises(ClewError) as caught:
            write_review(place, [], {})
        assert caught.value.code is Code.BAD_INPUT
    assert path.read_text(encoding="utf-8") == "decided"
