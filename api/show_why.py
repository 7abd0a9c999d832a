"""Why a passage or a statement was found, or where it fell out, as people read it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from api.show import Shown
from api.words import words
from ontology.schema import Lang
from retrieval.why import CHAINS, DEEP, FACTS, ChannelView, PassageWhy, Reason, StageView, StatementWhy, Why


def why(found: Why, lang: Lang, limit: int) -> Shown:
    """The explanation, in the language of the question.

    Args:
        found: what became of what was asked about.
        lang: language of the question.
        limit: passages that a search shows.
    """
    lines = [words(lang, "why preset", found.preset)]
    for passage in found.passages:
        lines += ["", *_passage(passage, lang, limit)]
    if found.others:
        lines += ["", words(lang, "why others", found.others)]
    if found.statement is not None:
        lines += ["", *_statement(found.statement, lang)]
    return Shown("\n".join(lines), _data(found, lang))


def _passage(passage: PassageWhy, lang: Lang, limit: int) -> Iterator[str]:
    where = " › ".join(part for part in (passage.title, passage.section) if part and part != passage.title)
    yield f"{passage.chunk}  {where or passage.title}"
    yield "  " + _outcome(passage.outcome, passage.stages, lang)
    ranking = next((view for view in passage.stages if view.stage == "ranking"), None)
    if ranking is not None and ranking.rank is not None and ranking.rank > limit:
        yield f"  {words(lang, 'why rank', ranking.rank)}: {words(lang, 'why shown', limit)}"
    for channel in passage.channels:
        yield f"    {channel.channel:<8} {_channel(channel, lang)}"
    for stage in passage.stages:
        yield f"    {stage.stage:<11} {_stage(stage, lang)}"


def _outcome(outcome: str, stages: list[StageView], lang: Lang) -> str:
    if outcome == "kept":
        return words(lang, "why kept", stages[-1].rank, stages[-1].of)
    return words(lang, "why fell", stages[-1].stage) if outcome == "fell" else words(lang, "why not found")


def _channel(view: ChannelView, lang: Lang) -> str:
    parts = [] if view.score is None else [words(lang, "why score", f"{view.score:.3f}")]
    if view.score is not None:
        ranked = words(lang, "why deep", DEEP) if view.rank is None else words(lang, "why rank", view.rank)
        parts.append(ranked)
    if view.cut is not None:
        parts.append(words(lang, "why cut", f"{view.cut:.3f}"))
    if view.part is not None:
        parts.append(words(lang, "why part", f"{view.part:+.3f}"))
    if view.reason is not None:
        parts.append(_reason(view.reason, lang))
    return ", ".join(parts)


def _stage(view: StageView, lang: Lang) -> str:
    parts = [] if view.score is None else [words(lang, "why score", f"{view.score:.3f}")]
    if view.rank is not None:
        return ", ".join([*parts, words(lang, "why kept", view.rank, view.of)])
    if view.cut is not None:
        parts.append(words(lang, "why cut", f"{view.cut:.3f}"))
    stage = "facts" if view.stage.startswith(FACTS) else view.stage
    return ", ".join([*parts, words(lang, f"why fell {stage}", view.of, view.note)])


def _statement(found: StatementWhy, lang: Lang) -> Iterator[str]:
    statement = found.statement
    ends = [node.name for node in statement.ends] if statement.ends else ["…", "…"]
    yield f"{statement.assertion}  {ends[0]} ─{statement.predicate}→ {ends[1]}"
    if found.reason is not None:
        yield f"  {_reason(found.reason, lang)}"
    for view in found.stages:
        if view.stage.startswith(CHAINS):
            yield f"  {words(lang, 'why chain', view.stage.removeprefix(CHAINS))}"
        else:
            yield f"  {words(lang, 'why read', view.stage.removeprefix(FACTS))}"
        yield f"    {_stage(view, lang)}"


def _reason(reason: Reason, lang: Lang) -> str:
    return words(lang, f"why {reason.key}", *reason.values)


def _data(found: Why, lang: Lang) -> dict[str, Any]:
    """The same as plain values, each reason with what it says."""
    data: dict[str, Any] = asdict(found)
    for passage, plain in zip(found.passages, data["passages"], strict=True):
        for view, one in zip(passage.channels, plain["channels"], strict=True):
            one["reason"] = _reason_data(view.reason, lang)
    if found.statement is not None:
        data["statement"]["reason"] = _reason_data(found.statement.reason, lang)
    return data


def _reason_data(reason: Reason | None, lang: Lang) -> dict[str, Any] | None:
    return None if reason is None else {**asdict(reason), "says": _reason(reason, lang)}
