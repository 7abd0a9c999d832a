"""Results as people read them, and the same as plain values for --json."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from api.words import words
from kg_build.derive import DERIVED, ENGLISH, VECTORS, following
from kg_build.index.english import VECTORS as WITHIN
from kg_build.index.vector import kept_recall
from kg_build.pipeline import BuildReport, Estimate
from kg_build.release import Release
from kg_build.store.child import CypherResult
from ontology.schema import Domain
from ontology.settings import LoadedSettings
from reasoning.answer import Answer, Citation
from retrieval.passage import Passage
from retrieval.paths import Chain
from retrieval.question import Question


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
        "updated": report.updated,
        "seconds": report.seconds,
        "reconciliation": report.balances,
    }
    if report.up_to_date:
        return Shown(f"release {report.release.id} is up to date", data)
    lines = []
    for source, balances in report.balances.items():
        for balance in balances:
            dropped: Mapping[str, int] = balance["dropped"]
            total = sum(dropped.values())
            lines.append(
                f"{source}: {balance['kind']}  in {balance['in']:,} = kept {balance['kept']:,} + dropped {total:,}"
            )
            examples: Mapping[str, str] = balance["examples"]
            for reason, count in sorted(dropped.items(), key=lambda item: -item[1]):
                example = f" (first: {examples[reason]})" if reason in examples else ""
                lines.append(f"    {count:>9,}  {reason}{example}")
    spent = ", ".join(f"{stage} {seconds:.1f}" for stage, seconds in report.seconds.items())
    lines += [f"seconds: {spent} — {sum(report.seconds.values()):.0f} in all", _counts_line(report.release)]
    return Shown("\n".join(lines), data)


def estimate(needed: Estimate) -> Shown:
    """What a build would need."""
    names = "".join(f"\n  {name}" for name in needed.to_download)
    text = f"to download: {needed.download_bytes / 1e6:.1f} MB{names}"
    text += f"\nlanguage-model calls: {needed.llm_calls}, tokens: {needed.llm_tokens}"
    spent = ", ".join(f"{stage} {seconds:.1f}" for stage, seconds in needed.seconds.items())
    text += f"\nseconds from nothing, without the download: {spent} — {sum(needed.seconds.values()):.0f} in all"
    if needed.unmeasured:
        text += f"\nnot measured yet: {', '.join(needed.unmeasured)}"
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
    encoders = manifest.get("encoders", {})
    recalls = _recalls(release)
    lines += ["", *(_encoder_line(what, name, recalls.get(what)) for what, name in encoders.items())]
    absent = [name for name in (*DERIVED, *following(encoders)) if not release.derived(name).exists()]
    if absent:
        lines += ["", f"still to be made: {', '.join(absent)} (clew build goes on with it)"]
    return Shown(
        "\n".join(lines),
        {"id": release.id, "releases": list(known), "to_be_made": absent, "recall": recalls, **manifest},
    )


def _recalls(release: Release) -> dict[str, float]:
    """Share of the true neighbours that the vectors of each encoder find, where it was measured."""
    folders = {"passages": release.derived(VECTORS), "english": release.derived(ENGLISH) / WITHIN}
    found = {what: kept_recall(folder) for what, folder in folders.items()}
    return {what: recall for what, recall in found.items() if recall is not None}


_ENCODED: Final = {"passages": "all passages", "english": "English passages"}


def _encoder_line(what: str, name: str, recall: float | None) -> str:
    told = "" if recall is None else f" — the index finds {recall:.1%} of the nearest"
    return f"encoder of {_ENCODED[what]}: {name}{told}"


def answer(result: Answer, *, trace: bool) -> Shown:
    """An answer with its citations, and on request the trace."""
    lang = result.question.lang
    lines = []
    if result.insufficient:
        lines.append(result.insufficient)
    lines += [sentence.text for sentence in result.sentences]
    if result.citations:
        lines += ["", *(_citation_line(citation, lang) for citation in result.citations)]
        lines += ["", "Cypher:", *dict.fromkeys(f"  {c.cypher}" for c in result.citations if c.cypher)]
    if result.unanswered:
        lines += ["", *(words(lang, "unanswered", text) for text in result.unanswered)]
    if trace:
        lines += ["", *(f"{step.stage} {step.ms:.1f} ms {step.details}" for step in result.trace.steps)]
    lines += ["", words(lang, "notice")]
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
    text = f"{rendered(grid)}\n{len(result.rows)} rows{more}, {result.ms:.1f} ms"
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


def _citation_line(citation: Citation, lang: str) -> str:
    references = ", ".join(citation.references) or words(lang, "no reference")
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
        "notice": words(result.question.lang, "notice"),
    }


def _chain_line(chain: Chain, domain: Domain) -> str:
    text = chain.nodes[0].name
    for edge, node in zip(chain.edges, chain.nodes[1:], strict=True):
        name = domain.predicates[edge.predicate].en
        text += f" ─{name}→ {node.name}" if edge.forward else f" ←{name}─ {node.name}"
    return text


def rendered(grid: Table) -> str:
    """A table as text, as wide as the terminal."""
    buffer = io.StringIO()
    width = Console().width if sys.stdout.isatty() else 200
    Console(file=buffer, width=width).print(grid)
    return buffer.getvalue().rstrip()
