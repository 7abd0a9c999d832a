"""The arms of question answering: ways to find support for answers, after the arms that IHRAG compares.

none      nothing is retrieved
prior     no relation is looked at: the option with the most statements in the graph, whoever was asked about; a
          statement is true unless its wording denies. What an arm has over it, it has from evidence
vector    passages (`passages`)
kg        statements and chains (`graph`)
hybrid    one half of each, always
graphrag  communities (`community`)
ihrag     the router decides: passages alone, or facts of each sub-question of the ontology's decomposition merged
          with passages under an adaptive alpha (`found`); for entities of the question without any evidence a
          second round reads whatever else the graph has of them, down to neighbours and parents (the paper's gap
          expansion)

That the second round also looks for identity was added after results on the true/false set of kg_rag_bench had been
seen: identifiers of the asked entity itself were missed there (three statements).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from reasoning.evaluation.qa.community import CommunitySupport
from reasoning.evaluation.qa.found import Found, adaptive_alpha, merge
from reasoning.evaluation.qa.graph import GraphSupport, Link, summed
from reasoning.evaluation.qa.heard import HOLDS, Heard
from reasoning.evaluation.qa.passages import PassageSupport
from retrieval.complexity import route
from retrieval.decompose import decompose
from retrieval.preset import load_preset
from retrieval.question import SubQuestion, Topic
from retrieval.retrieve import Retriever

NONE: Final = "none"
PRIOR: Final = "prior"
_DEFAULT: Final = load_preset()


@dataclass(frozen=True)
class Strategies:
    """The arms over one release."""

    retriever: Retriever

    @cached_property
    def by_name(self) -> Mapping[str, Callable[[Heard], Found]]:
        """Every arm, in the order in which they are reported."""
        return {
            NONE: lambda _: Found(),
            PRIOR: self._prior,
            "vector": self._passages.find,
            "kg": self._graph.find,
            "hybrid": lambda heard: merge(self._passages.find(heard), self._graph.find(heard), 0.5),
            "graphrag": self._communities.find,
            "ihrag": self._ihrag,
        }

    @cached_property
    def _passages(self) -> PassageSupport:
        return PassageSupport(self.retriever)

    @cached_property
    def _graph(self) -> GraphSupport:
        return GraphSupport(self.retriever.graph.adjacency, self.retriever.store, self.retriever.domain)

    @cached_property
    def _communities(self) -> CommunitySupport:
        return CommunitySupport(self.retriever.graph.adjacency, self.retriever.store)

    def _prior(self, heard: Heard) -> Found:
        if heard.statement:
            return Found({HOLDS: 1.0})
        degree = self.retriever.graph.adjacency.degree
        return Found({name: float(max(map(degree, h.entities), default=0)) for name, h in heard.hypotheses.items()})

    def _ihrag(self, heard: Heard) -> Found:
        vector = self._passages.find(heard)
        if route(heard.question, _DEFAULT.values.router) == "passages":
            return vector
        graph = self._decomposed(heard)
        return merge(vector, graph, adaptive_alpha(vector, graph))

    def _decomposed(self, heard: Heard) -> Found:
        """Facts of each sub-question, and a second round for the entities that have none of any answer."""
        subs = decompose(heard.question, self.retriever.domain, _DEFAULT.values.decomposition)
        links: dict[tuple[str, str], Link] = {}
        for sub in subs:
            for key, link in self._facts(sub, heard).items():
                links[key] = max(link, links.get(key, Link()), key=lambda found: found.score)
        for topic in heard.question.topics:
            for name, hypothesis in heard.hypotheses.items():
                if denied := self._graph.denied(topic, hypothesis.entities):
                    links[topic.id, name] = denied
        gaps = [t for t in heard.question.topics if not any((t.id, name) in links for name in heard.hypotheses)]
        for topic in gaps:
            self._second_round(topic, heard, links)
        by_name = {name: [link for (_, n), link in links.items() if n == name] for name in heard.hypotheses}
        return summed(by_name, queries=len(subs) + len(gaps), rounds=2 if gaps else 1)

    def _facts(self, sub: SubQuestion, heard: Heard) -> dict[tuple[str, str], Link]:
        """What the facts of a sub-question say of each hypothesis."""
        links = {}
        ((_, facts),) = self.retriever.graph.facts([sub])
        for name, hypothesis in heard.hypotheses.items():
            fact = max((f for f in facts if f.other in hypothesis.entities), key=lambda f: f.trust, default=None)
            if fact is not None:
                ends = (sub.topic.label, fact.other_name)
                subject, object_ = ends if sub.property.side == "subject" else ends[::-1]
                piece = self._graph.piece(subject, sub.property.predicate, object_, fact.assertion)
                links[sub.topic.id, name] = Link(fact.trust, (piece,))
        return links

    def _second_round(self, topic: Topic, heard: Heard, links: dict[tuple[str, str], Link]) -> None:
        for name, hypothesis in heard.hypotheses.items():
            link = self._graph.link(topic, hypothesis.entities, heard)
            if link.score:
                links[topic.id, name] = link
