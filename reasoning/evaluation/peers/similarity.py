"""The peer `hpo3`: semantic similarity of HPO term sets, as pyhpo and hpo3 compute it.

A disease is the set of the findings that the release states of it, a case the set of its observed findings; the
score is Resnik's similarity with information content over OMIM, combined as funSimAvg. The ontology is the one that
hpo3 carries (it may be of another date than the release); the annotations are the release's own, so that the case's
publications can be hidden from it as from us. Excluded findings and frequencies have no place in it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from kg_build.index.columns import Floats, Ints
from reasoning.diagnosis.case import Case
from reasoning.diagnosis.likelihood import DiagnosisEngine
from reasoning.diagnosis.view import View


class HpoSimilarity:
    """What is announced as a peer."""

    contract = 1
    task = "diagnosis"
    extra = "clew[eval]"

    def open(self, subject: DiagnosisEngine) -> OpenedSimilarity:
        """The similarity over the annotations of a release; loads the ontology."""
        return OpenedSimilarity(subject)


class OpenedSimilarity:
    """Ranks the diseases of one release."""

    name = "hpo3"

    def __init__(self, engine: DiagnosisEngine) -> None:
        import pyhpo  # noqa: PLC0415  (of the extra `eval`)
        from pyhpo import helper  # noqa: PLC0415

        pyhpo.Ontology()
        self._pyhpo, self._helper = pyhpo, helper
        self._known = {term.id for term in pyhpo.Ontology}
        self._matrix = engine.matrix
        whole = View(engine.matrix)
        self._sets = {d: found for d in range(len(engine.matrix.diseases)) if (found := self._annotated(whole, d))}
        # A case is asked about twice, with all evidence and with some hidden: few diseases differ.
        self._of_all = lru_cache(maxsize=None)(lambda observed: self._similarities(observed, self._sets.values()))

    def scores(self, case: Case, hidden: Collection[str]) -> Mapping[str, float]:
        """Similarity of each annotated disease to the case, as if the hidden references did not exist."""
        observed = frozenset(finding.id for finding in case.findings if not finding.excluded)
        changed = self._changed(hidden)
        left = {disease: found for disease, found in changed.items() if found is not None}
        scores = dict(zip(self._sets, self._of_all(observed).tolist(), strict=False))  # none for an empty case
        scores |= dict(zip(left, self._similarities(observed, left.values()).tolist(), strict=False))
        return {self._matrix.diseases[d]: value for d, value in scores.items() if d in left or d not in changed}

    def _similarities(self, observed: frozenset[str], sets: Iterable[Any]) -> Floats:
        """Similarity of each set to the observed findings; none when the ontology has none of these."""
        case, pairs = self._set(observed), []
        if case is not None:
            pairs = [(case, found) for found in sets]
        values = self._helper.batch_set_similarity(pairs, kind="omim", method="resnik", combine="funSimAvg")
        return np.array(values, dtype=np.float32)

    def _changed(self, hidden: Collection[str]) -> dict[int, Any]:
        """The sets of diseases from which something is hidden."""
        if not hidden:
            return {}
        view = View(self._matrix, hidden)
        gone, _ = self._matrix.rows_citing(frozenset(hidden))
        touched: Ints = np.unique(self._matrix.rows.disease[gone])
        return {int(disease): self._annotated(view, int(disease)) for disease in touched}

    def _annotated(self, view: View, disease: int) -> Any:
        rows = self._matrix.rows.take(view.rows_of(disease))
        return self._set({self._matrix.findings[f] for f in rows.finding[~rows.negated]})

    def _set(self, curies: Collection[str]) -> Any:
        """An HPO set of those terms that the ontology has; None when it has none of them."""
        terms = sorted(self._known.intersection(curies))
        return self._pyhpo.HPOSet.from_queries(terms) if terms else None


PEER = HpoSimilarity()
