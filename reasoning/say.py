"""Chains and communities in words: a clause for each statement, made with the sentence templates of the ontology file.

Every clause cites its statement. What is said over two steps is called indirect, and how many independent ways lead to
it is said beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ontology.reading.terminology import Terminology
from ontology.schema import Domain, Lang, Side
from reasoning.cite import Verifier
from reasoning.draft import Citation, Draft, Sentence
from retrieval.answers import CHAINS, TypedAnswer
from retrieval.communities import Member, Summary
from retrieval.paths import Chain, Node
from retrieval.question import Question, SubQuestion


def names_of(terminology: Terminology, curie: str, lang: Lang) -> list[str]:
    """Labels, then exact synonyms, of an entity in a language."""
    senses = [s for s in terminology.by_id(curie) if s.lang == lang and s.kind in ("label", "exact")]
    return [s.text for s in sorted(senses, key=lambda s: s.kind != "label")]


@dataclass(frozen=True)
class Teller:
    """Says chains and communities for a question, in its language.

    Attributes:
        terminology: says what entities are called.
        verifier: knows which statements the release has.
        domain: has the sentence templates.
        question: as interpreted; an entity of it without a name in its language is called as the question calls it.
    """

    terminology: Terminology
    verifier: Verifier
    domain: Domain
    question: Question

    @property
    def lang(self) -> Lang:
        """The language of the question."""
        return self.question.lang

    def indirect(self, sub: SubQuestion, answers: Sequence[TypedAnswer], draft: Draft) -> None:
        """A sentence for each answer: its best chain, and how many independent ones there are."""
        for answer in answers:
            chain = answer.chains[0]
            if not self._holds([chain], draft):
                continue
            cited = [self._clause(chain, at, draft) for at in range(len(chain.edges))]
            clauses = ("；" if self.lang == "zh" else "; ").join(f"{words} [{number}]" for words, number in cited)
            name, ways = self._name(answer.node), answer.support.nodes
            text = {
                "en": f"Indirectly, in {len(cited)} steps, {name}: {clauses}. {_ways_en(ways)}",
                "zh": f"间接证据（{len(cited)}步）指向{name}：{clauses}。{_ways_zh(ways)}",
            }[self.lang]
            draft.sentences.append(Sentence(text, sub.text, tuple(number for _, number in cited)))

    def community(self, summary: Summary, draft: Draft) -> None:
        """What a community consists of, then its statements, or what a model wrote of them."""
        members = [member for member in summary.members if self._holds([member.statement], draft)]
        statements = [chain for chain in summary.statements if self._holds([chain], draft)]
        first = len(draft.citations) + 1
        if members:
            draft.sentences.append(self._membership(summary, members, draft))
        if not summary.written:
            for group in _grouped(statements):
                self._state(group, draft)
            return
        for chain in statements:
            self._clause(chain, 0, draft)
        if numbers := tuple(range(first, len(draft.citations) + 1)):
            lead = {"en": "A model's summary of these statements: ", "zh": "模型对这些陈述的概括："}[self.lang]
            marks = "".join(f"[{number}]" for number in numbers)
            draft.sentences.append(Sentence(f"{lead}{summary.written} {marks}", self.question.text, numbers))

    def _membership(self, summary: Summary, members: Sequence[Member], draft: Draft) -> Sentence:
        cited = [(self._name(member.node), self._clause(member.statement, 0, draft)[1]) for member in members]
        parts = ("、" if self.lang == "zh" else ", ").join(f"{name} [{number}]" for name, number in cited)
        text = {
            "en": f"{summary.topic.label} is in a community of {summary.size} entities; best connected there: {parts}.",
            "zh": f"{summary.topic.label}所在的群体有{summary.size}个实体，其中联系最多的有：{parts}。",
        }[self.lang]
        return Sentence(text, self.question.text, tuple(number for _, number in cited))

    def _state(self, group: Sequence[Chain], draft: Draft) -> None:
        """One sentence for statements that say the same of the same entity."""
        numbers = [self._clause(chain, 0, draft)[1] for chain in group]
        named = [f"{self._name(chain.nodes[1])} [{number}]" for chain, number in zip(group, numbers, strict=True)]
        others = ("、" if self.lang == "zh" else ", ").join(named)
        end = "。" if self.lang == "zh" else "."
        text = self._said(group[0], 0, others) + end
        draft.sentences.append(Sentence(text, self.question.text, tuple(numbers)))

    def _holds(self, chains: Sequence[Chain], draft: Draft) -> bool:
        """Whether the release has every statement; those that it has not are counted."""
        missing = sum(not self.verifier.statement(edge.assertion) for chain in chains for edge in chain.edges)
        draft.removed += missing
        return not missing

    def _clause(self, chain: Chain, at: int, draft: Draft) -> tuple[str, int]:
        """One statement of a chain in words, and the number of its citation."""
        words = self._said(chain, at, self._name(chain.nodes[at + 1]))
        edge, number = chain.edges[at], len(draft.citations) + 1
        sources = tuple(dict.fromkeys(row.source for row in edge.evidence))
        references = tuple(dict.fromkeys(cited for row in edge.evidence for cited in row.references))
        draft.citations.append(
            Citation(number, "statement", edge.assertion, words, sources, references, cypher=chain.cypher)
        )
        return words, number

    def _said(self, chain: Chain, at: int, others: str) -> str:
        """A statement, read from its left end, without the stop at its end."""
        edge, entity = chain.edges[at], self._name(chain.nodes[at])
        predicate = self.domain.predicates[edge.predicate]
        side: Side = "subject" if edge.forward else "object"
        template = predicate.say.get(side)
        if template is None:
            name = predicate.zh if self.lang == "zh" else predicate.en
            return f"{entity} — {name} — {others}" if edge.forward else f"{others} — {name} — {entity}"
        return template[self.lang].format(entity=entity, others=others).rstrip(".。")

    def _name(self, node: Node) -> str:
        asked = [topic.label for topic in self.question.topics if node.id in dict(topic.group)]
        return [*names_of(self.terminology, node.id, self.lang), *asked, node.name][0]


def _grouped(statements: Sequence[Chain]) -> list[list[Chain]]:
    """Statements with the same entity, predicate and direction together, in the order of the first of each."""
    groups: dict[tuple[str, str, bool], list[Chain]] = {}
    for chain in statements:
        groups.setdefault((chain.nodes[0].id, chain.edges[0].predicate, chain.edges[0].forward), []).append(chain)
    return list(groups.values())


def _ways_en(ways: int) -> str:
    least = "at least " if ways >= CHAINS else ""
    return f"{least}{ways} independent {'chain leads' if ways == 1 else 'chains lead'} there.".capitalize()


def _ways_zh(ways: int) -> str:
    return f"有{'至少' if ways >= CHAINS else ''}{ways}条独立的证据链。"
