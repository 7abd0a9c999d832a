"""What the channels are asked: the question, its sentences, or its rationale.

    question     the question as asked
    sentences    each of its sentences by itself (ICA-RAG: every unit is a query)
    rationale    the question and the sub-questions of its entities' properties, in words: what targeted RAG has a
                 model write, and SEMA-RAG's linearised interpretation, from the ontology

Beside these the lexical channel is asked for the names that the entities have in the other language.
"""

from __future__ import annotations

import re
from typing import Final

from ontology.reading.codes import CJK
from ontology.reading.terminology import Terminology
from ontology.reading.text import sentences
from ontology.schema import Domain
from retrieval.decompose import decompose
from retrieval.preset import Values
from retrieval.question import Question

_CHINESE: Final = re.compile(rf"[{CJK}]+")


def wordings(question: Question, values: Values, domain: Domain) -> list[str]:
    """One wording of a question, or several."""
    if values.queries.form == "sentences":
        spans = sentences(question.text)
        return [question.text[start:end] for start, end in spans] or [question.text]
    if values.queries.form == "rationale":
        subs = decompose(question, domain, values.decomposition)
        return [" ".join([question.text, *(sub.text for sub in subs)])]
    return [question.text]


def other_names(question: Question, terminology: Terminology) -> dict[str, str]:
    """Each entity as written in the question, with its name in the other language, where it has one.

    Of Chinese names only what is Chinese in them: their letters and digits stand in English passages too.
    """
    names = {}
    for topic in question.topics:
        senses = [sense for curie, _ in topic.group for sense in terminology.by_id(curie)]
        foreign = [s.text for s in senses if s.lang != question.lang and s.kind in ("label", "exact")]
        if question.lang == "en":
            foreign = [chinese for name in foreign if (chinese := "".join(_CHINESE.findall(name)))]
        if foreign:
            names[topic.text] = foreign[0]
    return names
