"""How a ranking of diseases is compared with a case's gold diagnosis.

Gold is matched by id, else by normalised name and accepted synonyms in any language; the rule that matched is kept.
With candidates, exactly those are ranked, shuffled by id first because their order carries no information, and a tie
is averaged; else every disease of the graph competes, and a tie counts as lost.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np

from kg_build.index.columns import Doubles, Ints
from reasoning.diagnosis.case import Case
from reasoning.diagnosis.likelihood import DiagnosisEngine
from reasoning.evaluation.metrics import pessimistic_rank, tied_hits

Resolver = Callable[[str], Iterable[str]]
"""A disease name -> CURIEs of the diseases that bear it, as label or accepted synonym, in any language."""


@dataclass
class Outcome:
    """A case's ranking against its gold.

    Attributes:
        gold: diseases of the graph that are right.
        matched_by: `id`, `same_as`, `name` or `none`.
        covered: whether a gold disease has a positive phenotype left.
        span: first and last rank that ties allow; infinite when gold is not ranked.
        top: the ten best, with scores.
        confidence: probability of the first.
        right: whether the first is gold, alone.
    """

    gold: list[str]
    matched_by: str
    covered: bool
    span: tuple[float, float] = (float("inf"), float("inf"))
    top: list[tuple[str, float]] = field(default_factory=list)
    confidence: float = 0.0
    right: bool = False


@dataclass(frozen=True)
class Ranking:
    """What an arm says of all diseases: scores, the same with -inf where a twin is listed, and under whom."""

    scores: Doubles
    listed: Doubles
    place: Ints


class Gold:
    """Compares rankings with gold diagnoses."""

    def __init__(self, engine: DiagnosisEngine, resolve: Resolver | None = None) -> None:
        self.engine = engine
        self.resolve = resolve or label_resolver(engine)

    def listed(self, scores: Doubles) -> Ranking:
        """Scores with OMIM and ORPHA entries of one disease listed once."""
        place = self.engine.listed_under(scores)
        return Ranking(scores, np.where(place == np.arange(len(place)), scores, -np.inf), place)

    def find(self, case: Case) -> tuple[list[str], str]:
        """The gold diseases of the graph, and the rule that found them: `id`, `name` or `none`."""
        index = self.engine.matrix.disease_index
        by_id = [curie for curie in case.gold_ids if curie in index]
        if by_id:
            return by_id, "id"
        named = {c: None for label in case.gold_labels for c in self.resolve(label) if c in index}
        return list(named), "name" if named else "none"

    def positions(self, case: Case) -> list[int]:
        """Where the gold diseases stand in the matrix."""
        return [self.engine.matrix.disease_index[curie] for curie in self.find(case)[0]]

    def compare(self, case: Case, ranking: Ranking, chances: Doubles) -> Outcome:
        """What became of the gold of a case in a ranking.

        Args:
            case: with its gold.
            ranking: of all diseases.
            chances: probability of each listed disease.
        """
        gold, rule = self.find(case)
        positions = [self.engine.matrix.disease_index[curie] for curie in gold]
        covered = bool(positions) and bool(np.isfinite(ranking.scores[positions]).any())
        if rule == "id" and covered and not case.candidates and not np.isfinite(ranking.listed[positions]).any():
            rule = "same_as"
        outcome = Outcome(gold, rule, covered)
        if case.candidates:
            self._among_candidates(case, outcome, ranking.scores)
        else:
            self._among_all(outcome, ranking.listed, chances, sorted({int(ranking.place[d]) for d in positions}))
        return outcome

    def _among_all(self, outcome: Outcome, scores: Doubles, chances: Doubles, gold: list[int]) -> None:
        rank = pessimistic_rank(scores, gold)
        best = np.argsort(-scores, kind="stable")[:10]
        outcome.span = (rank, rank)
        outcome.top = [(self.engine.matrix.diseases[d], float(scores[d])) for d in best if np.isfinite(scores[d])]
        outcome.confidence, outcome.right = float(chances.max(initial=0.0)), rank == 1

    def _among_candidates(self, case: Case, outcome: Outcome, scores: Doubles) -> None:
        """Rank the named candidates only; one that the graph does not know comes last."""
        index = self.engine.matrix.disease_index
        names = sorted(case.candidates, key=lambda name: blake2b(f"{case.id}\x1f{name}".encode()).digest())
        wanted = {normalise(label) for label in case.gold_labels} | set(case.gold_ids)
        found = [[index[c] for c in self._ids(name) if c in index] for name in names]
        known = np.array([max((scores[i] for i in ids), default=-np.inf) for ids in found])
        known = np.where(np.isfinite(known), known, np.min(known[np.isfinite(known)], initial=0.0) - 1e6)
        gold = [
            i
            for i, name in enumerate(names)
            if normalise(name) in wanted or name in wanted or set(outcome.gold) & set(self._ids(name))
        ]
        order = np.argsort(-known, kind="stable")[:10]
        outcome.top = [(names[i], float(known[i])) for i in order]
        if gold:
            outcome.span = tied_hits(known, gold)
            outcome.right = bool(outcome.span[1] == 1)
        outcome.confidence = float(self.engine.probabilities(known).max(initial=0.0))

    def _ids(self, name: str) -> list[str]:
        return [name, *self.resolve(name)]


def label_resolver(engine: DiagnosisEngine) -> Resolver:
    """Finds diseases by their normalised labels."""
    by_name: dict[str, list[str]] = {}
    for curie, label in zip(engine.matrix.diseases, engine.matrix.disease_labels, strict=True):
        by_name.setdefault(normalise(label), []).append(curie)
    return lambda name: by_name.get(normalise(name), [])


def normalise(name: str) -> str:
    """A name without case, width, punctuation and spacing differences."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return " ".join("".join(c if c.isalnum() else " " for c in folded).split())
