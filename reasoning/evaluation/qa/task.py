"""The task `qa`: questions with options, answered by arms that differ in what they retrieve.

Without a model an arm chooses the option with the most support. Options that tie share the point: the expected value
of drawing among them, never the first. Without support there is no answer, which counts as wrong. A statement is true
when its relation is supported, and false when it is denied or not supported: what the release does not state is taken
as false (closed world); a statement of which fewer than two entities are known is not answered. With a model the arm
gives it what was retrieved, and the model chooses.

The kind `entity` asks which node a text names. The arms do not differ in it: every one that retrieves starts from the
same interpretation, and is right when the condition that was linked bears the gold name; several conditions tie.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from math import sqrt
from statistics import fmean, median, stdev
from typing import Any, Final

from ontology.errors import ClewError, Code
from reasoning.evaluation.lines import malformed
from reasoning.evaluation.qa.arms import NONE, PRIOR, Strategies
from reasoning.evaluation.qa.case import Item
from reasoning.evaluation.qa.found import Found
from reasoning.evaluation.qa.heard import HOLDS, Heard, Listener
from reasoning.evaluation.qa.model import ChatModel, parse_answer, prompt
from reasoning.evaluation.record import Problem, Record
from reasoning.evaluation.task import Arm, counted
from reasoning.interpret import Interpreter
from retrieval.retrieve import Retriever

ARMS: Final = (NONE, PRIOR, "vector", "kg", "hybrid", "graphrag", "ihrag")
ANSWERED: Final = "answered"
NO_ANSWER: Final = "no answer"
UNPARSEABLE: Final = "unparseable"
CONDITIONS: Final = frozenset({"Disease", "PhenotypicFeature", "CodedCategory"})
"""Types that entity prompts ask for."""

_COSTS: Final = ("llm_calls", "retrieval_queries", "rounds", "tokens")

Lines = Iterable[tuple[int, Item | Problem]]


@dataclass
class _Answer:
    """What an arm makes of a question: the options chosen (more than one tie), and how it came to that."""

    outcome: str
    chosen: list[str] = field(default_factory=list)
    evidence: list[str] = field(default_factory=list)
    llm_calls: int = 0
    tokens: int = 0


class QaTask:
    """The task; see the module's text.

    Args:
        interpreter: reads questions.
        retriever: finds evidence.
        lines: questions as `read_items` gives them.
        arms: names of those that answer.
        model: chooses the answers, when given.

    Raises:
        ClewError: BAD_INPUT for an arm that there is not.
    """

    name = "qa"

    def __init__(
        self,
        interpreter: Interpreter,
        retriever: Retriever,
        lines: Lines,
        *,
        arms: Sequence[str] = ARMS,
        model: ChatModel | None = None,
    ) -> None:
        self.lines = lines
        self.model = model
        self.listener = Listener(interpreter)
        self.strategies = Strategies(retriever).by_name
        self.chosen = tuple(dict.fromkeys(arms))
        self._hear = lru_cache(maxsize=None)(self.listener.hear)
        self._lacks = lru_cache(maxsize=None)(self._missing)
        unknown = [name for name in self.chosen if name not in self.strategies]
        if unknown or not self.chosen:
            raise ClewError(Code.BAD_INPUT, f"no arm {', '.join(map(repr, unknown))}", choices=ARMS)

    def cases(self) -> Iterator[tuple[int, Item | Problem]]:
        """Questions, those whose gold is not in the graph as a problem too; see `Task.cases`."""
        for number, item in self.lines:
            if isinstance(item, Problem):
                yield number, item
                continue
            try:
                missing = self._lacks(item)
            except ClewError as error:
                yield number, malformed(number, error.cause)
                continue
            if missing:
                cause = f"{item.id}: {missing}"
                yield number, Problem(line=number, reason="gold not in the graph", cause=cause, fatal=False)
            yield number, item

    def arms(self) -> Sequence[Arm[Item]]:
        """The chosen arms, in the order given."""
        return [Arm(name, partial(self._record, name=name)) for name in self.chosen]

    def figures(self, records: Sequence[Record], problems: Sequence[Problem]) -> dict[str, Any]:
        """The object printed last; costs and seconds are means per question.

        Seconds are of retrieving and choosing: interpreting is done once and shared by the arms.
        """
        cases = {record.case: record for record in records}
        kinds = sorted({record.detail["kind"] for record in records})
        return {
            "task": self.name,
            "n": len(cases),
            "guess": round(_mean([record.detail["guess"] for record in cases.values()]), 4),
            "arms": _by_arm(records),
            "kinds": {kind: _by_arm([r for r in records if r.detail["kind"] == kind]) for kind in kinds},
            "degree": _by_degree(records),
            "problems": counted(problems),
        }

    def _missing(self, item: Item) -> str:
        """What the graph lacks of the gold, or nothing."""
        if item.kind == "true/false":
            return "" if self._hear(item).hypotheses else "fewer than two entities of the statement are known"
        return "" if self.listener.entities(item.gold) else item.gold

    def _record(self, item: Item, name: str) -> Record:
        heard = self._hear(item)
        started = time.perf_counter()
        found = Found()
        if item.kind == "entity":
            answer = _Answer(NO_ANSWER) if name == NONE else self._linked(item)
        else:
            found = self.strategies[name](heard)
            answer = self._by_model(item, found, self.model) if self.model else self._by_support(item, found, name)
        ms = (time.perf_counter() - started) * 1000
        return Record(
            case=item.id,
            arm=name,
            group="" if item.kind == "true/false" else item.gold,
            scores={"accuracy": self._share(item, answer.chosen)},
            ms=round(ms, 3),
            detail={
                "kind": item.kind,
                "gold": item.gold,
                "chosen": answer.chosen,
                "outcome": answer.outcome,
                "guess": item.guess,
                "in_graph": not self._lacks(item) and _known(item, heard),
                "degree": heard.rarest,
                "evidence": answer.evidence,
                "rounds": found.rounds,
                "retrieval_queries": found.queries,
                "llm_calls": answer.llm_calls,
                "tokens": answer.tokens,
            },
        )

    def _by_support(self, item: Item, found: Found, name: str) -> _Answer:
        heard = self._hear(item)
        best = found.best()
        evidence = list(dict.fromkeys(i for option in best or found.cited for i in found.cited.get(option, ())))
        if not heard.statement:
            return _Answer(ANSWERED if best else NO_ANSWER, best, evidence)
        if name == NONE or not (heard.hypotheses or name == PRIOR):
            return _Answer(NO_ANSWER)
        return _Answer(ANSWERED, [item.verdict(affirmed=(HOLDS in best) != heard.negated)], evidence)

    def _by_model(self, item: Item, found: Found, model: ChatModel) -> _Answer:
        reply = model.complete(prompt(item, found.pieces))
        option = parse_answer(reply.text, item.options)
        return _Answer(
            UNPARSEABLE if option is None else ANSWERED,
            [] if option is None else [option],
            [i for piece in found.pieces for i in piece.ids],
            llm_calls=1,
            tokens=reply.prompt_tokens + reply.completion_tokens,
        )

    def _linked(self, item: Item) -> _Answer:
        """The conditions that the text names."""
        linked = [topic.id for topic in self._hear(item).question.topics if topic.type in CONDITIONS]
        return _Answer(ANSWERED if linked else NO_ANSWER, linked)

    def _share(self, item: Item, chosen: Sequence[str]) -> float:
        """Expected value of drawing one of what was chosen."""
        if not chosen:
            return 0.0
        if item.kind != "entity":
            return (item.gold in chosen) / len(chosen)
        topics = {topic.id: topic for topic in self._hear(item).question.topics}
        return sum(self.listener.bears(topics[curie], item.gold) for curie in chosen) / len(chosen)


def _known(item: Item, heard: Heard) -> bool:
    """Whether the question's side of the graph is there too."""
    return bool(heard.question.topics) or item.kind == "entity"


def _by_arm(records: Sequence[Record]) -> dict[str, Any]:
    arms = dict.fromkeys(record.arm for record in records)
    without = {r.case: r.scores["accuracy"] for r in records if r.arm == NONE}
    return {arm: _summary([r for r in records if r.arm == arm], without) for arm in arms}


def _summary(records: Sequence[Record], without: dict[str, float]) -> dict[str, Any]:
    hits = [record.scores["accuracy"] for record in records]
    known = [record.scores["accuracy"] for record in records if record.detail["in_graph"]]
    outcomes = [record.detail["outcome"] for record in records]
    worse = [record.scores["accuracy"] < without[record.case] for record in records if record.case in without]
    return {
        "n": len(records),
        "accuracy": round(_mean(hits), 4),
        "standard_error": round(stdev(hits) / sqrt(len(hits)), 4) if len(hits) > 1 else None,
        "answered": outcomes.count(ANSWERED),
        "no_answer": outcomes.count(NO_ANSWER),
        "unparseable": outcomes.count(UNPARSEABLE),
        "in_graph": {"n": len(known), "accuracy": round(_mean(known), 4) if known else None},
        **{cost: round(_mean([record.detail[cost] for record in records]), 3) for cost in _COSTS},
        "seconds_per_question": round(_mean([record.ms for record in records]) / 1000, 4),
        "worse_than_none": round(_mean(worse), 4) if worse else None,
    }


def _by_degree(records: Sequence[Record]) -> dict[str, Any]:
    """Accuracy where the rarest entity of a question has few statements, and many: up to the median, and above."""
    degrees = {r.case: r.detail["degree"] for r in records if r.detail["degree"] is not None}
    if not degrees:
        return {}
    middle = median(degrees.values())
    strata = {
        "low": {case for case, degree in degrees.items() if degree <= middle},
        "high": {case for case, degree in degrees.items() if degree > middle},
    }
    arms = dict.fromkeys(record.arm for record in records)
    return {"median": middle} | {
        stratum: {"n": len(cases)}
        | {
            arm: round(_mean([r.scores["accuracy"] for r in records if r.arm == arm and r.case in cases]), 4)
            for arm in arms
        }
        for stratum, cases in strata.items()
    }


def _mean(values: Sequence[float]) -> float:
    return fmean(values) if values else 0.0
