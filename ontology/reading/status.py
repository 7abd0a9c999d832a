"""What a text says about a finding it mentions: there, not there, uncertain, of a relative, past, supposed.

The idea is that of NegEx (Chapman et al. 2001) and ConText (Harkema et al. 2009): a phrase gives a status to the
findings after it or before it in the same sentence, until something ends its reach. The phrases of both languages are
in `status_en.yaml` and `status_zh.yaml`; how far they reach is here, and our own:

* A phrase before the findings reaches on through a list. In English a comma does not end it, but a finding behind the
  comma that has a predicate of its own (`no fever, cough persists`) is out of reach. In Chinese a comma ends it unless
  what follows is nothing but a finding (`无发热，咳嗽，咳痰`), without a site or degree (`无咳嗽，双下肢水肿`). A
  relative is spoken of until somebody else is. A new phrase behind a comma takes the old one's place.
* An English list of findings that have each a negation of their own ends at one that has none (`no effusion, no
  crepitus, ptosis`), unless an `or` is to come.
* A phrase after the findings reaches back to the comma, and over a list that is joined by an `and` of its own. That
  something is over, or ruled out, is said of the last finding before it, whatever lies between.
* Each Chinese finding is read as if it were the only one: with a dictionary's own mentions, which are too many or too
  few, that is better than reading them together (.96 and .99 instead of .93 and .97 on the sentences that were learnt
  from). What its neighbours would tell is told by what is around them: a field or a box of a form is read by itself
  (`ontology.reading.fields`), a phrase that begins its clause is of the words behind it (`首先须鉴别夹层，其次…`),
  one with a name right before it is not of what is behind the comma (`胃癌，肝转移经CT排除`), and a negation ends at a
  clause with a site or a predicate, known or not, at `等`, and at the comma behind a list that is joined by `、`.
  In English reading them together is better both ways. That a Chinese finding might better be read by itself was first
  seen in the figures of the sealed sentences; the choice rests on the others, but the sealed ones are not blind to it.
* Two negations without a finding between them cancel (`并非没有疼痛`).
* What has gone is absent; what has gone and is told of a former time is historical.

Why not a maintained implementation: on the 164 English sentences that the phrases were developed on, ConText (medSpaCy
1.3.1) is right about .51 of the findings with F1 .57 of `absent`, NegEx (negspaCy 1.1.0) .48 and .59; the phrases that
were here before anybody had seen those sentences, .65 and .72. `scripts/compare_status` measures it on any file. Both
read English only and bring spaCy, in versions that exclude each other.

English at first sight: of four batches of 80 sentences by another author, each measured before anybody looked at it and
before the phrases learnt from it, the reader was right about .91, .90, .87 and .91 of the findings, with F1 .93, .97,
.92 and .96 of `absent`. On all four together, after that, .994 and .996: what was learnt, not what to expect.

How it does on sentences it has not seen: a second author's Chinese sentences came in four parts, each measured before
the phrases were worked on with it. Accuracy and F1 of `absent` at first sight were .890 and .923, .902 and .945, .939
and .975, .924 and .947; on the last three together .922, where the phrases of before had .918. A sentence that is
missed is mostly one with a phrase of its own, so a list of phrases gains slowly. Afterwards all four are known, and
what is measured on them (`zh.more`) is no measure of what is unseen. Three batches of sentences with long lists, forms
and mixed statuses (205, 180 and 137 findings, by the author of the rules, so an easy test) were read at .863, .894 and
.956 at first sight, each before it was learnt from.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from ontology.reading.codes import CJK
from ontology.reading.fields import field_around
from ontology.reading.linker import Link
from ontology.reading.near import Near
from ontology.reading.text import language, sentences
from ontology.reading.triggers import COMMAS, STOPS, Trigger, Unit, find_triggers, is_edge, is_stated, units_of
from ontology.schema import Lang

Status = Literal["present", "absent", "uncertain", "family", "historical", "hypothetical"]
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Reading:
    """A mention and what the text says about it.

    Attributes:
        link: the mention.
        status: what is said.
        section: kind of the section that it stands in (`ontology.reading.sections`), or empty.
        near: what the English vocabularies have for a Chinese finding, where it was looked for.
    """

    link: Link
    status: Status
    section: str = ""
    near: Near | None = None


def status_of(text: str, start: int, end: int) -> Status:
    """What `text` says about the mention at code points `start` to `end`, from its own sentence alone."""
    return statuses(text, [(start, end)])[0]


def statuses(text: str, spans: Sequence[Span]) -> list[Status]:
    """What `text` says about each of these mentions, given as code points; mentions that overlap share their status."""
    merged = _merged(spans)
    said: list[Status] = []
    for group in _groups(text, merged):
        said.extend(_read(text, group))
    starts = [start for start, _ in merged]
    return [said[bisect_right(starts, start) - 1] for start, _ in spans]


_WINDOW: Final = 300
"""No phrase reaches further than this many code points (our choice), which also keeps the time linear."""

_NEGATIONS_APART: Final[dict[Lang, int]] = {"en": 3, "zh": 1}
"""Units at most between two negations that cancel (our choice)."""

_BARE: Final = frozenset("、 及 和 与 或 以 且 并 等 and or nor / & any , 也 亦 均 都 的".split())
_CLOSING: Final = frozenset("and or nor both all were are 均 皆 都 全 俱".split())
_STATED: Final = ("absent", "uncertain", "family", "historical", "hypothetical", "past", "lasting")
_OVER: Final = ("cured", "gone", "past", "lasting", "excluded")


@dataclass(frozen=True, slots=True)
class _Group:
    """Mentions of a sentence that are near to each other.

    Attributes:
        begin, end: the stretch of text that is read.
        spans: the mentions.
        heading: role of the heading that the stretch stands under, or empty.
    """

    begin: int
    end: int
    spans: list[Span]
    heading: str = ""


@dataclass(slots=True)
class _Scope:
    """A phrase that still reaches on.

    Attributes:
        start: unit.
        clause: number of the clause that it stands in.
        heading: whether it is a heading, which reaches further.
        joined: whether an `and` has followed.
        reached: whether a finding has followed.
        verb: whether it is the negation of a verb, which may be of no finding: `not dilated, fatty liver`.
        repeated: whether each finding so far had a phrase of its own: `no effusion, no crepitus, ptosis`.
    """

    start: int
    clause: int
    heading: bool = False
    joined: bool = False
    reached: bool = False
    verb: bool = False
    repeated: bool = False


@dataclass(slots=True)
class _Mention:
    unit: int
    clause: int
    roles: set[str] = field(default_factory=set)
    crossed: set[str] = field(default_factory=set)


def _merged(spans: Sequence[Span]) -> list[Span]:
    """Spans in order, those that overlap as one."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and (start < merged[-1][1] or start == merged[-1][0]):
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _groups(text: str, spans: Sequence[Span]) -> Iterator[_Group]:
    """Mentions that are read together: the English ones of a sentence; each Chinese one by itself (see above)."""
    bounds = sentences(text)
    starts = [begin for begin, _ in bounds]
    i = 0
    while i < len(spans):
        index = max(bisect_right(starts, spans[i][0]) - 1, 0)
        begin, end = bounds[index] if bounds else spans[i]
        alone = language(text[max(begin, spans[i][0] - _WINDOW) : min(end, spans[i][0] + _WINDOW)]) == "zh"
        j = i + 1
        while not alone and j < len(spans) and spans[j][0] < end and spans[j][0] - spans[j - 1][1] < 2 * _WINDOW:
            j += 1
        first, last = spans[i][0], spans[j - 1][1]
        if index and (mark := _QUERY.search(text, *bounds[index - 1])):
            begin = mark.start()
        if answer := _ANSWER.match(text, end - 1):
            end = answer.end()
        begin, end = min(first, max(begin, first - _WINDOW)), max(last, min(end, last + _WINDOW))
        if alone:
            begin, end = field_around(text, begin, end, first, last)
        yield _Group(begin, end, list(spans[i:j]), _heading(text, bounds, index))
        i = j


def _heading(text: str, bounds: Sequence[Span], index: int) -> str:
    """Role of the heading of the line, where only semicolons lie between it and the sentence."""
    first = index
    while first and index - first < _LINE and text[bounds[first - 1][1] - 1] in ";；":
        first -= 1
    if first == index:
        return ""
    begin, end = bounds[first]
    found = find_triggers(units_of(text, begin, min(end, begin + 40), []))
    return next((trigger.role for trigger in found[:1] if trigger.role.startswith("heading")), "")


_OF_THE_COUPLE: Final = re.compile("consanguin|近亲", re.IGNORECASE)
"""What is said of the parents and is the matter with the patient."""

_QUERY: Final = re.compile(r"(?<![^\s:,(])[?？]+\Z")
"""A question mark that stands before a finding, not behind a sentence: `? cauda equina`."""

_ANSWER: Final = re.compile(
    r"[?？]\s*(?:no|nope|none|nil|yes|yep|denied|denies|无|没有?|有|否|不?是|不)(?!\w)", re.IGNORECASE
)
"""A question that is answered at once: `Chest pain? No.`"""

_LINE: Final = 10
"""Sentences that a heading reaches over at most (our choice)."""


def _read(text: str, group: _Group) -> list[Status]:
    units = units_of(text, group.begin, group.end, group.spans)
    lang = language(text[group.begin : group.end])
    reader = _Reader(units, find_triggers(units), lang)
    said = [_resolve(mention.roles) for mention in reader.read(group.heading)]
    return [
        "present" if status == "family" and _OF_THE_COUPLE.search(text, *span) else status
        for status, span in zip(said, group.spans, strict=True)
    ]


def _resolve(roles: set[str]) -> Status:
    """One status of all that reaches a mention: `no family history of seizures` says that nothing is there."""
    past = bool(roles & {"past", "historical"})
    order: tuple[tuple[bool, Status], ...] = (
        ("hypothetical" in roles, "hypothetical"),
        ("absent" in roles, "absent"),
        ("family" in roles, "family"),
        ("cured" in roles or ("gone" in roles and past), "historical"),
        ("gone" in roles, "absent"),
        ("uncertain" in roles, "uncertain"),
        (past and "lasting" not in roles, "historical"),
    )
    return next((status for holds, status in order if holds), "present")


class _Reader:
    """Reads the units of one sentence from left to right.

    Args:
        units: of the sentence.
        triggers: the phrases in it.
        lang: whose commas count.
    """

    def __init__(self, units: Sequence[Unit], triggers: Sequence[Trigger], lang: Lang) -> None:
        self._units = units
        self._at = {trigger.first: trigger for trigger in triggers}
        self._ends = {trigger.last: trigger for trigger in triggers}
        self._in_phrase = [False] * len(units)
        for trigger in triggers:
            self._in_phrase[trigger.first : trigger.last] = [True] * (trigger.last - trigger.first)
        self._chinese = lang == "zh"
        self._apart = _NEGATIONS_APART[lang]
        self._open: dict[str, _Scope] = {}
        self._mentions: list[_Mention] = []
        self._by_unit: dict[int, _Mention] = {}
        self._clause = 0

    def read(self, heading: str) -> list[_Mention]:
        """The findings, each with the roles of all phrases that reach it."""
        if heading:
            self._state(heading.partition("_")[2], Trigger(heading, "before", 0, 0))
        i = 0
        while i < len(self._units):
            trigger = self._at.get(i)
            if trigger is not None:
                self._take(trigger)
                i = trigger.last
                continue
            self._pass(i)
            i += 1
        return self._mentions

    def _pass(self, i: int) -> None:
        """A unit that is of no phrase."""
        unit = self._units[i]
        if unit.finding >= 0:
            self._mention(i)
        elif unit.text in STOPS:
            self._clause += 1
            supposed = self._supposed() if unit.text == ":" else None
            if unit.text != ":" or i not in self._ends:
                self._close(lambda scope: not scope.heading and scope is not supposed)
            if supposed is not None:
                supposed.clause = self._clause
        elif unit.text in COMMAS:
            self._clause += 1
            if self._chinese and (self._closes_list(i) or self._is_statement(i)):
                self._close(lambda scope: not scope.heading, ("absent",))
        elif unit.text in ("and", "so"):
            for scope in self._open.values():
                scope.joined = True

    def _closes_list(self, comma: int) -> bool:
        """Whether a comma ends a negated list: one joined by `、` or ended by `等` (`无皮疹、脱发，口干`)."""
        scope = self._open.get("absent")
        if scope is not None and any(unit.text == "、" for unit in self._units[scope.start : comma]):
            return True
        for j in range(comma - 1, max(comma - _TAIL, -1), -1):
            if self._units[j].text == "等":
                return True
            if self._units[j].text in _BARE or is_edge(self._units, j):
                return False
        return False

    def _is_statement(self, comma: int) -> bool:
        """Whether an unknown clause before a comma says something itself: `无发热，双下肢浮肿，多尿`."""
        j = comma
        while j and comma - j < _AHEAD and not is_edge(self._units, j - 1):
            if self._in_phrase[j - 1] or self._units[j - 1].finding >= 0:
                return False
            j -= 1
        return is_stated("".join(unit.text for unit in self._units[j:comma]))

    def _close(self, ended: Callable[[_Scope], bool], roles: Collection[str] | None = None) -> None:
        self._open = {
            role: scope for role, scope in self._open.items() if not ((roles is None or role in roles) and ended(scope))
        }

    def _supposed(self) -> _Scope | None:
        """What is supposed and still waits for its findings behind a colon: `出现下列情况请返院：高热`."""
        scope = self._open.get("hypothetical")
        return scope if scope is not None and self._chinese and not scope.reached else None

    def _mention(self, i: int) -> None:
        mention = _Mention(i, self._clause)
        bare = not self._chinese or self._is_bare(i)
        for role, scope in self._open.items():
            crossed = scope.clause != self._clause
            if crossed and scope.verb and not scope.reached and self._units[i - 1].text not in ("or", "nor"):
                continue
            if crossed and role == "absent" and self._stands_alone(i, scope):
                continue
            if role == "uncertain" and self._units[i - 1].text in _NAMED:
                continue
            if self._units[i].start - self._units[min(scope.start, i)].end > _WINDOW:
                continue
            if not crossed or bare or scope.heading or (role == "family" and self._chinese):
                mention.roles.add(role)
                if crossed and not scope.heading:
                    mention.crossed.add(role)
            scope.reached = True
        self._mentions.append(mention)
        self._by_unit[i] = mention

    def _stands_alone(self, i: int, scope: _Scope) -> bool:
        """Whether an English finding behind a comma is not of the negated list before it (our choice)."""
        if self._chinese or scope.heading or not (scope.repeated or self._units[i].stated):
            return False
        for j in itertools.chain((i - 1,), range(i + 1, min(i + _AHEAD, len(self._units)))):
            if j in self._at or self._units[j].text in STOPS:
                return True
            if self._units[j].text in ("or", "nor"):
                return False
        return True

    def _is_bare(self, i: int) -> bool:
        """Whether there is nothing in the clause, or in its place in a list, but a finding without a predicate."""
        return not self._units[i].stated and all(
            is_edge(self._units, j)
            or self._units[j].text in _BARE
            or (j < i and (found := self._ends.get(i)) is not None and found.role == "list")
            for j in (i - 1, i + 1)
        )

    def _take(self, trigger: Trigger) -> None:
        role = trigger.role
        if role in ("none", "list"):
            return
        if role == "break":
            self._clause += any(self._units[i].text in COMMAS for i in range(trigger.first, trigger.last))
            relative = self._open.get("family")
            self._close(lambda scope: not scope.heading or "family" in self._open)
            recent = self._chinese and self._units[trigger.first].text in _RECENT
            if recent and relative and not relative.reached and relative.clause == self._clause:
                self._open["family"] = relative
            return
        if role == "report":
            self._close(lambda scope: not scope.heading, ("family",))
            self._new_clause("clause", trigger)
            return
        if role == "subject" and self._chinese:
            self._close(lambda scope: not scope.heading, ("family",))
        if role in ("clause", "subject"):
            self._new_clause(role, trigger)
            return
        before = self._stands_before(trigger)
        if before:
            self._state(role, trigger)
        if not before or trigger.side == "both":
            self._look_back(role, trigger)

    def _stands_before(self, trigger: Trigger) -> bool:
        """Whether a phrase says something of what follows; of a time, what goes before has the first claim."""
        if trigger.side != "either":
            return trigger.side != "after"
        if trigger.role in ("past", "lasting"):
            return not self._before(trigger.first, trigger.role, hop=False)
        begins = is_edge(self._units, trigger.first - 1) or trigger.role in _VERDICTS
        if self._chinese and begins and self._named(trigger.last, trigger.last + 2):
            return True
        return self._finding_follows(trigger.last)

    def _new_clause(self, role: str, trigger: Trigger) -> None:
        """A predicate, or a subject, ends what has had its finding or stands behind a comma."""
        linked = self._units[trigger.first].text in ("and", "but", ",", "，")
        roles = (
            {"absent", "historical"} if role == "clause" else {"absent", "historical", "family", "uncertain", "gone"}
        )
        self._close(
            lambda scope: (
                not scope.heading
                and (linked or scope.reached or scope.clause != self._clause or (role == "subject" and scope.joined))
            ),
            roles,
        )
        self._close(lambda scope: not scope.heading and scope.reached and scope.clause != self._clause)

    def _finding_follows(self, i: int) -> bool:
        """Whether a finding stands behind this position in the clause, before anything else is said."""
        for j in range(i, min(i + _AHEAD, len(self._units))):
            if self._units[j].finding >= 0:
                return True
            if is_edge(self._units, j) or (
                (found := self._at.get(j)) is not None and found.role not in (*_PASSING, "present", "clause")
            ):
                return False
        return False

    def _state(self, role: str, trigger: Trigger) -> None:
        """A phrase that says something of what follows."""
        heading = role.startswith("heading_")
        role = _AS.get(role, role).removeprefix("heading_")
        if heading:
            self._open.clear()
        old = self._open.get(role)
        if role == "absent" and old is not None and self._cancels(old, trigger):
            del self._open[role]
            return
        if role != "lasting":
            self._close(lambda scope: not scope.heading and scope.clause != self._clause and not self._or(trigger))
        if role in ("uncertain", "hypothetical") and not self._chinese and not self._or(trigger):
            self._close(lambda scope: not scope.heading and scope.reached, ("absent",))
        repeated = old is not None and not old.heading and old.reached and old.clause != self._clause
        verb = trigger.last > 0 and self._units[trigger.last - 1].text.endswith(("not", "n't"))
        begins = heading or trigger.first == trigger.last == 0
        self._open[role] = _Scope(trigger.last, self._clause, begins, verb=verb, repeated=repeated)

    def _or(self, trigger: Trigger) -> bool:
        return trigger.first > 0 and self._units[trigger.first - 1].text in ("or", "nor", "或")

    def _cancels(self, old: _Scope, new: Trigger) -> bool:
        if self._units[new.first].text in _BARE:
            return False
        between = new.first - old.start
        return not (old.reached or old.joined or old.heading) and old.clause == self._clause and (
            0 <= between <= self._apart
            and not any(self._units[j].text in _BARE for j in range(old.start, new.first))
        )  # fmt: skip

    def _look_back(self, role: str, trigger: Trigger) -> None:
        """A phrase that says something of what went before."""
        if self._chinese and role == "absent" and trigger.first and self._units[trigger.first - 1].text == "、":
            return
        covered = self._before(trigger.first, role)
        if role == "change":
            for mention in covered:
                if self._units[max(mention.unit - 1, 0)].text in _KNOWN:
                    mention.roles -= {"hypothetical", "uncertain", "absent"}
            return
        if role == "uncertain":
            covered = [mention for mention in covered if not self._is_effect(mention)]
        if self._units[trigger.first].text == "?":
            covered = [mention for mention in covered if not self._presupposed(mention, trigger.first)]
        for mention in covered:
            if (
                role in ("present", "lasting")
                and mention.clause == self._clause
                and (not mention.unit or self._units[mention.unit - 1].text not in ("or", "nor", "或"))
            ):
                mention.roles -= mention.crossed
            if role != "present":
                mention.roles.add(_AS.get(role, role))

    def _presupposed(self, mention: _Mention, mark: int) -> bool:
        """Whether a question takes a finding for given: `Could this rash be measles?`, `Why do I cough?`."""
        if mention.unit and self._units[mention.unit - 1].text in _NAMED:
            return True
        for j in range(mention.unit - 1, max(mark - _AHEAD, -1), -1):
            if self._units[j].text in STOPS:
                return False
            if self._units[j].text in ("why", "how"):
                return True
        return False

    def _is_effect(self, mention: _Mention) -> bool:
        """Whether what is said is of the cause of a finding: `the cause of the fever is uncertain`."""
        at = mention.unit - 1
        if at > 0 and self._units[at].text in _KNOWN:
            at -= 1
        return at > 0 and self._units[at].text == "of" and self._units[at - 1].text in _ASPECTS

    def _before(self, i: int, role: str, *, hop: bool = True) -> list[_Mention]:
        """Findings that a phrase at a position reaches back to."""
        covered: list[_Mention] = []
        j, commas = i - 1 - (i > 0 and self._units[i - 1].text == ":"), 0
        closing = any(unit.text in _CLOSING for unit in self._units[i : i + 4])
        while j >= 0 and i - j < _AHEAD:
            unit = self._units[j]
            found = self._ends.get(j + 1)
            if unit.finding >= 0:
                if covered and role in _OVER and not self._is_joined(j, covered[-1].unit):
                    break
                covered.append(self._by_unit[j])
            elif found is not None:
                if found.role not in _PASSING and (covered or not self._may_pass(found, role, commas)):
                    break
                j = found.first
            elif unit.text in STOPS and (covered or not self._is_topic(j)):
                break
            elif unit.text in COMMAS:
                listed = bool(covered) and closing and self._is_bare(covered[-1].unit) and self._ends_in_finding(j)
                if not (listed or (not covered and self._hops(role, i, j, hop=hop))):
                    break
                commas += 1
            elif unit.text in _CLOSING:
                closing = True
            j -= 1
        return covered

    def _is_joined(self, i: int, k: int) -> bool:
        """Whether two findings are of one list: `nausea and vomiting have resolved`, not `TIA with slurred speech`."""
        return self._chinese or any(self._units[j].text in _BARE for j in range(i + 1, k))

    def _hops(self, role: str, i: int, comma: int, *, hop: bool) -> bool:
        """Whether a phrase at a position looks for its finding behind a comma: `suspected, but not confirmed`."""
        if self._chinese:
            return hop and self._goes_over(role, i, comma)
        if role == "absent":
            return self._units[comma + 1].text in _CONTRASTS
        return hop and role in _OVER and (role != "lasting" or comma == i - 1)

    def _goes_over(self, role: str, i: int, comma: int) -> bool:
        """The same of a Chinese phrase: `咯血、胸痛，均否认`."""
        if role in _OVER:
            return comma == i - 1 or (role != "lasting" and not self._has_subject(i))
        if comma != i - 1:
            return False
        return role == "uncertain" or (role == "absent" and self._sums_up(i))

    def _has_subject(self, i: int) -> bool:
        """Whether a name that is no finding stands between a comma and a phrase: `确诊胃癌，肝转移经CT排除`."""
        j = i
        while j and not is_edge(self._units, j - 1):
            j -= 1
        return self._named(j, i)

    def _named(self, i: int, k: int) -> bool:
        """Whether there is nothing but a name between two positions: characters of no phrase and no circumstance."""
        return k - i > 1 and not any(
            j >= len(self._units)
            or self._in_phrase[j]
            or not _CHARACTER.match(self._units[j].text)
            or self._units[j].text in _CIRCUMSTANCE
            for j in range(i, k)
        )

    def _sums_up(self, i: int) -> bool:
        """Whether the phrase that begins at a position is all of its clause and is said of what is listed before it."""
        trigger = self._at.get(i)
        return trigger is not None and is_edge(self._units, trigger.last) and self._units[i].text in _SUMMING

    def _is_topic(self, colon: int) -> bool:
        """Whether a colon stands right behind a finding that is spoken of: `肠梗阻:未见气液平,可予剔除`."""
        mark = self._units[colon].text == ":" and self._chinese
        return mark and colon > 0 and self._units[colon - 1].finding >= 0

    def _ends_in_finding(self, j: int) -> bool:
        """Whether a clause before a comma may be of a list: it ends in its finding, not in `约1小时`."""
        return not self._chinese or (j > 0 and self._units[j - 1].finding >= 0)

    def _may_pass(self, found: Trigger, role: str, commas: int) -> bool:
        """Whether a phrase of this role looks for its finding behind another one: `was suspected but not confirmed`."""
        if role == "lasting":
            return not commas and found.role in ("historical", "past")
        over = role in _OVER
        if role in _VERDICTS and found.role in ("absent", "present", "clause", "uncertain"):
            return True
        return (
            found.role in ("clause", "subject")
            or (found.role == "present" and not (over and commas))
            or (found.role == "uncertain" and role in ("absent", "cured", "gone"))
            or (found.role in _OVER and over)
            or (found.role == "break" and self._is_low(found, over=over))
        )

    def _is_low(self, found: Trigger, *, over: bool) -> bool:
        """Whether a break is only a `now`, or a `but`, that what is over may be told behind."""
        texts = {unit.text for unit in self._units[found.first : found.last]}
        return texts <= _NO_WALL or (over and texts <= _NO_WALL | COMMAS)


_VERDICTS: Final = ("excluded", "uncertain")
"""What is said of a diagnosis at the end of the reasons for it, behind a comma: `肠梗阻:未见气液平,可予剔除`."""
_AS: Final = {"excluded": "absent"}
_AHEAD: Final = 60
"""Units at most between a phrase and the finding behind or before it (our choice)."""
_TAIL: Final = 6
"""Units at most from the `等` to the end of its clause (our choice)."""
_CHARACTER: Final = re.compile(f"[{CJK}]")
_CIRCUMSTANCE: Final = frozenset(
    "经予后时治用药术服疗检查诊已今现天日月年周前最终家属者医结果复院症状自行曾本当此故据虽又再其该未无不"
)
"""What tells how or when something came about, and is in no name of a finding that it came about with (our choice)."""
_NO_WALL: Final = frozenset("but now currently 但 现 目 今 昨 却 倒 反 则".split())
_CONTRASTS: Final = frozenset(("but", "though", "although"))
_ASPECTS: Final = frozenset(
    "cause causes origin aetiology etiology source reason mechanism nature extent onset".split()
)
_NAMED: Final = frozenset("this these those my his her their your our".split())
_KNOWN: Final = _NAMED | {"the", "that"}
"""What is named with one of these is there before it changes: `if the hernia becomes strangulated`."""
_PASSING: Final = ("none", "list", "past", "lasting", "report", "change")
_RECENT: Final = frozenset("近昨今")
"""What a time begins with that may be one of a relative: `其妻近期确诊流感`."""
_SUMMING: Final = frozenset("均皆都全俱概一统从否尽悉")
"""What a phrase begins with that is said of a list before the comma: `咯血、胸痛,均否认`."""
