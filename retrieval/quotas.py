"""Which passages are kept: quotas for classes of documents, drug registers first, and no more words than can be read.

    half    at most half of the passages from one class, while others are left            (our choice)
    equal   the same number from every class that was found: |S_1| = |S_2| = …            (targeted RAG)

The class of a passage is the kind of its document. Without quotas the largest body of text drowns the others: short
definitions match any question that uses their words. The drug tier comes after all filters and before everything else
(targeted RAG): where a drug is asked about, passages of a drug register come first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final, Literal

from ontology.reading.codes import CJK
from retrieval.journal import Fallen
from retrieval.passage import Passage
from retrieval.question import Question

Quotas = Literal["none", "half", "equal"]

_CHINESE: Final = re.compile(rf"[{CJK}]")

REGISTERS: Final = frozenset({"ema"})
"""Keys of the sources that are registers of authorised drugs."""


def within_quotas(passages: Sequence[Passage], quotas: Quotas, most: int) -> tuple[list[Passage], list[Fallen]]:
    """At most `most` passages, best first.

    Args:
        passages: best first.
        quotas: see the module's text.
        most: passages that are kept.
    """
    classes = len({passage.kind for passage in passages})
    share = {"none": most, "half": (most + 1) // 2, "equal": max(1, most // max(classes, 1))}[quotas]
    counts: Counter[str] = Counter()
    taken: list[Passage] = []
    over: list[Passage] = []
    for passage in passages:
        counts[passage.kind] += 1
        (taken if counts[passage.kind] <= share else over).append(passage)
    chosen = taken[:most]
    if quotas != "equal":  # what the others leave free is filled; equal numbers are equal
        chosen += over[: most - len(chosen)]
    ids = {passage.chunk for passage in chosen}
    cut = min((passage.score for passage in chosen), default=0.0)
    fallen = [_fallen(passage, cut, quotas, share) for passage in passages if passage.chunk not in ids]
    return [passage for passage in passages if passage.chunk in ids], fallen


def _fallen(passage: Passage, cut: float, quotas: Quotas, share: int) -> Fallen:
    full = passage.score >= cut and quotas != "none"
    reason = f"{share} of the kind {passage.kind} are better" if full else "others are better"
    return Fallen(passage.chunk, passage.score, cut, reason)


def asks_about_drugs(question: Question) -> bool:
    """Whether a question is about a drug, or asks what treats something."""
    drugs = ("Drug", "DrugClass")
    return any(
        topic.type in drugs or any(item.predicate in ("treats", "interacts_with") for item in topic.asked)
        for topic in question.topics
    )


def registers_first(passages: Sequence[Passage]) -> list[Passage]:
    """The passages of drug registers, then the others, each in their order."""
    return sorted(passages, key=lambda passage: passage.source not in REGISTERS)


def within_budget(passages: Sequence[Passage], words: int) -> tuple[list[Passage], list[Fallen]]:
    """The first passages that have no more words than a budget together; the first one always stays."""
    kept: list[Passage] = []
    fallen: list[Fallen] = []
    left = words
    for passage in passages:
        length = count_words(passage.text)
        if kept and length > left:
            fallen.append(Fallen(passage.chunk, passage.score, None, f"{length} words more than the budget holds"))
        else:
            kept.append(passage)
            left -= length
    return kept, fallen


def count_words(text: str) -> int:
    """Words of a text, a Chinese character counting as one."""
    return len(_CHINESE.findall(text)) + len(_CHINESE.sub(" ", text).split())
