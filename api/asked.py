"""Cypher on the command line: a statement that a person wrote, or those that a question is turned into.

A statement made of words is only shown, unless --run is given: it may mean something else than the person did, and
that is seen in it, and in the sentence beside it, before it costs time or is believed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

from api import show
from api.show import Shown
from api.words import words
from kg_build.release import Release
from kg_build.store.child import explain_cypher, run_cypher
from kg_build.store.empty import why_empty
from ontology.errors import ClewError, Code
from ontology.schema import load_domain
from ontology.settings import CypherSettings
from retrieval.text2cypher import StatementWriter, Translation, translate, written_by

if TYPE_CHECKING:
    from api.compose import Clew
    from api.evaluation.chat import HttpChat
    from retrieval.question import Question


def statement(release: Release, text: str, parameters: Mapping[str, object], limits: CypherSettings) -> Shown:
    """Run a person's statement; where nothing comes back, say what may be the reason.

    Raises:
        ClewError: as `run_cypher`.
    """
    graph = release.derived("graph.lbug")
    result = run_cypher(graph, text, parameters, seconds=limits.seconds, rows=limits.rows)
    shown = show.table(result)
    reasons = [] if result.rows else why_empty(text, load_domain(), parameters)
    notes = "".join(f"\n  note: {reason}" for reason in reasons)
    return Shown(shown.text + notes, {**shown.data, **({"notes": reasons} if reasons else {})})


def in_words(opened: Clew, text: str, limits: CypherSettings, *, run: bool, llm: str | None) -> Shown:
    """The statements for a question, and on request what they return.

    Raises:
        ClewError: BAD_INPUT when no template fits and no model is named; REFUSED_CYPHER when the model's statement is
            refused twice; otherwise as `run_cypher`.
    """
    question = opened.interpreter.interpret(text)
    made = _made(opened, question, limits, llm)
    graph = opened.release.derived("graph.lbug")
    lines: list[str] = []
    data: list[dict[str, object]] = []
    for item in made:
        lines += [*([""] if lines else []), f"// {item.says[question.lang]}", item.statement]
        entry: dict[str, object] = asdict(item)
        if run:
            result = run_cypher(graph, item.statement, {}, seconds=limits.seconds, rows=limits.rows)
            shown = show.table(result)
            lines.append(shown.text)
            entry["result"] = shown.data
        data.append(entry)
    if not run:
        lines += ["", words(question.lang, "not run")]
    return Shown("\n".join(lines), {"question": question.text, "lang": question.lang, "statements": data})


def _made(opened: Clew, question: Question, limits: CypherSettings, llm: str | None) -> list[Translation]:
    """Those of the templates; where there is none, the model's."""
    made = translate(question, opened.domain)
    if made:
        return made
    if llm is None:
        raise ClewError(
            Code.BAD_INPUT,
            words(question.lang, "no template", ", ".join(topic.label for topic in question.topics) or "—"),
            remedy=words(question.lang, "name an entity"),
            choices=("What are the symptoms of Marfan syndrome?", "哪些疾病会出现发热？", "How many drugs are there?"),
        )
    from api.evaluation.chat import open_model  # noqa: PLC0415 - only where a model is named

    graph = opened.release.derived("graph.lbug")
    writer: StatementWriter = ChatWriter(open_model(llm))
    found = written_by(
        writer, question, opened.domain, lambda text: explain_cypher(graph, text, {}, seconds=limits.seconds)
    )
    return [found]


class ChatWriter:
    """A chat model as a writer of statements."""

    def __init__(self, chat: HttpChat) -> None:
        self._chat = chat

    def write(self, prompt: str) -> str:
        """See `StatementWriter.write`."""
        return self._chat.complete([{"role": "user", "content": prompt}]).text
