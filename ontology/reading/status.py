"""What a text says about a finding it mentions: there, not there, uncertain, of a relative, past, supposed.

The idea is that of NegEx (Chapman et al. 2001) and ConText (Harkema et al. 2009): a trigger gives a status to
the mentions after it (or before it) in the same sentence, until a word that ends its reach; some phrases only
look like triggers. The tables below are our own, for English and Chinese. In English a reach runs through
commas (`no fever, cough or chills`); in Chinese a comma ends it and 、 does not.

When several triggers reach a mention, the first of `_STRONGEST` counts: `no family history of seizures` says
nothing is there.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, Literal

from ontology.reading.linker import Link, Linker
from ontology.reading.text import language, sentences
from ontology.schema import Lang

Status = Literal["present", "absent", "uncertain", "family", "historical", "hypothetical"]


@dataclass(frozen=True, slots=True)
class Reading:
    """A mention and what the text says about it."""

    link: Link
    status: Status


def read_findings(text: str, linker: Linker, *, types: Collection[str]) -> list[Reading]:
    """The mentions of entities of these types, in order, each with its status."""
    spans = sentences(text)
    return [
        Reading(link, _status(text, _sentence(spans, link.start, link.end), link.start, link.end))
        for link in linker.link(text, types=types)
    ]


def status_of(text: str, start: int, end: int) -> Status:
    """What `text` says about the mention at code points `start` to `end`, from its own sentence alone."""
    return _status(text, _sentence(sentences(text), start, end), start, end)


def _sentence(spans: list[tuple[int, int]], start: int, end: int) -> tuple[int, int]:
    index = max(bisect_right(spans, start, key=lambda span: span[0]) - 1, 0)
    begin, stop = spans[index] if spans else (start, end)
    return min(begin, start), max(stop, end)


def _status(text: str, sentence: tuple[int, int], start: int, end: int) -> Status:
    begin, stop = max(sentence[0], start - _WINDOW), min(sentence[1], end + _WINDOW)
    rules = _RULES[language(text[begin:stop])]
    reaching = _reach_forward(rules, text[begin:start]) | _reach_backward(rules, text[end:stop])
    return next((status for status in _STRONGEST if status in reaching), "present")


def _reach_forward(rules: _Rules, before: str) -> set[str]:
    """Triggers before the mention whose reach has not ended."""
    reaching: set[str] = set()
    for found in rules.before.finditer(before):
        role = (found.lastgroup or "").partition("_")[0]
        if role == "stop":
            reaching.clear()
        elif role != "pseudo":
            reaching.add(role)
    return reaching


def _reach_backward(rules: _Rules, after: str) -> set[str]:
    """Triggers after the mention before anything that ends their reach."""
    reaching: set[str] = set()
    for found in rules.after.finditer(after):
        role = (found.lastgroup or "").partition("_")[0]
        if role == "stop":
            break
        if role != "pseudo":
            reaching.add(role)
    return reaching


_WINDOW: Final = 300
"""No trigger reaches further than this many code points (our choice), which also keeps the time linear."""

_STRONGEST: Final[tuple[Status, ...]] = ("hypothetical", "absent", "family", "uncertain", "historical")
_KIN: Final = (
    r"(?:grand)?(?:mother|father|parents?)|brothers?|sisters?|siblings?|sons?|daughters?|aunts?|uncles?|"
    r"cousins?|(?:maternal|paternal) \w+|relatives?|twin"
)
_KIN_ZH: Final = (
    r"(?:祖|外祖|曾祖)?(?:父亲|母亲)|祖父|祖母|外公|外婆|爷爷|奶奶|姥姥|姥爷|父母|其父|其母|其[兄弟姐妹]|哥哥|弟弟|姐姐|妹妹|"
    r"兄弟|姐妹|儿子|女儿|叔叔|伯父|舅舅|姑姑|姨妈|表[兄弟姐妹哥]|堂[兄弟姐妹哥]|家人|亲属|直系亲属"
)

# Each table: role, pattern. Where patterns begin at the same place the earlier row wins, so what only looks
# like a trigger comes first. Patterns in English match whole words.
_ENGLISH_BEFORE: Final = [
    ("pseudo", (r"no (?:\w+ )?(?:change|increase|decrease|improvement|relief|worsening|response)s?(?: in|"
     r" of| from| to)?")),
    ("pseudo", r"not only|no doubt|without (?:difficulty|doubt|relief|improvement)|gram[- ]negative"),
    ("pseudo", r"not necessarily"),
    ("pseudo", r"did not (?:improve|resolve|respond|change)|no better|previously (?:healthy|well)|if any"),
    ("pseudo", (rf"(?:{_KIN})(?= (?:denie[sd]|den(?:y|ied)|reports?|reported|states?|stated|notice[sd]?|"
     r"noted?|says?|said))")),
    ("pseudo", r"(?:\w+|\d+)[- ](?:hour|day|week|month|year)s?[- ](?:long )?history of"),
    ("pseudo", r"presents? (?:with )?a history of"),
    ("uncertain", r"(?:can|could)(?: ?not|n't) (?:be )?(?:exclude|rule out|excluded|ruled out)"),
    ("uncertain", r"not (?:certain|sure|clear) (?:if|whether)"),
    ("uncertain", r"(?:to )?rule out|r/o|possibl[ey]|probabl[ey]|suspect(?:ed|s|ing)?|suspicious for"),
    ("uncertain", r"suspicion (?:of|for)"),
    ("uncertain", r"(?:may|might|could) (?:be|have|represent|indicate|suggest)"),
    ("uncertain", r"concern(?:ing|ed|s)? (?:for|about)"),
    ("uncertain", r"suggest(?:s|ive)(?: of)?|likely|questionable|question of"),
    ("uncertain", r"differential (?:diagnosis )?includes|evaluat(?:e|ion) for|equivocal for|presumed"),
    ("hypothetical", r"if|return (?:for|with)|should(?= [\w ]*?$)|in case of"),
    ("hypothetical", r"(?:to )?prevent(?:s|ion of|ing)?|prophyla\w+ (?:for|against)"),
    ("hypothetical", r"(?:at )?risk (?:of|for)|watch for|monitor for|look out for|unless|in the event of"),
    ("family", r"family history(?: is| was)?(?: significant| positive| notable| remarkable)?(?: of| for)?:?"),
    ("family", r"family with"),
    ("family", (rf"(?:{_KIN})(?: \w+){{0,2}}? (?:ha[ds]|have|having|with|died of|died from|suffer\w* from|"
     r"was diagnosed with)")),
    ("family", rf"(?:{_KIN}):"),
    ("absent", (r"(?:do|does|did|has|have|had|is|are|was|were)(?: not|n't)(?: had| have| has| been|"
     r" having)?(?: any)?")),
    ("absent", (r"(?:denie[sd]|deny|denying)(?: (?:that )?(?:s?he|they|the patient) (?:has|have|"
     r"had))?(?: having| any)?")),
    ("absent", r"no|not|never(?: had)?|without|neither|nor|none of|negative for|free (?:of|from)"),
    ("absent", r"absence of|absent|lack(?:s|ed|ing)?(?: of)?"),
    ("absent", r"rule[sd] out|exclude[sd]?|fail(?:s|ed)? to (?:reveal|show)|unremarkable for"),
    ("absent", r"resolution of"),
    ("historical", (r"(?:past |prior |previous |remote )?(?:medical )?(?:history|hx)(?: is|"
     r" was)?(?: significant| notable| positive| remarkable)?(?: of| for)")),
    ("historical", r"h/o"),
    ("historical", r"previous(?:ly)?|prior|past|status post|s/p|formerly|used to have|in childhood"),
    ("historical", r"recovered from"),
    ("stop", r"but|however|although|though|except(?: for)?|apart from|other than|aside from|besides"),
    ("stop", r"whereas|while|yet|still|which|who"),
    ("stop", (r"(?:and )?(?:now )?(?:reports?|reported|complain(?:s|ed|ing)|admits|endorses|develop(?:s|"
     r"ed)|reveal(?:s|ed)|show(?:s|ed))")),
    ("stop", r"presents?|presented|presenting|positive for|there (?:is|are|was|were)|and (?:has|had|with)"),
    ("stop", r"now|because|due to|secondary to"),
    ("stop", r"is|are|was|were"),
    ("stop", r"(?:the |this )?(?:patient|child|infant|boy|girl|man|woman)|s?he|they|we|I"),
]  # fmt: skip
_ENGLISH_AFTER: Final = [
    ("pseudo", (r"(?:did|does|do|has|have|is|was) not (?:improve|improved|resolve|resolved|respond|change|"
     r"changed|relieved|controlled|spread|worsened)")),
    ("uncertain", r"(?:can|could)(?: ?not|n't) be (?:excluded|ruled out)"),
    ("uncertain", r"(?:not|never) (?:excluded|ruled out)|not (?:certain|clear|confirmed)"),
    ("uncertain", (r"(?:is|are|was|were|seems?|remains?) (?:possible|probable|suspected|likely|unlikely|"
     r"questionable|considered)")),
    ("absent", r"^\s*(?:\(\s*[-−–]\s*\)|:\s*(?:no|none|negative|absent|denie[sd]))"),
    ("absent", r"(?:is|are|was|were|be|been|has been|have been) (?:absent|negative|denied|excluded|ruled out)"),
    ("absent", r"absent|negative|ruled out"),
    ("absent", r"(?:is|are|was|were|has|have|had|did|does|do)(?: not|n't)"),
    ("absent", r"not (?:present|seen|found|heard|detected|noted|observed)|none"),
    ("family", rf"in (?:his|her|the|their|a|both)(?: \w+)? ?(?:{_KIN})|in (?:{_KIN})|runs in the family"),
    ("historical", r"as an? (?:child|infant|teenager)|in childhood|(?:years|months) ago|in the past"),
    ("historical", r"(?:has|have|had)? ?resolved"),
    ("hypothetical", r"prophylaxis|prevention|precautions|risk"),
    ("stop", r"but|however|although|though|except|whereas|while|with|without|no|which|who|because|if"),
    ("stop", r"denie[sd]|report(?:s|ed)"),
    ("stop", r"s?he|they|we|I|(?:the )?patient|is|are|was|were|has|had|have"),
]  # fmt: skip
_CHINESE_BEFORE: Final = [
    ("pseudo", (r"[无没][有]?(?:明显|特殊|任何)?(?:的)?(?:诱因|原因|缓解|好转|改善|变化|加重|减轻|效果|"
     r"规律)(?:下|地)?(?:而|后)?")),
    ("pseudo", r"不明原因|原因不明"),
    ("pseudo", r"未(?:见|有)?(?:明显)?(?:好转|缓解|改善|减轻|加重|控制|治疗|重视|就诊|愈)|未[予行]"),
    ("pseudo", r"不[仅但只]|无论|不论"),
    ("pseudo", r"不适|不规则|不规律|不断|不停|不足|不全|无力|例如|比如|如下|现病史"),
    ("pseudo", r"既往(?:体健|健康|身体)"),
    ("pseudo", rf"(?:{_KIN_ZH}|家属|家长)(?:代)?(?:诉|述|称|发现|否认(?=.*?(?:患儿|患者)))"),
    ("uncertain", r"不(?:能)?(?:完全)?(?:除外|排除)|未(?:能)?(?:除外|排除)"),
    ("uncertain", r"(?:需|须|待|应|注意|进一步|以)(?:要)?(?:进一步)?(?:除外|排除)"),
    ("uncertain", r"可疑|疑似|疑为|疑|怀疑|考虑|可能(?:为|是|有|存在|系)?|似有|似为|拟诊"),
    ("uncertain", r"(?:需|须|应)(?:要)?与"),
    ("hypothetical", r"(?:^|(?<=[，,。；、\s]))如(?:果|有|出现|发生|伴)?|若(?:有|出现|发生|是)?"),
    ("hypothetical", r"一旦(?:出现)?|倘若|假如|万一"),
    ("hypothetical", r"预防|避免|防止|以防|警惕|谨防"),
    ("family", r"家族(?:史|中|内)?(?:有|：|:)?"),
    ("family", rf"(?:{_KIN_ZH})(?:均|都|曾|也|亦)?(?:患有|患|有|死于|因|确诊|诊断为|为)?"),
    ("absent", (r"(?:否认|没有|未曾|从未|从无|并无|均无|未|无|并未|均未|不|不会)(?:明显|任何|明确|"
     r"显著)?(?:伴有|出现过|出现|发现|发生|见到|见|闻及|触及|扪及|探及|引出|检出|查见|感到|感|"
     r"诉|曾有|有|伴|合并|存在)")),
    ("absent", r"否认|没有|没|无(?:明显|任何|明确|显著|特殊)?|从未|未(?:及|曾)"),
    ("absent", r"(?:已|可|予以|基本)?(?:排除|除外)|缺乏|未再|不能?(?=$)|未(?=$)|非(?=$)"),
    ("historical", r"既往(?:有|曾有|曾患|患有|患|史[：:])?|曾经?(?:有|患有|患|因|诊断为)?|过去(?:有|曾)?"),
    ("historical", r"病史[：:]|旧(?=$)"),
    ("stop", r"[，,。；;：:！!？?]|但是?|然而|却|而(?!且)|伴有|伴(?!随症状)|出现|可见|有(?!无)|仅|目前"),
    ("stop", r"现(?!病史)|患者|患儿|后(?=.)"),
]  # fmt: skip
_CHINESE_AFTER: Final = [
    ("pseudo", r"(?:未见|无|没有|未)(?:明显)?(?:好转|缓解|改善|变化|加重|减轻|控制)|待查"),
    ("pseudo", r"原因(?:不明|未明)|不止|不已|不断"),
    ("uncertain", r"(?:不能|不|未|待)(?:完全)?(?:除外|排除|排)|可能(?:性大)?(?=$|[，,。；;、\s])"),
    ("uncertain", r"^\s*[？?]|可疑|待除外"),
    ("absent", r"^\s*[(（]\s*[-－—–−]\s*[)）]|^\s*[：:]\s*(?:无|否认|未见|没有|阴性)"),
    ("absent", r"(?:均|皆|都|呈|为)?阴性|均无|皆无|(?:已|可|被|基本)(?:予)?(?:排除|除外)"),
    ("absent", r"(?:均|皆|都)?未(?:见|闻及|触及|扪及|引出|及|检出|查见|发现|出现)(?=$|[，,。；;、\s])"),
    ("absent", r"(?:均|皆)?不明显(?=$|[，,。；;、\s])"),
    ("family", r"(?:等)?(?:疾病|病)?(?:的)?(?:家族史|家族病史|家族遗传史)"),
    ("historical", r"(?:的|等)?(?:疾病)?(?:既往史|病史|手术史|史)(?!者)|(?:已|后)(?:痊愈|治愈|退|消失)"),
    ("historical", r"消失"),
    ("hypothetical", r"(?:的)?(?:风险|危险)(?=$|[，,。；;、\s])"),
    ("stop", r"[，,。；;！!]|但|而|伴|有|无|否认|出现|患者"),
]  # fmt: skip


@dataclass(frozen=True)
class _Rules:
    before: re.Pattern[str]
    after: re.Pattern[str]


def _compile(rows: list[tuple[str, str]], *, words: bool) -> re.Pattern[str]:
    """One pattern for a table; a group's name is its role and the number of its row."""
    groups = "|".join(f"(?P<{role}_{row}>{pattern})" for row, (role, pattern) in enumerate(rows))
    return re.compile(rf"(?<!\w)(?:{groups})(?!\w)" if words else groups, re.IGNORECASE)


_RULES: Final[dict[Lang, _Rules]] = {
    "en": _Rules(_compile(_ENGLISH_BEFORE, words=True), _compile(_ENGLISH_AFTER, words=True)),
    "zh": _Rules(_compile(_CHINESE_BEFORE, words=False), _compile(_CHINESE_AFTER, words=False)),
}
