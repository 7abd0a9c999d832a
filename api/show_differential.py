"""A differential as people read it, in the language of the case, and the same as plain values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Final

from api.case import ReadCase
from api.compose import Clew
from api.show import Shown
from api.words import words
from kg_build.frequency import describe_frequency
from reasoning.diagnosis.explain import Explanation, Point, explain
from reasoning.diagnosis.likelihood import Candidate, Differential
from reasoning.diagnosis.question import NextQuestion, next_questions

_CONSIDERED: Final = 50
_EXPLAINED: Final = 3
"""Leaders shown with their evidence; the others are listed."""
_POINTS: Final = 6
_SCOPES: Final = {"HP": "rare", "cmekg": "listed"}
"""What a reader has to know of the diseases that compete, by the vocabulary of the findings."""


@dataclass(frozen=True)
class _Ranked:
    """A differential with what is shown of it."""

    read: ReadCase
    differential: Differential
    leaders: tuple[Candidate, ...]
    explained: list[Explanation]
    questions: list[NextQuestion]
    names: Mapping[str, str]

    @property
    def lang(self) -> str:
        return self.read.case.lang


def differential(opened: Clew, read: ReadCase, *, top: int, without_references: Collection[str]) -> Shown:
    """Rank a case: leaders with the findings for and against, the rest listed, and what to ask next."""
    engine, findings = opened.diagnosis, read.case.findings
    found = engine.rank(findings, top=max(top, _CONSIDERED), without_references=without_references)
    leaders = found.candidates[:top]
    ranked = _Ranked(
        read=read,
        differential=found,
        leaders=leaders,
        explained=[explain(engine, findings, c.disease, without_references=without_references) for c in leaders],
        questions=next_questions(engine, found),
        names={candidate.disease: candidate.label for candidate in found.candidates},
    )
    return Shown("\n".join(_lines(ranked)), _data(ranked))


def _lines(ranked: _Ranked) -> list[str]:
    lang, found = ranked.lang, ranked.differential
    lines = _readings(ranked.read)
    lines += [words(lang, "unknown", f"{finding.id} {finding.label}".strip()) for finding in found.unknown]
    for rank, (candidate, reasons) in enumerate(zip(ranked.leaders, ranked.explained, strict=True), start=1):
        lines += _candidate(rank, candidate, reasons, lang)
    lines += ["", words(lang, "compete", f"{found.ranked:,}", _scope(found.observed, lang)), ""]
    if ranked.questions:
        lines.append(words(lang, "ask next"))
        lines += [f"  {_question(question, ranked)}" for question in ranked.questions]
        lines.append("")
    return [*lines, words(lang, "notice")]


def _data(ranked: _Ranked) -> dict[str, object]:
    found = ranked.differential
    return {
        "findings": [asdict(finding) for finding in ranked.read.case.findings],
        "readings": [{**asdict(reading.link), "status": reading.status} for reading in ranked.read.readings],
        "unknown": [asdict(finding) for finding in found.unknown],
        "followed": dict(found.followed),
        "ranked": found.ranked,
        "scope": _scope(found.observed, ranked.lang),
        "differential": [
            {**asdict(candidate), "explanation": asdict(reasons)}
            for candidate, reasons in zip(ranked.leaders, ranked.explained, strict=True)
        ],
        "next_questions": [asdict(question) for question in ranked.questions],
        "notice": words(ranked.lang, "notice"),
    }


def _readings(read: ReadCase) -> list[str]:
    if not read.readings:
        return []
    lang = read.case.lang
    parts = (f"{r.link.text} → {r.link.label} ({r.link.entity}, {words(lang, r.status)})" for r in read.readings)
    return [words(lang, "read", "; ".join(parts)), ""]


def _candidate(rank: int, candidate: Candidate, reasons: Explanation, lang: str) -> list[str]:
    ids = ", ".join((candidate.disease, *candidate.also))
    score = words(lang, "score", f"{candidate.score:+.2f}")
    head = f"{rank}. {candidate.label} ({ids})  {candidate.probability:.1%}  {score}"
    if rank > _EXPLAINED:
        return [head]
    worth = {part.finding: part.value for part in candidate.contributions}
    counted = [point for point in reasons.missing if any(a.frequency for a in point.annotations)]
    groups = {
        "for": reasons.supporting,
        "against": reasons.conflicting,
        "unexplained": reasons.unexplained,
        "missing": counted,
    }
    lines = ["", head]
    for key, points in groups.items():
        lines += [f"   {words(lang, key)}: {_point(point, worth, lang)}" for point in points[:_POINTS]]
    return lines


def _point(point: Point, worth: Mapping[str, float], lang: str) -> str:
    value = f" {worth[point.finding]:+.2f}" if point.finding in worth else ""
    notes = []
    for annotation in point.annotations[:2]:
        other = words(lang, "as", annotation.label) if annotation.finding != point.finding else ""
        parts = (other, describe_frequency(annotation.frequency), ", ".join(annotation.references[:2]))
        notes.append(" ".join(part for part in parts if part))
    shown = "; ".join(note for note in notes if note)
    return f"{point.label} ({point.finding}){value}" + (f" — {shown}" if shown else "")


def _scope(observed: Iterable[str], lang: str) -> str:
    known = {curie.partition(":")[0] for curie in observed}
    return "; ".join(words(lang, key) for vocabulary, key in _SCOPES.items() if vocabulary in known)


def _question(question: NextQuestion, ranked: _Ranked) -> str:
    favours = ranked.names.get(question.favours, question.favours)
    return words(ranked.lang, "speaks for", question.label, question.finding, f"{question.gain:.2f}", favours)
