"""What a section is about, by its heading: the section rules.

A heading such as *Symptoms* or 临床表现 says how what is mentioned below it relates to the subject of the section. The
innermost heading that names a topic counts; one that names two (`Symptoms and treatment`) or speaks of something else
(`Differential diagnosis`, `Prevention`) makes no rule. The words are our own choice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ontology.schema import Side

SEPARATOR: Final = " › "
"""Between the headings of a section's path, see `kg_build.chunk`."""


@dataclass(frozen=True, slots=True)
class Topic:
    """What a heading announces.

    Attributes:
        name: of the topic.
        relation: what relates the section's subject and the things mentioned, see `relations`.
        side: where the subject of the section stands.
        heading: recognises it.
        unless: a sentence with this in it says something else about what it mentions.
        lead: has to stand before what is mentioned, where a mention alone says too little.
        established: whether only a thing counts that the graph has in this role already: drugs share their names with
            food (our choice).
    """

    name: str
    relation: str
    side: Side
    heading: re.Pattern[str]
    unless: re.Pattern[str]
    lead: re.Pattern[str]
    established: bool


def _topic(
    name: str, relation: str, side: Side, heading: str, unless: str, *, lead: str = "", established: bool = False
) -> Topic:
    heading_, unless_, lead_ = (re.compile(pattern, re.IGNORECASE) for pattern in (heading, unless, lead))
    return Topic(name, relation, side, heading_, unless_, lead_, established)


_ELSE_FINDINGS: Final = (
    r"\b(?:unlike|similar to|resembles?|mimics?|differential|distinguish\w*|confused with|mistaken for|treat\w*|"
    r"tests?|drugs?|medicines?|medications?|surgery|relatives|family members|carriers?|risk)\b|鉴别|区别|类似|酷似|"
    r"误诊|治疗|检查|药|手术|排除|有关|无关"
)
_ELSE_TREATMENT: Final = (
    r"\b(?:avoid\w*|contraindicat\w*|not|n't|ineffective|trials?|stud(?:y|ies|ied|ying)|research\w*|investigat\w*|"
    r"experimental|allerg\w*|side effects?|caus\w*|stop\w*|discontinu\w*|instead of|rather than|interact\w*|without|"
    r"monitor\w*|tests?|diagnos\w*|if you|unless|prevent\w*|insufficient|against|intolerance)\b|"
    r"禁|忌|慎|不宜|避免|无效|不能|不可|不得|过敏|副作用|"
    r"不良反应|引起|导致|预防|停|诊断|检查|监测|并发"
)
_FILLER: Final = (
    r"(?:(?:the|signs and|symptoms of|patients with|adults? with|children with|adult|moderate|severe|to|mild|"
    r"chronic|acute|active|primary|advanced|relapsed|refractory|metastatic|unresectable|or|and|a|an|early)\s+)*+"
)
_TOPICS: Final = (
    _topic("symptoms", "finding", "subject",
           r"\b(?:signs?|symptoms?|manifestations?|clinical (?:features?|presentation|findings?|picture))\b|"
           r"症状|临床表现|体征", _ELSE_FINDINGS),
    _topic("treatment", "drug treats", "object",
           r"\b(?:treatments?|therap(?:y|ies)|pharmacotherapy|drug treatment)\b|治疗|用药", _ELSE_TREATMENT,
           established=True),
    _topic("causes", "gene", "object", r"\b(?:causes?|a?etiology|genetic changes)\b|病因", r"\b(?:not|unlikely)\b|不"),
    _topic("complications", "complication", "subject", r"\bcomplications?\b|并发症",
           r"\b(?:treat\w*|prevent\w*|drugs?|medicines?|surgery|symptoms?|signs?|stages?|reports?|tests?|imaging|"
           r"scans?|\w+graphy|steroids?|injections?|because|due|caused|may cause|that cause|stones?|information)\b|"
           r"治疗|预防|药|手术|检查|症状",
           lead=r"(?:\A|[-•:,;、，：]|\b(?:and|or|includes?|including|such as|are|is|develop|lead to|leads to|causes?|"
           rf"risk of|result in|complications? of)|并发|引起|导致|有|为|和|及|或)\s*{_FILLER}\Z"),
    _topic("diagnosis", "diagnosed", "subject",
           r"\b(?:diagnos(?:is|e|ed|tic)|investigations?|work-?up|tests)\b|检查|诊断",
           r"\b(?:not|rule out|exclud\w*|treat\w*|other (?:conditions|diseases))\b|不|治疗|手术|排除|鉴别"),
    _topic("contraindications", "contraindicated", "subject", r"\bcontraindications?\b|禁忌",
           r"\bnot contra|慎|非禁忌"),
    _topic("adverse effects", "adverse", "subject",
           r"\b(?:adverse (?:effects?|reactions?|events?)|side[- ]effects?|undesirable effects)\b|不良反应|副作用",
           r"\b(?:treat\w*|prevent\w*|contraindicat\w*)\b|治疗|禁"),
    _topic("indications", "treats", "subject", r"\bindications?\b|适应[症证]",
           r"\b(?:not|contraindicat\w*|prevent\w*|prophyla\w*|diagnos\w*|except\w*|history)\b|不|禁|预防|诊断|除外",
           lead=rf"(?:(?:treatment|management|relief|therapy) of|indicated (?:for|in)|used for)\s+{_FILLER}\Z|"
           r"(?:治疗|用于|适用于)[的于]?(?:急性|慢性|轻度|中度|重度|各种)*+\Z"),
)  # fmt: skip
_ELSEWHERE: Final = re.compile(
    r"\b(?:differential|prevent\w*|prognosis|outlook|risk|limitations?|evidence|screening|criteria|when to|research|"
    r"trials?|follow-?up|references?|history|avoid|harms?)\b|鉴别|预防|预后|护理|标准|依据|随访|病史",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def topic_of(section: str) -> tuple[Topic, int] | None:
    """The topic of a section and which heading of its path, from the outermost, names it; None without one."""
    path = section.split(SEPARATOR)
    for depth in range(len(path) - 1, -1, -1):
        heading = path[depth]
        if _ELSEWHERE.search(heading):
            return None
        named = [topic for topic in _TOPICS if topic.heading.search(heading)]
        if len(named) > 1:
            return None
        if named:
            return named[0], depth
    return None


_WORDS: Final = re.compile(
    r"\b(?:what|are|is|the|of|for|in|and|to|do|does|how|main|common|typical|clinical|patients?|with|s|all|drug)\b|"
    r"[^\w\s]|的|常见|主要|有哪些|患者",
    re.IGNORECASE,
)


def says_no_more(heading: str, topic: Topic | None) -> bool:
    """Whether a heading, after the name of its subject was taken out, says nothing but its topic."""
    if topic is not None:
        heading = topic.heading.sub(" ", heading)
    return not _WORDS.sub(" ", heading).strip()
