"""Retrieval sets from a release: questions that lexical search alone cannot answer, and two corpora for them.

    release ──candidates──▶ judged ──split, chosen──▶ questions-dev, questions-test
                                        └──▶ corpus: the right passages and all others of their articles
                                        └──▶ corpus-large: the same among 40,000 distractors

A document of these corpora is a passage of the release, under its headings.

**What is right.** A passage that shows the asked name in its title, headings or text (as a string, without regard to
case) is never gold. It is not wrong either, and neither is a passage outside of the gold that mentions what is asked
with or what it leads to: all these are listed as `unjudged`, and the task takes them out of a ranking before it is
judged. Only questions with at most 10 gold and 30 unjudged passages in the whole release are asked, so that a ranking
of 100 has room; common things are asked for less often than they would be by people.

**What this does not show.** The names and links come from the graph that the measured system reads questions with: it
is a test of whether retrieval makes use of what the graph knows, not of whether the graph knows enough. For `hop1` and
`hop2` right is what the graph states, noise of its sources included; a passage on another disease counts as wrong even
if medicine knows better. What a passage's document is about is known in a release and not in these corpora.

**Split.** By entity: whatever `same_as` connects, however long the chain, is on one side, and a question whose entity
and answers are on different sides is not asked. A passage that speaks of several things may be right on both sides.
The draw is by hashes under a fixed seed, so equal releases give equal bytes. Sets from sources that may not be passed
on are for local use.
"""

from __future__ import annotations

import gzip
import io
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

from kg_build.release import Release
from ontology.curie import digest
from reasoning.evaluation.retrieval.kinds import Candidate, candidates
from reasoning.evaluation.retrieval.material import Material

SEED: Final = "clew retrieval 1"
SPLITS: Final = ("dev", "test")

MOST_QUESTIONS: Final = 150
"""Questions of a kind and split."""

DISTRACTORS: Final = 40_000
MOST_GOLD: Final = 10
MOST_UNJUDGED: Final = 30

_LOOKED_AT: Final = 3000
"""Candidates of a stratum that are looked at: bounds the work (our choice)."""


@dataclass(frozen=True)
class MadeQuestion:
    """A question with its judgement.

    Attributes:
        id: stands for kind, entity and name; the same in every release that has them.
        split: of `SPLITS`.
        text: as asked.
        candidate: where it comes from.
        group: CURIE of the kin of what is asked with.
        gold: passages that are right, as positions.
        unjudged: passages that nobody judged.
    """

    id: str
    split: str
    text: str
    candidate: Candidate
    group: str
    gold: tuple[int, ...]
    unjudged: tuple[int, ...]


def make_sets(release: Release, folder: Path, *, distractors: int = DISTRACTORS) -> dict[str, Any]:
    """Write `questions-<split>.jsonl.gz`, `corpus.jsonl.gz` and `corpus-large.jsonl.gz` into a folder.

    Args:
        release: what they are made from.
        folder: made when it is not there; files of these names are replaced.
        distractors: passages more in the large corpus; all there are when there are fewer.

    Returns:
        How many questions of each kind and split there are, and passages in each corpus.
    """
    material = Material(release)
    questions = chosen(material)
    corpus = _with_articles(material, questions)
    others = _drawn((p for p in range(len(material.passages)) if p not in corpus), material)[:distractors]
    folder.mkdir(parents=True, exist_ok=True)
    for split in SPLITS:
        lines = (_question_line(material, question) for question in questions if question.split == split)
        _write(folder / f"questions-{split}.jsonl.gz", lines)
    for name, positions in (("corpus", corpus), ("corpus-large", corpus | set(others))):
        _write(folder / f"{name}.jsonl.gz", (_document_line(material, position) for position in sorted(positions)))
    counts = {
        split: dict(Counter(question.candidate.kind for question in questions if question.split == split))
        for split in SPLITS
    }
    return {"questions": counts, "corpus": len(corpus), "corpus-large": len(corpus) + len(others)}


def chosen(material: Material, most: int = MOST_QUESTIONS) -> list[MadeQuestion]:
    """At most `most` questions of each kind and split, the strata of a kind in turn; sorted by kind and id."""
    strata: dict[tuple[str, str], list[Candidate]] = defaultdict(list)
    for candidate in candidates(material):
        if 0 < len(candidate.passages) <= MOST_GOLD + MOST_UNJUDGED:
            strata[candidate.kind, candidate.stratum].append(candidate)
    looked_at = {key: sorted(found, key=_lot)[:_LOOKED_AT] for key, found in strata.items()}
    holding = material.containing({c.asked for found in looked_at.values() for c in found})
    judged: dict[tuple[str, str], dict[str, list[MadeQuestion]]] = defaultdict(dict)
    for (kind, stratum), found in sorted(looked_at.items()):
        for question in filter(None, (_judge(material, candidate, holding) for candidate in found)):
            judged[kind, question.split].setdefault(stratum, []).append(question)
    taken = [question for by_stratum in judged.values() for question in _in_turn(by_stratum.values(), most)]
    return sorted(taken, key=lambda question: (question.candidate.kind, question.id))


def split_of(kin: str) -> str:
    """The side of a kin, by the hash of its CURIE."""
    return SPLITS[blake2b(kin.encode()).digest()[0] % len(SPLITS)]


def _judge(material: Material, candidate: Candidate, holding: Mapping[str, set[int]]) -> MadeQuestion | None:
    """The candidate as a question, if it can be asked fairly; see the module's text."""
    rows = {candidate.entity, *candidate.answers}
    kins = sorted({material.adjacency.curie(int(material.kin[row])) for row in rows})
    held = holding.get(candidate.asked.casefold(), set())
    passages = set(candidate.passages)
    gold = passages - held
    if (
        len({split_of(kin) for kin in kins}) > 1
        or not 0 < len(gold) <= MOST_GOLD
        or (candidate.whole and gold != passages)
    ):
        return None
    related = held.union(*(material.mentioning(row) for row in rows), *(material.about(row) for row in rows))
    unjudged = related - gold
    if len(unjudged) > MOST_UNJUDGED:
        return None
    group = material.adjacency.curie(int(material.kin[candidate.entity]))
    return MadeQuestion(
        id=f"{candidate.kind}.{digest(candidate.kind, group, candidate.asked, candidate.stratum)}",
        split=split_of(group),
        text=candidate.wordings[int.from_bytes(_lot(candidate)[:2]) % len(candidate.wordings)],
        candidate=candidate,
        group=group,
        gold=tuple(sorted(gold)),
        unjudged=tuple(sorted(unjudged)),
    )


def _in_turn(strata: Iterable[Sequence[MadeQuestion]], most: int) -> list[MadeQuestion]:
    """One of each stratum after the other, each kin once."""
    turns = (question for row in zip_longest(*strata) for question in row if question is not None)
    once: dict[str, MadeQuestion] = {}
    for question in turns:
        if len(once) == most:
            break
        once.setdefault(question.group, question)
    return list(once.values())


def _with_articles(material: Material, questions: Iterable[MadeQuestion]) -> set[int]:
    """The right passages, and all others of their documents."""
    gold = (material.passages[position]["document"] for question in questions for position in question.gold)
    return {position for document in set(gold) for position in material.of_document[document]}


def _drawn(positions: Iterable[int], material: Material) -> list[int]:
    return sorted(positions, key=lambda position: _hashed(material.passages[position]["id"]))


def _lot(candidate: Candidate) -> bytes:
    return _hashed(candidate.kind, candidate.stratum, candidate.asked)


def _hashed(*parts: str) -> bytes:
    return blake2b("\x1f".join((SEED, *parts)).encode(), digest_size=8).digest()


def _question_line(material: Material, question: MadeQuestion) -> dict[str, Any]:
    return {
        "id": question.id,
        "question": question.text,
        "gold_docs": [material.passages[position]["id"] for position in question.gold],
        "kind": question.candidate.kind,
        "group": question.group,
        "unjudged": [material.passages[position]["id"] for position in question.unjudged],
        "asked": question.candidate.asked,
        "stratum": question.candidate.stratum,
    }


def _document_line(material: Material, position: int) -> dict[str, Any]:
    passage = material.passages[position]
    document = material.documents[passage["document"]]
    line = {"id": passage["id"], "title": passage["section"] or document["title"], "text": passage["text"]}
    return line | ({"url": document["reference"]} if document["reference"].startswith("http") else {})


def _write(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    """Write JSON Lines, equal lines as equal bytes."""
    path.write_bytes(b"".join(_compressed(lines)))


def _compressed(lines: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, mtime=0) as out:
        for line in lines:
            out.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
    yield buffer.getvalue()
