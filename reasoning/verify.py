"""Whether evidence supports a claim, refutes it, or leaves it open: by rules that can be read, without a model.

    claim ┐  words in common        ──▶ is the evidence about it?     no  ▶ Neutral
    evidence ┘  cues of either side ──▶ do they say the same of it?   yes ▶ Supports    no ▶ Refutes

About it: the share of the claim's content words that the evidence has (numbers count as words, cues do not: they are
compared apart). Say the same: of the part of the evidence that shares most words with the claim, three things are
compared with the claim, and each that differs turns the answer round: whether it is negated (`no effect`, `不能`), the
direction of change (`increases`, `reduces`, `升高`), and pairs of opposites (`safe`, `harmful`). So `does not reduce`
agrees with `increases`.

After a word of contrast (`however`, `但是`) the author's point follows, so that part is preferred among equals.
All lists are our own, from common knowledge of the two languages; nothing was fitted to data. Rules like these take
questions for statements, do not see who does what to whom, and know no paraphrase: an NLI model would.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from kg_build.index.text import tokens
from ontology.reading.text import sentences

Label = Literal["Supports", "Refutes", "Neutral"]
LABELS: Final[tuple[Label, ...]] = ("Supports", "Refutes", "Neutral")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What evidence says of a claim.

    Attributes:
        label: the label that scores most.
        scores: of each label, in [0, 1], together 1; an order, not a calibrated probability.
        reasons: what was seen, in words.
    """

    label: Label
    scores: Mapping[Label, float]
    reasons: tuple[str, ...]


class ClaimJudge(Protocol):
    """Whatever can judge a claim: these rules, or a model of natural language inference."""

    name: str

    def judge(self, claim: str, evidence: str) -> Verdict:
        """What `evidence` says of `claim`; both may be English or Chinese, and empty."""
        ...


class ClaimVerifier:
    """The rules of the module's text."""

    name = "rules"

    def judge(self, claim: str, evidence: str) -> Verdict:
        """See `ClaimJudge.judge`."""
        wanted = _topic(claim)
        shared = wanted & _topic(evidence)
        about = len(shared) / len(wanted) if wanted else 0.0
        part = _nearest_part(wanted, evidence)
        differences = _differences(_Stance.of(claim), _Stance.of(part))
        turned = len(differences) % 2 == 1
        scores = _scores(about, turned=turned, told=bool(differences))
        reasons = (
            f"{len(shared)} of {len(wanted)} content words of the claim are in the evidence"
            + (f": {', '.join(sorted(shared))}" if shared else ""),
            *differences,
        )
        return Verdict(max(LABELS, key=lambda label: scores[label]), scores, reasons)


def coverage(claim: str, evidence: str) -> float:
    """Share of the claim's words, cues among them, that the evidence has, in [0, 1]; 0 for a claim without any."""
    wanted = frozenset(tokens(claim))
    return len(wanted & frozenset(tokens(evidence))) / len(wanted) if wanted else 0.0


_TOLD: Final = 0.9
_SILENT: Final = 0.85
"""How sure the side is once the evidence is about the claim: when cues differ, and when none does (our choice).

The rest goes to the other side, so that the evidence has to share somewhat more than half of the words.
"""


def _scores(about: float, *, turned: bool, told: bool) -> dict[Label, float]:
    sure = _TOLD if told else _SILENT
    side, other = about * sure, about * (1 - sure)
    refutes, supports = (side, other) if turned else (other, side)
    return {"Supports": round(supports, 4), "Refutes": round(refutes, 4), "Neutral": round(1 - about, 4)}


def _nearest_part(wanted: frozenset[str], evidence: str) -> str:
    """The sentence, or what follows a contrast in it, that shares most words; of equals the last."""
    parts = [part for start, end in sentences(evidence) for part in _CONTRAST.split(evidence[start:end])]
    return max(reversed(parts), key=lambda part: len(wanted & _topic(part)), default="")


def _topic(text: str) -> frozenset[str]:
    """The content words of a text without the cues in it."""
    without = _plain(text)
    for pattern in (_NEGATION, _UP, _DOWN, *(side for pair in _OPPOSITES for side in pair)):
        without = pattern.sub(" ", without)
    return frozenset(tokens(without))


def _plain(text: str) -> str:
    """Lower case, with plain apostrophes, as the cues are written."""
    return text.lower().replace("’", "'")


@dataclass(frozen=True, slots=True)
class _Stance:
    """What the cues of a text say.

    Attributes:
        negations: the negating words; an even number says the thing itself.
        up, down: the words of direction.
        poles: of each pair of opposites that is mentioned on one side only, the side and the word.
    """

    negations: tuple[str, ...]
    up: tuple[str, ...]
    down: tuple[str, ...]
    poles: Mapping[int, tuple[int, str]]

    @classmethod
    def of(cls, text: str) -> _Stance:
        lowered = _plain(text)
        poles: dict[int, tuple[int, str]] = {}
        for number, pair in enumerate(_OPPOSITES):
            found = [pattern.search(lowered) for pattern in pair]
            said = [(side, match[0]) for side, match in enumerate(found) if match]
            if len(said) == 1:
                poles[number] = said[0]
        negations = _words(_NEGATION, _NO_NEGATION.sub(" ", lowered))
        return cls(negations, _words(_UP, lowered), _words(_DOWN, lowered), poles)

    @property
    def negated(self) -> bool:
        return len(self.negations) % 2 == 1

    @property
    def direction(self) -> int:
        """1 up, -1 down, 0 when neither or both are said."""
        return bool(self.up) - bool(self.down)


def _differences(claim: _Stance, evidence: _Stance) -> tuple[str, ...]:
    """Where the cues of claim and evidence are opposed, in words."""
    found = []
    if claim.negated != evidence.negated:
        words = ", ".join(claim.negations or evidence.negations)
        found.append(f"negated in the {'claim' if claim.negated else 'evidence'} only: {words}")
    if claim.direction * evidence.direction < 0:
        here, there = claim.up or claim.down, evidence.up or evidence.down
        found.append(f"opposite direction: {', '.join(here)} / {', '.join(there)}")
    for number, (side, word) in claim.poles.items():
        other, opposed = evidence.poles.get(number, (side, word))
        if other != side:
            found.append(f"opposites: {word} / {opposed}")
    return tuple(found)


def _words(pattern: re.Pattern[str], text: str) -> tuple[str, ...]:
    return tuple(match[0] for match in pattern.finditer(text))


def _cues(english: str, chinese: str) -> re.Pattern[str]:
    """Words of both languages; `~` stands for any ending."""
    words = "|".join(word.replace("~", r"\w*") for word in english.split())
    return re.compile(rf"\b(?:{words})\b|{'|'.join(chinese.split())}")


_CONTRAST: Final = re.compile(
    r"\b(?:however|but|although|though|whereas|nevertheless|nonetheless|yet)\b|但是|然而|不过|可是|却|但", re.IGNORECASE
)
_NO_NEGATION: Final = re.compile(
    r"\bnot only\b|\bno doubt\b|\bnon[- ]|不仅|不但|不断|不同|无论|不良|不适|不足|未来|非常|无疑|无害|无益"
)
"""Looks like a negation and is none."""
_NEGATION: Final = _cues(
    "no not never without neither nor none cannot can't don't doesn't didn't isn't aren't wasn't weren't won't "
    "fail~ lack~ unable unlikely absen~ myth false",
    "没有 未见 未能 不能 不会 不是 并非 并未 无法 无效 缺乏 不 未 无",
)
_UP: Final = _cues(
    "increas~ elevat~ higher rais~ rise~ rising promot~ enhanc~ worsen~ aggravat~ accelerat~ exacerbat~",
    "增加 升高 提高 上升 增强 加重 促进 加剧 恶化",
)
_DOWN: Final = _cues(
    "decreas~ reduc~ lower~ declin~ diminish~ suppress~ inhibit~ prevent~ attenuat~ alleviat~ lessen~ mitigat~",
    "减少 降低 下降 减轻 减弱 抑制 预防 缓解 防止",
)
_OPPOSITES: Final = tuple(
    (_cues(*one), _cues(*other))
    for one, other in (
        (("safe safely harmless", "安全 无害"), ("unsafe harmful dangerous toxic", "危险 有害 有毒")),
        (("effective beneficial", "有效 有益"), ("ineffective useless", "无益")),
        (
            ("natural naturally", "天然 自然"),
            ("artificial engineered synthetic man-made laboratory", "人造 人工 实验室"),
        ),
        (("more greater most", "更多 较多"), ("less fewer least", "更少 较少")),
        (("common frequent~ often", "常见"), ("rare rarely seldom uncommon", "罕见 少见")),
        (("positive positively", "阳性"), ("negative negatively", "阴性")),
        (("acute", "急性"), ("chronic", "慢性")),
        (("alive survive~ survival", "存活 生存"), ("dead death~ die dies died mortality", "死亡")),
    )
)
