"""What stands between two mentions that are related: the pattern rules, in English and Chinese.

A pattern looks at two neighbouring groups of mentions in a sentence (a group is an enumeration, `A, B and C` or
A、B和C) and has to account for all that stands between them, for how the clause begins before the first one, and for
what follows the second: so `drugs for asthma cause tremor` says nothing of asthma, and `causes heart rate changes`
nothing of the heart. Words that only colour a statement (`may`, `often`, `severe`) are listed; an unlisted word
makes the pattern fail. That loses much and is wrong rarely, which is what a reviewer's time asks for (our choice).

Every quantifier over alternatives is possessive, and no part sees more than a bounded window: the time is linear.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ontology.schema import Lang


@dataclass(frozen=True, slots=True)
class Phrase:
    """A way to say that two things are related.

    Attributes:
        name: of the rule.
        relation: see `relations`.
        backward: whether the subject of the statement stands second.
        before: has to match up to where the first group begins.
        between: has to match all between the groups; its group `not` is there when the statement is denied.
        after: has to match from where the second group ends.
    """

    name: str
    relation: str
    backward: bool
    before: re.Pattern[str]
    between: re.Pattern[str]
    after: re.Pattern[str]


def _any(words: str, *, blank: str = r"\s+") -> str:
    """Any number of these words; longer alternatives first, none given back."""
    listed = sorted(words.split("|"), key=len, reverse=True)
    return rf"(?:(?:{'|'.join(listed)}){blank})*+"


# --- English -----------------------------------------------------------------------------------------------

_MODAL: Final = _any(
    "can|may|might|could|will|would|often|usually|commonly|also|sometimes|typically|frequently|generally|occasionally|"
    "rarely|eventually|directly|mainly|primarily|which|then|in turn|in some cases|is known to|are known to|"
    "is thought to|tends to|tend to|most often|most commonly"
)
_NOT: Final = r"(?P<not>(?:do|does|did|can|could|may|will|is|are|has|have)(?:\s+not|n't|not)\s+|never\s+)?"
_COLOUR: Final = _any(
    "a|an|the|some|any|other|various|many|several|mild|moderate|severe|serious|chronic|acute|progressive|recurrent|"
    "recurring|sudden|intense|persistent|frequent|painful|bilateral|generalized|generalised|profound|significant|"
    "life-threatening|symptoms such as|symptoms including|symptoms of|symptoms like|signs of|conditions such as|"
    "problems such as|complications such as|complications including|problems including|episodes of|attacks of|"
    "one or more of the following:|symptoms, such as|symptoms, including|problems, such as|complications, such as|"
    "varying degrees of|early|congenital|and|both|more|high|a variety of|people with|patients with|patients who have|"
    "adults with|children with|individuals with|those with|development of|the development of|onset of|the onset of"
)
_CLAUSE: Final = (
    r"(?:\A|[,;:(•]\s*|(?:^|\s)-\s+|\b(?:but|because|since|that|while|when|although|though|however|as|so)\s+)"
    + _any(
        "the|a|an|both|most|many|some|classic|classical|severe|untreated|chronic|acute|uncontrolled|advanced|primary|"
        "congenital|hereditary|inherited|infection with|infections with|an infection with|people with|patients with|"
        "in|for example,|having|conditions such as|diseases such as|disorders such as|such as|drugs such as|"
        "medications such as|medicines such as"
    )
    + r"\Z"
)
_ENDS: Final = (
    r"\s*(?:\Z|[.,;:)!?•]|\(|(?:and|or|in|that|which|who|when|if|with|at|during|as|because|by|among|on|from|to|"
    r"after|before|but|while|is|are|can|may|due|caused|for|such|including|within|without|then|early|later)\b|-\s)"
)
_WHO: Final = (
    r"\b(?:people|patients|individuals|children|infants|babies|persons|adults|men|women|those|boys|girls|males|"
    r"females|newborns)\s+(?:with|who\s+have|affected\s+by|suffering\s+from|living\s+with)\s+"
    + _any("the|a|an|severe|untreated|chronic|acute|advanced|classic|congenital")
    + r"\Z"
)
_IS: Final = (
    r"(?:(?P<not>(?:is|are|was|were|can|may|will|should)(?:\s+not|n't|not)\s+(?:be\s+)?)|"
    r"(?:is|are|was|were|be|been|being)\s+)"
)
_OFTEN: Final = _any(
    "also|often|usually|commonly|sometimes|typically|frequently|generally|mainly|primarily|most often|a|an|the|one of|"
    "first|early|common|frequent|typical|characteristic|classic|main|major|possible|potential|serious|severe|rare|"
    "known|most common|most frequent|another|late|important|clinical|successfully|effectively|initially|best"
)
_COPULA: Final = rf"{_MODAL}{_IS}{_OFTEN}"


def _english(
    name: str, relation: str, between: str, *, backward: bool = False, before: str = _CLAUSE, after: str = _ENDS
) -> Phrase:
    flags = re.IGNORECASE
    return Phrase(
        name,
        relation,
        backward,
        re.compile(before, flags),
        re.compile(rf"\s*(?:\([^()]{{1,40}}\)\s*)?,?\s*{between}\s*\Z", flags),
        re.compile(after, flags),
    )


_OF: Final = r"\s+(?:of|for|in|from|with)\s+" + _any(
    "the|a|an|severe|acute|chronic|untreated|patients with|people with"
)
_INCLUDE: Final = rf"{_MODAL}{_NOT}(?:include|includes|are|is|consist\s+of|consists\s+of)[\s:]+{_COLOUR}"
_ENGLISH: Final = (
    _english("cause", "causes", rf"{_MODAL}{_NOT}(?:causes?|caused|leads?\s+to|led\s+to|results?\s+in|produces?)\s+"
             rf"{_COLOUR}"),
    _english("caused by", "causes", rf"{_COPULA}(?:caused\s+by|due\s+to|(?:result|consequence)\s+of)\s+{_COLOUR}",
             backward=True),
    _english("presents with", "presents", rf"{_MODAL}{_NOT}(?:presents?\s+(?:with|as)|manifests?\s+(?:with|as|by)|"
             rf"(?:is|are)\s+{_OFTEN}(?:characteri[sz]ed|manifested|marked|accompanied)\s+by)\s+{_COLOUR}"),
    _english("people have", "presents", rf"{_MODAL}{_NOT}(?:have|has|experience|develop|show|exhibit|suffer\s+from|"
             rf"present\s+with)\s+{_COLOUR}", before=_WHO),
    _english("symptoms include", "finding", _INCLUDE, before=r"\b(?:symptoms?|signs?|manifestations?|features?)" + _OF
             + r"\Z"),
    _english("is a symptom of", "finding", rf"{_COPULA}(?:signs?\s+(?:and|or)\s+)?(?:symptoms?|signs?|features?|"
             rf"manifestations?)\s+(?:of|in)\s+{_COLOUR}", backward=True),
    _english("complications include", "complication", _INCLUDE, before=r"\bcomplications?" + _OF + r"\Z"),
    _english("is a complication of", "complication", rf"{_COPULA}complications?\s+(?:of|in)\s+{_COLOUR}",
             backward=True),
    _english("is treated with", "treats", rf"{_COPULA}(?:treated|managed)\s+(?:with|by|using)\s+{_COLOUR}",
             backward=True),
    _english("treats", "treats", rf"(?:{_MODAL}treats?|{_COPULA}(?:used\s+to\s+treat|"
             r"(?:used|approved|indicated|prescribed)\s+(?:for|in)\s+(?:the\s+)?(?:treatment|management)\s+of|"
             rf"indicated\s+(?:for|in)))\s+{_COLOUR}"),
    _english("prevents", "prevents", rf"(?:{_MODAL}prevents?|{_COPULA}used\s+(?:to\s+prevent|for\s+"
             rf"(?:the\s+)?prevention\s+of))\s+{_COLOUR}"),
    _english("is contraindicated in", "contraindicated", rf"{_MODAL}(?:(?:is|are)\s+{_OFTEN}contraindicated\s+"
             r"(?:in|for)|(?:should|must)\s+(?:not\s+be\s+(?:used|given|taken)|be\s+avoided)\s+(?:in|by))\s+"
             rf"{_COLOUR}"),
    _english("adverse effects include", "adverse", _INCLUDE, before=r"\b(?:adverse\s+(?:effects?|reactions?|events?)|"
             r"side[ -]effects?)" + _OF + r"\Z"),
    _english("is diagnosed by", "diagnosed", rf"{_COPULA}(?:diagnosed|confirmed|detected)\s+(?:by|with|using|on|"
             rf"through)\s+{_COLOUR}"),
    _english("gene causes", "gene", rf"(?:gene\s+|genes\s+)?{_MODAL}{_NOT}(?:causes?|result\s+in|lead\s+to|"
             rf"(?:is|are)\s+{_OFTEN}responsible\s+for)\s+{_COLOUR}",
             before=r"\b(?:mutations?|variants?|changes|alterations|deletions?)\s+(?:in|of)\s+(?:either\s+)?(?:the\s+)?\Z"),
    _english("caused by gene", "gene", rf"{_COPULA}(?:caused\s+by|due\s+to|(?:result|consequence)\s+of)\s+"
             r"(?:a\s+)?(?:changes\s+\()?(?:mutations?|variants?|changes|alterations|deletions?)\)?\s+(?:in|of)\s+"
             r"(?:either\s+)?(?:the\s+)?", backward=True, after=r"\s*(?:\Z|[.,;)]|\(|genes?\b|and\b|or\b)"),
)  # fmt: skip

# --- Chinese -----------------------------------------------------------------------------------------------


def _each(words: str) -> str:
    return _any(words, blank="")


_MAY: Final = _each(
    "可|可以|可能|可能会|能|能够|会|常|常常|常可|多|多数|也|亦|还|还可|易|容易|往往|通常|一般|主要|有时|偶|偶可|均可|均|都|"
    "最终|最终可|严重者可|严重时可|重者可|最常|临床上|则|又|并|而|部分|较易|极易|极易|甚至"
)
_ZH_NOT: Final = r"(?P<not>不会|并不|不|未|从不|很少|极少)?"
_ZH_COLOUR: Final = _each(
    "反复|持续|持续性|剧烈|剧烈的|严重|严重的|轻度|中度|重度|明显|明显的|阵发性|进行性|不同程度的|不同程度|各种|多种|慢性|"
    "急性|轻微|突发|突然|突发性|间歇性|弥漫性|顽固性|局部|全身|全身性|周期性|频繁|暂时性|一过性|继发性|患者|病人|机体|：|:|"
    "出现|发生|有|如|或|和|及|典型的|典型|早期|的"
)
_ZH_CLAUSE: Final = (
    r"(?:\A|[，。；：、,;:（(“”\s])"
    + _each(
        "一般|少数|部分|因此|但|由于|因|因为|此外|另外|如|例如|某些|其他|严重的|严重|急性|慢性|晚期|长期|早期|当|而|典型|典型的|"
        "患|患有|所以|多数|大多数|原发性|继发性|单纯|单纯性|患者|本病|的|治疗|控制|防治"
    )
    + r"\Z"
)
_ZH_ENDS: Final = (
    r"\s*(?:\Z|[，。；、：！？,;.)）(（]|等|和|及|或|与|而|以及|并|伴|时|者|患者|的患者|的治疗|的病人|病人)"
)


def _chinese(
    name: str, relation: str, between: str, *, backward: bool = False, before: str = _ZH_CLAUSE, after: str = _ZH_ENDS
) -> Phrase:
    gap = re.compile(rf"\s*(?:[（(][^()（）]{{1,40}}[)）])?\s*{between}\s*\Z")
    return Phrase(name, relation, backward, re.compile(before), gap, re.compile(after))


_ZH_KIND: Final = _each("主要|常见|常见的|典型|典型的|临床|早期|首发|最|为|一般|全身|局部|特征性|突出|晚期")
_ZH_ARE: Final = rf"(?:{_MAY}(?:有|为|包括|是|如)|[：:])"
_CHINESE: Final = (
    _chinese("症状包括", "finding", rf"(?:患者|病人|者)?的?{_ZH_KIND}(?:症状和体征|症状及体征|临床症状|"
             rf"临床表现|症状|体征|表现|特征){_ZH_ARE}{_ZH_COLOUR}"),
    _chinese("表现为", "presents", rf"(?:患者|病人|者)?(?:的)?{_MAY}{_ZH_NOT}{_ZH_KIND}表现(?:为|出){_ZH_COLOUR}"),
    _chinese("以…为特征", "finding", rf"(?:患者|病人|是一种|是)?{_MAY}以{_ZH_COLOUR}",
             after=r"(?:等)?[为作](?:其)?" + _ZH_KIND + r"(?:特征|表现|特点|症状|体征)"),
    _chinese("引起", "causes", rf"(?:患者|病人|者)?{_MAY}{_ZH_NOT}(?:引起|导致|引发|造成|诱发|继发){_ZH_COLOUR}"),
    _chinese("并发", "complication", rf"(?:患者|病人|者)?{_MAY}{_ZH_NOT}并发{_ZH_COLOUR}"),
    _chinese("并发症包括", "complication", rf"(?:患者|病人)?的?{_ZH_KIND}并发症{_ZH_ARE}{_ZH_COLOUR}"),
    _chinese("见于", "finding", rf"{_MAY}{_ZH_NOT}见于{_ZH_COLOUR}", backward=True),
    _chinese("由…引起", "causes", rf"{_MAY}{_ZH_NOT}(?:由于|由|因){_ZH_COLOUR}", backward=True,
             after=r"(?:等)?(?:疾病)?(?:所)?(?:引起|导致|所致|引发|造成)"),
    _chinese("是…的症状", "finding", rf"{_MAY}{_ZH_NOT}(?:是|为){_ZH_COLOUR}", backward=True,
             after=r"(?:患者)?的?(?:一种|一个)?" + _ZH_KIND + r"(?:症状|表现|体征|临床表现)"),
    _chinese("是…的并发症", "complication", rf"{_MAY}{_ZH_NOT}(?:是|为){_ZH_COLOUR}", backward=True,
             after=r"(?:患者)?的?(?:一种|一个)?" + _ZH_KIND + "(?:的)?并发症"),
    _chinese("用于治疗", "treats", rf"{_MAY}{_ZH_NOT}(?:用于治疗|用于|适用于|治疗|主治)(?:治疗)?{_ZH_COLOUR}"),
    _chinese("用…治疗", "treats", rf"(?:患者|病人|者)?{_MAY}{_ZH_NOT}(?:用|应用|选用|采用|使用|给予|口服|"
             rf"给予口服|应给予|首选){_ZH_COLOUR}", backward=True, after=r"(?:等)?(?:药物)?(?:进行)?治疗"),
    _chinese("首选", "drug treats", rf"(?:患者|病人)?的?(?:治疗)?(?:药物)?{_MAY}{_ZH_NOT}"
             rf"首选(?:药物为|药为|药是)?{_ZH_COLOUR}", backward=True),
    _chinese("用于预防", "prevents", rf"{_MAY}{_ZH_NOT}(?:用于预防|用于防治|预防){_ZH_COLOUR}"),
    _chinese("禁用", "contraindicated", r"(?:患者|病人|者|的患者)?(?:应|须|严)?(?:禁用|忌用|禁止使用|禁服)"
             + _ZH_COLOUR, backward=True),
    _chinese("禁用于", "contraindicated", rf"{_MAY}(?:禁用于|忌用于|禁止用于){_ZH_COLOUR}"),
    _chinese("不良反应包括", "adverse", rf"的?{_ZH_KIND}(?:不良反应|副作用|毒副作用){_ZH_ARE}{_ZH_COLOUR}"),
    _chinese("诊断依靠", "diagnosed", rf"(?:患者|病人)?的?(?:诊断|确诊)(?:主要)?(?:依靠|依据|靠|有赖于|首选|需)"
             rf"{_ZH_COLOUR}"),
)  # fmt: skip

PHRASES: Final[dict[Lang, tuple[Phrase, ...]]] = {"en": _ENGLISH, "zh": _CHINESE}

LIST_GAP: Final[dict[Lang, re.Pattern[str]]] = {
    "en": re.compile(
        r"\s*(?:[,;/]|\band/or\b|\band\b|\bor\b|\bas well as\b)\s*(?:\band/or\b|\band\b|\bor\b)?\s*" + _COLOUR + r"\Z",
        re.IGNORECASE,
    ),
    "zh": re.compile(r"\s*(?:[、/]|[,，]?\s*(?:以及|和|及|或|与|及其))\s*" + _ZH_COLOUR + r"\Z"),
}
"""What stands between two members of an enumeration. In Chinese a comma alone divides clauses, not members."""

ITEM: Final[dict[Lang, tuple[re.Pattern[str], re.Pattern[str]]]] = {
    "en": (re.compile(r"(?:\A|\W)\Z"), re.compile(r"(?!\w)")),
    "zh": (
        re.compile(
            r"(?:\A|[，。；、,;（(“”\s]|[\d一二三四五六七八九十][.．、)）]|有|出现|发生|为|是|伴|见|如|及|和|或|与|等|感|示|呈|以)"
            + _ZH_COLOUR + r"\Z"
        ),
        re.compile(r"\s*(?:\Z|[，。；、！,;.)）(（]|等|和|及|或|与|以及|并|伴|为主|最|较)"),
    ),
}  # fmt: skip
"""How a thing stands by itself in a section. Chinese has no blanks: what the dictionary finds within another word
(胸锁 in 胸锁乳突肌) has to be told from an item by what is around it."""
