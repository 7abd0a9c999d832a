"""Questions for retrieval whose words are not in the passages that answer them, made from the graph.

| kind | asked with | right |
|---|---|---|
| `lay` | a lay term of a finding | passages that mention the finding by another name |
| `zh-en`, `en-zh` | a name in the other language | the article of that entity |
| `alias` | an exact synonym that the article does not have | the article |
| `hop1`, `hop2` | what is one or two links away by stated predicates | the articles of what it leads to |

The wording is ours. A name is asked with only if it names one thing. Each function yields candidates in the order of
the release; which of them become questions is decided in `reasoning.evaluation.retrieval.sets`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.sparse import csr_array

from ontology.reading.codes import CJK
from ontology.schema import Lang, Side
from reasoning.evaluation.retrieval.material import Material

LANGS: Final[tuple[Lang, Lang]] = ("en", "zh")

MOST_ANSWERS: Final = 3
"""Things with an article that a question of the kinds `hop1` and `hop2` leads to (our choice)."""

_EXACT: Final = ("label", "exact")
_WRITTEN: Final[dict[Lang, re.Pattern[str]]] = {
    "en": re.compile(rf"(?=.*[A-Za-z]{{4}})[^{CJK},;:/()\[\]]{{5,60}}"),
    "zh": re.compile(rf"(?!.*本品)(?=.*[{CJK}]{{2}})[^\s,;:/()\[\]，；：（）、—]{{2,20}}"),
}
"""Names as people write them: no inverted headings, no lists, no codes, no sentences of a leaflet (our choice)."""

_ABOUT: Final[dict[Lang, tuple[str, ...]]] = {
    "en": ("What is {}?", "What should one know about {}?", "I would like to read about {}."),
    "zh": ("{}是怎么回事？", "请介绍一下{}。", "想了解{}的医学知识。"),
}
_LAY: Final = ("What does it mean when someone has {}?", "What lies behind {}?", "How do doctors describe {}?")

Step = tuple[str, Side]
"""A predicate, and the side on which the step begins."""


@dataclass(frozen=True)
class Route:
    """From the entity of an article to what is asked with, and how one asks."""

    steps: tuple[Step, ...]
    wording: dict[Lang, str]


_ROUTES: Final[dict[str, tuple[Route, ...]]] = {
    "hop1": (
        Route((("has_phenotype", "subject"),), {"en": "Which disease causes {}?", "zh": "哪种疾病会出现{}？"}),
        Route(
            (("gene_associated_with_condition", "object"),),
            {"en": "Which disease is linked to variants of {}?", "zh": "哪种疾病与基因{}有关？"},
        ),
        Route((("treats", "object"),), {"en": "Which disease is treated with {}?", "zh": "{}用来治疗哪种疾病？"}),
        Route(
            (("has_complication", "subject"),),
            {"en": "Which disease can be complicated by {}?", "zh": "哪种疾病会并发{}？"},
        ),
        Route(
            (("has_complication", "object"),),
            {"en": "Which complication can {} lead to?", "zh": "{}可能引起什么并发症？"},
        ),
    ),
    "hop2": (
        Route(
            (("gene_associated_with_condition", "object"), ("gene_associated_with_condition", "subject")),
            {"en": "Which other disease comes from the same gene as {}?", "zh": "还有哪种疾病与{}由同一基因引起？"},
        ),
        Route(
            (("treats", "object"), ("has_ingredient", "subject")),
            {
                "en": "Which disease is treated with products that contain {}?",
                "zh": "含{}成分的药品用于治疗哪种疾病？",
            },
        ),
        Route(
            (("treats", "object"), ("in_drug_class", "subject")),
            {"en": "Which disease is treated with drugs of the class {}?", "zh": "{}类药物用于治疗哪种疾病？"},
        ),
        Route(
            (("has_phenotype", "subject"), ("subclass_of", "subject")),
            {"en": "Which disease shows a form of {}?", "zh": "哪种疾病会出现某种类型的{}？"},
        ),
        Route(
            (("has_complication", "subject"), ("has_phenotype", "subject")),
            {
                "en": "Which disease has a complication that shows as {}?",
                "zh": "哪种疾病的并发症会表现为{}？",
            },
        ),
    ),
}


@dataclass(frozen=True)
class Candidate:
    """A question that might be asked.

    Attributes:
        kind: see the module's text.
        stratum: candidates of a kind are taken from its strata in turn: source of the article, route.
        asked: the name in the question.
        wordings: the question in one or several wordings, of which one is taken.
        entity: row of what is asked with.
        answers: rows of what the right passages speak of.
        passages: that may be right, if the asked name is not in them.
        whole: whether none of them may have the asked name in it.
    """

    kind: str
    stratum: str
    asked: str
    wordings: tuple[str, ...]
    entity: int
    answers: tuple[int, ...]
    passages: tuple[int, ...]
    whole: bool = False


def candidates(material: Material) -> Iterator[Candidate]:
    """The candidates of all kinds."""
    for kind in (_lay, _across, _aliases, _hops):
        yield from kind(material)


def _lay(material: Material) -> Iterator[Candidate]:
    """Lay terms; right are the English passages that mention the finding."""
    for row, senses in material.names.items():
        for name in _asked(material, row, "en", (s.text for s in senses if s.kind == "lay")):
            passages = [p for p in sorted(material.mentioning(row)) if material.passages[p]["lang"] == "en"]
            stratum = "one passage" if len(passages) == 1 else "several passages"
            yield Candidate("lay", stratum, name, _worded(_LAY, name), row, (row,), tuple(passages))


def _across(material: Material) -> Iterator[Candidate]:
    """Names in the language that the article is not in: the labels first, else exact synonyms."""
    for row, lang, stratum, passages in _articles(material):
        other = LANGS[1 - LANGS.index(lang)]
        for name in _names_of(material, row, other, _EXACT)[:3]:
            kind = f"{other}-{lang}"
            yield Candidate(kind, stratum, name, _worded(_ABOUT[other], name), row, (row,), passages)


def _aliases(material: Material) -> Iterator[Candidate]:
    """Exact synonyms in the language of the article."""
    for row, lang, stratum, passages in _articles(material):
        for name in _names_of(material, row, lang, _EXACT):
            yield Candidate("alias", stratum, name, _worded(_ABOUT[lang], name), row, (row,), passages, whole=True)


def _hops(material: Material) -> Iterator[Candidate]:
    """What is linked with a disease that has an article, where it leads to few of them."""
    diseases = [row for row in material.articles if material.adjacency.type(row) == "Disease"]
    for kind, routes in _ROUTES.items():
        for route in routes:
            for asked, answers in _leading(material, sorted(diseases), route.steps):
                yield from _hop(material, kind, route, asked, answers)


def _hop(material: Material, kind: str, route: Route, asked: int, answers: Sequence[int]) -> Iterator[Candidate]:
    for lang in LANGS:
        passages = sorted({p for row in answers for p in material.about(row, lang)})
        names = _names_of(material, asked, lang, _EXACT)
        if passages and names:
            stratum = f"{'/'.join(predicate for predicate, _ in route.steps)} {lang}"
            wordings = (route.wording[lang].format(names[0]),)
            yield Candidate(kind, stratum, names[0], wordings, asked, tuple(answers), tuple(passages))


def _leading(material: Material, articles: Sequence[int], steps: Sequence[Step]) -> Iterator[tuple[int, list[int]]]:
    """What a route leads to from few articles, with these; not what is the article's own."""
    reached: csr_array = material.group[np.array(articles, dtype=np.int64)]
    for predicate, side in steps:
        reached = reached @ material.link(predicate, side)
    rows, columns = reached.nonzero()
    by_kin: dict[int, set[int]] = defaultdict(set)
    ends: dict[int, set[int]] = defaultdict(set)
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        article, kin = articles[row], int(material.kin[column])
        if int(material.kin[article]) != kin:
            by_kin[kin].add(article)
            ends[kin].add(column)
    for kin, found in sorted(by_kin.items()):
        if len({int(material.kin[row]) for row in found}) <= MOST_ANSWERS:
            yield min(ends[kin]), sorted(found)


def _articles(material: Material) -> Iterator[tuple[int, Lang, str, tuple[int, ...]]]:
    """Each entity with an article and a language of its passages, with their source and the passages."""
    for row, documents in sorted(material.articles.items()):
        for lang in LANGS:
            own = [d for d in documents if material.documents[d]["lang"] == lang]
            if own and (passages := material.about(row, lang)):
                yield row, lang, f"{material.documents[own[0]]['source']} {lang}", tuple(passages)


def _names_of(material: Material, row: int, lang: Lang, kinds: Sequence[str]) -> list[str]:
    """Names of an entity's group in a language that may be asked with, labels first."""
    senses = [s for member in material.members(row) for s in material.names.get(member, ()) if s.lang == lang]
    texts = (s.text for kind in kinds for s in senses if s.kind == kind)
    return _asked(material, row, lang, texts)


def _asked(material: Material, row: int, lang: Lang, texts: Iterable[str]) -> list[str]:
    """Names, each once, that read like names and name only this."""
    kin, written = {int(material.kin[row])}, _WRITTEN[lang]
    chosen = (t for t in dict.fromkeys(texts) if written.fullmatch(t) and material.bearers[t.casefold()] == kin)
    return list(chosen)


def _worded(templates: Sequence[str], name: str) -> tuple[str, ...]:
    return tuple(template.format(name) for template in templates)
