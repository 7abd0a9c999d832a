"""The task `retrieval`: whether the documents that answer a question are found.

Arms are the system's own channels, each alone, and what it makes of all of them, over a corpus that is searched as a
release is: `hybrid` is the preset `default`, others go by their names, and `hybrid - graph` or `ihrag - routing` is a
preset without one of its components. The words of the lexical channel are those of the question and the names that its
topics have in the other language, as in the system; the peer `bm25s` has the question's words only.

A document is ranked by its best passage; recall is given at 100. Only gold that the corpus holds is asked for, because
nobody can find the rest; it is named as a problem, and a question is not counted when none is left. Equal scores keep
the order in which the system gives them.

Beside the means of the arms stands what fusing them is worth, with intervals (`contrasts`), and all of it for questions
of one sort (`strata`).

A question may name documents that nobody judged (`unjudged`): they may well be right, so they are taken out of a
ranking before it is judged, as if they were not in the corpus (condensed lists: Sakai 2007).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, Any, Final, Protocol

import ir_measures
from ir_measures import RR, R, nDCG
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from ontology.errors import ClewError, Code, nearest
from ontology.reading.text import language
from reasoning.evaluation.lines import read_cases
from reasoning.evaluation.record import Problem, Record
from reasoning.evaluation.retrieval.contrasts import against_best, contrasts
from reasoning.evaluation.retrieval.corpus import Corpus, CorpusIndex, Inked
from reasoning.evaluation.retrieval.strata import STRATA, best_degree, strata_of, thirds
from reasoning.evaluation.task import Arm, counted, mean_scores
from retrieval.hit import CHANNELS
from retrieval.preset import Preset, load_preset, preset_names
from retrieval.question import Question

DEPTH: Final = 100
"""Passages taken from every channel, and documents that count."""

HYBRID: Final = "hybrid"
ARMS: Final = (*CHANNELS, HYBRID)
"""The arms that are measured when nothing is said."""

MEASURES: Final[Mapping[str, Any]] = {
    "recall@10": R @ 10,
    "recall@100": R @ 100,
    "ndcg@10": nDCG @ 10,
    "mrr@10": RR @ 10,
}

_OF_STRATA: Final = ("ndcg@10", "recall@10")
"""Measures whose intervals are given for every stratum."""

Interpret = Callable[[str], Question]


class RetrievalCase(BaseModel):
    """A line of a question file; further fields are ignored.

    Attributes:
        id: of the question.
        question: as asked.
        gold_docs: ids of the documents that answer it, each once.
        kind: questions of one kind are summed up by themselves.
        group: what questions that hang together share.
        unjudged: ids of documents that are neither right nor wrong; see the module's text.
    """

    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True)

    id: Inked
    question: Inked
    gold_docs: Annotated[list[Inked], Field(min_length=1), AfterValidator(lambda ids: list(dict.fromkeys(ids)))]
    kind: str = ""
    group: str = ""
    unjudged: frozenset[str] = frozenset()


Lines = Iterable[tuple[int, RetrievalCase | Problem]]


class SearchPeer(Protocol):
    """Another way to search a corpus."""

    name: str

    def search(self, question: str, limit: int) -> list[tuple[str, float]]:
        """At most `limit` documents with their scores, best first."""
        ...


class RetrievalTask:
    """The task; see the module's text.

    Args:
        lines: questions as `read_questions` gives them.
        corpus: what is searched.
        index: the channels over it.
        interpret: reads a question.
        arms: of `ARMS`.
        peers: measured beside them.
    """

    name = "retrieval"

    def __init__(
        self,
        lines: Lines,
        corpus: Corpus,
        index: CorpusIndex,
        interpret: Interpret,
        *,
        arms: Sequence[str] = ARMS,
        peers: Sequence[SearchPeer] = (),
    ) -> None:
        self._lines = lines
        self._corpus = corpus
        self._index = index
        self._interpret = interpret
        self._arms = arms
        self._peers = peers
        self._sorts: dict[str, dict[str, Any]] = {}

    def cases(self) -> Iterator[tuple[int, RetrievalCase | Problem]]:
        """The problems of the corpus, then the questions; see `Task.cases`."""
        yield from ((problem.line, problem) for problem in self._corpus.problems)
        for number, case in self._lines:
            if isinstance(case, RetrievalCase) and (absent := [d for d in case.gold_docs if d not in self._corpus.ids]):
                cause = f"{case.id}: {', '.join(absent)}"
                yield number, Problem(line=number, reason="gold not in the corpus", cause=cause, fatal=False)
            yield number, case

    def arms(self) -> Sequence[Arm[RetrievalCase]]:
        """The channels and their fusion, then the peers."""
        own = [Arm(name, partial(self._answer, arm=name)) for name in self._arms]
        return [*own, *(Arm(peer.name, partial(self._by_peer, peer=peer)) for peer in self._peers)]

    def figures(self, records: Sequence[Record], problems: Sequence[Problem]) -> dict[str, Any]:
        """The object of FORMATS; per kind when questions have one; what fusing is worth, overall and per stratum."""
        arms, peers = list(dict.fromkeys(record.arm for record in records)), {peer.name for peer in self._peers}
        first = [record for record in records if record.arm == arms[0]]
        kinds = sorted({record.detail["kind"] for record in first if record.detail["kind"]})
        return {
            "task": self.name,
            "n": len(first),
            "counted": sum(record.counted for record in first),
            "arms": {arm: _summary(records, arm) for arm in arms if arm not in peers},
            "kinds": {kind: {arm: _summary(records, arm, kind) for arm in arms} for kind in kinds},
            "contrasts": contrasts(records, HYBRID, list(MEASURES)),
            "strata": _by_stratum(records, arms),
            "problems": counted(problems),
            "peers": {arm: _summary(records, arm) for arm in arms if arm in peers},
        }

    def _answer(self, case: RetrievalCase, arm: str) -> Record:
        """By a channel or by all; the time includes understanding the question."""
        started = time.perf_counter()
        question, search = self._interpret(case.question), self._index.search
        if arm in CHANNELS:
            alone = search.alone(question, arm, load_preset())
            chunks = [hit.chunk for hit in alone.best(DEPTH)] if alone else []
        else:
            chunks = [passage.chunk for passage in search.ranked(question, preset_of(arm), len(CHANNELS) * DEPTH)]
        ranking = list(dict.fromkeys(self._index.document[chunk] for chunk in chunks))
        return self._judged(case, arm, ranking, started)

    def _by_peer(self, case: RetrievalCase, peer: SearchPeer) -> Record:
        started = time.perf_counter()
        ranking = [document for document, _ in peer.search(case.question, DEPTH)]
        return self._judged(case, peer.name, ranking, started)

    def _judged(self, case: RetrievalCase, arm: str, ranking: Sequence[str], started: float) -> Record:
        ms = (time.perf_counter() - started) * 1000
        gold = [document for document in case.gold_docs if document in self._corpus.ids]
        judged = [document for document in ranking if document not in case.unjudged][:DEPTH]
        return Record(
            case=case.id,
            arm=arm,
            group=case.group,
            counted=bool(gold),
            scores=rank_scores(judged, gold),
            ms=round(ms, 3),
            detail={"kind": case.kind, "gold": gold, "top": judged[:10], **self._sort(case, gold)},
        )

    def _sort(self, case: RetrievalCase, gold: Sequence[str]) -> dict[str, Any]:
        """The strata of a question, and the degree of its best entity."""
        if case.id not in self._sorts:
            question = self._interpret(case.question)
            strata = strata_of(question, case.kind, {self._langs[document] for document in gold})
            degree = best_degree(question, self._index.search.graph.adjacency)
            self._sorts[case.id] = {"strata": strata, "degree": degree}
        return self._sorts[case.id]

    @cached_property
    def _langs(self) -> dict[str, str]:
        """The language of every document, as it was indexed."""
        return {one.id: language(one.text if one.text.strip() else one.title) for one in self._corpus.documents}


def check_arms(names: Iterable[str]) -> tuple[str, ...]:
    """The arms of these names, each once.

    Raises:
        ClewError: BAD_INPUT for an arm that there is not.
    """
    arms = tuple(dict.fromkeys(name.strip() for name in names))
    for arm in arms:
        if arm not in CHANNELS:
            preset_of(arm)
    return arms


def preset_of(arm: str) -> Preset:
    """The preset of an arm that is no channel: its name, and ` - ` before every component that it goes without.

    Raises:
        ClewError: BAD_INPUT for an arm that there is not.
    """
    name, *without = arm.split(" - ")
    known = [*ARMS, *(one for one in preset_names() if one != "default")]
    if name not in known or name in CHANNELS:
        raise ClewError(Code.BAD_INPUT, f"no arm {arm!r}", choices=nearest(name, known) or known)
    preset = load_preset("default" if name == HYBRID else name)
    for component in without:
        preset = preset.without(component)
    return preset


def read_questions(path: Path, interpret: Interpret) -> Lines:
    """The questions of a file; a line is malformed too when its question cannot be read (longer than is read).

    Raises:
        ClewError: BAD_INPUT when the file cannot be read, EMPTY_INPUT when it holds no line.
    """

    def parse(value: Any) -> RetrievalCase:
        case = RetrievalCase.model_validate(value)
        interpret(case.question)
        return case

    return read_cases(path, parse)


def rank_scores(ranking: Sequence[str], gold: Sequence[str]) -> dict[str, float]:
    """`recall@10`, `recall@100`, `ndcg@10` and `mrr@10` of one ranking, by ir-measures.

    Args:
        ranking: documents, best first, each once.
        gold: the documents that are right, all equally; all zero without any.
    """
    wanted = [ir_measures.Qrel("q", document, 1) for document in gold]
    # Falling scores: equal ones would be put in another order than the system's.
    run = [ir_measures.ScoredDoc("q", document, float(-place)) for place, document in enumerate(ranking)]
    values = {str(m.measure): float(m.value) for m in ir_measures.iter_calc(list(MEASURES.values()), wanted, run)}
    return {name: values.get(str(measure), 0.0) for name, measure in MEASURES.items()}


def _by_stratum(records: Sequence[Record], arms: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The figures of every stratum that a counted question is in."""
    counted_ = [record for record in records if record.counted]
    third = thirds({record.case: record.detail["degree"] for record in counted_})
    found: dict[str, dict[str, Any]] = {}
    for name in STRATA:
        own = [record for record in counted_ if name in record.detail["strata"] or third.get(record.case) == name]
        if own:
            means = {arm: _summary(own, arm) for arm in arms}
            best = against_best(own, HYBRID, _OF_STRATA)
            found[name] = {"n": len({record.case for record in own}), **means, "contrasts": best}
    return found


def _summary(records: Sequence[Record], arm: str, kind: str | None = None) -> dict[str, float]:
    """Means over counted questions, milliseconds over all; for a kind also how many are counted."""
    used = [record for record in records if record.arm == arm and kind in (None, record.detail["kind"])]
    means = mean_scores(used)
    return {
        **({} if kind is None else {"n": sum(record.counted for record in used)}),
        **{name: means.get(name, 0.0) for name in MEASURES},
        "ms_per_query": round(sum(record.ms for record in used) / max(len(used), 1), 3),
    }
