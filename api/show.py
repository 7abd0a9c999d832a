"""Results as people read them, and the same as plain values for --json."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

from api.case import ReadCase
from api.compose import Clew
from kg_build.pipeline import BuildReport, Estimate
from kg_build.release import Release
from kg_build.store.child import CypherResult
from ontology.schema import Domain
from ontology.settings import LoadedSettings
from reasoning.answer import Answer, Citation
from reasoning.diagnosis.explain import Explanation, Point, explain
from reasoning.diagnosis.likelihood import Candidate
from reasoning.diagnosis.question import next_questions
from retrieval.paths import Chain
from retrieval.question import Question
from retrieval.retrieve import Passage

NOTICE = "Decision support for professionals and research; not a medical device."
_EXPLAINED = 3
"""Leaders shown with their evidence; the others are listed."""
_POINTS = 6


@dataclass(frozen=True)
class Shown:
    """A result: the text, and the data of the same."""

    text: str
    data: Any


def progress() -> Callable[[str], None]:
    """A line per step on standard error; repeated counters overwrite each other on a terminal."""
    console = Console(stderr=True)
    live = console.is_terminal

    def say(line: str) -> None:
        counting = line.startswith("vectors: ")
        if live or not counting:
            console.print(line, end="\r" if counting and live else "\n", highlight=False, markup=False)

    return say


def build(report: BuildReport) -> Shown:
    """The outcome of a build with its reconciliation."""
    data = {
        "release": report.release.id,
        "up_to_date": report.up_to_date,
        "seconds": report.seconds,
        "reconciliation": report.balances,
    }
    if report.up_to_date:
        return Shown(f"release {report.release.id} is up to date", data)
    lines = []
    for source, balances in report.balances.items():
        for balance in balances:
            dropped: Mapping[str, int] = balance["dropped"]  # type: ignore[assignment]
            total = sum(dropped.values())
            lines.append(
                f"{source}: {balance['kind']}  in {balance['in']:,} = kept {balance['kept']:,} + dropped {total:,}"
            )
            lines += [f"    {count:>9,}  {reason}" for reason, count in sorted(dropped.items(), key=lambda i: -i[1])]
    spent = ", ".join(f"{stage} {seconds:.1f}" for stage, seconds in report.seconds.items())
    lines += [f"seconds: {spent} — {sum(report.seconds.values()):.0f} in all", _counts_line(report.release)]
    return Shown("\n".join(lines), data)


def estimate(needed: Estimate) -> Shown:
    """What a build would need."""
    names = "".join(f"\n  {name}" for name in needed.to_download)
    text = f"to download: {needed.download_bytes / 1e6:.1f} MB, language-model calls: {needed.llm_calls}{names}"
    return Shown(text, asdict(needed))


def status(release: Release, known: Sequence[str]) -> Shown:
    """What a release holds."""
    manifest = release.manifest
    counts = manifest["counts"]
    lines = [_counts_line(release), f"releases kept: {', '.join(known)}", ""]
    lines += _columns(("entities", ""), ((name, f"{n:,}") for name, n in sorted(counts["entities"].items())))
    lines += [
        "",
        *_columns(("assertions", ""), ((n, f"{c:,}") for n, c in sorted(counts["assertions"].items()))),
    ]
    lines += [""]
    for key, source in manifest["sources"].items():
        passed_on = "" if source["redistributable"] else "  (may not be passed on)"
        lines += [
            f"{key}: {source['title']}, {source['release']} — {counts['evidence'].get(key, 0):,} rows of evidence",
            f"    licence: {source['licence']}{passed_on}",
            f"    {source['attribution']}",
        ]
    return Shown("\n".join(lines), {"id": release.id, "releases": list(known), **manifest})


def answer(result: Answer, *, trace: bool) -> Shown:
    """An answer with its citations, and on request the trace."""
    lines = []
    if result.insufficient:
        lines.append(result.insufficient)
    lines += [sentence.text for sentence in result.sentences]
    if result.citations:
        lines += ["", *(_citation_line(citation) for citation in result.citations)]
        lines += ["", "Cypher:", *dict.fromkeys(f"  {c.cypher}" for c in result.citations if c.cypher)]
    if result.unanswered:
        lines += ["", *(f"nothing in the graph for: {text}" for text in result.unanswered)]
    if trace:
        lines += ["", *(f"{step.stage} {step.ms:.1f} ms {step.details}" for step in result.trace.steps)]
    lines += ["", NOTICE]
    return Shown("\n".join(lines), _answer_data(result))


def search(question: Question, passages: Sequence[Passage]) -> Shown:
    """Entities and passages of a search."""
    lines = [f"{topic.id}  {topic.type}  {topic.label}" for topic in question.topics]
    for passage in passages:
        parts = ", ".join(f"{name} {score:+.2f}" for name, score in passage.by_channel.items())
        where = " › ".join(part for part in (passage.title, passage.section) if part and part != passage.title)
        lines += ["", f"{passage.score:+.2f}  {where or passage.title}  [{passage.reference}]  ({parts})"]
        lines.append("    " + " ".join(passage.text.split())[:240])
    data = {
        "entities": [{"id": t.id, "type": t.type, "label": t.label, "text": t.text} for t in question.topics],
        "passages": [asdict(passage) for passage in passages],
    }
    return Shown("\n".join(lines).strip() or "nothing found", data)


def table(result: CypherResult) -> Shown:
    """Rows of a Cypher statement."""
    grid = Table(*result.columns, show_lines=False, box=None, header_style="bold", pad_edge=False)
    for row in result.rows:
        grid.add_row(*("" if value is None else str(value) for value in row))
    more = " (more were cut off: raise cypher.rows, or LIMIT and SKIP)" if result.truncated else ""
    text = f"{_rendered(grid)}\n{len(result.rows)} rows{more}, {result.ms:.1f} ms"
    return Shown(text, asdict(result))


def chains(found: Sequence[Chain], domain: Domain) -> Shown:
    """Evidence chains, edge by edge."""
    lines: list[str] = []
    for number, chain in enumerate(found, start=1):
        lines.append(f"{number}. " + _chain_line(chain, domain))
        for edge in chain.edges:
            for row in edge.evidence[:3]:
                cited = ", ".join(row.references) or row.record
                quote = f" “{row.quote}”" if row.quote else ""
                rate = f" {row.frequency}" if row.frequency else ""
                lines.append(
                    f"     {edge.predicate}: {row.source} {row.source_release}, {cited} {row.code}{rate}{quote}"
                )
        lines += [f"     {chain.cypher}", ""]
    return Shown("\n".join(lines).rstrip(), [asdict(chain) for chain in found])


def diagnosis(opened: Clew, read: ReadCase, *, top: int, without_references: Collection[str]) -> Shown:
    """A differential: leaders with the findings for and against, the rest listed, and what to ask next."""
    engine, case = opened.diagnosis, read.case
    differential = engine.rank(case.findings, top=max(top, 50), without_references=without_references)
    questions = next_questions(engine, differential)
    leaders = differential.candidates[:top]
    explained = [
        explain(engine, case.findings, candidate.disease, without_references=without_references)
        for candidate in leaders
    ]
    lines = [*_readings(read), *(f"not in the graph: {f.id} {f.label}" for f in differential.unknown)]
    for rank, (candidate, reasons) in enumerate(zip(leaders, explained, strict=True), start=1):
        lines += _candidate_lines(rank, candidate, reasons, full=rank <= _EXPLAINED)
    lines += ["", "Ask next:"]
    lines += [
        f"  {q.label} ({q.finding}): {q.gain:.2f} bits; yes speaks for {_label(engine.matrix, q.favours)}"
        for q in questions
    ]
    data = {
        "findings": [asdict(finding) for finding in case.findings],
        "readings": [{**asdict(r.link), "status": r.status} for r in read.readings],
        "unknown": [asdict(finding) for finding in differential.unknown],
        "followed": dict(differential.followed),
        "ranked": differential.ranked,
        "differential": [
            {**asdict(candidate), "explanation": asdict(reasons)}
            for candidate, reasons in zip(leaders, explained, strict=True)
        ],
        "next_questions": [asdict(question) for question in questions],
        "notice": NOTICE,
    }
    return Shown("\n".join([*lines, "", NOTICE]), data)


def settings(loaded: LoadedSettings, *, provenance: bool) -> Shown:
    """The settings, and where each comes from."""
    values = {
        f"{section}.{key}": value for section, part in loaded.values.model_dump().items() for key, value in part.items()
    }
    lines = [f"home = {loaded.home}"]
    for key, value in values.items():
        lines.append(f"{key} = {value}" + (f"    ({loaded.provenance[key]})" if provenance else ""))
    return Shown("\n".join(lines), {"home": str(loaded.home), "values": values, "provenance": loaded.provenance})


def _counts_line(release: Release) -> str:
    counts = release.manifest["counts"]
    negated = counts["negated"].get("True", 0)
    return (
        f"release {release.id}: {sum(counts['entities'].values()):,} entities, "
        f"{sum(counts['assertions'].values()):,} assertions ({negated:,} negative), "
        f"{sum(counts['evidence'].values()):,} rows of evidence, {sum(counts['names'].values()):,} names"
    )


def _columns(header: tuple[str, str], rows: Iterable[tuple[str, str]]) -> list[str]:
    listed = [header, *rows]
    width = max(len(name) for name, _ in listed)
    return [f"{name:<{width}}  {value:>10}".rstrip() for name, value in listed]


def _citation_line(citation: Citation) -> str:
    references = ", ".join(citation.references) or "no reference given by the source"
    return f"[{citation.number}] {citation.title} — {', '.join(citation.sources)}: {references}"


def _answer_data(result: Answer) -> dict[str, Any]:
    return {
        "question": {
            "text": result.question.text,
            "lang": result.question.lang,
            "entities": [{"id": t.id, "label": t.label, "type": t.type} for t in result.question.topics],
        },
        "sentences": [asdict(sentence) for sentence in result.sentences],
        "citations": [asdict(citation) for citation in result.citations],
        "insufficient": result.insufficient,
        "unanswered": result.unanswered,
        "removed": result.removed,
        "trace": result.trace.as_list(),
        "ms": result.trace.ms,
        "notice": NOTICE,
    }


def _chain_line(chain: Chain, domain: Domain) -> str:
    text = chain.nodes[0].name
    for edge, node in zip(chain.edges, chain.nodes[1:], strict=True):
        name = domain.predicates[edge.predicate].en
        text += f" ─{name}→ {node.name}" if edge.forward else f" ←{name}─ {node.name}"
    return text


def _readings(read: ReadCase) -> list[str]:
    if not read.readings:
        return []
    parts = [f"{r.link.text} → {r.link.label} ({r.link.entity}, {r.status})" for r in read.readings]
    return ["read: " + "; ".join(parts), ""]


def _candidate_lines(rank: int, candidate: Candidate, reasons: Explanation, *, full: bool) -> list[str]:
    ids = ", ".join((candidate.disease, *candidate.also))
    head = f"{rank}. {candidate.label} ({ids})  {candidate.probability:.1%}  score {candidate.score:+.2f}"
    if not full:
        return [head]
    worth = {part.finding: part.value for part in candidate.contributions}
    lines = ["", head]
    for title, points in (
        ("for", reasons.supporting),
        ("against", reasons.conflicting),
        ("unexplained", reasons.unexplained),
        ("typical, not mentioned", reasons.missing),
    ):
        lines += [f"   {title}: {_point(point, worth)}" for point in points[:_POINTS]]
    return lines


def _point(point: Point, worth: Mapping[str, float]) -> str:
    value = f" {worth[point.finding]:+.2f}" if point.finding in worth else ""
    notes = []
    for annotation in point.annotations[:2]:
        cited = ", ".join(annotation.references[:2])
        rate = f"{annotation.frequency} " if annotation.frequency else ""
        other = f"as {annotation.label} " if annotation.finding != point.finding else ""
        notes.append(f"{other}{rate}{cited}".strip())
    return f"{point.label} ({point.finding}){value}" + (f" — {'; '.join(notes)}" if any(notes) else "")


def _label(matrix: Any, disease: str) -> str:
    place = matrix.disease_index.get(disease)
    return disease if place is None else str(matrix.disease_labels[place])


def _rendered(grid: Table) -> str:
    buffer = io.StringIO()
    width = Console().width if sys.stdout.isatty() else 200
    Console(file=buffer, width=width).print(grid)
    return buffer.getvalue().rstrip()
