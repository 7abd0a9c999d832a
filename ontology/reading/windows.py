"""Stretches of a text that may name something in words of the writer's own.

English: runs of words between full stops, commas and words that name nothing (`has`, `since`, `reports`), with small
words inside (`pain in the chest`). Chinese: what is left between punctuation once cue words and fillers are taken off
both ends. At most a few stretches come of a clause, so that a page gives some dozens.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from ontology.reading.codes import CJK
from ontology.schema import Lang

Span = tuple[int, int]

_LONGEST_RUN: Final = 7
"""Words of a run; of a longer one its beginning and its end are tried (our choice)."""
_LONGEST_CHINESE: Final = 10
_SHORTEST_CHINESE: Final = 3

_TOKEN: Final = re.compile(r"[A-Za-z][A-Za-z'’\-]*|\d+(?:[.,]\d+)*|[^\sA-Za-z\d]")
_CLAUSE: Final = re.compile(rf"[{CJK}]+")
_INNER: Final = frozenset("of in the on to my his her their a an at up out from around when over under".split())
_EMPTY: Final = frozenset(
    """
about above admitted after again ago all along also although always am an and another any appeared appears are
around as associated at away be became because been before began being below between both boy brother but by came
can cannot child clear could current currently daily daughter day days denied denies deny describes developed did do
does doing done due during each either equal ever every evidence family father few finding findings first following
for found from get gets getting girl given goes going got had has have having he her hers herself him himself his
history hour hours how husband i if in intact into is it its itself just kind known last later left like likely man
may me medication medications might mild minutes moderate month months more morning most mother much my myself never
new next night nl no nor normal normally not note noted notes noticed now of off often old on once one only onset or
other our out over own past patient patients possible prescribed present presented presenting presents previous
prior probable quite rather reactive recent recently regarding regular reported reports result results review right
said same says seems seen severe she should showed shows sign signs since sister so soft some son soon stable
started states still such suddenly symmetric symptom symptoms take takes taking test tests than that the their them
then there these they thing things this those though through time times to today told too took treated treatment
twice under unremarkable until up upon us use used very visit was we week weeks well went were what when where
whether which while who whole whose why wife will with within without woman worse worsening would year years yes
yesterday yet you your
""".split()
)
_FILLER: Final = (
    r"患者|患儿|病人|家属|自诉|诉有|主诉|出现|发现|感觉|觉得|自觉|常有|伴有|伴随|伴|反复|间断|持续|偶有|偶尔|经常|总是|老是|"
    r"近期|近日|最近|目前|现在|今日|昨日|昨天|今天|突然|突发|开始|一直|没有|否认|有时|明显|轻度|中度|重度|轻微|严重|稍|略|较|很|太|"
    r"特别|非常|有点|有些|我|他|她|它|您|的|了|着|过|是|在|和|及|与|或|并|也|又|都|就|还|后|前|时|约|于|无|未|不伴|有|诉|感|因|为|"
    r"[一二三四五六七八九十两几半\d]+(?:余|多)?(?:天|日|周|个?月|年|小时|分钟|次)(?:前|来|余)?"
)
_BEFORE: Final = re.compile(rf"(?:{_FILLER})+")
_NORMAL: Final = re.compile("正常|稳定|对称|光滑|灵敏|通畅|规律|清楚|清晰|良好|柔软|存在|正中")
_AFTER: Final = re.compile(rf"(?:{_FILLER}|等症状|等|症状|表现|情况|感|史)+\Z")


@dataclass(frozen=True, slots=True)
class _Word:
    start: int
    end: int
    text: str


def windows(text: str, spans: Iterable[Span], lang: Lang) -> Iterator[Span]:
    """The stretches of some sentences that may name something, in order; they may overlap.

    Args:
        text: the text.
        spans: of the sentences.
        lang: how the text is read.
    """
    for start, end in spans:
        if lang == "zh":
            yield from _chinese(text, start, end)
        else:
            yield from _english(text, start, end)


def without_filler(text: str, start: int, end: int) -> Span:
    """A Chinese stretch without cue words and fillers at its ends."""
    end = min(end, start + 8 * _LONGEST_CHINESE)
    if before := _BEFORE.match(text, start, end):
        start = before.end()
    if after := _AFTER.search(text[start:end]):
        end = start + after.start()
    return start, end


def _english(text: str, start: int, end: int) -> Iterator[Span]:
    run: list[_Word] = []
    for token in _TOKEN.finditer(text, start, end):
        word = token[0].lower()
        if not token[0][0].isalpha() or (word in _EMPTY and word not in _INNER):
            yield from _of_run(run)
            run = []
        else:
            run.append(_Word(token.start(), token.end(), word))
    yield from _of_run(run)


def _of_run(run: list[_Word]) -> Iterator[Span]:
    """A run without small words at its ends; the beginning and the end of a long one."""
    first, last = 0, len(run)
    while first < last and run[first].text in _INNER:
        first += 1
    while last > first and run[last - 1].text in _INNER and run[last - 1].text not in ("up", "out"):
        last -= 1
    run = run[first:last]
    if not run or sum(word.end - word.start for word in run) < 4:
        return
    if len(run) <= _LONGEST_RUN:
        yield run[0].start, run[-1].end
    if len(run) >= 3:
        for part in (run[: min(len(run) - 1, 4)], run[max(1, len(run) - 4) :]):
            if part[0].text not in _INNER and part[-1].text not in _INNER:
                yield part[0].start, part[-1].end


def _chinese(text: str, start: int, end: int) -> Iterator[Span]:
    for clause in _CLAUSE.finditer(text, start, end):
        begin, stop = clause.span()
        if stop - begin > 4 * _LONGEST_CHINESE:
            continue
        begin, stop = without_filler(text, begin, stop)
        if _SHORTEST_CHINESE <= stop - begin <= _LONGEST_CHINESE and not _NORMAL.search(text, begin, stop):
            yield begin, stop
